// SPDX-License-Identifier: BSD-2-Clause
// The proof follows an arbitrary CQ: its event is offered only while it waits, with its EQ. When it
// may find room, it is offered soon, unless another one of its EQ finds none before. While it
// waits, another CQ has at most two places of its EQ, and waits_o is high.
`include "tally_proof.svh"

(* anyconst *) logic [CqnW-1:0] followed, rival;

// ---- Behaviour of the event queues and of who configures ----
logic took_q, held_q;
logic offered_q, idle_q;         // an event is offered and not taken; none is, and none may come
logic [CqnW+EqnW-1:0] offer_q;  // what was offered
always_ff @(posedge clk_i) begin
  took_q <= started_q && taken;
  held_q <= started_q && hold_i;
  offered_q <= started_q && out_valid_o && !out_ready_i;
  idle_q <= started_q && hold_i && held_q && !out_valid_o;
  offer_q <= {out_cqn_o, out_eqn_o};
end
always_comb begin
  assume (32'(followed) < NumCq && 32'(rival) < NumCq && rival != followed);
  assume (!refused_i || given_i);
  assume (!given_i || 32'(refused_cqn_i) < NumCq);
  assume (!forget_i || 32'(forget_cqn_i) < NumCq);
  if (clearing) assume (!refused_i && !freed_i && !forget_i && !hold_i);
  if (forget_i) assume (!given_i && !freed_i);
  // What has waited is given back only if it finds no room.
  if (took_q && refused_i) assume (!freed_i && {refused_cqn_i, refused_eqn_i} == offer_q);
  if (given_i || freed_i || took_q) assume (!out_ready_i);
  if (forget_i) assume (hold_i && idle_q && !out_valid_o);
end

// ---- The followed CQ ----
localparam int unsigned Soon = 8 * NumCq + 3;   // what remains of a search, and the next one
logic waiting_q, mine, mine_q, theirs_q;
logic due_q;                    // it may find room since
logic [1:0] passes_q;           // places of the rival since
logic no_room;
logic [7:0] late_q;             // clocks in which it could have been offered
logic [EqnW-1:0] eqn_q;
assign mine = out_valid_o && out_cqn_o == followed;
assign no_room = refused_i && !freed_i;
always_ff @(posedge clk_i) begin
  if (!started_q || (forget_i && forget_cqn_i == followed)) begin
    waiting_q <= 1'b0;
    due_q <= 1'b0;
  end else begin
    if (refused_i && refused_cqn_i == followed) begin
      waiting_q <= 1'b1;
      eqn_q <= refused_eqn_i;
    end else if (mine && out_ready_i) begin
      waiting_q <= 1'b0;
      due_q <= 1'b0;
    end
    if ((waiting_q || (refused_i && refused_cqn_i == followed)) && freed_i) due_q <= 1'b1;
    else if (no_room && refused_eqn_i == eqn_q) due_q <= 1'b0;
  end
  mine_q <= started_q && mine && out_ready_i;
  theirs_q <= started_q && taken && waiting_q && out_cqn_o == rival && out_eqn_o == eqn_q;
  if (!started_q || (!waiting_q && !(mine_q && refused_i))) passes_q <= '0;
  else if (theirs_q && !refused_i) passes_q <= passes_q + 1'b1;
  if (!started_q || !due_q || mine) late_q <= '0;
  else if (!hold_i && (!out_valid_o || out_ready_i)) late_q <= late_q + 1'b1;
end

// The EQ of a CQ stays while an event of it waits.
always_comb begin
  if (waiting_q && refused_i && refused_cqn_i == followed) assume (refused_eqn_i == eqn_q);
  if (started_q) begin
    if (mine) assert (waiting_q && out_eqn_o == eqn_q);
    if (offered_q) assert (out_valid_o && {out_cqn_o, out_eqn_o} == offer_q);
    if (held_q && hold_i && idle_q) assert (!out_valid_o);
    if (waiting_q) assert (waits_o[eqn_q]);
    assert (passes_q <= 2'd2);
    assert (late_q <= 8'(Soon));
    if (out_valid_o) assert (busy_o);
    assert (32'(left_q) <= 2 * NumCq && (search_q || left_q == '0));
    if (!search_q) assert (!more_q && at_q == '0);
    cover (mine && out_ready_i);
    cover (waits_o == '0 && last_q[0] != '0 && !busy_o);
    cover (waits_o != '0 && last_q[0] != '0 && !busy_o);
    cover (passes_q == 2'd1);
  end
end
