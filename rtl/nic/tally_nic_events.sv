// SPDX-License-Identifier: BSD-2-Clause
// Events for the firmware in the NIC (docs/rtl-firmware.md): tally_event_packets behind the
// admission, tally_events, and what joins them with the registers of the NIC.
//
// in_*, pay_*, out_*, dat_*: records and payloads, see tally_event_packets. lost_o: a packet found
// no place, for the counter drop_event; marked_o: a packet that was taken is marked.
//
// axil_ar*, axil_r*: reads of all registers of the NIC, one at a time. Those of struct event are
// answered here, others by next_*.
//
// write_i, in the clock in which a write of a register is taken, whoever takes it: CmdCreate,
// CmdRelease and CmdFreeze of struct command are carried out here behind the tables, whose answer,
// rel_bvalid_i, must not be taken while drops_o says so. mine_o: the write is CmdBegin or CmdFence,
// which this block alone takes, by axil_aw*, with its data in data_i. The answer to any of them
// comes when all is done:
//   - RELEASE and BEGIN drop the events of their context. The drop begins when the tables have
//     given their answer, so that no packet is admitted to the context any more, and when nothing
//     is inside tally_event_packets, which takes nothing meanwhile. So no packet of an earlier life
//     of a context becomes an event of the next one.
//   - Those of groups go on to tally_exceptions by set_*. FREEZE, RELEASE and BEGIN end the epoch,
//     the latter two before they drop its events, so none is raised later. Then CREATE and BEGIN
//     raise BEGIN, and no packet is taken before, so an event of a packet of the epoch comes
//     behind it.
//   - CREATE, BEGIN and FENCE go on to tally_local_unit by fence_*.
//
// raise_*: events of groups, of tally_exceptions.
//
// open_*: a read of `open` waits for what the event, an OPEN, tells (tally_fw_send). open_event_o:
// the event that the firmware handles.
//
// wait_o: an event waits for the firmware. busy_o is low if no clock is needed but for an input.
// tally_events has a clock of its own, which stands still while nothing is for it.
module tally_nic_events #(
  parameter int unsigned Groups = tally_pkg::MaxGroup,
  parameter int unsigned Tombs = tally_pkg::MaxTombstones,
  parameter int unsigned Qps = tally_pkg::MaxQp,
  parameter int unsigned Depth = tally_fw_pkg::EventDepth,
  localparam int unsigned GroupW = Groups > 1 ? $clog2(Groups) : 1
) (
  input  logic                                clk_i,
  input  logic                                rst_ni,
  output logic                                busy_o,
  output logic                                wait_o,
  output logic                                lost_o,
  output logic                                marked_o,

  input  logic                                in_valid_i,
  output logic                                in_ready_o,
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

  input  logic                                write_i,
  input  logic [31:0]                         addr_i,
  input  logic [31:0]                         data_i,
  output logic                                mine_o,        // depends on addr_i and data_i alone
  input  logic                                axil_awvalid_i,
  output logic                                axil_awready_o,
  input  logic [3:0]                          axil_wstrb_i,
  output logic                                axil_bvalid_o,
  input  logic                                axil_bready_i,
  output logic [1:0]                          axil_bresp_o,
  input  logic                                rel_bvalid_i,
  output logic                                drops_o,
  output logic                                set_valid_o,
  input  logic                                set_ready_i,
  output logic                                set_begins_o,
  output logic [GroupW-1:0]                   set_group_o,
  output logic                                fence_valid_o,
  input  logic                                fence_ready_i,
  output logic                                fence_begins_o,
  output logic [GroupW-1:0]                   fence_group_o,

  input  logic                                raise_valid_i,
  output logic                                raise_ready_o,
  input  tally_events_pkg::group_kind_e       raise_kind_i,
  input  logic [GroupW-1:0]                   raise_group_i,
  input  tally_events_pkg::exception_t        raise_exception_i,

  input  logic                                axil_arvalid_i,
  output logic                                axil_arready_o,
  input  logic [31:0]                         axil_araddr_i,
  output logic                                axil_rvalid_o,
  input  logic                                axil_rready_i,
  output logic [31:0]                         axil_rdata_o,
  output logic [1:0]                          axil_rresp_o,
  output logic                                next_arvalid_o,
  input  logic                                next_arready_i,
  input  logic                                next_rvalid_i,
  output logic                                next_rready_o,
  input  logic [31:0]                         next_rdata_i,
  input  logic [1:0]                          next_rresp_i,

  output logic                                open_valid_o,
  input  logic                                open_ready_i,
  input  logic [31:0]                         open_i,
  output tally_events_pkg::packet_t           open_event_o
);
  localparam int unsigned QpW = Qps > 1 ? $clog2(Qps) : 1;
  localparam logic [1:0] RespOkay = 2'b00;
  localparam logic [1:0] RespSlvErr = 2'b10;

  // ---- Clock ----
  logic needed, starts_q, ev_clk;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) starts_q <= 1'b1;
    else starts_q <= 1'b0;
  end
  tally_clock_gate u_gate (.clk_i, .en_i(needed || starts_q), .clk_o(ev_clk));

  // ---- Packets ----
  logic packets_busy, holds, ev_valid, ev_ready, ev_after;
  logic [15:0] ev_context;
  logic [7:0] ev_edge;
  tally_pkg::tch_t ev_tch;
  logic [tally_net_pkg::WordBits-1:0] ev_data;
  tally_event_packets u_packets (
    .clk_i, .rst_ni, .busy_o(packets_busy), .hold_i(holds),
    .in_valid_i, .in_ready_o, .in_i, .in_admission_i, .pay_tvalid_i, .pay_tready_o, .pay_tdata_i,
    .pay_tkeep_i, .pay_tlast_i, .out_valid_o, .out_ready_i, .dat_tvalid_o, .dat_tready_i,
    .ev_valid_o(ev_valid), .ev_ready_i(ev_ready), .ev_context_o(ev_context), .ev_edge_o(ev_edge),
    .ev_tch_o(ev_tch), .ev_data_o(ev_data), .marked_o
  );
  assign ev_after = 1'b0;  // the model answers packets after an end

  // ---- Commands ----
  //
  // A command waits for the answer of the one before, so there is one at a time.
  typedef enum logic [3:0] {
    StIdle,
    StTables,  // the tables carry it out
    StStop,    // the epoch runs no more
    StEmpty,   // no packet of it is inside
    StDrop,
    StSet,     // the next one does
    StRaise,   // the event BEGIN
    StFence,
    StAnswer   // of this block
  } state_e;
  state_e state_q, state_d;
  logic [7:0] code, code_q;
  logic [15:0] context_q;
  logic of_go, takes, listens, exists, ok_q, mine_q, drop_valid, drop_ready, of_group;
  assign code = data_i[7:0];
  assign of_go = addr_i == tally_fw_pkg::CommandBase + tally_fw_pkg::CommandGoOffset;
  assign mine_o = of_go && (code == 8'(tally_fw_pkg::CmdBegin) ||
                            code == 8'(tally_fw_pkg::CmdFence));
  assign exists = 32'(data_i[31:16]) < Groups && axil_wstrb_i == 4'b1111;
  assign axil_awready_o = axil_awvalid_i && state_q == StIdle;
  assign takes = axil_awvalid_i && axil_awready_o;
  assign listens = write_i && of_go &&
      (code == 8'(tally_fw_pkg::CmdRelease) ? 32'(data_i[31:16]) < Groups + Tombs :
       (code == 8'(tally_fw_pkg::CmdCreate) || code == 8'(tally_fw_pkg::CmdFreeze)) &&
       32'(data_i[31:16]) < Groups);
  always_ff @(posedge clk_i) begin
    if (takes || listens) begin
      code_q <= code;
      context_q <= data_i[31:16];
      ok_q <= exists;
      mine_q <= takes;
    end
  end

  logic begins_q, freezes_q, fences_q;  // CREATE or BEGIN; the others
  assign begins_q = code_q == 8'(tally_fw_pkg::CmdCreate) || code_q == 8'(tally_fw_pkg::CmdBegin);
  assign freezes_q = code_q == 8'(tally_fw_pkg::CmdFreeze);
  assign fences_q = code_q == 8'(tally_fw_pkg::CmdFence);
  assign of_group = 32'(context_q) < Groups;
  always_comb begin
    state_d = state_q;
    unique case (state_q)
      StIdle: begin
        if (takes) state_d = code == 8'(tally_fw_pkg::CmdFence) ? StFence : StStop;
        if (takes && !exists) state_d = StAnswer;
        if (listens) state_d = StTables;
      end
      StTables: if (rel_bvalid_i) state_d = begins_q ? StSet : of_group ? StStop : StEmpty;
      StStop: if (set_ready_i) state_d = freezes_q ? StIdle : StEmpty;
      StEmpty: if (!packets_busy) state_d = StDrop;
      StDrop: if (drop_ready) state_d = begins_q ? StSet : StIdle;
      StSet: if (set_ready_i) state_d = StRaise;
      StRaise: if (raise_valid_i && raise_ready_o) state_d = StFence;
      StFence: if (fence_ready_i) state_d = mine_q ? StAnswer : StIdle;
      default: if (axil_bready_i) state_d = StIdle;  // StAnswer
    endcase
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) state_q <= StIdle;
    else state_q <= state_d;
  end

  // The tables change when no record is inside the admission, so none is held before.
  assign holds = (state_q == StTables && rel_bvalid_i) || state_q == StStop ||
                 state_q == StEmpty || state_q == StDrop || state_q == StSet || state_q == StRaise;
  assign drop_valid = state_q == StDrop;
  assign drops_o = state_q != StIdle && !mine_q;
  assign axil_bvalid_o = state_q == StAnswer;
  assign axil_bresp_o = ok_q ? RespOkay : RespSlvErr;
  assign set_valid_o = state_q == StStop || state_q == StSet;
  assign set_begins_o = state_q == StSet;
  assign set_group_o = context_q[GroupW-1:0];
  assign fence_valid_o = state_q == StFence;
  assign fence_begins_o = !fences_q;
  assign fence_group_o = context_q[GroupW-1:0];

  // ---- Reads: one is offered a clock after it has come, when it is known whom it is for ----
  logic read_due_q, known_q, for_events_q, ev_arvalid, ev_arready, ev_rvalid;
  logic [31:0] ev_rdata;
  logic [1:0] ev_rresp;
  assign ev_arvalid = known_q && for_events_q;
  assign next_arvalid_o = known_q && !for_events_q;
  assign axil_arready_o = known_q && (for_events_q ? ev_arready : next_arready_i);
  assign axil_rvalid_o = ev_rvalid || next_rvalid_i;
  assign axil_rdata_o = ev_rvalid ? ev_rdata : next_rdata_i;
  assign axil_rresp_o = ev_rvalid ? ev_rresp : next_rresp_i;
  assign next_rready_o = axil_rready_i;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      read_due_q <= 1'b0;
      known_q <= 1'b0;
    end else begin
      read_due_q <= axil_arready_o || (read_due_q && !(axil_rvalid_o && axil_rready_i));
      known_q <= axil_arvalid_i && !axil_arready_o && !read_due_q;
    end
  end
  always_ff @(posedge clk_i) begin
    for_events_q <= axil_araddr_i >= tally_fw_pkg::EventBase &&
                    axil_araddr_i < tally_fw_pkg::EventBase + tally_fw_pkg::EventBytes;
  end

  // ---- Events: timers and queries are the model's ----
  logic events_busy, unused_tmr_ready, unused_tmr_found, unused_query_ready, unused_forget_ready,
      none;
  logic [15:0] no_context;
  logic [7:0] no_edge;
  logic [QpW-1:0] no_qp;
  tally_events_pkg::query_t no_query;
  tally_events_pkg::event_t event_;
  assign none = 1'b0;
  assign {no_context, no_edge, no_qp, no_query} = '0;
  assign open_event_o = event_.packet;

  tally_events #(.Groups(Groups), .Qps(Qps), .Depth(Depth)) u_events (
    .clk_i(ev_clk), .rst_ni, .busy_o(events_busy), .wait_o,
    .pkt_valid_i(ev_valid), .pkt_ready_o(ev_ready), .pkt_after_i(ev_after),
    .pkt_context_i(ev_context), .pkt_edge_i(ev_edge), .pkt_tch_i(ev_tch), .pkt_data_i(ev_data),
    .lost_o, .tmr_valid_i(none), .tmr_ready_o(unused_tmr_ready), .tmr_context_i(no_context),
    .tmr_edge_i(no_edge), .tmr_found_o(unused_tmr_found), .raise_valid_i, .raise_ready_o,
    .raise_kind_i, .raise_group_i, .raise_exception_i,
    .query_valid_i(none), .query_ready_o(unused_query_ready),
    .query_qp_i(no_qp), .query_i(no_query), .drop_valid_i(drop_valid), .drop_ready_o(drop_ready),
    .drop_context_i(context_q), .forget_valid_i(none), .forget_ready_o(unused_forget_ready),
    .forget_qp_i(no_qp), .axil_arvalid_i(ev_arvalid), .axil_arready_o(ev_arready), .axil_araddr_i,
    .axil_rvalid_o(ev_rvalid), .axil_rready_i, .axil_rdata_o(ev_rdata), .axil_rresp_o(ev_rresp),
    .open_valid_o, .open_ready_i, .open_i, .event_o(event_)
  );

  assign needed = ev_valid || drop_valid || ev_arvalid || raise_valid_i || events_busy;
  assign busy_o = packets_busy || state_q != StIdle || read_due_q || events_busy;

  logic unused;
  assign unused = ^{event_, data_i, unused_tmr_ready, unused_tmr_found, unused_query_ready,
                    unused_forget_ready};
endmodule
