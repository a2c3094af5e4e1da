// SPDX-License-Identifier: BSD-2-Clause
// Rows of edges. A device has far fewer edges than groups times the edges that a group may have, so
// the tables of open edges have a row only for those that have taken one. This block knows the row
// of an edge, and the edge of a row (e->edges_used of sim/engine counts them).
//
// op_*: an operation, tally_edge_pkg::row_op_e, of an edge of a group, which are less than Groups
// and EdgesOf. The answer comes three clocks later; no further operation is given before. found_o:
// the edge has a row, or has had it until RowGive. It is low if RowTake finds no row that is
// free. row_o is the row. taken_o: it has got the row by this operation. fresh_o: and nobody has
// had the row since the reset. name_*: the edge that has got a row last, one clock later;
// name_used_o: it has it still.
//
// look_*: a second one who asks for rows, in turn: in a clock without an operation. look_row_o, one
// clock later, is the row if look_found_o, two clocks later, is high. While the edge gets its row,
// or gives it back, either is the answer.
//
// After a reset no edge has a row, and no memory is cleared. What the map says of an edge counts
// only if the row was taken since the reset and knows that it is the edge's.
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
  output logic                     taken_o,
  output logic                     fresh_o,
  output logic [RowW-1:0]          row_o,

  input  logic                     look_valid_i,
  output logic                     look_ready_o,
  input  logic [GroupW-1:0]        look_group_i,
  input  logic [EdgeW-1:0]         look_edge_i,
  output logic [RowW-1:0]          look_row_o,
  output logic                     look_found_o,

  input  logic [RowW-1:0]          name_row_i,
  output logic [GroupW-1:0]        name_group_o,
  output logic [EdgeW-1:0]         name_edge_o,
  output logic                     name_used_o
);
  localparam int unsigned Places = Groups * EdgesOf;
  localparam int unsigned PlaceW = $clog2(Places);
  localparam int unsigned KeyW = GroupW + EdgeW;

  typedef struct packed {
    logic used;             // the row was not given back
    logic [KeyW-1:0] key;   // the edge that has got it last
  } name_t;
  localparam int unsigned NameW = 1 + KeyW;

  // Memories: the row that an edge has got last, if any; the edge of a row; rows that were given
  // back. Rows from fresh_q on have not been taken since the reset, and their names mean nothing.
  logic [RowW-1:0] map_q [Places];
  logic [NameW-1:0] names_q [Rows];
  logic [RowW-1:0] stack_q [Rows];
  logic [RowW-1:0] map_read_q, stack_read_q, has_row_q, new_row;
  logic [NameW-1:0] check_read_q, name_read_q;
  name_t check, name, name_new;
  logic [RowW:0] fresh_q, free_q;  // number of rows that were given back

  // Reading: one clock after the operation. Valid: two clocks after it.
  logic reading_q, valid_q, has, takes, gives, fresh, none_left, in_use_q, was_taken, unused;
  logic name_in_use_q;
  tally_edge_pkg::row_op_e op_q;
  logic [KeyW-1:0] key_q, read_key, look_key_q, look_check_q;

  function automatic logic [PlaceW-1:0] place_of(input logic [KeyW-1:0] key);
    place_of = PlaceW'(key[KeyW-1:EdgeW]) * PlaceW'(EdgesOf) + PlaceW'(key[EdgeW-1:0]);
  endfunction

  assign read_key = op_valid_i ? {op_group_i, op_edge_i} : {look_group_i, look_edge_i};
  assign check = check_read_q;
  assign was_taken = in_use_q && check.used;
  assign has = was_taken && check.key == key_q;
  assign fresh = free_q == '0;
  assign none_left = fresh && fresh_q == (RowW + 1)'(Rows);
  assign new_row = fresh ? fresh_q[RowW-1:0] : stack_read_q;
  assign takes = valid_q && op_q == tally_edge_pkg::RowTake && !has && !none_left;
  assign gives = valid_q && op_q == tally_edge_pkg::RowGive && has;
  assign name_new.used = takes;
  assign name_new.key = key_q;

  always_ff @(posedge clk_i) begin
    if (takes) map_q[place_of(key_q)] <= new_row;
    if (takes || gives) names_q[takes ? new_row : has_row_q] <= name_new;
    if (gives) stack_q[free_q[RowW-1:0]] <= has_row_q;
    map_read_q <= map_q[place_of(read_key)];
    has_row_q <= map_read_q;
    in_use_q <= {1'b0, map_read_q} < fresh_q;  // when its name is read
    check_read_q <= names_q[map_read_q];
    stack_read_q <= stack_q[free_q[RowW-1:0] - 1'b1];
    name_read_q <= names_q[name_row_i];
    name_in_use_q <= {1'b0, name_row_i} < fresh_q;
    if (op_valid_i) begin
      op_q <= op_i;
      key_q <= {op_group_i, op_edge_i};
    end
    look_key_q <= {look_group_i, look_edge_i};
    look_check_q <= look_key_q;
    found_o <= takes || has;
    taken_o <= takes;
    fresh_o <= takes && fresh;
    row_o <= has ? has_row_q : new_row;
  end
  assign name = name_read_q;
  assign name_group_o = name.key[KeyW-1:EdgeW];
  assign name_edge_o = name.key[EdgeW-1:0];
  assign name_used_o = name_in_use_q && name.used;
  assign unused = look_valid_i;
  assign look_ready_o = !op_valid_i;
  assign look_row_o = map_read_q;
  assign look_found_o = was_taken && check.key == look_check_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      reading_q <= 1'b0;
      valid_q <= 1'b0;
      answer_valid_o <= 1'b0;
      fresh_q <= '0;
      free_q <= '0;
    end else begin
      reading_q <= op_valid_i;
      valid_q <= reading_q;
      answer_valid_o <= valid_q;
      fresh_q <= fresh_q + (RowW + 1)'(takes && fresh);
      free_q <= free_q + (RowW + 1)'(gives) - (RowW + 1)'(takes && !fresh);
    end
  end

`ifdef FORMAL
  `include "edge_rows_proof.svh"
`endif
endmodule
