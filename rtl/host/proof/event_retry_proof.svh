// SPDX-License-Identifier: BSD-2-Clause
// The proof follows an arbitrary CQ: its event is offered only while it waits, with its EQ, and
// each one that was given back is offered soon after a consumer's count has advanced. waits_o is
// high while it waits.
`include "tally_proof.svh"

(* anyconst *) logic [CqnW-1:0] followed;

// ---- Behaviour of the event queues and of who configures ----
logic took_q, held_q;
logic offers_q, idle_q;         // an event is offered and not taken; none is, while hold_i is high
logic [CqnW+EqnW-1:0] offer_q;
always_ff @(posedge clk_i) begin
  took_q <= started_q && taken;
  held_q <= started_q && hold_i;
  offers_q <= started_q && out_valid_o && !out_ready_i;
  idle_q <= started_q && hold_i && !out_valid_o;
  offer_q <= {out_cqn_o, out_eqn_o};
end
always_comb begin
  assume (32'(followed) < NumCq);
  assume (!refused_i || 32'(refused_cqn_i) < NumCq);
  assume (!forget_i || 32'(forget_cqn_i) < NumCq);
  if (clearing) assume (!refused_i && !freed_i && !forget_i && !hold_i);
  assume (32'(refused_i) + 32'(freed_i) + 32'(forget_i) <= 1);
  if (refused_i || freed_i || took_q) assume (!out_ready_i);
  if (forget_i) assume (hold_i && held_q && !out_valid_o);
end

// ---- The followed CQ ----
localparam int unsigned Soon = 8 * NumCq + 3;   // what remains of a search, and the next one
logic waits_q, mine;
logic due_q;                    // a count has advanced since
logic [7:0] late_q;             // clocks in which it could have been offered
logic [EqnW-1:0] eqn_q;
assign mine = out_valid_o && out_cqn_o == followed;
always_ff @(posedge clk_i) begin
  if (!started_q || (forget_i && forget_cqn_i == followed)) begin
    waits_q <= 1'b0;
    due_q <= 1'b0;
  end else begin
    if (refused_i && refused_cqn_i == followed) begin
      waits_q <= 1'b1;
      eqn_q <= refused_eqn_i;
    end else if (mine && out_ready_i) begin
      waits_q <= 1'b0;
      due_q <= 1'b0;
    end
    if (waits_q && freed_i) due_q <= 1'b1;
  end
  if (!started_q || !due_q || mine) late_q <= '0;
  else if (!hold_i && (!out_valid_o || out_ready_i)) late_q <= late_q + 1'b1;
end

// The EQ of a CQ stays while an event of it waits.
always_comb begin
  if (waits_q && refused_i && refused_cqn_i == followed) assume (refused_eqn_i == eqn_q);
  if (started_q) begin
    if (mine) assert (waits_q && out_eqn_o == eqn_q);
    if (offers_q) assert (out_valid_o && {out_cqn_o, out_eqn_o} == offer_q);
    if (held_q && hold_i && idle_q) assert (!out_valid_o);
    if (waits_q) assert (waits_o);
    assert (late_q <= 8'(Soon));
    if (out_valid_o) assert (busy_o);
    assert (32'(left_q) <= 2 * NumCq && (search_q || left_q == '0));
    if (!search_q) assert (!more_q && at_q == '0);
    cover (mine && out_ready_i);
    cover (!waits_o && last_q[0] != '0 && !busy_o);
    cover (waits_o && last_q[0] != '0 && !busy_o);
  end
end
