// SPDX-License-Identifier: BSD-2-Clause
// Registers of the event that the firmware handles, struct event of tally_fw_pkg, as an AXI4-Lite
// slave that can only be read.
//
// A read of `next` takes an event (take_*), or one of type NONE, into these registers. A read of
// `open` while they hold an OPEN waits until open_ready_i brings what was compared of the event,
// event_o, which stays as it is meanwhile; for other events it is 0. All other reads are answered
// in the next clock, one at a time; those of an address without a register, or that is not aligned,
// with SLVERR. Registers change by a read of `next` alone, so no high word needs to be latched.
module tally_event_regs (
  input  logic                      clk_i,
  input  logic                      rst_ni,
  output logic                      busy_o,  // a read waits for its answer

  input  logic                      axil_arvalid_i,
  output logic                      axil_arready_o,
  input  logic [31:0]               axil_araddr_i,
  output logic                      axil_rvalid_o,
  input  logic                      axil_rready_i,
  output logic [31:0]               axil_rdata_o,
  output logic [1:0]                axil_rresp_o,

  output logic                      take_valid_o,
  input  logic                      take_ready_i,
  input  tally_events_pkg::event_t  take_i,

  output logic                      open_valid_o,
  input  logic                      open_ready_i,
  input  logic [31:0]               open_i,    // a sum of tally_fw_pkg::open_state_e
  output tally_events_pkg::event_t  event_o
);
  localparam int unsigned Words = tally_fw_pkg::EventBytes / 4;
  localparam int unsigned AtW = $clog2(tally_fw_pkg::EventBytes);
  localparam logic [1:0] RespOkay = 2'b00;
  localparam logic [1:0] RespSlvErr = 2'b10;

  typedef enum logic [1:0] {
    StReady,
    StTake,
    StOpen,
    StAnswer
  } state_e;
  state_e state_q, state_d;

  tally_events_pkg::event_t event_q;
  logic [31:0] open_q;
  logic [$clog2(Words)-1:0] word_q;
  logic ok_q;

  // ---- The registers as the structure has them ----
  tally_fw_pkg::event_t regs, exists;
  tally_pkg::tch_open_t opening;
  logic [511:0] payload;
  logic [Words-1:0][31:0] regs_words, exists_words;
  assign payload = tally_net_pkg::swap(event_q.packet.data);
  assign opening = payload[511-:8*tally_pkg::TchOpenBytes];
  always_comb begin
    regs = '0;
    regs.next = {event_q.packet.context_, event_q.packet.edge_, event_q.packet.type_};
    regs.open = open_q;
    regs.cause = 32'(event_q.cause);
    regs.epoch = event_q.packet.epoch;
    regs.mid = event_q.packet.mid;
    regs.sid = event_q.packet.sid;
    regs.status = 32'(event_q.status);
    regs.group_key = opening.group_key;
    regs.contributors = event_q.contributors;
    regs.ranks = event_q.ranks;
    regs.qp = 32'(event_q.qp);
    regs.data = event_q.packet.data;
    exists = {8 * tally_fw_pkg::EventBytes{1'b1}};
    exists.__rsvd_34 = '0;
    exists.__rsvd_c0 = '0;
  end
  assign regs_words = regs;
  assign exists_words = exists;

  // ---- Which register a read is for ----
  logic read, whole, of_next, of_open;
  logic [$clog2(Words)-1:0] word;
  assign axil_arready_o = state_q == StReady;
  assign read = axil_arvalid_i && axil_arready_o;
  assign word = axil_araddr_i[AtW-1:2];
  assign whole = axil_araddr_i[31:AtW] == tally_fw_pkg::EventBase[31:AtW] &&
                 axil_araddr_i[1:0] == 2'b00 && exists_words[word][0];
  assign of_next = whole && 32'(axil_araddr_i[AtW-1:0]) == tally_fw_pkg::EventNextOffset;
  assign of_open = whole && 32'(axil_araddr_i[AtW-1:0]) == tally_fw_pkg::EventOpenOffset &&
                   event_q.packet.type_ == 8'(tally_fw_pkg::EvOpen);

  always_comb begin
    unique case (state_q)
      StReady: state_d = !read ? StReady : of_next ? StTake : of_open ? StOpen : StAnswer;
      StTake: state_d = take_ready_i ? StAnswer : StTake;
      StOpen: state_d = open_ready_i ? StAnswer : StOpen;
      default: state_d = axil_rready_i ? StReady : StAnswer;  // StAnswer
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= StReady;
      event_q <= '0;
      open_q <= '0;
    end else begin
      state_q <= state_d;
      if (take_valid_o && take_ready_i) begin
        event_q <= take_i;
        open_q <= '0;
      end else if (open_valid_o && open_ready_i) begin
        open_q <= open_i;
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (read) begin
      word_q <= word;
      ok_q <= whole;
    end
  end

  assign take_valid_o = state_q == StTake;
  assign open_valid_o = state_q == StOpen;
  assign event_o = event_q;
  assign axil_rvalid_o = state_q == StAnswer;
  assign axil_rdata_o = ok_q ? regs_words[word_q] : '0;
  assign axil_rresp_o = ok_q ? RespOkay : RespSlvErr;
  assign busy_o = state_q != StReady;

  logic unused;  // other fields of the OPEN, and bits of `exists`
  assign unused = ^{opening, payload, exists_words};

`ifdef FORMAL
  `include "event_regs_proof.svh"
`endif
endmodule
