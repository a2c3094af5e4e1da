// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_keep must reach.
module keep_cover (
  input logic clk_i,
  input logic kept_q,
  input logic in_valid_i,
  input logic out_ready_i
);
  passes: cover property (@(posedge clk_i) !kept_q && in_valid_i && out_ready_i);
  keeps: cover property (@(posedge clk_i) !kept_q && in_valid_i && !out_ready_i);
  stays: cover property (@(posedge clk_i) kept_q && in_valid_i && !out_ready_i);
  leaves: cover property (@(posedge clk_i) kept_q && in_valid_i && out_ready_i);
endmodule

bind tally_keep keep_cover u_cover (.*);
