// SPDX-License-Identifier: BSD-2-Clause
// Points that the benches of tally_edge_acks must reach.
module edge_acks_cover #(
  parameter int unsigned Depth = 32,
  localparam int unsigned PlaceW = $clog2(Depth)
) (
  input logic              clk_i,
  input logic              push,
  input logic              pop,
  input logic              arm_valid_i,
  input logic              due_valid_o,
  input logic              due_ready_i,
  input logic [PlaceW-1:0] head_q,
  input logic [PlaceW-1:0] tail_q,
  input logic [PlaceW:0]   count_q
);
  left_out: cover property (@(posedge clk_i) arm_valid_i && count_q == (PlaceW + 1)'(Depth));
  left_out_as_one_leaves: cover property (@(posedge clk_i) arm_valid_i && pop &&
                                          count_q == (PlaceW + 1)'(Depth));
  full: cover property (@(posedge clk_i) count_q == (PlaceW + 1)'(Depth));
  last_place: cover property (@(posedge clk_i) push && count_q == (PlaceW + 1)'(Depth - 1));
  armed_already: cover property (@(posedge clk_i) arm_valid_i && !push);
  both: cover property (@(posedge clk_i) push && pop);
  only_one: cover property (@(posedge clk_i) push && pop && count_q == (PlaceW + 1)'(1));
  waits: cover property (@(posedge clk_i) due_valid_o && !due_ready_i);
  not_due: cover property (@(posedge clk_i) count_q != '0 && !due_valid_o);
  wraps: cover property (@(posedge clk_i) push && tail_q == '1 && head_q != '0);
endmodule

bind tally_edge_acks edge_acks_cover #(.Depth(Depth)) u_cover (.*);
