// SPDX-License-Identifier: BSD-2-Clause
// The proof follows an arbitrary slot, one contributor and one rank of it. Events and plans are
// free.
`include "tally_proof.svh"

(* anyconst *) logic [SlotW-1:0] followed;
(* anyconst *) logic [IndexW-1:0] contributor, local_rank;
always_comb begin
  assume (contributor < IndexW'(Contributors) || 2 ** IndexW == Contributors);
  assume (local_rank < IndexW'(Ranks) || 2 ** IndexW == Ranks);
  // A sum of nobody is one that is complete now.
  assume (!in_nothing_i || (in_complete_i && !in_taken_i));
  assume (in_out_i == '0 || !in_taken_i);
end

state_t now;
logic has_row_q;  // written since the reset
logic mine, opens, has_copy, has_rank, waits_post;
assign now = has_row_q ? state_mem_q[followed] : StateW'(0);
assign mine = valid_q2 && event_q2.slot == followed;
assign has_copy = (now.contributors & (Contributors'(1) << contributor)) != '0;
assign has_rank = (now.ranks & (Ranks'(1) << local_rank)) != '0;
assign waits_post = (now.unposted & (Ranks'(1) << local_rank)) != '0;

// What was told as due since the slot was opened, and has not been taken.
logic opened_q2, copy_due_q, rank_due_q, up_due_q, ready_q;
initial ready_q = 1'b0;
logic copy_due, rank_due, up_due, takes_copy, takes_rank, takes_up;
assign copy_due = mine && before_q2.busy &&
                  (due_contributors & (Contributors'(1) << contributor)) != '0;
assign rank_due = mine && before_q2.busy && (due_ranks & (Ranks'(1) << local_rank)) != '0;
assign up_due = mine && before_q2.busy && event_q2.complete && !before_q2.complete && next.up;
assign takes_copy = mine && event_q2.taken && ok &&
                    (contributor_q2 & (Contributors'(1) << contributor)) != '0;
assign takes_rank = mine && event_q2.taken && ok && (rank_q2 & (Ranks'(1) << local_rank)) != '0;
assign takes_up = mine && event_q2.taken && ok && event_q2.parent;
always_ff @(posedge clk_i) begin
  ready_q <= started_q && !clearing;
  if (!started_q) has_row_q <= 1'b0;
  else if (mine) has_row_q <= 1'b1;
  opened_q2 <= open_q1 && !read_q1.busy;
  if (clearing || (mine && (!next.busy || opened_q2))) begin
    copy_due_q <= next.busy && copy_due;
    rank_due_q <= next.busy && rank_due;
    up_due_q <= next.busy && up_due;
    if (clearing) {copy_due_q, rank_due_q, up_due_q} <= '0;
  end else begin
    if (copy_due) copy_due_q <= 1'b1;
    else if (takes_copy) copy_due_q <= 1'b0;
    if (rank_due) rank_due_q <= 1'b1;
    else if (takes_rank) rank_due_q <= 1'b0;
    if (up_due) up_due_q <= 1'b1;
    else if (takes_up) up_due_q <= 1'b0;
  end
end

// What the firmware reads is what the slot was a clock before.
logic peeks_q;
state_t was_q;
always_ff @(posedge clk_i) begin
  peeks_q <= started_q && peek_valid_i && peek_ready_o && peek_slot_i == followed;
  was_q <= now;
end

always_comb begin
  if (ready_q && peeks_q) begin
    assert (peeked_valid_o && peeked_busy_o == was_q.busy && peeked_up_o == was_q.up);
    assert (peeked_contributors_o == was_q.contributors && peeked_ranks_o == was_q.ranks);
    assert (peeked_unposted_o == was_q.unposted && peeked_have_o == was_q.have);
  end
  if (ready_q) begin
    // No change of a slot is lost.
    if (mine && !opened_q2) assert (before_q2 == now);
    if (mine && opened_q2) assert (!now.busy);
    // Each receiver that has a part in the chunk is told of it once the chunk has the sum or the
    // result, and is outstanding until it takes it.
    if (now.busy) begin
      assert (up_due_q == (now.complete && now.up));
      assert (copy_due_q == (now.have && has_copy));
      assert (rank_due_q == (now.have && has_rank && !waits_post));
    end
    if (copy_due) assert (!copy_due_q);
    if (rank_due) assert (!rank_due_q);
    if (mine && finished) assert (!(copy_due_q && !takes_copy) && !copy_due);
    if (mine && finished) assert (!(rank_due_q && !takes_rank) && !rank_due);
    if (mine && finished) assert (!(up_due_q && !takes_up) && !up_due);
    cover (mine && finished && takes_copy);
    cover (mine && finished && takes_rank);
    cover (rank_due && had);
    cover (mine && opened_q2 && copy_due);
  end
end
