// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_plan_ring must reach.
module plan_ring_cover (
  input logic                 clk_i,
  input logic                 valid_o,
  input logic                 modulo_valid,
  input logic                 bcast,
  input logic                 reduce,
  input logic [15:0]          nodes,
  input logic [15:0]          root,
  input logic [15:0]          begin_node,
  input tally_plan_pkg::way_t way_o
);
  alone: cover property (@(posedge clk_i) modulo_valid && nodes == 16'd1);
  two: cover property (@(posedge clk_i) modulo_valid && nodes == 16'd2);
  largest: cover property (@(posedge clk_i) modulo_valid && nodes > 16'd4000);
  reduce_wraps: cover property (@(posedge clk_i) modulo_valid && reduce && root == nodes - 1'b1);
  bcast_wraps: cover property (@(posedge clk_i) modulo_valid && bcast && root == '0 &&
                               nodes != 16'd1);
  begins_at_0: cover property (@(posedge clk_i) modulo_valid && !bcast && !reduce &&
                               begin_node == '0);
  begins_at_1: cover property (@(posedge clk_i) modulo_valid && !bcast && !reduce &&
                               begin_node == 16'd1);
  passes_up: cover property (@(posedge clk_i) valid_o && way_o.up && !way_o.begins && !way_o.turns);
  begins: cover property (@(posedge clk_i) valid_o && way_o.up && way_o.begins && !way_o.turns);
  turns: cover property (@(posedge clk_i) valid_o && way_o.up && !way_o.begins && way_o.turns);
  begins_and_turns: cover property (@(posedge clk_i) valid_o && way_o.begins && way_o.turns);
  no_sum: cover property (@(posedge clk_i) valid_o && !way_o.up);
  no_result: cover property (@(posedge clk_i) valid_o && !way_o.down);
  stops: cover property (@(posedge clk_i) valid_o && way_o.down && way_o.stops);
endmodule

bind tally_plan_ring plan_ring_cover u_cover (.*);
