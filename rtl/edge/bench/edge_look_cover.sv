// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_edge_look must reach.
module edge_look_cover (
  input logic clk_i,
  input logic first_valid_i,
  input logic second_valid_i,
  input logic look_ready_i,
  input logic holds_q
);
  both: cover property (@(posedge clk_i) first_valid_i && second_valid_i && look_ready_i);
  is_not_overtaken: cover property (@(posedge clk_i) holds_q && first_valid_i);
endmodule

bind tally_edge_look edge_look_cover u_cover (.*);
