// SPDX-License-Identifier: BSD-2-Clause
// What neighbours say about packets that were sent to them: acknowledgements and BUSY are taken out
// of the stream of packets, behind tally_edge_gate, for tally_edge_send (dispatch() of
// sim/engine/packet.c). The packets pass, because they also tell the neighbour's done and limit.
//
// in_*, in_alive_i, pay_*: records, whether their group lives, and payloads. out_*, dat_*: the
// same. A record's payload comes after the record, and before the next one that has a payload.
// reply_*: an acknowledgement with its newest number, and bit i set if the number i before it was
// stored; or BUSY for a number. A further reply waits in front until this one is taken; other
// packets pass. Acknowledgements of multicast and of KILL are not replies. busy_o: a reply is
// inside.
module tally_edge_replies #(
  localparam int unsigned Window = tally_pkg::EdgeWindow
) (
  input  logic                                clk_i,
  input  logic                                rst_ni,
  output logic                                busy_o,

  input  logic                                in_valid_i,
  output logic                                in_ready_o,
  input  tally_net_pkg::rx_hdr_t              in_i,
  input  tally_admission_pkg::admission_t     in_admission_i,
  input  logic                                in_alive_i,
  input  logic                                pay_tvalid_i,
  output logic                                pay_tready_o,
  input  logic [tally_net_pkg::WordBits-1:0]  pay_tdata_i,

  output logic                                out_valid_o,
  input  logic                                out_ready_i,
  output logic                                dat_tvalid_o,
  input  logic                                dat_tready_i,

  output logic                                reply_valid_o,
  input  logic                                reply_ready_i,
  output tally_edge_pkg::reply_e              reply_o,
  output logic [15:0]                         reply_context_o,
  output logic [7:0]                          reply_edge_o,
  output logic [31:0]                         reply_seq_o,
  output logic [Window-1:0]                   reply_seen_o
);
  typedef enum logic [1:0] {
    None = 2'd0,   // no reply is inside
    Seen = 2'd1,   // the payload of an acknowledgement is awaited
    Offer = 2'd2   // it is offered
  } state_e;

  state_e state_q, state_d;
  tally_pkg::tch_t tch;
  tally_pkg::tch_ack_t ack;
  logic of_group, is_ack, is_busy, is_reply, holds, take, first_word, unused;

  assign tch = in_i.tch;
  assign unused = ^{tch, in_i};  // few of their fields are used
  assign of_group = in_i.verdict == 8'(tally_pkg::RxOk) && in_alive_i &&
      in_admission_i.verdict == 8'(tally_fw_pkg::AdmissionOk);
  assign is_ack = of_group && tch.kind == 8'(tally_pkg::KindAck) &&
      !tch.flags[tally_pkg::TchFKillAckBit] && !tch.flags[tally_pkg::TchFMulticastBit];
  assign is_busy = of_group && tch.kind == 8'(tally_pkg::KindBusy);
  assign is_reply = is_ack || is_busy;

  assign holds = is_reply && state_q != None;
  assign out_valid_o = in_valid_i && !holds;
  assign in_ready_o = out_ready_i && !holds;
  assign take = in_valid_i && in_ready_o && is_reply;
  assign dat_tvalid_o = pay_tvalid_i;
  assign pay_tready_o = dat_tready_i;
  assign first_word = state_q == Seen && pay_tvalid_i && dat_tready_i;
  // byte 0 of a word is in the low bits
  assign ack = pay_word(pay_tdata_i);
  assign reply_valid_o = state_q == Offer;
  assign busy_o = state_q != None;

  function automatic logic [8*tally_pkg::TchAckBytes-1:0] pay_word(
      input logic [tally_net_pkg::WordBits-1:0] word);
    for (int unsigned i = 0; i < tally_pkg::TchAckBytes; i++) begin
      pay_word[8*(tally_pkg::TchAckBytes-1-i)+:8] = word[8*i+:8];
    end
  endfunction

  always_comb begin
    unique case (state_q)
      None: state_d = !take ? None : is_ack ? Seen : Offer;
      Seen: state_d = first_word ? Offer : Seen;
      default: state_d = reply_ready_i ? None : Offer;  // Offer
    endcase
  end

  always_ff @(posedge clk_i) begin
    if (take) begin
      reply_o <= is_ack ? tally_edge_pkg::ReplyAck : tally_edge_pkg::ReplyBusy;
      reply_context_o <= in_admission_i.context_;
      reply_edge_o <= in_admission_i.edge_;
      reply_seq_o <= tch.edge_seq;
    end
    if (first_word) reply_seen_o <= ack.seen;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) state_q <= None;
    else state_q <= state_d;
  end

`ifdef FORMAL
  `include "edge_replies_proof.svh"
`endif
endmodule
