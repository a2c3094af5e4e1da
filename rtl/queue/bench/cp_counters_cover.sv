// SPDX-License-Identifier: BSD-2-Clause
// Points that the benches of tally_cp_counters must reach.
module cp_counters_cover #(
  parameter int unsigned CountW = 1,
  parameter int unsigned ContribW = 1,
  parameter int unsigned Contributors = 1
) (
  input logic clk_i,
  input logic answer_o,
  input logic go_i,
  input logic keep_i,
  input logic is_message,
  input logic kept_message,
  input logic begins,
  input logic alone_q,
  input logic counts_q,
  input logic full_o,
  input logic take,
  input logic takes_alone,
  input logic again,
  input logic of_sum_q,
  input logic is_first,
  input logic is_last,
  input logic swapped_q,
  input logic out_valid_o,
  input logic out_ready_i,
  input logic done_o,
  input logic [CountW-1:0] count_q,
  input logic [CountW-1:0] more_q,
  input logic [ContribW-1:0] who_q,
  input logic [Contributors-1:0] left_q
);
  first_of_all: cover property (@(posedge clk_i) kept_message && begins && count_q == '0);
  further: cover property (@(posedge clk_i) kept_message && begins && count_q != '0);
  behind: cover property (@(posedge clk_i) kept_message && !begins && !alone_q);
  behind_without_data: cover property (@(posedge clk_i) kept_message && !begins && alone_q);
  not_counted: cover property (@(posedge clk_i) answer_o && go_i && is_message && keep_i &&
                               !counts_q);
  not_kept: cover property (@(posedge clk_i) answer_o && go_i && begins && !keep_i);
  full: cover property (@(posedge clk_i) answer_o && full_o);
  waits: cover property (@(posedge clk_i) answer_o && !go_i);
  excess: cover property (@(posedge clk_i) take && of_sum_q && more_q == '0);
  mixed: cover property (@(posedge clk_i) take && !of_sum_q && takes_alone && swapped_q);
  out_swapped: cover property (@(posedge clk_i) out_valid_o && swapped_q);
  out_plain: cover property (@(posedge clk_i) out_valid_o && !swapped_q);
  out_stalled: cover property (@(posedge clk_i) out_valid_o && !out_ready_i);
  leaves_alone: cover property (@(posedge clk_i) take && is_first && is_last && !again);
  leaves_first: cover property (@(posedge clk_i) take && is_first && !is_last && !again);
  leaves_last: cover property (@(posedge clk_i) take && !is_first && is_last && !again);
  leaves_middle: cover property (@(posedge clk_i) take && !is_first && !is_last && !again);
  again_alone: cover property (@(posedge clk_i) take && is_first && is_last && again);
  again_first: cover property (@(posedge clk_i) take && is_first && !is_last && again);
  again_last: cover property (@(posedge clk_i) take && !is_first && is_last && again);
  again_middle: cover property (@(posedge clk_i) take && !is_first && !is_last && again);
  many: cover property (@(posedge clk_i) take && count_q >= CountW'(60));
  none: cover property (@(posedge clk_i) done_o && count_q == '0 && left_q == '0);
  myself: cover property (@(posedge clk_i) take && who_q == ContribW'(tally_pkg::ContribSelf));
endmodule

bind tally_cp_counters cp_counters_cover #(.CountW(CountW), .ContribW(ContribW),
                                           .Contributors(Contributors)) u_cover (.*);
