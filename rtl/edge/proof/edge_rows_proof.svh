// SPDX-License-Identifier: BSD-2-Clause
// No two edges have the same row, an edge keeps its row until it gives it back, and none is lost: a
// row is on the stack, has never been taken, or belongs to an edge that knows it. The memories hold
// anything at first.
`include "tally_proof.svh"

(* anyconst *) logic [KeyW-1:0] one_f;
(* anyconst *) logic [RowW-1:0] row_f;
logic was_q = 1'b0, has_q;
logic [RowW-1:0] its_q, one_row;
logic [RowW:0] on_stack;
logic fresh_f, used_f, has_f;
logic [1:0] looks_q, had_q;  // one_f was looked for, and had a row, one and two clocks ago
name_t name_f, one_name;
function automatic logic is_edge(input logic [KeyW-1:0] key);
  is_edge = 32'(key[KeyW-1:EdgeW]) < Groups && 32'(key[EdgeW-1:0]) < EdgesOf;
endfunction
always_comb begin
  assume (is_edge(one_f) && 32'(row_f) < Rows);
  assume (is_edge({op_group_i, op_edge_i}) && is_edge({look_group_i, look_edge_i}));
  assume (!op_valid_i || !(reading_q || valid_q));
end
assign one_row = map_q[place_of(one_f)];
assign one_name = names_q[one_row];
assign name_f = names_q[row_f];
always_comb begin
  on_stack = '0;
  for (int unsigned i = 0; i < Rows; i++)
    on_stack = on_stack + (RowW + 1)'((RowW + 1)'(i) < free_q && stack_q[i] == row_f);
end
assign fresh_f = {1'b0, row_f} >= fresh_q;
assign has_f = {1'b0, one_row} < fresh_q && one_name == {1'b1, one_f};
assign used_f = !fresh_f && name_f.used;

// What the edge one_f was told.
always_ff @(posedge clk_i) begin
  was_q <= started_q;
  looks_q <= {looks_q[0], started_q && look_valid_i && look_ready_o &&
              {look_group_i, look_edge_i} == one_f};
  had_q <= {had_q[0], has_f};
  if (!started_q) begin
    has_q <= 1'b0;
  end else if (answer_valid_o && key_q == one_f) begin
    has_q <= found_o && op_q != tally_edge_pkg::RowGive;
    its_q <= row_o;
  end
end

always_comb begin
  if (started_q && was_q) begin
    assert (32'(fresh_q) <= Rows && free_q <= fresh_q);
    // Each row is in one place, and an edge that has it knows it.
    assert (32'(on_stack) + 32'(fresh_f) + 32'(used_f) == 32'd1);
    if (used_f) assert (is_edge(name_f.key) && map_q[place_of(name_f.key)] == row_f);
    if (!answer_valid_o) begin
      assert (has_q == has_f);
      if (has_q) assert (one_row == its_q);
    end
    // An edge is told of its row as long as it has it.
    if (answer_valid_o && key_q == one_f && has_q) assert (found_o && !fresh_o && row_o == its_q);
    if (answer_valid_o && key_q == one_f && !has_q && op_q != tally_edge_pkg::RowTake)
      assert (!found_o);
    // Who looks for an edge finds its row, unless it gets it or gives it back just then.
    if (looks_q[1] && had_q == {2{has_f}}) begin
      assert (look_found_o == has_f);
      if (has_f) assert (has_row_q == one_row);
    end
    cover (takes && !fresh);
    cover (valid_q && none_left);
    cover (gives);
    cover (looks_q[1] && look_found_o && reading_q);
    cover (valid_q && !has && in_use_q);
  end
end
