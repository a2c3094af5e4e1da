// SPDX-License-Identifier: BSD-2-Clause
// Events of completion queues (CQ) that tally_eqe_writer has given back because half of their event
// queue (EQ) was used. Each is offered again when there may be room, until it has a place.
// Processes can make events due faster than a driver consumes them; so events wait here, one of
// each CQ at most. A second one of a CQ that waits says nothing new, and is the same event.
//
// given_i: the event queues decide about an event, refused_*: they give it back. This comes late in
// a clock, so it chooses nothing that given_i can choose. Meanwhile no event is taken. freed_i: one
// that waits may find room; together with refused_i, the event that is given back could have had
// it. out_*: an event, which is taken or given back once more. forget_*: the CQ is configured, and
// its event is forgotten. A configuration is announced by hold_i: from its second clock on, no
// further event is offered. It is carried out when none is offered any more then, and in the clock
// of forget_i none is given back. waits_o: EQs for which an event may wait. Whoever has a new one
// for such an EQ must have it given back.
//
// The CQs of an EQ take turns: first those behind the one that had a place last, then all. When one
// has found no room, the others of the EQ are not offered until the next search. So none is passed
// by the same others again and again when few places come free.
//
// Time: the CQs are looked through twice after freed_i or forget_i, one per clock, if any event
// waits; and then once more if one of these has come meanwhile. An event that is found is offered
// in the next clock. busy_o is low if nothing happens without an input. It and out_* are registers.
module tally_event_retry #(
  parameter int unsigned NumCq = tally_pkg::MaxCq,
  parameter int unsigned NumEq = tally_pkg::MaxEq,
  localparam int unsigned CqnW = NumCq > 1 ? $clog2(NumCq) : 1,
  localparam int unsigned EqnW = NumEq > 1 ? $clog2(NumEq) : 1
) (
  input  logic            clk_i,
  input  logic            rst_ni,
  output logic            busy_o,
  output logic [NumEq-1:0] waits_o,

  input  logic            given_i,
  input  logic            refused_i,
  input  logic [CqnW-1:0] refused_cqn_i,
  input  logic [EqnW-1:0] refused_eqn_i,
  input  logic            freed_i,
  input  logic            hold_i,
  input  logic            forget_i,
  input  logic [CqnW-1:0] forget_cqn_i,

  output logic            out_valid_o,
  input  logic            out_ready_i,
  output logic [CqnW-1:0] out_cqn_o,
  output logic [EqnW-1:0] out_eqn_o
);
  localparam int unsigned LeftW = $clog2(2 * NumCq + 1);

  // ---- Table ----
  logic [EqnW:0] row_mem_q [NumCq];
  logic [EqnW:0] row_q;
  logic row_waits;
  logic write, read, written, clearing, taken, found;
  logic [CqnW-1:0] write_at, at_q, row_at_q;

  assign taken = out_valid_o && out_ready_i;
  assign write = refused_i || forget_i || taken;
  always_comb begin
    if (given_i) write_at = refused_cqn_i;
    else if (forget_i) write_at = forget_cqn_i;
    else write_at = row_at_q;
  end
  always_ff @(posedge clk_i) begin
    if (write) row_mem_q[write_at] <= {refused_i, refused_eqn_i};
    if (read) begin
      row_q <= row_mem_q[at_q];
      row_at_q <= at_q;
    end
  end
  assign {row_waits, out_eqn_o} = row_q;
  tally_written #(.Rows(NumCq)) u_written (
    .clk_i, .rst_ni, .busy_o(clearing), .write_i(write), .write_at_i(write_at), .read_i(read),
    .read_at_i(at_q), .written_o(written)
  );

  // ---- The search ----
  logic [NumEq-1:0] waits_q;  // EQs for which an event may wait,
  logic [NumEq-1:0] again_q;  // for which one was given back since the search has begun,
  logic [NumEq-1:0] full_q;   // and for which one had no room in this search
  logic [NumEq-1:0] back;     // that of the event which is given back
  logic more_q;               // another search must follow
  logic second_q;             // the row is looked at for the second time
  logic read_q, offers_q;     // the row was read; its event is offered
  logic search_q, taken_q, has_turn;
  logic wanted, begins, ends;
  logic [LeftW-1:0] left_q;
  logic [NumEq-1:0][CqnW-1:0] last_q;  // CQ of each EQ that has had a place last

  assign back = NumEq'(refused_i) << refused_eqn_i;
  assign wanted = more_q || ((waits_q != '0 || refused_i) && (freed_i || forget_i));
  assign begins = wanted && (!search_q || ends);
  assign read = left_q != '0 && !found && !hold_i;
  assign has_turn = !full_q[out_eqn_o] && (second_q || row_at_q > last_q[out_eqn_o]);
  assign found = offers_q || (read_q && written && row_waits && has_turn);
  assign ends = search_q && left_q == '0 && !found;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      waits_q <= '0;
      again_q <= '0;
      full_q <= '0;
      more_q <= 1'b0;
      search_q <= 1'b0;
      read_q <= 1'b0;
      offers_q <= 1'b0;
      taken_q <= 1'b0;
      left_q <= '0;
      at_q <= '0;
      last_q <= '0;
    end else begin
      waits_q <= back | (ends ? waits_q & again_q : waits_q);
      again_q <= back | (begins ? '0 : again_q);
      full_q <= (freed_i ? '0 : back) | (begins ? '0 : full_q);
      more_q <= wanted && !begins;
      search_q <= begins || (search_q && !ends);
      read_q <= read;
      offers_q <= found && !taken;
      taken_q <= taken;
      if (begins) left_q <= LeftW'(2 * NumCq);
      else if (read) left_q <= left_q - 1'b1;
      if (read) at_q <= at_q == CqnW'(NumCq - 1) ? '0 : at_q + 1'b1;
      if (taken_q && !refused_i) last_q[out_eqn_o] <= row_at_q;
    end
  end
  always_ff @(posedge clk_i) begin
    if (read) second_q <= left_q <= LeftW'(NumCq);
  end

  assign out_valid_o = offers_q;
  assign out_cqn_o = row_at_q;
  assign waits_o = waits_q;
  assign busy_o = clearing || search_q;

`ifdef FORMAL
  `include "event_retry_proof.svh"
`endif
endmodule
