// SPDX-License-Identifier: BSD-2-Clause
// Points that the benches of tally_rmq must reach.
module rmq_cover #(
  parameter int unsigned UsedW = 1,
  parameter int unsigned Cap = 1
) (
  input logic clk_i,
  input logic is_message,
  input logic is_arm,
  input logic is_flush,
  input logic stored,
  input logic promised,
  input logic own,
  input logic given,
  input logic own_all,
  input logic reserve_own,
  input logic unpromise,
  input logic is_group,
  input logic group_given_o,
  input logic walking,
  input logic release_valid,
  input logic release_take,
  input logic decide,
  input logic gone,
  input logic pop_waits,
  input logic preparing,
  input logic in_valid_i,
  input logic in_ready_o,
  input logic fires_room,
  input logic [UsedW-1:0] used,
  input logic [UsedW-1:0] keep,
  input logic own_more_q,
  input logic [UsedW-1:0] shared_read_q
);
  own_cell: cover property (@(posedge clk_i) stored && !promised && own);
  shared_cell: cover property (@(posedge clk_i) stored && !promised && !own);
  promised_own: cover property (@(posedge clk_i) stored && promised && reserve_own);
  promised_shared: cover property (@(posedge clk_i) stored && promised && !reserve_own);
  over_the_cap: cover property (@(posedge clk_i) stored && used >= UsedW'(Cap));
  capped: cover property (@(posedge clk_i) is_message && !stored && used == UsedW'(Cap) && shared_read_q != '0);
  no_cell: cover property (@(posedge clk_i) is_message && !stored && used < UsedW'(Cap) && shared_read_q == '0);
  kept: cover property (@(posedge clk_i) is_message && !own_more_q && keep != '0);
  given_own: cover property (@(posedge clk_i) given && own_all);
  given_shared: cover property (@(posedge clk_i) given && !own_all);
  not_given: cover property (@(posedge clk_i) is_arm && !given);
  flush_of_promise: cover property (@(posedge clk_i) is_flush && unpromise && reserve_own);
  flush_of_shared_promise: cover property (@(posedge clk_i) is_flush && unpromise && !reserve_own);
  group_refused: cover property (@(posedge clk_i) is_group && !group_given_o);
  appended_in_walk: cover property (@(posedge clk_i) walking && stored);
  words_wait: cover property (@(posedge clk_i) gone && pop_waits);
  release_waits: cover property (@(posedge clk_i) release_valid && !release_take);
  full_of_fires: cover property (@(posedge clk_i) in_valid_i && !in_ready_o && !fires_room && !decide);
  release_between: cover property (@(posedge clk_i) release_take && preparing);
endmodule

bind tally_rmq rmq_cover #(.UsedW(UsedW), .Cap(Cap)) u_cover (
  .preparing(state_q == StPrepare), .fires_room(u_counters.fires_room),
  .pop_waits(u_words.taken_valid), .*
);
