// SPDX-License-Identifier: BSD-2-Clause
// Points that the benches of tally_fifo must reach.
module fifo_cover (
  input logic clk_i,
  input logic push,
  input logic pop,
  input logic in_valid_i,
  input logic in_ready_o
);
  full_and_pushed: cover property (@(posedge clk_i) in_valid_i && !in_ready_o);
  full_and_popped: cover property (@(posedge clk_i) !in_ready_o && pop);
  both: cover property (@(posedge clk_i) push && pop);
endmodule

bind tally_fifo fifo_cover u_cover (.*);
