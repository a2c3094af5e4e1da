// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_trigger_words must reach.
module trigger_words_cover (
  input logic clk_i,
  input logic starts,
  input logic asks,
  input logic leaves,
  input logic rd_valid_o,
  input logic rd_ready_i,
  input logic out_valid_o,
  input logic out_ready_i,
  input logic out_last_o,
  input logic full
);
  both: cover property (@(posedge clk_i) asks && leaves);
  is_full: cover property (@(posedge clk_i) full && !leaves);
  read_waits: cover property (@(posedge clk_i) rd_valid_o && !rd_ready_i);
  word_waits: cover property (@(posedge clk_i) out_valid_o && !out_ready_i);
  at_once: cover property (@(posedge clk_i) starts && $past(leaves && out_last_o));
endmodule

bind tally_trigger_words trigger_words_cover u_cover (.full(inside_q == RoomW'(Room)), .*);
