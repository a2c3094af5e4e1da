// SPDX-License-Identifier: BSD-2-Clause
// The proof follows an arbitrary number of an arbitrary edge, from the packet that gets it to its
// acknowledgement. Numbers follow one another, so each is given once. It is acknowledged at most
// once, and only then: a number that was not given is not. Neither an acknowledged number nor one
// of an earlier life of the edge is sent again or gets leave to. Each time it is named, it
// comes with the reference of its packet. A TRIGGER names one of its own tag that was given.
`include "tally_proof.svh"

(* anyconst *) logic [GroupW-1:0] group_f;
(* anyconst *) logic [EdgeW-1:0] edge_f;
(* anyconst *) logic [SeqW-1:0] seq_f;
(* anyconst *) logic [3:0] ref_bit_f;        // a bit of the reference, and of the tag
(* anyconst *) logic [$clog2(TagW)-1:0] tag_bit_f;

// ---- What users do: offers stay until they are taken ----
logic set_waits_q = 1'b0, reply_waits_q = 1'b0, ask_waits_q = 1'b0;
logic [GroupW+EdgeW+SeqW+1:0] set_was_q;
logic [GroupW+EdgeW+Window+SeqW:0] reply_was_q;
tally_edge_pkg::ask_t ask_was_q;
always_ff @(posedge clk_i) begin
  set_waits_q <= started_q && set_valid_i && !set_ready_o;
  reply_waits_q <= started_q && reply_valid_i && !reply_ready_o;
  ask_waits_q <= started_q && ask_valid_i && !ask_ready_o;
  set_was_q <= {set_op_i, set_group_i, set_edge_i, set_seq_i};
  reply_was_q <= {reply_i, reply_group_i, reply_edge_i, reply_seq_i, reply_seen_i};
  ask_was_q <= ask_i;
end
always_comb begin
  assume (32'(tag_bit_f) < TagW && ask_i.seq >> SeqW == '0 && 32'(ask_i.row_) < Rows);
  if (set_waits_q) begin
    assume (set_valid_i && {set_op_i, set_group_i, set_edge_i, set_seq_i} == set_was_q);
  end
  if (reply_waits_q) begin
    assume (reply_valid_i &&
            {reply_i, reply_group_i, reply_edge_i, reply_seq_i, reply_seen_i} == reply_was_q);
  end
  if (ask_waits_q) assume (ask_valid_i && ask_i == ask_was_q);
end

// ---- What the number has gone through ----
logic set_f, ask_f, leave_f, new_f, given_f, again_f, acked_f;
assign set_f = set_valid_i && set_ready_o && set_group_i == group_f && set_edge_i == edge_f;
assign ask_f = ask_valid_i && ask_ready_o && GroupW'(ask_i.context_) == group_f &&
               EdgeW'(ask_i.edge_) == edge_f;
assign leave_f = ask_f && ask_ok_o;
assign new_f = leave_f && !ask_i.again;
assign given_f = new_f && ask_seq_o == seq_f;
assign acked_f = acked_valid_o && GroupW'(acked_o.context_) == group_f &&
                 EdgeW'(acked_o.edge_) == edge_f && SeqW'(acked_o.seq) == seq_f;
assign again_f = again_valid_o && GroupW'(again_o.context_) == group_f &&
                 EdgeW'(again_o.edge_) == edge_f && SeqW'(again_o.seq) == seq_f;

logic open_q = 1'b0;            // the edge is open
logic held_f_q = 1'b0;          // the number was given, and is not acknowledged
logic again_waits_q = 1'b0;
logic [SeqW-1:0] number_q;      // the next one
logic ref_q, tag_q, trigger_q;
tally_edge_pkg::sent_t again_was_q;
always_ff @(posedge clk_i) begin
  if (set_f) begin
    if (set_op_i != tally_edge_pkg::SetRow || taken_o) begin
      open_q <= set_op_i == tally_edge_pkg::SetOpen && !set_failed_o;
      held_f_q <= 1'b0;
    end
    number_q <= set_op_i == tally_edge_pkg::SetOpen ? set_seq_i : number_q;
  end
  if (new_f) number_q <= number_q + 1'b1;
  if (given_f) begin
    held_f_q <= 1'b1;
    ref_q <= ask_i.ref_[ref_bit_f];
    tag_q <= ask_i.tag[tag_bit_f];
    trigger_q <= ask_i.is_trigger;
  end
  if (acked_f && acked_ready_i) held_f_q <= 1'b0;
  again_waits_q <= started_q && again_valid_o && !again_ready_i;
  again_was_q <= again_o;
end

always_comb begin
  if (started_q) begin
    if (new_f) assert (open_q && ask_seq_o == number_q);
    if (given_f) assert (!held_f_q);
    if (acked_f) assert (held_f_q && acked_o.ref_[ref_bit_f] == ref_q);
    if (leave_f && ask_i.again && own_seq == seq_f) assert (held_f_q && ask_seq_o == seq_f);
    if (again_f && !again_waits_q) assert (held_f_q && again_o.ref_[ref_bit_f] == ref_q);
    if (leave_f && ask_i.is_trigger && ask_before_o == seq_f && ask_seq_o != seq_f) begin
      assert (held_f_q && trigger_q && tag_q == ask_i.tag[tag_bit_f]);
    end
    cover (acked_f);
    cover (again_f && !again_waits_q);
    cover (leave_f && ask_i.again && own_seq == seq_f);
    cover (ask_f && ask_i.again && own_seq == seq_f && open_q && !held_f_q);
    cover (leave_f && ask_i.is_trigger && ask_before_o == seq_f && ask_seq_o != seq_f);
  end
  if (again_waits_q) assert (again_valid_o && again_o == again_was_q);
end
