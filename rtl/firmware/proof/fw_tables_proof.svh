// SPDX-License-Identifier: BSD-2-Clause
// A register that was written is read as it was written last, whatever else is written: no two
// share a place, though they may share a word. Done and limit of a group are those of one move, and
// of a tombstone 0.
`include "tally_proof.svh"

(* anyconst *) logic [31:0] some;     // the address of a register
(* anyconst *) logic [RowW-1:0] its;  // the row of its edge
logic same_edge, is_some, written_q = 1'b0, reads_q = 1'b0;
logic [31:0] value_q, before_q, mask, mask_q, mask_before_q;
logic [WordW-1:0] word_q;
logic [ContextW-1:0] context_q;
logic [EdgeW-1:0] edge_q;

// Edges have rows of their own.
assign same_edge = addr_i[31:EdgeShift] == some[31:EdgeShift];
assign is_some = write_i && mine_o && addr_i == some;
assign mask = {{8{bytes[3]}}, {8{bytes[2]}}, {8{bytes[1]}}, {8{bytes[0]}}};
always_comb begin
  assume (32'(its) < Rows && 32'(row_i) < Rows);
  assume (32'(read_context_i) < Contexts && 32'(read_edge_i) < EdgesOf && 32'(read_row_i) < Rows);
  if (is_some) assume (row_i == its);
  if (!same_edge && of_edge && 32'(context_of) < Groups) assume (row_i != its);
  if (same_edge && of_edge && 32'(context_of) < Groups) assume (row_i == its);
  if (32'(read_context_i) < Groups && written_q && read_context_i == context_q &&
      read_edge_i == edge_q) assume (read_row_i == its);
end

always_ff @(posedge clk_i) begin
  if (is_some) begin
    written_q <= 1'b1;
    value_q <= value;
    mask_q <= mask;
    word_q <= word;
    context_q <= context_of;
    edge_q <= edge_of;
  end
  before_q <= value_q;
  mask_before_q <= mask_q;
  reads_q <= written_q && read_i == word_q && read_context_i == context_q &&
             (32'(word_q) < GroupWords || read_edge_i == edge_q);
end

// Done, and the limit in the next clock.
logic knows_q = 1'b0, done_q = 1'b0, limit_q = 1'b0;
logic [63:0] window_f, told_f;
(* anyconst *) logic [GroupW-1:0] group_f;
logic moves, asks, tomb_f;
assign moves = moved_valid_i && moved_group_i == group_f;
assign asks = read_i == Done && (32'(read_context_i) >= Groups ||
                                 (knows_q && read_context_i == ContextW'(group_f)));
always_ff @(posedge clk_i) begin
  knows_q <= knows_q || moves;
  if (moves) window_f <= {moved_done_i, moved_limit_i};
  done_q <= asks;
  if (asks) told_f <= 32'(read_context_i) >= Groups ? '0 : window_f;
  if (asks) tomb_f <= 32'(read_context_i) >= Groups;
  limit_q <= done_q && read_i == Limit;
end
always_comb assume (32'(group_f) < Groups && 32'(moved_group_i) < Groups);

always_comb begin
  if (done_q) assert (read_o == told_f[63:32]);
  if (limit_q) assert (read_o == told_f[31:0]);
  cover (limit_q && tomb_f);
  cover (limit_q && !tomb_f && read_o != '0);
  if (reads_q) assert ((read_o & mask_before_q) == (before_q & mask_before_q));
  cover (reads_q && 32'(word_q) < GroupWords);
  cover (reads_q && 32'(word_q) >= GroupWords && 32'(context_q) < Groups);
  cover (reads_q && 32'(word_q) >= GroupWords && 32'(context_q) >= Groups);
end
