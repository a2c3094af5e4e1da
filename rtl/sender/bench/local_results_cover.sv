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
  input logic        is_lost,
  input logic        shut_i,
  input logic        writes,
  input logic        early,
  input logic        has_list_q,
  input logic        got_valid_i,
  input logic        combined,
  input logic        is_first_q,
  input logic [63:0] below,
  input logic [63:0] root_mask,
  input logic        starts,
  input logic        fills,
  input logic        row_waits,
  input logic [1:0]  full_q,
  input logic [5:0]  at_q,
  input logic [12:0] len_q,
  input logic        within_o
);
  // Of the row that came last.
  logic combined_q;
  logic [63:0] below_q, root_q;
  always_ff @(posedge clk_i) begin
    if (got_valid_i) begin
      combined_q <= combined;
      below_q <= below;
      root_q <= root_mask;
    end
  end

  starts_at_once: cover property (@(posedge clk_i) starts && fills && full_q == '0);
  row_is_late: cover property (@(posedge clk_i) row_waits);
  both_full: cover property (@(posedge clk_i) full_q == '1 && res_tvalid_i && !res_tready_o);
  held: cover property (@(posedge clk_i) hold_i && !within_o && full_q != '0);
  job_at_once: cover property (@(posedge clk_i) begins && early);
  job_with_nothing_at_once: cover property (@(posedge clk_i) begins && early && !writes);
  job_waits: cover property (@(posedge clk_i) new_valid_o && !new_ready_i);
  word_waits: cover property (@(posedge clk_i) word_valid_o && !word_ready_i);
  longest: cover property (@(posedge clk_i) ends_words && at_q == '1);
  one_word: cover property (@(posedge clk_i) ends_words && at_q == '0);
  no_list: cover property (@(posedge clk_i) begins && gets && !has_list_q && len_q != '0);
  one_for_all: cover property (@(posedge clk_i) begins && writes && combined_q && below_q == '0);
  ended: cover property (@(posedge clk_i) begins && is_ended);
  fenced: cover property (@(posedge clk_i) begins && shut_i && !is_ended);
  barrier: cover property (@(posedge clk_i) begins && !is_lost && !gets);
  behind_root: cover property (@(posedge clk_i) begins && writes &&
                                  (below_q & root_q) != '0);
  entry_of_the_row: cover property (@(posedge clk_i) begins && writes && is_first_q &&
                                    below_q != '0);
  entry_of_a_line: cover property (@(posedge clk_i) begins && writes && !is_first_q);
endmodule

bind tally_local_results local_results_cover u_cover (
  .is_ended(res_q.ended), .row_waits(state_q == ReRow), .*);
