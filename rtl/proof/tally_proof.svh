// SPDX-License-Identifier: BSD-2-Clause
// What every proof begins with: the first cycle is a reset, no later one is. Properties hold `if (started_q)`.
logic started_q = 1'b0;
always_ff @(posedge clk_i) started_q <= 1'b1;
always_comb assume (rst_ni == started_q);
