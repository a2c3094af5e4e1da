// SPDX-License-Identifier: BSD-2-Clause
// The proof follows an arbitrary cell of a single list. The cell leaves the list only if it is in it, with its
// contributor and note. A walk takes it only if the list holds no older message of its contributor, and never takes two
// messages of one contributor. A flush leaves no cell. The proof is bounded, because the invariant of a linked list
// cannot be stated for a single clock.
`include "tally_proof.svh"

(* anyconst *) logic [CellW-1:0] which;
always_comb begin
  assume (32'(which) < Cells && 32'(append_cell_i) < Cells && 32'(append_contributor_i) < Contributors);
  assume (port_i == '0 && counter_i == '0);
  assume (!init_valid_i);
  if (!started_q) assume (list_q['0] == '0);  // state after init
end

// Assumes at most one operation in three clocks.
logic [1:0] rest_q = '0;
logic under_flush_q = 1'b0, operation;
assign operation = append_valid_i || take_valid_i || flush_valid_i;
always_ff @(posedge clk_i) begin
  rest_q <= operation ? 2'd2 : rest_q == '0 ? '0 : rest_q - 1'b1;
  if (started_q && flush_valid_i) under_flush_q <= 1'b1;
  if (flush_done_o) under_flush_q <= 1'b0;
end
always_comb begin
  if (operation) assume (rest_q == '0 && !under_flush_q);
  assume (2'(append_valid_i) + 2'(take_valid_i) + 2'(flush_valid_i) <= 2'd1);
  if (take_valid_i || flush_valid_i) assume (!walking_o);
  if (flush_valid_i) assume (!release_valid_o);
  if (take_valid_i) assume (take_cpcnt_i <= there);
end

// Contents of the list: presence and contributor of each cell.
logic [Cells-1:0] in_q = '0;
logic [Cells-1:0][ContribW-1:0] of_q;
logic [NoteW-1:0] its_note_q;
logic [CellW:0] older_q;                // messages of its contributor in front of the followed cell
logic [Contributors-1:0] has, walked_q;
logic [CountW-1:0] there, walk_left_q;
logic same, leaves;
assign same = of_q[cell_o] == of_q[which];
assign leaves = taken_valid_o || gone_valid_o;
always_comb begin
  has = '0;
  there = '0;
  for (int unsigned i = 0; i < Cells; i++) if (in_q[i]) has[of_q[i]] = 1'b1;
  for (int unsigned i = 0; i < Contributors; i++) there = there + CountW'(has[i]);
  if (append_valid_i) assume (!in_q[append_cell_i]);
end

logic [CellW:0] number_of_its;
always_comb begin
  number_of_its = '0;
  for (int unsigned i = 0; i < Cells; i++)
    number_of_its = number_of_its + (CellW + 1)'(in_q[i] && of_q[i] == append_contributor_i);
end

always_ff @(posedge clk_i) begin
  if (append_valid_i) begin
    in_q[append_cell_i] <= started_q;
    of_q[append_cell_i] <= append_contributor_i;
    if (append_cell_i == which) begin
      its_note_q <= append_note_i;
      older_q <= number_of_its - (CellW + 1)'(leaves && of_q[cell_o] == append_contributor_i);
    end
  end
  if (leaves) in_q[cell_o] <= 1'b0;
  if (leaves && in_q[which] && same && cell_o != which) older_q <= older_q - 1'b1;
  if (take_valid_i) begin
    walked_q <= '0;
    walk_left_q <= take_cpcnt_i;
  end
  if (taken_valid_o) begin
    walked_q[contributor_o] <= 1'b1;
    walk_left_q <= walk_left_q - 1'b1;
  end
end

always_comb begin
  if (started_q) begin
    if (leaves) assert (32'(cell_o) < Cells && in_q[cell_o] && contributor_o == of_q[cell_o]);
    if (leaves && cell_o == which) assert (note_o == its_note_q && older_q == '0);
    if (taken_valid_o) assert (taken_ready_i && !walked_q[contributor_o] && walk_left_q != '0);
    if (taken_valid_o) assert (taken_end_o == (walk_left_q == CountW'(1)));
    if (flush_done_o) assert (in_q == '0);
    cover (taken_valid_o && cell_o == which && walk_has_before_q);
    cover (taken_valid_o && append_valid_i);
    cover (gone_valid_o && cell_o == which && in_q == '1);
  end
end
