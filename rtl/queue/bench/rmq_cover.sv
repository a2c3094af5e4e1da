// SPDX-License-Identifier: BSD-2-Clause
// Points that the benches of tally_rmq must reach.
module rmq_cover #(
  parameter int unsigned UsedW = 1,
  parameter int unsigned CountW = 1,
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
  input logic step,
  input logic first_q,
  input logic at_last,
  input logic walk_has_before_q,
  input logic walk_busy_q,
  input logic release_q,
  input logic release_take,
  input logic decide,
  input logic pend_q,
  input logic data_done,
  input logic data_begins,
  input logic data_busy_q,
  input logic data_valid_i,
  input logic unread,
  input logic fetch,
  input logic pop,
  input logic out_valid_o,
  input logic out_ready_i,
  input logic in_valid_i,
  input logic in_ready_o,
  input logic cp_ready,
  input logic taken_ready,
  input logic taken_valid,
  input logic flushing,
  input logic flush_load_q,
  input logic [UsedW-1:0] used,
  input logic [UsedW-1:0] keep,
  input logic own_more_q,
  input logic [UsedW-1:0] shared_read_q,
  input logic [CountW-1:0] left_q
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
  passed_over: cover property (@(posedge clk_i) step && !first_q);
  taken_behind: cover property (@(posedge clk_i) step && first_q && walk_has_before_q && !at_last);
  taken_at_end: cover property (@(posedge clk_i) step && first_q && walk_has_before_q && at_last);
  taken_alone: cover property (@(posedge clk_i) step && first_q && !walk_has_before_q && at_last);
  large_firing: cover property (@(posedge clk_i) step && left_q > CountW'(40));
  appended_in_walk: cover property (@(posedge clk_i) walk_busy_q && stored);
  release_waits: cover property (@(posedge clk_i) release_q && !release_take);
  walk_waits: cover property (@(posedge clk_i) walk_busy_q && !taken_ready);
  next_pends: cover property (@(posedge clk_i) pend_q && data_done);
  begins_at_end: cover property (@(posedge clk_i) data_begins && data_done);
  without_pause: cover property (@(posedge clk_i) data_busy_q && data_valid_i && fetch);
  still_coming: cover property (@(posedge clk_i) taken_valid && unread && !out_valid_o);
  out_stalled: cover property (@(posedge clk_i) out_valid_o && !out_ready_i && taken_valid);
  flush_waits: cover property (@(posedge clk_i) flushing && !flush_load_q && pop);
  full_of_fires: cover property (@(posedge clk_i) in_valid_i && !in_ready_o && !cp_ready && !decide);
endmodule

bind tally_rmq rmq_cover #(.UsedW(UsedW), .CountW(CountW), .Cap(Cap)) u_cover (.flushing(state_q == StFlush), .*);
