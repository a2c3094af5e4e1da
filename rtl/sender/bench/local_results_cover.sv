// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_local_results must reach.
module local_results_cover (
  input logic        clk_i,
  input logic        hold_i,
  input logic        res_tvalid_i,
  input logic        res_tready_o,
  input logic        new_valid_o,
  input logic        new_ready_i,
  input logic        word_valid_o,
  input logic        word_ready_i,
  input logic        begins,
  input logic        ends_words,
  input logic        gets,
  input logic        is_ended,
  input logic        writes_q,
  input logic        has_list_q,
  input logic        combined,
  input logic        is_first_q,
  input logic [63:0] below,
  input logic [63:0] root_mask,
  input logic [1:0]  full_q,
  input logic [5:0]  at_q,
  input logic [12:0] len_q,
  input logic        within_o
);
  both_full: cover property (@(posedge clk_i) full_q == '1 && res_tvalid_i && !res_tready_o);
  held: cover property (@(posedge clk_i) hold_i && !within_o && full_q != '0);
  job_waits: cover property (@(posedge clk_i) new_valid_o && !new_ready_i);
  word_waits: cover property (@(posedge clk_i) word_valid_o && !word_ready_i);
  longest: cover property (@(posedge clk_i) ends_words && at_q == '1);
  one_word: cover property (@(posedge clk_i) ends_words && at_q == '0);
  no_list: cover property (@(posedge clk_i) begins && gets && !has_list_q && len_q != '0);
  one_for_all: cover property (@(posedge clk_i) begins && writes_q && combined && below == '0);
  ended: cover property (@(posedge clk_i) begins && is_ended);
  barrier: cover property (@(posedge clk_i) begins && !is_ended && !gets);
  behind_root: cover property (@(posedge clk_i) begins && writes_q &&
                                  (below & root_mask) != '0);
  entry_of_the_row: cover property (@(posedge clk_i) begins && writes_q && is_first_q &&
                                    below != '0);
  entry_of_a_line: cover property (@(posedge clk_i) begins && writes_q && !is_first_q);
endmodule

bind tally_local_results local_results_cover u_cover (.is_ended(res_q.ended), .*);
