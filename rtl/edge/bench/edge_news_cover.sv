// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_edge_news must reach.
module edge_news_cover #(
  parameter int unsigned Groups = 8,
  localparam int unsigned GroupW = $clog2(Groups)
) (
  input logic              clk_i,
  input logic              moved_valid_i,
  input logic              push_now,
  input logic              push_soon,
  input logic              pop_now,
  input logic              pop_soon,
  input logic              due,
  input logic              walk_valid_o,
  input logic              walk_ready_i,
  input logic [GroupW-1:0] walk_group_o,
  input logic [GroupW-1:0] moved_group_i,
  input logic [GroupW:0]   now_count_q,
  input logic [GroupW:0]   soon_count_q
);
  localparam logic [GroupW:0] All = (GroupW + 1)'(Groups);
  queued_already: cover property (@(posedge clk_i) moved_valid_i && !push_now && !push_soon);
  only_the_first_walk_is_over: cover property (@(posedge clk_i) push_now && !push_soon);
  moves_as_it_is_walked: cover property (@(posedge clk_i) push_now && walk_valid_o &&
                                         walk_group_o == moved_group_i);
  due_waits: cover property (@(posedge clk_i) due && pop_now);
  held_up: cover property (@(posedge clk_i) walk_valid_o && !walk_ready_i && now_count_q != '0);
  one_behind_the_other: cover property (@(posedge clk_i)
                                        $past(walk_valid_o && walk_ready_i) && pop_soon);
  all_now: cover property (@(posedge clk_i) now_count_q == All);
  all_soon: cover property (@(posedge clk_i) soon_count_q == All);
  not_due: cover property (@(posedge clk_i) soon_count_q != '0 && !due);
endmodule

bind tally_edge_news edge_news_cover #(.Groups(Groups)) u_cover (.*);
