// SPDX-License-Identifier: BSD-2-Clause
// Rows of edges. A device has far fewer edges than groups times the edges that a group may have, so
// the tables of open edges have a row only for those that have taken one. This block knows the row
// of an edge, and the edge of a row (e->edges_used of sim/engine counts them).
//
// op_*: an operation, tally_edge_pkg::row_op_e, of an edge of a group, which are less than Groups
// and EdgesOf. The answer comes two clocks later; no further operation is given before. found_o:
// the edge has a row, or has had it until RowGive. It is low if RowTake finds no row that is
// free. row_o is the row. fresh_o, for RowTake: nobody has had the row since the reset. An edge
// must have had RowNone before the others. name_*: the edge that has got a row last, one clock
// later.
module tally_edge_rows #(
  parameter int unsigned Groups = tally_pkg::MaxGroup,
  parameter int unsigned EdgesOf = tally_pkg::MaxContributors + 1,
  parameter int unsigned Rows = tally_pkg::MaxEdges,
  localparam int unsigned GroupW = $clog2(Groups),
  localparam int unsigned EdgeW = $clog2(EdgesOf),
  localparam int unsigned RowW = $clog2(Rows)
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,

  input  logic                     op_valid_i,
  input  tally_edge_pkg::row_op_e  op_i,
  input  logic [GroupW-1:0]        op_group_i,
  input  logic [EdgeW-1:0]         op_edge_i,

  output logic                     answer_valid_o,
  output logic                     found_o,
  output logic                     fresh_o,
  output logic [RowW-1:0]          row_o,

  input  logic [RowW-1:0]          name_row_i,
  output logic [GroupW-1:0]        name_group_o,
  output logic [EdgeW-1:0]         name_edge_o
);
  localparam int unsigned Places = Groups * EdgesOf;
  localparam int unsigned PlaceW = $clog2(Places);
  localparam int unsigned KeyW = GroupW + EdgeW;

  // Memories: the row of an edge and whether it has one; the edge of a row; rows that were given
  // back. Rows from fresh_q on have never been taken.
  logic [RowW:0] map_q [Places];
  logic [KeyW-1:0] names_q [Rows];
  logic [RowW-1:0] stack_q [Rows];
  logic [RowW:0] map_read_q;
  logic [RowW-1:0] stack_read_q, has_row, new_row;
  logic [KeyW-1:0] name_q;
  logic [RowW:0] fresh_q, free_q;  // number of rows that were given back

  // One clock after the operation.
  logic valid_q, has, takes, gives, fresh, none_left;
  tally_edge_pkg::row_op_e op_q;
  logic [KeyW-1:0] key_q;

  function automatic logic [PlaceW-1:0] place_of(input logic [KeyW-1:0] key);
    place_of = PlaceW'(key[KeyW-1:EdgeW]) * PlaceW'(EdgesOf) + PlaceW'(key[EdgeW-1:0]);
  endfunction

  assign has = map_read_q[RowW];
  assign has_row = map_read_q[RowW-1:0];
  assign fresh = free_q == '0;
  assign none_left = fresh && fresh_q == (RowW + 1)'(Rows);
  assign new_row = fresh ? fresh_q[RowW-1:0] : stack_read_q;
  assign takes = valid_q && op_q == tally_edge_pkg::RowTake && !has && !none_left;
  assign gives = valid_q && op_q == tally_edge_pkg::RowGive && has;

  always_ff @(posedge clk_i) begin
    if (takes || gives || (valid_q && op_q == tally_edge_pkg::RowNone))
      map_q[place_of(key_q)] <= {takes, new_row};
    if (takes) names_q[new_row] <= key_q;
    if (gives) stack_q[free_q[RowW-1:0]] <= has_row;
    map_read_q <= map_q[place_of({op_group_i, op_edge_i})];
    stack_read_q <= stack_q[free_q[RowW-1:0] - 1'b1];
    name_q <= names_q[name_row_i];
    op_q <= op_i;
    key_q <= {op_group_i, op_edge_i};
    found_o <= takes || (has && op_q != tally_edge_pkg::RowNone);
    fresh_o <= takes && fresh;
    row_o <= has ? has_row : new_row;
  end
  assign name_group_o = name_q[KeyW-1:EdgeW];
  assign name_edge_o = name_q[EdgeW-1:0];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q <= 1'b0;
      answer_valid_o <= 1'b0;
      fresh_q <= '0;
      free_q <= '0;
    end else begin
      valid_q <= op_valid_i;
      answer_valid_o <= valid_q;
      fresh_q <= fresh_q + (RowW + 1)'(takes && fresh);
      free_q <= free_q + (RowW + 1)'(gives) - (RowW + 1)'(takes && !fresh);
    end
  end

`ifdef FORMAL
  `include "edge_rows_proof.svh"
`endif
endmodule
