// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_plan must reach.
module plan_cover (
  input logic       clk_i,
  input logic       ring_valid,
  input logic [7:0] mode,
  input logic       rooted,
  input logic       bcast,
  input logic       here,
  input logic       known_opcode,
  input logic       known_mode,
  input logic       alone,
  input logic       up,
  input logic       down
);
  logic tree, ring, exchange;
  assign tree = ring_valid && mode == tally_pkg::ModeTree;
  assign ring = ring_valid && mode == tally_pkg::ModeRing;
  assign exchange = ring_valid && mode == tally_pkg::ModeExchange;

  tree_rooted: cover property (@(posedge clk_i) tree && rooted);
  tree_all: cover property (@(posedge clk_i) tree && known_opcode && !rooted);
  ring_all: cover property (@(posedge clk_i) ring && known_opcode && !rooted && up && down);
  ring_root_here: cover property (@(posedge clk_i) ring && rooted && here);
  ring_root_elsewhere: cover property (@(posedge clk_i) ring && rooted && !here);
  ring_bcast: cover property (@(posedge clk_i) ring && bcast && down);
  ring_of_one: cover property (@(posedge clk_i) ring && alone);
  exchange_all: cover property (@(posedge clk_i) exchange && known_opcode && known_mode);
  exchange_rooted: cover property (@(posedge clk_i) exchange && rooted && !known_mode);
  other_operation: cover property (@(posedge clk_i) ring_valid && !known_opcode);
  other_mode: cover property (@(posedge clk_i) ring_valid && known_opcode && !known_mode &&
                              !exchange);
endmodule

bind tally_plan plan_cover u_cover (
  .mode(chunk.mode), .here(chunk.root_node == group.node), .alone(group.nodes == 16'd1),
  .up(way.up),
  .down(way.down), .*);
