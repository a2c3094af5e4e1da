// SPDX-License-Identifier: BSD-2-Clause
// No two edges have the same row, an edge keeps its row until it gives it back, and none is lost: a
// row is on the stack, has never been taken, or belongs to an edge that knows it.
`include "tally_proof.svh"

(* anyconst *) logic [KeyW-1:0] one_f, other_f;
(* anyconst *) logic [RowW-1:0] row_f;
logic was_q = 1'b0, told_one_q, told_other_q, busy_q, has_q;
logic [RowW-1:0] its_q;
logic [RowW:0] one_map, other_map;
logic [RowW:0] on_stack;
logic fresh_f;
function automatic logic is_edge(input logic [KeyW-1:0] key);
  is_edge = 32'(key[KeyW-1:EdgeW]) < Groups && 32'(key[EdgeW-1:0]) < EdgesOf;
endfunction
always_comb begin
  assume (is_edge(one_f) && is_edge(other_f) && one_f != other_f && 32'(row_f) < Rows);
  assume (is_edge({op_group_i, op_edge_i}));
  // Operations of two edges only: those of others would have rows that the proof does not follow.
  if (op_valid_i) assume ({op_group_i, op_edge_i} == one_f || {op_group_i, op_edge_i} == other_f);
  if (valid_q || answer_valid_o) assume (!op_valid_i || !valid_q);
  if (op_valid_i && {op_group_i, op_edge_i} == one_f)
    assume (told_one_q ? op_i != tally_edge_pkg::RowNone : op_i == tally_edge_pkg::RowNone);
  if (op_valid_i && {op_group_i, op_edge_i} == other_f)
    assume (told_other_q ? op_i != tally_edge_pkg::RowNone : op_i == tally_edge_pkg::RowNone);
end
assign one_map = map_q[place_of(one_f)];
assign other_map = map_q[place_of(other_f)];
always_comb begin
  on_stack = '0;
  for (int unsigned i = 0; i < Rows; i++)
    on_stack = on_stack + (RowW + 1)'((RowW + 1)'(i) < free_q && stack_q[i] == row_f);
end
assign fresh_f = {1'b0, row_f} >= fresh_q;

// What the edge one_f was told.
always_ff @(posedge clk_i) begin
  was_q <= started_q;
  busy_q <= op_valid_i;
  if (!started_q) begin
    told_one_q <= 1'b0;
    told_other_q <= 1'b0;
    has_q <= 1'b0;
  end else begin
    if (valid_q && key_q == one_f) told_one_q <= 1'b1;
    if (valid_q && key_q == other_f) told_other_q <= 1'b1;
    if (valid_q && key_q == one_f) has_q <= (has && !gives && told_one_q) || takes;
    if (takes && key_q == one_f) its_q <= new_row;
  end
end

always_comb begin
  if (started_q && was_q) begin
    assert (32'(fresh_q) <= Rows && free_q <= fresh_q);
    if (told_one_q) assert (one_map[RowW] == has_q && (!has_q || one_map[RowW-1:0] == its_q));
    // Each row is in one place.
    assert (32'(on_stack) + 32'(fresh_f) +
            32'(told_one_q && one_map == {1'b1, row_f}) +
            32'(told_other_q && other_map == {1'b1, row_f}) == 32'd1);
    if (valid_q) assert (map_read_q == map_q[place_of(key_q)]);
    if (valid_q && free_q != '0) assert (stack_read_q == stack_q[free_q[RowW-1:0] - 1'b1]);
    if (valid_q) assert (key_q == one_f || key_q == other_f);
    if (has_q) assert (names_q[its_q] == one_f);
    cover (takes && !fresh);
    cover (valid_q && none_left);
    cover (gives);
  end
end
