// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_edge_rows must reach.
module edge_rows_cover
  import tally_edge_pkg::*;
(
  input logic    clk_i,
  input logic    valid_q,
  input row_op_e op_q,
  input logic    has,
  input logic    takes,
  input logic    gives,
  input logic    fresh,
  input logic    none_left,
  input logic    behind_fresh,
  input logic    others
);
  first_use: cover property (@(posedge clk_i) takes && fresh);
  second_use: cover property (@(posedge clk_i) takes && !fresh);
  has_it_already: cover property (@(posedge clk_i) valid_q && op_q == RowTake && has);
  full: cover property (@(posedge clk_i) valid_q && op_q == RowTake && !has && none_left);
  full_but_has: cover property (@(posedge clk_i) valid_q && op_q == RowTake && has && none_left);
  given: cover property (@(posedge clk_i) gives);
  nothing_to_give: cover property (@(posedge clk_i) valid_q && op_q == RowGive && !has);
  not_found: cover property (@(posedge clk_i) valid_q && op_q == RowFind && !has);
  // what the map says was true once: the row is free, another edge's, or not taken since a reset
  free_again: cover property (@(posedge clk_i) valid_q && !behind_fresh && !others && !has);
  of_another: cover property (@(posedge clk_i) valid_q && !behind_fresh && others);
  before_reset: cover property (@(posedge clk_i) valid_q && behind_fresh);
endmodule

bind tally_edge_rows edge_rows_cover u_cover (
  .behind_fresh(!in_use_q), .others(check.key != key_q), .*
);
