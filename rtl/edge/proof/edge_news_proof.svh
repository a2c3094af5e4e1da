// SPDX-License-Identifier: BSD-2-Clause
// The proof follows a group. It is in a queue exactly while it has moved and has not been walked
// since, in one place, so neither queue overflows and none is lost. It does not come out unmoved,
// nor for the second walk before its time. What is offered stays. Times do not wrap around.
`include "tally_proof.svh"

(* anyconst *) logic [GroupW-1:0] group_f, one_f, other_f;
localparam logic [TimeW-1:0] Latest = {1'b0, {TimeW-1{1'b1}}} - TimeW'(Delay);
logic was_q = 1'b0, held_q, held_soon_q;
logic [TimeW-1:0] now_q, since_q;
logic [GroupW-1:0] held_group_q;
logic wants_now_q, wants_soon_q;  // it has moved, and no walk of this kind has begun since
logic moves_f;
assign moves_f = moved_valid_i && moved_group_i == group_f;
always_comb begin
  assume (one_f != other_f);
  assume (now_i <= Latest);
  assume (!(clearing_q && moved_valid_i));
  if (was_q) assume (now_i >= now_q);
end

logic leaves_now, leaves_soon;
assign leaves_now = pop_now && now_groups_q[now_head_q] == group_f;
assign leaves_soon = pop_soon && soon_groups_q[soon_head_q] == group_f;
always_ff @(posedge clk_i) begin
  was_q <= started_q;
  now_q <= now_i;
  held_q <= walk_valid_o && !walk_ready_i;
  held_group_q <= walk_group_o;
  held_soon_q <= walk_soon_o;
  if (!started_q) begin
    wants_now_q <= 1'b0;
    wants_soon_q <= 1'b0;
  end else begin
    wants_now_q <= moves_f || (wants_now_q && !leaves_now);
    wants_soon_q <= moves_f || (wants_soon_q && !leaves_soon);
  end
  if (moves_f && !wants_soon_q) since_q <= now_i;
end

// Places of the queues that are used, and where the group is.
logic [Groups-1:0] now_here, soon_here;
logic [GroupW-1:0] now_age, soon_age, now_used, soon_used, now_other, soon_other;
assign now_age = one_f - now_head_q;
assign soon_age = one_f - soon_head_q;
assign now_other = other_f - now_head_q;
assign soon_other = other_f - soon_head_q;
assign now_used = now_tail_q - now_head_q;
assign soon_used = soon_tail_q - soon_head_q;
always_comb begin
  logic [GroupW-1:0] age;
  for (int unsigned i = 0; i < Groups; i++) begin
    age = GroupW'(i) - now_head_q;
    now_here[i] = {1'b0, age} < now_count_q && now_groups_q[i] == group_f;
    age = GroupW'(i) - soon_head_q;
    soon_here[i] = {1'b0, age} < soon_count_q && soon_groups_q[i] == group_f;
  end
end

always_comb begin
  if (started_q) begin
    assert (32'(now_count_q) <= Groups && 32'(soon_count_q) <= Groups);
    assert (now_count_q[GroupW-1:0] == now_used && soon_count_q[GroupW-1:0] == soon_used);
    if (!clearing_q) begin
      assert (in_now_q[group_f] == wants_now_q && in_soon_q[group_f] == wants_soon_q);
      assert ((now_here != '0) == wants_now_q && (soon_here != '0) == wants_soon_q);
    end else begin
      assert (now_count_q == '0 && soon_count_q == '0 && !walk_valid_o);
      assert (!wants_now_q && !wants_soon_q);
      if (clear_q > group_f) assert (!in_now_q[group_f] && !in_soon_q[group_f]);
    end
    if ({1'b0, now_age} < now_count_q && {1'b0, now_other} < now_count_q)
      assert (now_groups_q[one_f] != now_groups_q[other_f]);
    if ({1'b0, soon_age} < soon_count_q && {1'b0, soon_other} < soon_count_q)
      assert (soon_groups_q[one_f] != soon_groups_q[other_f]);
    if (soon_here[one_f]) begin
      assert (soon_dues_q[one_f] == since_q + TimeW'(Delay) && since_q <= Latest &&
              (!was_q || since_q <= now_q));
    end
    if (leaves_soon) assert (now_i >= since_q + TimeW'(Delay));
    cover (push_now && !push_soon);
    cover (pop_soon && was_q);
    cover (32'(now_count_q) == Groups);
  end
  if (started_q && was_q && held_q)
    assert (walk_valid_o && walk_group_o == held_group_q && walk_soon_o == held_soon_q);
end
