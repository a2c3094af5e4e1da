// SPDX-License-Identifier: BSD-2-Clause
// Points that the benches of tally_marks must reach.
module marks_cover #(
  parameter int unsigned NumW = 10,
  parameter int unsigned Word = 32,
  parameter int unsigned Words = 32,
  parameter int unsigned WordW = 5
) (
  input logic             clk_i,
  input logic             mark_valid_i,
  input logic [NumW-1:0]  mark_i,
  input logic             out_valid_o,
  input logic             out_ready_i,
  input logic [NumW-1:0]  out_o,
  input logic             searches_o,
  input logic             looks,
  input logic             finds,
  input logic             keeps,
  input logic             passes,
  input logic             found_next,
  input logic [WordW-1:0] word_q,
  input logic [Words-1:0] any_q,
  input logic [Word-1:0]  later_q
);
  logic takes;
  assign takes = out_valid_o && out_ready_i;

  all_words: cover property (@(posedge clk_i) any_q == '1);
  whole_turn: cover property (@(posedge clk_i) !found_next && any_q != '0);
  only_passed_ones: cover property (@(posedge clk_i) looks && !finds);
  only_passed_ones_in_the_last: cover property (@(posedge clk_i) looks && !finds &&
                                                32'(word_q) == Words - 1);
  past_the_last_bit: cover property (@(posedge clk_i) searches_o && later_q == '0);
  the_only_one_passes: cover property (@(posedge clk_i) passes);
  waits_for_a_mark: cover property (@(posedge clk_i) searches_o && mark_valid_i);
  marked_while_offered: cover property (@(posedge clk_i) mark_valid_i && keeps);
  marked_as_it_is_taken: cover property (@(posedge clk_i) takes && mark_valid_i && mark_i == out_o);
  another_marked: cover property (@(posedge clk_i) takes && mark_valid_i && mark_i != out_o);
endmodule

bind tally_marks marks_cover #(.NumW(NumW), .Word(Word), .Words(Words), .WordW(WordW)) u_cover (.*);
