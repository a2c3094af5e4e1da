// SPDX-License-Identifier: BSD-2-Clause
// Packets for the firmware: OPEN, KILL and acknowledgements of KILL that are admitted are taken out
// of the stream of packets, right behind tally_admission, for tally_events (events_packet() of
// sim/engine/events.c). Others pass. None of these has a number, so nobody behind needs them.
//
// in_*, pay_*: records and payloads. out_*, dat_*: handshakes of those that pass. A record's
// payload comes after the record, and before the next one that has a payload. The parser has seen
// to it that a payload of these packets has one word at most; if it had more, the others would be
// dropped.
//
// ev_*: a packet of an edge, with its header and its payload, which has the first byte in the low
// bits and is 0 behind its end. A further one waits in front until this one is taken. marked_o, a
// pulse: it is marked for congestion. hold_i: none is taken. Then what waits for it may rely on
// busy_o: if it is low, nothing is inside.
module tally_event_packets (
  input  logic                                clk_i,
  input  logic                                rst_ni,
  output logic                                busy_o,          // a packet is inside
  input  logic                                hold_i,

  input  logic                                in_valid_i,
  output logic                                in_ready_o,      // depends on in_i and out_ready_i
  input  tally_net_pkg::rx_hdr_t              in_i,
  input  tally_admission_pkg::admission_t     in_admission_i,
  input  logic                                pay_tvalid_i,
  output logic                                pay_tready_o,
  input  logic [tally_net_pkg::WordBits-1:0]  pay_tdata_i,
  input  logic [tally_net_pkg::WordBytes-1:0] pay_tkeep_i,
  input  logic                                pay_tlast_i,

  output logic                                out_valid_o,
  input  logic                                out_ready_i,
  output logic                                dat_tvalid_o,
  input  logic                                dat_tready_i,

  output logic                                ev_valid_o,
  input  logic                                ev_ready_i,
  output logic [15:0]                         ev_context_o,    // the group or tombstone
  output logic [7:0]                          ev_edge_o,
  output tally_pkg::tch_t                     ev_tch_o,
  output logic [tally_net_pkg::WordBits-1:0]  ev_data_o,
  output logic                                marked_o
);
  localparam logic [1:0] EcnCe = 2'b11;  // in the IP header: it met congestion

  typedef enum logic [1:0] {
    None = 2'd0,   // no packet is inside
    First = 2'd1,  // the first word of its payload is awaited
    Rest = 2'd2,   // there are further ones
    Offer = 2'd3   // it is offered
  } state_e;

  state_e state_q, state_d;
  tally_pkg::tch_t tch;
  logic admitted, of_end, is_mine, free, takes, to_this, first_word;
  logic [tally_net_pkg::WordBits-1:0] data;

  // ---- Whose packet it is ----
  assign tch = in_i.tch;
  assign admitted = in_i.verdict == 8'(tally_pkg::RxOk) &&
      in_admission_i.verdict == 8'(tally_fw_pkg::AdmissionOk);
  assign of_end = tch.kind == 8'(tally_pkg::KindKill) ||
      (tch.kind == 8'(tally_pkg::KindAck) && tch.flags[tally_pkg::TchFKillAckBit]);
  assign is_mine = admitted && (of_end || tch.kind == 8'(tally_pkg::KindOpen));
  assign free = state_q == None && !hold_i;
  assign takes = in_valid_i && is_mine && free;
  assign out_valid_o = in_valid_i && !is_mine;
  assign in_ready_o = is_mine ? free : out_ready_i;
  assign marked_o = takes && in_i.traffic_class[1:0] == EcnCe;

  // ---- Its payload ----
  assign to_this = state_q == First || state_q == Rest;
  assign dat_tvalid_o = pay_tvalid_i && !to_this;
  assign pay_tready_o = to_this || dat_tready_i;
  assign first_word = state_q == First && pay_tvalid_i;
  always_comb begin
    for (int unsigned k = 0; k < tally_net_pkg::WordBytes; k++) begin
      data[8*k+:8] = pay_tkeep_i[k] ? pay_tdata_i[8*k+:8] : '0;
    end
  end

  always_comb begin
    unique case (state_q)
      None: state_d = !takes ? None : in_i.payload_len != '0 ? First : Offer;
      First: state_d = !pay_tvalid_i ? First : pay_tlast_i ? Offer : Rest;
      Rest: state_d = pay_tvalid_i && pay_tlast_i ? Offer : Rest;
      default: state_d = ev_ready_i ? None : Offer;  // Offer
    endcase
  end

  always_ff @(posedge clk_i) begin
    if (takes) begin
      ev_context_o <= in_admission_i.context_;
      ev_edge_o <= in_admission_i.edge_;
      ev_tch_o <= tch;
    end
    if (takes) ev_data_o <= '0;
    else if (first_word) ev_data_o <= data;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) state_q <= None;
    else state_q <= state_d;
  end
  assign ev_valid_o = state_q == Offer;
  assign busy_o = state_q != None;

  logic unused;  // other fields
  assign unused = ^in_i;

`ifdef FORMAL
  `include "event_packets_proof.svh"
`endif
endmodule
