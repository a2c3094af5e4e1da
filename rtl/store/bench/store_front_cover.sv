// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_store_front must reach.
module store_front_cover (
  input logic                              clk_i,
  input logic                              looked,       // an operation is decided
  input logic                              again,        // it uses the plan of the one before
  input logic                              plan_kept_q,
  input logic                              written,
  input tally_segment_map_pkg::mapped_e    found,
  input tally_fw_pkg::store_op_e              op_q,
  input logic                              exchange,
  input logic                              part_ok_q,
  input logic                              known_q,
  input logic                              stranger,
  input logic                              left_out,    // of a part: a neighbour
  input logic                              own_asks,    // a part that enters another: for its plan
  input logic                              own_routes,  // for the way to the root
  input logic                              ring,
  input logic                              refused,
  input logic                              look_valid_o,
  input logic                              freed_ready_i,
  input logic                              sum_of_modes,  // data enter a part of TREE or RING
  input logic                              own_dropped
);
  logic packet;
  assign packet = looked && (op_q == tally_fw_pkg::StoreOpReduce ||
                             op_q == tally_fw_pkg::StoreOpResult);

  wrong_round: cover property (@(posedge clk_i) packet && exchange && !part_ok_q);
  round_in_tree: cover property (@(posedge clk_i) packet && !exchange && !part_ok_q);
  wrong_edge: cover property (@(posedge clk_i) packet && part_ok_q && known_q && stranger);
  found_at_end: cover property (@(posedge clk_i) packet && refused &&
                                found == tally_segment_map_pkg::MapSlot);
  looked_as_slot_is_cleared: cover property (@(posedge clk_i) look_valid_o && freed_ready_i);
  neighbour_left_out_of_part: cover property (@(posedge clk_i) left_out);
  plan_of_part: cover property (@(posedge clk_i) own_asks && !ring);
  plan_of_part_in_ring: cover property (@(posedge clk_i) own_asks && ring);
  route_of_part: cover property (@(posedge clk_i) own_routes);
  tree_among_modes: cover property (@(posedge clk_i) sum_of_modes && !ring);
  ring_among_modes: cover property (@(posedge clk_i) sum_of_modes && ring);
  plan_again: cover property (@(posedge clk_i) again);
  plan_is_old: cover property (@(posedge clk_i) plan_kept_q && written);
  own_after_end: cover property (@(posedge clk_i) own_dropped);
endmodule

bind tally_store_front store_front_cover u_cover (
  .looked(step_valid_o && step_ready_i && !own), .found(found_q),
  .again(state_q == StGroup && plan_again && !own),
  .left_out(leaves && early && !early_rank), .own_asks(state_q == StAsk && own),
  .own_routes(state_q == StRoute && own), .ring(message_q.mode == tally_pkg::ModeRing),
  .sum_of_modes(leaves && shaped && !exchange && group.exchange_ins != '0 &&
                op_q == tally_fw_pkg::StoreOpReduce),
  .own_dropped(state_q == StReady && own && refused), .*);
