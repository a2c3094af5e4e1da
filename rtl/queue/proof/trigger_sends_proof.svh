// SPDX-License-Identifier: BSD-2-Clause
// The proof follows one receiver of one descriptor: it is offered until it has left, then no more
// unless again and not acknowledged; done comes once for a descriptor, when nothing is left, and
// never for one that was forgotten. It leaves before the message of another descriptor of its group
// that has begun later. Operations on rows never wait for what leaves (acked_* at most
// four clocks), and nothing is lost between ring and visits.
`include "tally_proof.svh"

(* anyconst *) logic [DescW-1:0] desc_f;
(* anyconst *) logic [ReceiverW-1:0] to_f;
(* anyconst *) logic [DescW-1:0] other_f;
(* anyconst *) logic [GroupW-1:0] group_f;
logic in_group_q = 1'b0, later_q = 1'b0;  // the other one has begun later, in the same group
logic lives_q = 1'b0, due_q = 1'b0, awaits_q = 1'b0, leaving_q = 1'b0;
logic [2:0] acked_age_q = '0;
logic is_desc, offered, taken;
assign is_desc = out_desc_o == desc_f && out_receiver_o == to_f;
assign offered = out_valid_o && is_desc;
assign taken = offered && out_ready_i;

always_ff @(posedge clk_i) begin
  if (begin_valid_i && begin_ready_o && begin_desc_i == desc_f) begin
    lives_q <= 1'b1;
    due_q <= begin_receivers_i[to_f];
    awaits_q <= 1'b0;
  end
  if (taken && !out_again_o && out_end_i == tally_head_pkg::EndSent) begin
    due_q <= 1'b0;
    awaits_q <= to_f != Self;
  end
  if (taken && !out_again_o && to_f == Self && out_end_i == tally_head_pkg::EndDropped) begin
    due_q <= 1'b0;
  end
  if (acked_valid_i && acked_ready_o && acked_desc_i == desc_f && acked_edge_i == to_f) begin
    awaits_q <= 1'b0;
  end
  if (done_valid_o && done_desc_o == desc_f) lives_q <= 1'b0;
  if (forget_valid_i && forget_ready_o && forget_desc_i == desc_f) begin
    lives_q <= 1'b0;
    due_q <= 1'b0;
    awaits_q <= 1'b0;
  end
  if (begin_valid_i && begin_ready_o) begin
    if (begin_desc_i == desc_f) begin
      in_group_q <= begin_group_i == group_f;
      later_q <= 1'b0;
    end
    if (begin_desc_i == other_f) later_q <= due_q && in_group_q && begin_group_i == group_f;
  end
  if (!started_q) begin
    later_q <= 1'b0;
    lives_q <= 1'b0;
    due_q <= 1'b0;
    awaits_q <= 1'b0;
  end
  acked_age_q <= started_q && acked_valid_i && !acked_ready_o ? acked_age_q + 1'b1 : '0;
  leaving_q <= started_q && ((taken && !out_again_o) || (leaving_q && !does_sent));
end

// A stream stays as it is.
logic begins_q = 1'b0, ackeds_q = 1'b0, forgets_q = 1'b0;
logic [GroupW-1:0] group_last_q;
logic [DescW-1:0] begin_last_q, acked_last_q, forget_last_q;
logic [Receivers-1:0] receivers_last_q;
logic [ReceiverW-1:0] edge_last_q;
always_ff @(posedge clk_i) begin
  begins_q <= started_q && begin_valid_i && !begin_ready_o;
  ackeds_q <= started_q && acked_valid_i && !acked_ready_o;
  forgets_q <= started_q && forget_valid_i && !forget_ready_o;
  begin_last_q <= begin_desc_i;
  receivers_last_q <= begin_receivers_i;
  group_last_q <= begin_group_i;
  acked_last_q <= acked_desc_i;
  edge_last_q <= acked_edge_i;
  forget_last_q <= forget_desc_i;
end

always_comb begin
  assume (32'(to_f) < Receivers && 32'(desc_f) < Descs && 32'(other_f) < Descs);
  assume (other_f != desc_f && 32'(group_f) < Groups && 32'(begin_group_i) < Groups);
  assume (32'(acked_edge_i) < Edges && 32'(again_edge_i) < Edges);
  assume (32'(begin_desc_i) < Descs && 32'(acked_desc_i) < Descs && 32'(again_desc_i) < Descs &&
          32'(forget_desc_i) < Descs && 32'(look_desc_i) < Descs);
  if (begins_q) assume (begin_valid_i && begin_desc_i == begin_last_q &&
                        begin_group_i == group_last_q && begin_receivers_i == receivers_last_q);
  if (ackeds_q) assume (acked_valid_i && acked_desc_i == acked_last_q &&
                        acked_edge_i == edge_last_q);
  if (forgets_q) assume (forget_valid_i && forget_desc_i == forget_last_q);
  // A descriptor begins when it has ended, and what has left can be acknowledged.
  if (begin_valid_i && begin_desc_i == desc_f) assume (!lives_q);
  if (acked_valid_i && acked_desc_i == desc_f) begin
    assume (lives_q && !(forget_valid_i && forget_desc_i == desc_f));
    if (acked_edge_i == to_f) assume (awaits_q);
  end
  if (out_again_o) assume (out_end_i != tally_head_pkg::EndWaits);
  if (started_q) begin
    if (offered && !out_again_o) assert (due_q);
    if (out_valid_o && !out_again_o && out_desc_o == other_f && out_receiver_o == to_f) begin
      assert (!(later_q && due_q) || to_f == Self);
    end
    if (done_valid_o && done_desc_o == desc_f && !(begin_valid_i && begin_ready_o)) begin
      assert (lives_q && (!due_q || leaving_q));
    end
    assert (acked_age_q <= 3'd4);
    assert (!(dep_keeps && does_begin) && !(dep_leaves && does_begin));
    assert (may_q <= ring_used);
    if (repeats && turn_q) assert (may_q == '0 && !new_valid);  // they take turns
    if (dep_keeps) assert (unused_room);
    if (enters) assert (unused_new_room);
    cover (done_valid_o && done_desc_o == desc_f && does_acked);
    cover (offered && out_again_o);
    cover (does_forget && due_q);
    cover (later_q && due_q && dep_keeps && rest_group_q == group_f);
    cover (does_sent && starved_d);
  end
end
