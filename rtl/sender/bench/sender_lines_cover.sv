// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_sender_lines must reach.
module sender_lines_cover (
  input logic clk_i,
  input logic begin_i,
  input logic piece,
  input logic used_q,
  input logic missed_q,
  input logic has_spare_q,
  input logic has_back,
  input logic has_fresh,
  input logic takes_back,
  input logic keeps_line,
  input logic keep_valid_i,
  input logic frees,
  input logic free_looks_q,
  input logic has_line,
  input logic free_waits_q,
  input logic sge_valid_i,
  input logic sge_ready_o,
  input logic read_valid_i,
  input logic far_sge_valid_o,
  input logic far_sge_ready_i,
  input logic far_read_valid_o,
  input logic far_read_ready_i,
  input logic far_word_valid_i,
  input logic far_word_ready_o,
  input logic sgot_valid_o,
  input logic word_valid_o,
  input logic word_ready_i
);
  dropped: cover property (@(posedge clk_i) begin_i && used_q);
  kept: cover property (@(posedge clk_i) keeps_line);
  kept_without: cover property (@(posedge clk_i) keep_valid_i && !used_q && !missed_q);
  kept_far: cover property (@(posedge clk_i) keep_valid_i && missed_q);
  missed_and_then_one_is_free: cover property (@(posedge clk_i) piece && missed_q && has_spare_q);
  none_is_free: cover property (@(posedge clk_i) !has_spare_q && !has_back && !has_fresh);
  used_again: cover property (@(posedge clk_i) takes_back && !has_fresh);
  frees_a_line: cover property (@(posedge clk_i) frees);
  frees_none: cover property (@(posedge clk_i) free_looks_q && !has_line);
  entry_waits_for_a_free: cover property (@(posedge clk_i) sge_valid_i && free_waits_q);
  words_wait_for_an_entry: cover property (@(posedge clk_i) read_valid_i && sge_valid_i &&
                                           sge_ready_o);
  far_entry_waits: cover property (@(posedge clk_i) far_sge_valid_o && !far_sge_ready_i);
  far_words_wait: cover property (@(posedge clk_i) far_read_valid_o && !far_read_ready_i);
  far_word_waits: cover property (@(posedge clk_i) far_word_valid_i && !far_word_ready_o);
  word_waits: cover property (@(posedge clk_i) word_valid_o && !word_ready_i);
  both_answer: cover property (@(posedge clk_i) sgot_valid_o && word_valid_o);
endmodule

bind tally_sender_lines sender_lines_cover u_cover (.*);
