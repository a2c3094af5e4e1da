// SPDX-License-Identifier: BSD-2-Clause
// Points that the benches of tally_sender_turn must reach.
module sender_turn_cover #(
  parameter int unsigned Ranks = 64,
  parameter int unsigned NumW = 32,
  parameter int unsigned SegsW = 9
) (
  input logic                     clk_i,
  input logic                     cmd_valid_i,
  input logic                     ask_valid_i,
  input logic                     posts,
  input logic                     verdict_valid_o,
  input logic                     verdict_ready_i,
  input tally_turn_pkg::verdict_e verdict_o,
  input logic [15:0]              status_o,
  input logic                     last_o,
  input logic                     borrow_o,
  input logic                     has_begun,
  input logic                     refuses,
  input logic                     is_behind,
  input logic                     is_ahead,
  input logic                     ahead_q,
  input logic                     skipped,
  input logic                     streams_q,
  input logic                     seen_q,
  input logic                     runs_q,
  input logic [Ranks-1:0]         ranks_q,
  input logic [Ranks-1:0]         left_q,
  input logic [NumW-1:0]          start_q,
  input logic [NumW-1:0]          num_q,
  input logic [NumW-1:0]          end_q,
  input logic [NumW-1:0]          at_q,
  input logic [NumW-1:0]          most_q,
  input logic [NumW-1:0]          limit_q,
  input logic [NumW-1:0]          done_q,
  input logic [SegsW-1:0]         seg_count_q,
  input logic                     peek_valid_i,
  input logic                     peeked_valid_o,
  input logic [Ranks-1:0]         peeked_begun_o
);
  logic taken, is_post, is_shut;
  assign taken = verdict_valid_o && verdict_ready_i;
  assign is_post = verdict_o == tally_turn_pkg::VerdictPost;
  assign is_shut = verdict_o == tally_turn_pkg::VerdictShut;

  command_first: cover property (@(posedge clk_i) cmd_valid_i && ask_valid_i);
  waits: cover property (@(posedge clk_i) verdict_valid_o && !verdict_ready_i);
  all_ranks: cover property (@(posedge clk_i) posts && ranks_q == '1);
  one_rank: cover property (@(posedge clk_i) posts && (ranks_q & (ranks_q - 1'b1)) == '0);
  begins_and_ends: cover property (@(posedge clk_i) posts && !has_begun && last_o);
  ends: cover property (@(posedge clk_i) posts && has_begun && last_o);
  not_posted: cover property (@(posedge clk_i) taken && is_post && !posts);
  within_seg_count: cover property (@(posedge clk_i) taken && is_shut && at_q == end_q &&
                                    seg_count_q != '0);
  from_done: cover property (@(posedge clk_i) taken && is_post && start_q != num_q);
  at_limit: cover property (@(posedge clk_i) taken && is_shut && at_q == limit_q);
  last_of_window: cover property (@(posedge clk_i) posts && at_q == limit_q - 1'b1);
  below_done: cover property (@(posedge clk_i) taken && is_shut && at_q == done_q - 1'b1);
  borrows_and_posts: cover property (@(posedge clk_i) taken && is_post && borrow_o);
  all_that_it_may: cover property (@(posedge clk_i) taken && is_shut && limit_q == most_q);
  later_rank_is_behind: cover property (@(posedge clk_i) refuses && is_behind && !ahead_q &&
                                        left_q == '0 && (ranks_q & (ranks_q - 1'b1)) != '0);
  behind_one_that_is_ahead: cover property (@(posedge clk_i) seen_q && is_behind && ahead_q);
  later_rank_is_skipped: cover property (@(posedge clk_i) refuses && skipped && ahead_q);
  ahead_and_streams: cover property (@(posedge clk_i) seen_q && is_ahead && streams_q);
  twice: cover property (@(posedge clk_i) taken && status_o == 16'(tally_pkg::CollRankTwice));
  read_waits_for_a_command: cover property (@(posedge clk_i) peek_valid_i && cmd_valid_i);
  some_have_begun: cover property (@(posedge clk_i) peeked_valid_o && peeked_begun_o != '0 &&
                                   peeked_begun_o != '1);
  no_epoch: cover property (@(posedge clk_i) taken && !runs_q);
endmodule

bind tally_sender_turn sender_turn_cover #(.Ranks(Ranks), .NumW(NumW), .SegsW(SegsW)) u_cover (.*);
