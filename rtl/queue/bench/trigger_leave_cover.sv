// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_trigger_leave must reach.
module trigger_leave_cover (
  input logic clk_i,
  input logic head_valid_o,
  input logic head_ready_i,
  input logic sent,
  input logic has_words,
  input logic go_ready_o,
  input logic go_again_i,
  input logic to_self,
  input logic self_wants_i,
  input logic starts,
  input logic moves,
  input logic last_word,
  input logic nobody_o
);
  empty: cover property (@(posedge clk_i) head_valid_o && head_ready_i && sent && !has_words);
  not_sent: cover property (@(posedge clk_i) head_valid_o && head_ready_i && !sent && has_words);
  again: cover property (@(posedge clk_i) go_ready_o && go_again_i && !to_self);
  head_waits: cover property (@(posedge clk_i) head_valid_o && !head_ready_i);
  long_one: cover property (@(posedge clk_i) moves && !last_word);
  self_words: cover property (@(posedge clk_i) starts && self_wants_i);
  nowhere: cover property (@(posedge clk_i) nobody_o);
endmodule

bind tally_trigger_leave trigger_leave_cover u_cover (.*);
