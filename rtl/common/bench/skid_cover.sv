// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_skid must reach.
module skid_cover (
  input logic clk_i,
  input logic ready_q,
  input logic valid_q,
  input logic push,
  input logic out_ready_i
);
  full: cover property (@(posedge clk_i) !ready_q && !out_ready_i);
  spare_moves: cover property (@(posedge clk_i) !ready_q && out_ready_i);
  fills: cover property (@(posedge clk_i) push && valid_q && !out_ready_i);
  flows: cover property (@(posedge clk_i) push && valid_q && out_ready_i);
endmodule

bind tally_skid skid_cover u_cover (.*);
