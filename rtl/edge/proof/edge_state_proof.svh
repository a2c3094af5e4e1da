// SPDX-License-Identifier: BSD-2-Clause
// The proof follows a row and a group. What the row says is what the operations on it have said, in
// their order, one behind the other or not. The answer follows from it, and from what the group has
// moved to. Nobody is told whose edge is closed or has no row, or who knows the values. Walks end.
`include "tally_proof.svh"

(* anyconst *) logic [RowW-1:0] row_f;
(* anyconst *) logic [GroupW-1:0] group_f;
logic known_q = 1'b0;    // the row was closed and renewed
logic closed_q = 1'b0;   // it was closed
logic moved_q = 1'b0;    // the group has moved
logic open_q, settled_q;
logic [NumW-1:0] peer_limit_q, told_done_f, told_limit_f, done_f, limit_f;
logic of_row, fits_f;
assign of_row = take && op_row_i == row_f;
// Rows are used by one group; here, the row is that of the group.
assign fits_f = op_row_i != row_f || op_group_i == group_f;
always_comb begin
  assume (32'(op_row_i) < Rows && 32'(look_row_i) < Rows && 32'(row_f) < Rows);
  assume (32'(group_edges_i) < EdgesOf);
  assume (fits_f);
  if (op_i == tally_edge_pkg::StateRenew || op_i == tally_edge_pkg::StateTell)
    assume (moved_q || moved_valid_i && moved_group_i == op_group_i);
  assume (op_i <= tally_edge_pkg::StateTell);
end

logic [NumW-1:0] done_now, limit_now, heard_f;  // of the group, with what comes in this clock
logic moves_f, held_walk_q, held_soon_q, held_op_q;
logic [GroupW-1:0] held_group_q;
assign moves_f = moved_valid_i && moved_group_i == group_f;
assign done_now = moves_f ? moved_done_i : done_f;
assign limit_now = moves_f ? moved_limit_i : limit_f;
assign heard_f = op_done_i + op_limit_i;
always_ff @(posedge clk_i) begin
  done_f <= done_now;
  limit_f <= limit_now;
  if (!started_q) begin
    moved_q <= 1'b0;
    known_q <= 1'b0;
    closed_q <= 1'b0;
  end else begin
    moved_q <= moved_q || moves_f;
    if (of_row) begin
      unique case (op_i)
        tally_edge_pkg::StateClose: begin
          closed_q <= 1'b1;
          open_q <= 1'b0;
          settled_q <= 1'b0;
        end
        tally_edge_pkg::StateRenew: begin
          closed_q <= 1'b1;
          known_q <= 1'b1;
          open_q <= 1'b0;
          settled_q <= 1'b0;
          peer_limit_q <= heard_f;
          told_done_f <= '0;
          told_limit_f <= limit_now;
        end
        tally_edge_pkg::StateOpen: begin
          closed_q <= 1'b1;
          open_q <= 1'b1;
          settled_q <= 1'b0;
          peer_limit_q <= heard_f;
        end
        tally_edge_pkg::StateSettle: settled_q <= open_q;
        tally_edge_pkg::StateHeard:
          if (precedes(peer_limit_q, heard_f)) peer_limit_q <= heard_f;
        tally_edge_pkg::StateTell: begin
          told_done_f <= done_now;
          told_limit_f <= limit_now;
        end
        default: ;
      endcase
    end
  end
end

// The row, with the operation that is being written.
edge_t row_now;
assign row_now = write_q && row_q == row_f ? now : rows_q[row_f];

// An operation of the row is answered two clocks later.
logic asked_q1 = 1'b0, asked_q2 = 1'b0, may_q1, may_q2, open_q1, open_q2, tell_q1, tell_q2;
logic [NumW-1:0] done_q1, done_q2, limit_q1, limit_q2;
always_ff @(posedge clk_i) begin
  asked_q1 <= started_q && of_row && known_q &&
              (op_i == tally_edge_pkg::StateAsk || op_i == tally_edge_pkg::StateTell ||
               op_i == tally_edge_pkg::StateAskMessage);
  tell_q1 <= op_i == tally_edge_pkg::StateTell;
  may_q1 <= settled_q && (op_i == tally_edge_pkg::StateAskMessage ||
                          precedes(op_done_i, peer_limit_q));
  open_q1 <= open_q;
  done_q1 <= done_now;
  limit_q1 <= limit_now - done_now;
  {asked_q2, tell_q2, may_q2, open_q2, done_q2, limit_q2} <=
      {asked_q1, tell_q1, may_q1, open_q1, done_q1, limit_q1};
end

// A walk, whose group stays until it ends; what it knows of the row when it reads it.
logic of_walk_q = 1'b0, news_q, found_q, tell_held_q = 1'b0;
logic [GroupW+EdgeW+RowW-1:0] told_q;
always_ff @(posedge clk_i) begin
  held_walk_q <= walk_valid_i && !walk_ready_o;
  held_soon_q <= walk_soon_i;
  held_group_q <= walk_group_i;
  of_walk_q <= started_q && walk_q == WalkRow && look_row_i == row_f && walk_group_i == group_f &&
               known_q && moved_q;
  news_q <= told_done_f != done_now || told_limit_f != limit_now;
  found_q <= open_q;
  tell_held_q <= started_q && tell_valid_o && !tell_ready_i;
  told_q <= {tell_group_o, tell_edge_o, tell_row_o};
end
always_comb begin
  if (started_q && held_walk_q)
    assume (walk_valid_i && walk_soon_i == held_soon_q && walk_group_i == held_group_q);
end

always_comb begin
  if (started_q) begin
    if (closed_q) begin
      assert (row_now.open == open_q && row_now.settled == settled_q);
      assert (!settled_q || open_q);
    end
    if (known_q) begin
      assert (closed_q);
      assert (row_now.peer_limit == peer_limit_q);
      assert (row_now.told_done == told_done_f && row_now.told_limit == told_limit_f);
    end
    if (moved_q) begin
      assert (windows_q[group_f][NumW-1:0] == limit_f);
      assert (windows_q[group_f][2*NumW-1:NumW] == done_f);
    end
    if (asked_q2) begin
      assert (answer_valid_o && answer_open_o == open_q2 && (tell_q2 || answer_may_o == may_q2));
      if (tell_q2) assert (answer_done_o == done_q2 && answer_limit_o == limit_q2);
    end
    // Who is told has an open edge, and does not know the values.
    if (walk_q == WalkCheck && of_walk_q && tells) assert (look_found_i && found_q && news_q);
    if (walk_q == WalkCheck && of_walk_q && look_found_i && found_q && news_q && walk_soon_i)
      assert (tells);
    // A walk has edges that are left.
    if (walk_q != WalkIdle) assert (walk_valid_i || !held_walk_q);
    if (walk_q > WalkGroup) assert (32'(edge_q) < EdgesOf);
    if (tell_held_q) begin
      assert (tell_valid_o && told_q == {tell_group_o, tell_edge_o, tell_row_o});
    end
    cover (walk_q == WalkCheck && of_walk_q && tells && walk_soon_i);
    cover (walk_q == WalkCheck && of_walk_q && tells && !walk_soon_i);
    cover (write_q && of_row && row_q == row_f && known_q);
    cover (asked_q2 && !tell_q2 && answer_may_o);
    cover (ends && walk_q == WalkTell);
  end
end
