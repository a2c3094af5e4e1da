// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_local_data must reach.
module local_data_cover (
  input logic clk_i,
  input logic note_valid_i,
  input logic note_ready_o,
  input logic note_q,
  input logic note_asked_i,
  input logic passes,
  input logic answered,
  input logic refused_q,
  input logic gave_valid_o,
  input logic line_valid_o,
  input logic line_ready_i,
  input logic op_valid_o,
  input logic op_ready_i,
  input logic op_tlast_o,
  input logic is_memory_q,
  input logic empty,
  input logic order_valid,
  input logic of_memory,
  input logic rests,
  input logic asks_room,
  input logic given_valid,
  input logic ans_valid_i,
  input logic [1:0] op_q,
  input logic [7:0] word_q,
  input tally_local_pkg::gave_e gave_o
);
  note_waits: cover property (@(posedge clk_i) note_valid_i && !note_ready_o);
  note_behind_answer: cover property (@(posedge clk_i) note_q && answered);
  line_was_wanted: cover property (@(posedge clk_i) passes && note_asked_i);
  passes_with_answer: cover property (@(posedge clk_i) passes && answered);
  refused_first: cover property (@(posedge clk_i) refused_q && given_valid);
  line_waits: cover property (@(posedge clk_i) line_valid_o && !line_ready_i);
  word_waits: cover property (@(posedge clk_i) op_valid_o && !op_ready_i);
  one_word: cover property (@(posedge clk_i) op_valid_o && op_tlast_o && is_memory_q &&
                            word_q == '0);
  no_bytes: cover property (@(posedge clk_i) op_valid_o && empty);
  memory_waits: cover property (@(posedge clk_i) order_valid && of_memory && op_q != 2'd0);
  asks_are_full: cover property (@(posedge clk_i) op_q == 2'd0 && order_valid && !asks_room);
  note_waits_for_answers: cover property (@(posedge clk_i) note_q && !rests && op_q == 2'd0);
  answer_amid_words: cover property (@(posedge clk_i) ans_valid_i && op_valid_o && !op_tlast_o &&
                                     word_q != '0);
  answer_behind_refusal: cover property (@(posedge clk_i) ans_valid_i && refused_q);
  lost: cover property (@(posedge clk_i) gave_valid_o && gave_o == tally_local_pkg::GaveLost);
endmodule

bind tally_local_data local_data_cover u_cover (.*);
