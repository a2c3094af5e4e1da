// SPDX-License-Identifier: BSD-2-Clause
// Packets that leave get their numbers here, in front of tally_encap: a header that names an edge
// asks tally_edge_send (edge_send() and send_again() of sim/engine/edge.c). A packet that may not
// leave, because its edge is closed or, sent again, it has been acknowledged, is dropped with its
// payload. If the window of its edge is full, it waits, and asks again.
//
// in_*, pay_*: headers, their names, and payloads, of packets with payload_len bytes. out_*, dat_*:
// the same, in the same order, without those that are dropped. The number is edge_seq of the
// header, and its low bits the PSN; a TRIGGER names in num the number before it. Headers without a
// name pass unchanged. A payload is taken once its header has left. ask_*: see tally_edge_send;
// ask_ready_i comes with the answer. busy_o: something is inside.
//
// A header without a name takes no clock; one with a name waits for the answer, and one clock.
module tally_edge_number (
  input  logic                                clk_i,
  input  logic                                rst_ni,
  output logic                                busy_o,

  input  logic                                in_valid_i,
  output logic                                in_ready_o,
  input  tally_encap_pkg::tx_hdr_t            in_i,
  input  tally_edge_pkg::name_t               in_name_i,
  input  logic                                pay_tvalid_i,
  output logic                                pay_tready_o,
  input  logic                                pay_tlast_i,

  output logic                                out_valid_o,
  input  logic                                out_ready_i,
  output tally_encap_pkg::tx_hdr_t            out_o,
  output logic                                dat_tvalid_o,
  input  logic                                dat_tready_i,

  output logic                                ask_valid_o,
  input  logic                                ask_ready_i,
  output tally_edge_pkg::ask_t                ask_o,
  input  logic                                ask_ok_i,
  input  logic                                ask_full_i,
  input  logic [31:0]                         ask_seq_i,
  input  logic [31:0]                         ask_before_i
);
  typedef enum logic [1:0] {
    Wait = 2'd0,   // for a header; one with a name asks
    Give = 2'd1,   // it has its number, and is offered
    Drop = 2'd2    // it has none
  } state_e;

  typedef enum logic [1:0] {
    NoPayload = 2'd0,
    Pass = 2'd1,
    Lose = 2'd2
  } payload_e;

  state_e state_q, state_d;
  payload_e payload_q;
  tally_pkg::tch_t tch, tch_out;
  logic [31:0] seq_q, before_q;
  logic is_trigger, free, taken, pay_end;

  assign tch = in_i.tch;
  assign is_trigger = tch.kind == 8'(tally_pkg::KindTrigger);
  assign ask_valid_o = in_valid_i && in_name_i.valid && state_q == Wait;
  always_comb begin
    ask_o.known = 1'b0;
    ask_o.row_ = '0;
    ask_o.again = in_name_i.again;
    ask_o.context_ = in_name_i.context_;
    ask_o.edge_ = in_name_i.edge_;
    ask_o.ref_ = in_name_i.ref_;
    ask_o.seq = tch.edge_seq;
    ask_o.is_trigger = is_trigger;
    ask_o.tag = {tch.port, tch.counter};
  end

  always_comb begin
    tch_out = tch;
    out_o = in_i;
    if (in_name_i.valid) begin
      tch_out.edge_seq = seq_q;
      if (is_trigger) tch_out.num = before_q;
      out_o.psn = seq_q[23:0];
    end
    out_o.tch = tch_out;
  end

  // A header leaves, or is dropped, once the payload before it has passed.
  assign free = payload_q == NoPayload || in_i.payload_len == '0;
  assign out_valid_o = in_valid_i && free && (in_name_i.valid ? state_q == Give : state_q == Wait);
  assign taken = (out_valid_o && out_ready_i) || (state_q == Drop && free);
  assign in_ready_o = taken;

  always_comb begin
    unique case (state_q)
      Wait: state_d = ask_valid_o && ask_ready_i && !ask_full_i ? (ask_ok_i ? Give : Drop) : Wait;
      default: state_d = taken ? Wait : state_q;  // Give, Drop
    endcase
  end

  assign dat_tvalid_o = payload_q == Pass && pay_tvalid_i;
  assign pay_tready_o = payload_q == Lose || (payload_q == Pass && dat_tready_i);
  assign pay_end = pay_tvalid_i && pay_tready_o && pay_tlast_i;
  assign busy_o = state_q != Wait || payload_q != NoPayload;

  always_ff @(posedge clk_i) begin
    if (ask_ready_i) begin
      seq_q <= ask_seq_i;
      before_q <= ask_before_i;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= Wait;
      payload_q <= NoPayload;
    end else begin
      state_q <= state_d;
      if (taken && in_i.payload_len != '0) payload_q <= state_q == Drop ? Lose : Pass;
      else if (pay_end) payload_q <= NoPayload;
    end
  end

`ifdef FORMAL
  `include "edge_number_proof.svh"
`endif
endmodule
