// SPDX-License-Identifier: BSD-2-Clause
// Gate of numbered packets, behind tally_admission: an edge's number passes once (numbered() and
// edge_verdict() of sim/engine/packet.c and edge.c), and is acknowledged. It has the receive
// windows of all edges (tally_edge_rx), and those that are to be acknowledged (tally_edge_acks).
//
// in_*, pay_*: records, what tally_admission says of them, and payloads, as it gives them.
// in_row_i: the row of the edge, by which the edge is known here. In another life it may have
// another one. in_alive_i: the group of an admitted packet lives. Only then the number of the
// packet is looked at, if it is a packet of data, and does not come by multicast. out_*, dat_*: the
// same, in the same order. A numbered packet that does not pass has another verdict: it was stored
// before (AdmissionDuplicate), its number is outside of the window (AdmissionWindow), or its
// predecessor has not been stored (AdmissionTurn). Its payload is dropped. out_flight_valid_o: it
// passes, as flight out_flight_o. end_*: the end of a flight, exactly one for each. end_stored_i:
// the packet is stored, so its number must not pass again; otherwise it may. Flights end in any
// order. A further packet of the same edge waits inside until the flight has ended, and so does any
// numbered packet while all flights are in use. first_*: the first number of an edge, which becomes
// open, with its row and its name. A row must have one before a packet with it comes. A flight, and
// a record that was taken before, are of the row's earlier edge and mark nothing. end_ready_o is
// low in this clock. gone_*: a row that an edge gave back, not in a clock with first_valid_i; it is
// not acknowledged any more. ack_*: an edge whose packets are to be acknowledged, AckDelay after
// the first of its numbers was marked, or a duplicate was taken from here. It may be one of an
// earlier life. end_ready_o is low in the clock in which a duplicate is taken, and in that in which
// the window of such an edge is read. If Acks edges wait because ack_ready_i is low, further ones
// are left out; a repetition of the packet names them again. now_i, deadline_*: the time in
// picoseconds, and when an edge becomes due although the clock may have stopped.
//
// A numbered packet takes four clocks if no other one of its edge is in flight, others two. An
// acknowledgement is offered four clocks after its time. Each edge that is opened may add a clock,
// and each mark and acknowledgement to a packet. busy_o is low if nothing but flights and edges
// that wait are inside; the clock may stop.
module tally_edge_gate #(
  parameter int unsigned Groups = tally_pkg::MaxGroup,
  parameter int unsigned EdgesOf = tally_pkg::MaxContributors + 1,  // edges of a group
  parameter int unsigned Rows = tally_pkg::MaxEdges,                // edges of all groups
  parameter int unsigned Flights = 8,                               // at least 2
  // edges that wait; a power of two
  parameter int unsigned Acks = 32,
  localparam int unsigned FlightW = $clog2(Flights),
  localparam int unsigned GroupW = $clog2(Groups),
  localparam int unsigned RowW = $clog2(Rows),
  localparam int unsigned EdgeW = $clog2(EdgesOf)
) (
  input  logic                                clk_i,
  input  logic                                rst_ni,
  output logic                                busy_o,

  input  logic                                in_valid_i,
  output logic                                in_ready_o,
  input  tally_net_pkg::rx_hdr_t              in_i,
  input  tally_admission_pkg::admission_t     in_admission_i,
  input  logic                                in_alive_i,
  input  logic [RowW-1:0]                     in_row_i,
  input  logic                                pay_tvalid_i,
  output logic                                pay_tready_o,
  input  logic [tally_net_pkg::WordBits-1:0]  pay_tdata_i,
  input  logic [tally_net_pkg::WordBytes-1:0] pay_tkeep_i,
  input  logic                                pay_tlast_i,

  output logic                                out_valid_o,
  input  logic                                out_ready_i,
  output tally_net_pkg::rx_hdr_t              out_o,
  output tally_admission_pkg::admission_t     out_admission_o,
  output logic                                out_alive_o,         // its in_alive_i
  output logic                                out_flight_valid_o,
  output logic [FlightW-1:0]                  out_flight_o,
  output logic                                dat_tvalid_o,
  input  logic                                dat_tready_i,
  output logic [tally_net_pkg::WordBits-1:0]  dat_tdata_o,
  output logic [tally_net_pkg::WordBytes-1:0] dat_tkeep_o,
  output logic                                dat_tlast_o,

  input  logic                                end_valid_i,
  output logic                                end_ready_o,
  input  logic [FlightW-1:0]                  end_flight_i,
  input  logic                                end_stored_i,

  input  logic [63:0]                         now_i,
  output logic                                deadline_valid_o,
  output logic [63:0]                         deadline_o,
  output logic                                ack_valid_o,
  input  logic                                ack_ready_i,
  output tally_edge_pkg::ack_t                ack_o,

  input  logic                                first_valid_i,
  input  logic [RowW-1:0]                     first_row_i,
  input  logic [GroupW-1:0]                   first_group_i,
  input  logic [EdgeW-1:0]                    first_edge_i,
  input  logic [31:0]                         first_seq_i,
  input  logic                                gone_valid_i,
  input  logic [RowW-1:0]                     gone_row_i
);

  typedef enum logic [1:0] {
    Idle = 2'd0,  // a record is taken
    Wait = 2'd1,  // its number is asked for, once no other packet of the edge is in flight
    Ask = 2'd2,   // the window answers
    Out = 2'd3    // the record is offered
  } state_e;

  typedef enum logic [1:0] {
    NoPayload = 2'd0,
    Pass = 2'd1,
    Drop = 2'd2
  } payload_e;

  typedef enum logic [1:0] {
    AckNone = 2'd0,   // the next edge that is due is taken
    AckAsk = 2'd1,    // its window is asked
    AckWait = 2'd2,   // and answers
    AckOffer = 2'd3   // the acknowledgement is offered
  } ack_state_e;

  state_e state_q, state_d;
  ack_state_e ack_state_q, ack_state_d;
  payload_e payload_q;
  tally_net_pkg::rx_hdr_t rec_q;
  tally_admission_pkg::admission_t adm_q;
  tally_pkg::tch_t in_tch, tch, asked;
  logic [RowW-1:0] row_q;
  logic take, numbered, in_admitted, in_has_payload, has_payload_q, alive_q, unused;

  // ---- The record ----
  assign in_tch = in_i.tch;
  assign tch = rec_q.tch;
  assign unused = ^{in_tch, tch, asked};  // few of their fields are used
  assign in_admitted = in_i.verdict == 8'(tally_pkg::RxOk) &&
      in_admission_i.verdict == 8'(tally_fw_pkg::AdmissionOk);
  assign numbered = in_admitted && in_alive_i &&
      (in_tch.kind == 8'(tally_pkg::KindReduce) || in_tch.kind == 8'(tally_pkg::KindTrigger) ||
       (in_tch.kind == 8'(tally_pkg::KindResult) && !in_tch.flags[tally_pkg::TchFMulticastBit]));
  assign in_has_payload = in_admitted && in_i.payload_len != '0;
  assign in_ready_o = state_q == Idle;
  assign take = in_valid_i && in_ready_o;

  // ---- Flights ----
  logic [Flights-1:0] flying_q, stale_q, same_row;
  logic [RowW-1:0] rows_q [Flights];
  logic [31:0] seqs_q [Flights];
  logic [FlightW-1:0] free_flight, flight_q;
  logic [RowW-1:0] row;  // of the packet whose number is looked at
  logic passes_q, passes, reopened_q, ends, marks, duplicate_q, arms_duplicate, ask_ack;

  assign ask_ack = ack_state_q == AckAsk;
  assign row = state_q == Idle ? in_row_i : row_q;

  always_comb begin
    free_flight = '0;
    for (int unsigned i = 0; i < Flights; i++) begin
      if (!flying_q[i]) free_flight = FlightW'(i);
      same_row[i] = flying_q[i] && rows_q[i] == row;
    end
  end
  assign end_ready_o = !first_valid_i && !arms_duplicate && !ask_ack;
  assign ends = end_valid_i && end_ready_o;
  assign marks = ends && end_stored_i && flying_q[end_flight_i] && !stale_q[end_flight_i];

  // ---- The window ----
  logic query, answered, unused_mark_valid, unused_mark_new;
  logic op_valid, asks_ack, ack_answered;
  tally_edge_pkg::rx_op_e op;
  logic [RowW-1:0] op_row, ack_row_q;
  logic [31:0] op_seq, op_before, ack_top;
  logic [tally_pkg::EdgeWindow-1:0] ack_seen;
  tally_edge_pkg::rx_answer_e answer;
  logic [7:0] verdict;

  // One operation per clock: the first number of an edge, else the window of an acknowledgement,
  // else a mark, else a query, in the clock in which the record is taken if nothing is in its way.
  assign asks_ack = ask_ack && !first_valid_i;
  assign query = (state_q == Wait || (take && numbered)) && same_row == '0 &&
                 flying_q != {Flights{1'b1}} &&
                 !first_valid_i && !ask_ack && !marks;
  assign op_valid = first_valid_i || asks_ack || marks || query;
  assign asked = state_q == Idle ? in_tch : tch;
  assign op_before = asked.kind == 8'(tally_pkg::KindTrigger) ? asked.num : asked.edge_seq;
  always_comb begin
    op = tally_edge_pkg::RxQuery;
    op_row = row;
    op_seq = asked.edge_seq;
    if (first_valid_i) begin
      op = tally_edge_pkg::RxOpen;
      op_row = first_row_i;
      op_seq = first_seq_i;
    end else if (asks_ack) begin
      op = tally_edge_pkg::RxAck;
      op_row = ack_row_q;
    end else if (marks) begin
      op = tally_edge_pkg::RxMark;
      op_row = rows_q[end_flight_i];
      op_seq = seqs_q[end_flight_i];
    end
  end

  tally_edge_rx #(
    .Edges(Rows)
  ) u_rx (
    .clk_i, .rst_ni,
    .op_valid_i(op_valid),
    .op_i(op),
    .op_edge_i(op_row),
    .op_seq_i(op_seq),
    .op_before_i(op_before),
    .answer_valid_o(answered),
    .answer_o(answer),
    .mark_valid_o(unused_mark_valid),
    .mark_new_o(unused_mark_new),
    .ack_valid_o(ack_answered),
    .ack_top_o(ack_top),
    .ack_seen_o(ack_seen)
  );

  assign passes = answered && answer == tally_edge_pkg::RxAccept;
  always_comb begin
    unique case (answer)
      tally_edge_pkg::RxAccept: verdict = 8'(tally_fw_pkg::AdmissionOk);
      tally_edge_pkg::RxDuplicate: verdict = 8'(tally_fw_pkg::AdmissionDuplicate);
      tally_edge_pkg::RxOutside: verdict = 8'(tally_fw_pkg::AdmissionWindow);
      default: verdict = 8'(tally_fw_pkg::AdmissionTurn);  // RxNotInTurn
    endcase
  end

  always_ff @(posedge clk_i) begin
    if (take) begin
      rec_q <= in_i;
      adm_q <= in_admission_i;
      row_q <= in_row_i;
      has_payload_q <= in_has_payload;
      alive_q <= in_alive_i;
      passes_q <= 1'b0;
      duplicate_q <= 1'b0;
      reopened_q <= 1'b0;
    end else if (first_valid_i && first_row_i == row_q) begin
      reopened_q <= 1'b1;
    end
    if (answered) begin
      adm_q.verdict <= verdict;
      passes_q <= passes;
      duplicate_q <= answer == tally_edge_pkg::RxDuplicate;
      flight_q <= free_flight;
    end
    if (passes) begin
      rows_q[free_flight] <= row_q;
      seqs_q[free_flight] <= tch.edge_seq;
    end
    for (int unsigned i = 0; i < Flights; i++) begin
      if (passes && FlightW'(i) == free_flight) begin
        stale_q[i] <= reopened_q || (first_valid_i && first_row_i == row_q);
      end else if (first_valid_i && first_row_i == rows_q[i]) stale_q[i] <= 1'b1;
    end
  end

  // ---- Order of the steps, and payloads ----
  logic out, pay_end;

  assign out_valid_o = state_q == Out && (payload_q == NoPayload || !has_payload_q);
  assign out = out_valid_o && out_ready_i;
  assign arms_duplicate = out && duplicate_q;

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      Idle: if (take) state_d = !numbered ? Out : query ? Ask : Wait;
      Wait: if (query) state_d = Ask;
      Ask: if (answered) state_d = Out;
      default: if (out) state_d = Idle;  // Out
    endcase
  end

  assign dat_tvalid_o = payload_q == Pass && pay_tvalid_i;
  assign dat_tdata_o = pay_tdata_i;
  assign dat_tkeep_o = pay_tkeep_i;
  assign dat_tlast_o = pay_tlast_i;
  assign pay_tready_o = payload_q == Drop || (payload_q == Pass && dat_tready_i);
  assign pay_end = pay_tvalid_i && pay_tready_o && pay_tlast_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= Idle;
      payload_q <= NoPayload;
      flying_q <= '0;
    end else begin
      state_q <= state_d;
      if (out && has_payload_q)
        payload_q <= adm_q.verdict == 8'(tally_fw_pkg::AdmissionOk) ? Pass : Drop;
      else if (pay_end) payload_q <= NoPayload;
      for (int unsigned i = 0; i < Flights; i++) begin
        if (passes && FlightW'(i) == free_flight) flying_q[i] <= 1'b1;
        else if (ends && FlightW'(i) == end_flight_i) flying_q[i] <= 1'b0;
      end
    end
  end

  // ---- Acknowledgements ----
  //
  // What is marked before the edge is taken here is in the acknowledgement; what is marked then, or
  // later, arms it again.
  logic arm, due_valid, due_taken, take_due;
  logic [RowW-1:0] arm_row, due_row;

  assign arm = marks || arms_duplicate;
  assign arm_row = arms_duplicate ? row_q : rows_q[end_flight_i];
  assign take_due = ack_state_q == AckNone;
  assign due_taken = due_valid && take_due;

  tally_edge_acks #(
    .KeyW(RowW), .Depth(Acks)
  ) u_acks (
    .clk_i, .rst_ni,
    .now_i, .deadline_valid_o, .deadline_o,
    .arm_valid_i(arm),
    .arm_key_i(arm_row),
    .due_valid_o(due_valid),
    .due_ready_i(take_due),
    .due_key_o(due_row)
  );

  // The edge that was opened last with a row, if it has not given it back.
  localparam int unsigned NameW = 1 + GroupW + EdgeW;
  logic [NameW-1:0] names_q [Rows];
  logic [NameW-1:0] name_q;

  always_ff @(posedge clk_i) begin
    if (first_valid_i || gone_valid_i)
      names_q[first_valid_i ? first_row_i : gone_row_i] <= {first_valid_i, first_group_i,
                                                            first_edge_i};
    name_q <= names_q[ack_row_q];
  end

  always_comb begin
    unique case (ack_state_q)
      AckNone: ack_state_d = due_taken ? AckAsk : AckNone;
      AckAsk: ack_state_d = asks_ack ? AckWait : AckAsk;
      AckWait: ack_state_d = !ack_answered ? AckWait : name_q[NameW-1] ? AckOffer : AckNone;
      default: ack_state_d = ack_ready_i ? AckNone : AckOffer;  // AckOffer
    endcase
  end
  always_ff @(posedge clk_i) begin
    if (due_taken) ack_row_q <= due_row;
    if (ack_answered) begin
      ack_o.context_ <= 16'(name_q[NameW-2:EdgeW]);
      ack_o.edge_ <= 8'(name_q[EdgeW-1:0]);
      ack_o.top <= ack_top;
      ack_o.seen <= ack_seen;
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) ack_state_q <= AckNone;
    else ack_state_q <= ack_state_d;
  end
  assign ack_valid_o = ack_state_q == AckOffer;

  assign out_o = rec_q;
  assign out_admission_o = adm_q;
  assign out_alive_o = alive_q;
  assign out_flight_valid_o = passes_q;
  assign out_flight_o = flight_q;
  assign busy_o = state_q != Idle || payload_q != NoPayload || ack_state_q != AckNone;

`ifdef FORMAL
  `include "edge_gate_proof.svh"
`endif
endmodule
