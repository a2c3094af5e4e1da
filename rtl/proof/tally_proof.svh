// SPDX-License-Identifier: BSD-2-Clause
// Common start of all proofs: the first cycle is a reset, and no later cycle is. Properties hold
// `if (started_q)`.
logic started_q = 1'b0;
always_ff @(posedge clk_i) started_q <= 1'b1;
always_comb assume (rst_ni == started_q);
