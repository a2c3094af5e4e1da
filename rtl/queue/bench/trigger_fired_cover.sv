// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_trigger_fired must reach.
module trigger_fired_cover (
  input logic        clk_i,
  input logic        fire_swaps_i,
  input logic        fire_many_i,
  input logic        loc,
  input logic [2:0]  size,
  input logic        op_matters,
  input logic        agrees,
  input logic        spoilt,
  input logic        sends_data,
  input logic [15:0] err
);
  logic clean;
  assign clean = !err[tally_pkg::ErrMismatchBit];
  disagrees: cover property (@(posedge clk_i) clean && fire_swaps_i && !agrees);
  takes_nothing: cover property (@(posedge clk_i) clean && !fire_swaps_i && !agrees && !spoilt);
  many_by_op: cover property (@(posedge clk_i) clean && fire_many_i && op_matters && agrees);
  one_of_any_op: cover property (@(posedge clk_i) clean && !fire_many_i && !op_matters && agrees);
  long_pair: cover property (@(posedge clk_i) clean && loc && size == 3'd4 && agrees);
  short_pair: cover property (@(posedge clk_i) clean && loc && size == 3'd3 && agrees);
  with_data: cover property (@(posedge clk_i) clean && sends_data);
  comes_spoilt: cover property (@(posedge clk_i) !clean && agrees);
endmodule

bind tally_trigger_fired trigger_fired_cover u_cover (.*);
