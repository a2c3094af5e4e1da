// SPDX-License-Identifier: BSD-2-Clause
// A reply is offered once for each packet that replies, stays until it is taken, and has the number
// and the edge of its packet. All packets pass, and wait only for a reply.
`include "tally_proof.svh"

logic was_q = 1'b0, held_q, inside_q;
logic [31:0] seq_f, held_seq_q;
logic [7:0] edge_f;
logic [7:0] kind_f;
always_ff @(posedge clk_i) begin
  was_q <= started_q;
  held_q <= reply_valid_o && !reply_ready_i;
  held_seq_q <= reply_seq_o;
  if (!started_q) inside_q <= 1'b0;
  else inside_q <= take || (inside_q && !(reply_valid_o && reply_ready_i));
  if (take) begin
    seq_f <= tch.edge_seq;
    edge_f <= in_admission_i.edge_;
    kind_f <= tch.kind;
  end
end

always_comb begin
  if (started_q && was_q) begin
    assert (inside_q == (state_q != None));
    assert (!reply_valid_o || (inside_q && reply_seq_o == seq_f && reply_edge_o == edge_f));
    if (reply_valid_o) begin
      assert ((reply_o == tally_edge_pkg::ReplyAck) == (kind_f == 8'(tally_pkg::KindAck)));
    end
    if (held_q) assert (reply_valid_o && reply_seq_o == held_seq_q);
    assert (out_valid_o == (in_valid_i && !(is_reply && inside_q)));
    assert ((in_valid_i && in_ready_o) == (out_valid_o && out_ready_i));
    assert (!(take && inside_q));
    assert (busy_o == inside_q);
    cover (reply_valid_o && reply_o == tally_edge_pkg::ReplyBusy);
    cover (reply_valid_o && reply_o == tally_edge_pkg::ReplyAck);
  end
end
