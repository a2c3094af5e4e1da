// SPDX-License-Identifier: BSD-2-Clause
// The proof follows an arbitrary number of an arbitrary edge from its assignment to its
// acknowledgement. It is held all the time, reported as acknowledged exactly once, by the
// acknowledgement that names it, and hurried at most once, by the rule of edge.c. No number is
// assigned a full window ahead of the oldest unacknowledged one.
`include "tally_proof.svh"

(* anyconst *) logic [EdgeW-1:0] edge_f;
(* anyconst *) logic [SeqW-1:0] seq_f;
always_comb assume (edge_f < Edges && op_edge_i < Edges);

row_t row_f;
logic [AgeW-1:0] bit_f;
// distance of the number behind next; behind the acknowledgement's number
logic [SeqW-1:0] back, age;
logic here, told, hurried, given, refused;
logic [Window-1:0] op_seen_q;   // op_seen_i of the operation
always_ff @(posedge clk_i) op_seen_q <= op_seen_i;

assign row_f = mem_q[edge_f];
assign bit_f = seq_f[AgeW-1:0];
assign back = row_f.next - seq_f;
assign age = seq_q - seq_f;
assign here = started_q && valid_q && edge_q == edge_f;
assign told = here && acked[bit_f];
assign hurried = here && hurry[bit_f];
assign given = here && op_q == tally_edge_pkg::TxSend && may_send;
assign refused = here && op_q == tally_edge_pkg::TxSend && !may_send;

logic open_q = 1'b0;            // the edge has been opened once
logic pending_q = 1'b0;         // assigned, and neither acknowledged nor forgotten
logic hurried_q;
always_ff @(posedge clk_i) begin
  if (here) begin
    if (op_q == tally_edge_pkg::TxOpen) open_q <= 1'b1;
    if (op_q == tally_edge_pkg::TxOpen || op_q == tally_edge_pkg::TxClose) pending_q <= 1'b0;
    if (given && row.next == seq_f) pending_q <= open_q;
    if (given && row.next == seq_f) hurried_q <= 1'b0;
    if (pending_q && told) pending_q <= 1'b0;
    if (hurried) hurried_q <= 1'b1;
  end
end

always_comb begin
  if (started_q) begin
    if (valid_q) assert (edge_q < Edges);
    if (valid_q) assert (row == mem_q[edge_q]);
    if (valid_q) begin
      assert (opens_q == (op_q == tally_edge_pkg::TxOpen) &&
              sends_q == (op_q == tally_edge_pkg::TxSend));
    end
    if (valid_q) assert (forgets_q == (opens_q || op_q == tally_edge_pkg::TxClose));
    if (valid_q) begin
      assert (acks_q == (op_q == tally_edge_pkg::TxAck) && beyond_q == seq_q + SeqW'(Window));
    end
    if (valid_q) assert (seen_q[bit_f] == (acks_q && op_seen_q[age[AgeW-1:0]]));
    if (valid_q) begin
      assert (missing_q[bit_f] == (acks_q && !op_seen_q[age[AgeW-1:0]] &&
                                   age[AgeW-1:0] >= AgeW'(ReorderMax)));
    end

    if (pending_q) assert (open_q && back != '0 && back <= SeqW'(Window));
    if (open_q && back != '0 && back <= SeqW'(Window)) assert (row_f.held[bit_f] == pending_q);
    if (pending_q) assert (row_f.hurried[bit_f] == hurried_q);

    // The number is acknowledged exactly by the rule of edge_ack().
    if (here && pending_q)
      assert (told == (op_q == tally_edge_pkg::TxAck && age < SeqW'(Window) &&
                       op_seen_q[age[AgeW-1:0]]));
    if (here && open_q && back != '0 && back <= SeqW'(Window) && !pending_q) begin
      assert (!told && !hurried);
    end
    // The number is hurried by the rule of hurry().
    if (here && pending_q)
      assert (hurried == (op_q == tally_edge_pkg::TxAck && age < SeqW'(Window) &&
                          age >= SeqW'(ReorderMax) &&
                          !op_seen_q[age[AgeW-1:0]] && !hurried_q));
    // A number is assigned less than Window ahead of a pending one, and is only refused if it would
    // not be.
    if (given && pending_q) assert (back < SeqW'(Window));
    if (refused && row.open) assert (row.held[first_bit]);

    cover (told && pending_q && age == SeqW'(5));
    cover (hurried && pending_q && hit_q);
    cover (refused && row.open && open_q);
  end
end

// Answer, three clocks later: the oldest number is held, and no pending number is older.
logic here_q = 1'b0;
logic here_q2 = 1'b0;
logic here_q3 = 1'b0;
logic pending_q2, pending_q3;
// ok_o by the rule: a number was assigned, the followed one was acknowledged, or the neighbour is
// busy with it or a later one.
logic given_f_q, told_q, told_q2, told_q3, busy_f_q, ok_q2, ok_q3;
always_ff @(posedge clk_i) begin
  here_q <= here && open_q;
  here_q2 <= here_q;
  here_q3 <= here_q2;
  pending_q2 <= pending_q;
  pending_q3 <= pending_q2;
  given_f_q <= given;
  told_q <= told;
  told_q2 <= told_q;
  told_q3 <= told_q2;
  busy_f_q <= here && op_q == tally_edge_pkg::TxBusy && pending_q && seq_q - seq_f < back;
  ok_q2 <= given_f_q || told_q || busy_f_q;
  ok_q3 <= ok_q2;
end
always_comb begin
  if (here_q) assert ((ack_q && touched_q[bit_f]) == told_q);
  if (here_q && busy_f_q) assert (busy_q && touched_q[bit_f]);
  if (here_q && given_f_q) assert (gave_q);
  if (here_q) assert (next_q == row_f.next && held_q == row_f.held);
  if (here_q2) begin
    assert (held_q2[bit_f] || !pending_q2);
    if (pending_q2) assert (next_q2 - seq_f != '0 && next_q2 - seq_f <= SeqW'(Window));
    assert (turned_q == Window'({held_q2, held_q2} >> next_q2[AgeW-1:0]) &&
            oldest_q == next_q2 - SeqW'(Window));
    assert (acked_q2[bit_f] == told_q2);
    if (ok_q2) assert (gave_q2 || useful_q);
  end
  if (here_q3) begin
    assert (una_o == next_o || held_o[una_o[AgeW-1:0]]);
    assert ((una_o == next_o) == (held_o == '0));
    assert (next_o - una_o <= SeqW'(Window));
    assert (held_o[bit_f] || !pending_q3);
    assert (acked_o[bit_f] == told_q3);
    if (ok_q3) assert (ok_o);
    if (pending_q3) assert (next_o - seq_f <= next_o - una_o);
  end
end
