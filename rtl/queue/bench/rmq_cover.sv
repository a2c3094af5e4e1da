// SPDX-License-Identifier: BSD-2-Clause
// Points that the benches of tally_rmq must reach.
module rmq_cover #(
  parameter int unsigned CountW = 1,
  parameter int unsigned UsedW = 1,
  parameter int unsigned Cap = 1
) (
  input logic clk_i,
  input logic is_message,
  input logic is_own,
  input logic is_arm,
  input logic is_flush,
  input logic stored,
  input logic swp_mp_q,
  input logic cp_q,
  input logic ls_found,
  input logic ls_awaited,
  input logic other_branch,
  input logic other_type,
  input logic bad,
  input logic spoilt,
  input logic filled,
  input logic combines,
  input logic cp_full,
  input logic own_room,
  input logic own_any,
  input logic shared_any,
  input logic given_cell,
  input logic oldest_q,
  input logic swaps,
  input logic swaps_q,
  input logic complete,
  input logic give_up_q,
  input logic fires_now,
  input logic fire_go,
  input logic at_once,
  input logic push,
  input logic later_q,
  input logic fire_spoilt,
  input logic gone,
  input logic out_valid,
  input logic out_asks,
  input logic idle,
  input logic lacks_valid_o,
  input logic flush_valid_i,
  input logic in_valid_i,
  input logic room,
  input logic fire_valid_o,
  input logic fire_ready_i,
  input logic message_turn_q,
  input logic control,
  input logic in_ready_o,
  input logic fire_walks,
  input logic [CountW-1:0] number,
  input logic [CountW-1:0] cpcnt,
  input logic [UsedW-1:0] used
);
  into_awaited: cover property (@(posedge clk_i) is_message && swp_mp_q && ls_found && ls_awaited);
  into_list: cover property (@(posedge clk_i) is_message && swp_mp_q && ls_found && !ls_awaited);
  without_cp: cover property (@(posedge clk_i) is_message && stored && !cp_q);
  without_data: cover property (@(posedge clk_i) is_message && stored && !swp_mp_q);
  awaited_when_full: cover property (@(posedge clk_i)
    is_message && stored && swp_mp_q && ls_awaited && !own_room && !shared_any);
  no_cell: cover property (@(posedge clk_i) is_message && !stored && swp_mp_q &&
                           used < UsedW'(Cap));
  kept_cells: cover property (@(posedge clk_i) is_message && !stored && swp_mp_q && own_any &&
                              used < UsedW'(Cap));
  cap: cover property (@(posedge clk_i) is_message && !stored && swp_mp_q && used == UsedW'(Cap) &&
                       shared_any);
  too_many_alone: cover property (@(posedge clk_i) is_message && !swp_mp_q && cp_full);
  branch_differs: cover property (@(posedge clk_i) is_message && swp_mp_q && ls_found &&
                                  other_branch);
  type_differs: cover property (@(posedge clk_i) is_message && swp_mp_q && filled && !spoilt &&
                                other_type);
  comes_spoilt: cover property (@(posedge clk_i) is_message && swp_mp_q && bad && !other_branch &&
                                !filled);
  own_first: cover property (@(posedge clk_i) is_own && !filled);
  own_combines: cover property (@(posedge clk_i) is_own && combines);
  own_disagrees: cover property (@(posedge clk_i) is_own && filled && !spoilt && other_type);
  arm_takes_cell: cover property (@(posedge clk_i) is_arm && swaps_q && ls_found);
  arm_begins: cover property (@(posedge clk_i) is_arm && swaps_q && !ls_found);
  kept_for_oldest: cover property (@(posedge clk_i) given_cell && oldest_q && !own_room && own_any);
  fires_at_once: cover property (@(posedge clk_i) fire_go && swaps && at_once &&
                                 number > CountW'(4));
  fires_by_count: cover property (@(posedge clk_i) fire_go && !swaps);
  fires_with_more: cover property (@(posedge clk_i) fire_go && swaps && number < cpcnt);
  fires_with_excess: cover property (@(posedge clk_i) fire_go && swaps && number > cpcnt);
  spoilt_in_walk: cover property (@(posedge clk_i) push && later_q && fire_spoilt);
  later_unspoilt: cover property (@(posedge clk_i) push && later_q && !fire_go && !fire_spoilt);
  leaves_in_walk: cover property (@(posedge clk_i) gone && fire_walks);
  out_waits: cover property (@(posedge clk_i) out_valid && !idle && !out_asks);
  lacks: cover property (@(posedge clk_i) lacks_valid_o);
  gives_up: cover property (@(posedge clk_i) fires_now && give_up_q && !complete);
  flush_waits: cover property (@(posedge clk_i) flush_valid_i && !idle && in_valid_i);
  flushed: cover property (@(posedge clk_i) is_flush);
  no_room: cover property (@(posedge clk_i) in_valid_i && !room);
  fire_stalled: cover property (@(posedge clk_i) fire_valid_o && !fire_ready_i);
  turn: cover property (@(posedge clk_i) in_ready_o && control && message_turn_q);
endmodule

bind tally_rmq rmq_cover #(.CountW(CountW), .UsedW(UsedW),
                           .Cap(Cap)) u_cover (.fire_walks(state_q == StFireWalk), .*);
