// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_route must reach.
module route_cover (
  input logic clk_i,
  input logic searching_q,
  input logic take,
  input logic last,
  input logic done,
  input logic found,
  input logic first_step,
  input logic none,
  input logic stale,
  input logic out_valid_o,
  input logic out_ready_i,
  input logic in_valid_i,
  input logic in_ready_o
);
  found_at_once: cover property (@(posedge clk_i) done && found && first_step);
  found_later: cover property (@(posedge clk_i) done && found && !first_step);
  found_in_the_last_step: cover property (@(posedge clk_i) done && found && last && !first_step);
  not_found: cover property (@(posedge clk_i) done && !found);
  no_contributors: cover property (@(posedge clk_i) done && none);
  stale_range: cover property (@(posedge clk_i) done && stale);
  waits_for_room: cover property (@(posedge clk_i) searching_q && (last || found) && !done);
  taken_while_done: cover property (@(posedge clk_i) take && done);
  replaces_an_answer: cover property (@(posedge clk_i) done && out_valid_o && out_ready_i);
  request_waits: cover property (@(posedge clk_i) in_valid_i && !in_ready_o);
endmodule

// Stale: the node is in a range of an earlier group, behind the last contributor.
bind tally_route route_cover u_cover (
  .first_step(step_q == '0), .none(left_q == '0),
  .stale(!found && gen_lane[Lanes-1].ahead < gen_lane[Lanes-1].range_q[NodeW-1:0] &&
         node_q >= gen_lane[Lanes-1].range_q[NodeW+:NodeW]), .*);
