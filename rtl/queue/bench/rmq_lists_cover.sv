// SPDX-License-Identifier: BSD-2-Clause
// Points that the benches of tally_rmq_lists must reach.
module rmq_lists_cover (
  input logic clk_i,
  input logic done_o,
  input logic go_i,
  input logic store_i,
  input logic found_q,
  input logic awaited_q,
  input logic any_q,
  input logic awaits_q,
  input logic is_find,
  input logic is_await,
  input logic is_fire,
  input logic hit,
  input logic has,
  input logic at_end,
  input logic at_awaited_q,
  input logic appends,
  input logic unlinks,
  input logic takes_count,
  input logic before_valid_q,
  input logic place_is_last,
  input logic gone_valid_o,
  input logic gone_awaited_o
);
  into_awaited: cover property (@(posedge clk_i) done_o && go_i && is_find && store_i && found_q &&
                                awaited_q);
  into_list: cover property (@(posedge clk_i) done_o && go_i && is_find && store_i && found_q &&
                             !awaited_q);
  not_stored: cover property (@(posedge clk_i) done_o && go_i && is_find && !store_i);
  appended_alone: cover property (@(posedge clk_i) appends && !any_q);
  appended_behind: cover property (@(posedge clk_i) appends && any_q);
  found_and_lost: cover property (@(posedge clk_i) is_find && found_q && has && !at_awaited_q &&
                                  !done_o);
  awaited_lost: cover property (@(posedge clk_i) is_find && found_q && awaited_q && has &&
                                !at_awaited_q && !done_o);
  found_again: cover property (@(posedge clk_i) is_find && hit && !at_awaited_q && awaits_q);
  long_walk: cover property (@(posedge clk_i) is_find && !at_end && before_valid_q &&
                             !at_awaited_q);
  awaits_first: cover property (@(posedge clk_i) done_o && go_i && is_await && any_q);
  awaits_new: cover property (@(posedge clk_i) done_o && go_i && is_await && !any_q);
  fires_before: cover property (@(posedge clk_i) done_o && go_i && is_fire && any_q);
  count_only: cover property (@(posedge clk_i) takes_count && !unlinks);
  leaves_alone: cover property (@(posedge clk_i) unlinks && !before_valid_q && place_is_last);
  leaves_first: cover property (@(posedge clk_i) unlinks && !before_valid_q && !place_is_last);
  leaves_last: cover property (@(posedge clk_i) unlinks && before_valid_q && place_is_last);
  leaves_middle: cover property (@(posedge clk_i) unlinks && before_valid_q && !place_is_last);
  flushed: cover property (@(posedge clk_i) gone_valid_o && !gone_awaited_o && !unlinks);
  flushed_awaited: cover property (@(posedge clk_i) gone_awaited_o && any_q);
endmodule

bind tally_rmq_lists rmq_lists_cover u_cover (.place_is_last(place_q == last_q), .*);
