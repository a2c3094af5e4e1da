// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_edge_ops must reach.
module edge_ops_cover (
  input logic clk_i,
  input logic heard_valid_i,
  input logic reg_valid_i,
  input logic head_valid_i,
  input logic op_ready_i,
  input logic holds_q,
  input logic keeps,
  input logic head_answer_o,
  input logic raised_o,
  input logic answer_raised_i
);
  all_at_once: cover property (@(posedge clk_i) heard_valid_i && reg_valid_i && head_valid_i);
  waits: cover property (@(posedge clk_i) heard_valid_i && !op_ready_i);
  is_not_overtaken: cover property (@(posedge clk_i) holds_q && keeps);
  for_the_head: cover property (@(posedge clk_i) head_answer_o);
  settled: cover property (@(posedge clk_i) raised_o && !answer_raised_i);
endmodule

bind tally_edge_ops edge_ops_cover u_cover (.keeps(held_q != first), .*);
