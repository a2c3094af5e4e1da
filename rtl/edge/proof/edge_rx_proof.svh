// SPDX-License-Identifier: BSD-2-Clause
// The proof follows an arbitrary number of an arbitrary edge. Before it is marked, it is no
// duplicate. Once marked, it is a duplicate, then outside the window, and never accepted, until the
// numbers wrap around (2^SeqW later). Numbers older than the window are outside. A query answers as
// the plain reading of the rule, and an acknowledgement is the row.
`include "tally_proof.svh"

(* anyconst *) logic [EdgeW-1:0] edge_f;
(* anyconst *) logic [SeqW-1:0] seq_f;
always_comb assume (edge_f < Edges && op_edge_i < Edges);

// this far behind is again ahead of the window
localparam logic [SeqW-1:0] Round = SeqW'(2 ** SeqW - Window);
row_t row_f;
assign row_f = mem_q[edge_f];

// Row after this clock's update, and the distance of the followed number behind its newest number.
logic here;
row_t next_row;
logic [SeqW-1:0] behind_f, next_behind;
assign here = started_q && write && edge_q == edge_f;
assign next_row = updated;
assign behind_f = row_f.top - seq_f;
assign next_behind = next_row.top - seq_f;

logic open_q = 1'b0;      // the edge has been opened
logic marked_q = 1'b0;    // the number was marked since, or precedes the first one
always_ff @(posedge clk_i) begin
  if (here && opens) begin
    open_q <= 1'b1;
    marked_q <= next_behind < SeqW'(Window);
  end else if (here && open_q) begin
    // After a wrap-around, the number is again ahead of the window.
    marked_q <= (marked_q && next_behind < Round) || seq_q == seq_f;
  end
end

logic is_query, asked;
assign is_query = valid_q && op_q == tally_edge_pkg::RxQuery && edge_q == edge_f;
assign asked = open_q && is_query && seq_q == seq_f;

always_comb begin
  if (started_q) begin
    // The row that was read is current, in spite of the update before.
    if (valid_q) assert (row == mem_q[edge_q] && edge_q < Edges);

    if (marked_q) assert (open_q && behind_f < Round);
    if (open_q && behind_f < SeqW'(Window)) assert (row_f.seen[behind_f[AgeW-1:0]] == marked_q);
    if (asked && marked_q) begin
      assert (answer == tally_edge_pkg::RxDuplicate || answer == tally_edge_pkg::RxOutside);
    end
    if (asked && !marked_q) assert (answer != tally_edge_pkg::RxDuplicate);
    if (asked && behind_f >= SeqW'(Window) && behind_f < Round)
      assert (answer == tally_edge_pkg::RxOutside);
    if (asked && !marked_q && (behind_f < SeqW'(Window) || behind_f >= Round))
      assert (answer == (in_turn ? tally_edge_pkg::RxAccept : tally_edge_pkg::RxNotInTurn));
    // A number counts as new once.
    if (here && !opens && seq_q == seq_f) assert (!marked_q || !open_q);
    // The window only moves forward, by at most its width, and only an update moves it.
    if (here && !opens && open_q) assert (next_row.top - row_f.top <= SeqW'(Window));
    if (here) assert (op_q == tally_edge_pkg::RxOpen || op_q == tally_edge_pkg::RxMark);

    cover (asked && marked_q && answer == tally_edge_pkg::RxOutside);
    cover (asked && !marked_q && answer == tally_edge_pkg::RxAccept && behind_f == SeqW'(2));
    cover (asked && answer == tally_edge_pkg::RxNotInTurn);
    cover (here && hit_q && !opens && open_q);
  end
end

// Predecessor of a query, as in edge_in_turn(), if it is the followed number.
always_comb begin
  if (started_q && open_q && is_query && before_q == seq_f) begin
    if (seq_q == seq_f) assert (in_turn);
    else if (behind_f < SeqW'(Window)) assert (in_turn == marked_q);
    else assert (in_turn == !behind_f[SeqW-1]);
  end
end
