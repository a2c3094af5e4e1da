// SPDX-License-Identifier: BSD-2-Clause
// Completion queues (CQ) and event queues (EQ): their registers, and what writes completions and
// events to host memory, by one AXI4 master.
//
// axil_*: struct queue of tally_fw_pkg (tally_queue_regs). bell_*: doorbells of CQs (db_* of
// tally_cqe_writer). cpl_*: completions (its in_*). evt_*: events that are not of CQs (in_* of
// tally_eqe_writer). An event of a CQ that finds half of its EQ used, or others that wait for this
// EQ, waits in tally_event_retry; waits_o: one may wait for a consumer. told_* is a pulse for each
// event of a CQ that has a place in its EQ. The other pulses and fatal_code_o are those of the two
// writers.
//
// Writes of completions have ID 0, those of events ID 1. Each burst has one word; rlast has no
// port. now_ns_i counts nanoseconds. busy_o is low if nothing happens without an input: what is
// inside, if anything, waits for the memory. It depends on registers only.
//
// An answer to a completion may wait until the EQs have taken its event, and this event for the
// answer to another one. So all answers to completions have a place of their own, and those to
// events pass.
module tally_queues #(
  parameter int unsigned NumCq = tally_pkg::MaxCq,
  parameter int unsigned CqWrites = 32,        // unanswered writes of completions
  parameter int unsigned CqSlots = 16,         // their reads; a power of two
  parameter int unsigned Walks = 8,            // page lists of CQs that are read at once
  localparam int unsigned NumEq = tally_pkg::MaxEq,
  localparam int unsigned AddrW = 64,
  localparam int unsigned CountW = 64,
  localparam int unsigned CqnW = NumCq > 1 ? $clog2(NumCq) : 1,
  localparam int unsigned EqnW = $clog2(NumEq),
  localparam int unsigned VectorW = $clog2(tally_pkg::NumVectors),
  localparam int unsigned SlotW = $clog2(CqSlots),
  localparam int unsigned AddressW = AddrW + 13
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  output logic                busy_o,
  input  logic [63:0]         now_ns_i,

  input  logic                axil_awvalid_i,
  output logic                axil_awready_o,
  input  logic [31:0]         axil_awaddr_i,
  input  logic                axil_wvalid_i,
  output logic                axil_wready_o,
  input  logic [31:0]         axil_wdata_i,
  input  logic [3:0]          axil_wstrb_i,
  output logic                axil_bvalid_o,
  input  logic                axil_bready_i,
  output logic [1:0]          axil_bresp_o,

  input  logic                bell_valid_i,
  output logic                bell_ready_o,
  input  logic [CqnW-1:0]     bell_cqn_i,
  input  logic                bell_counts_i,
  input  logic [63:0]         bell_count_i,
  input  logic                bell_arms_i,
  input  logic [63:0]         bell_arm_i,

  input  logic                cpl_valid_i,
  output logic                cpl_ready_o,
  input  logic [CqnW-1:0]     cpl_cqn_i,
  input  logic [511:0]        cpl_cqe_i,
  input  logic                cpl_solicited_i,
  input  logic                cpl_rung_i,
  input  logic [63:0]         cpl_rung_at_i,   // in nanoseconds

  input  logic                evt_valid_i,
  output logic                evt_ready_o,
  input  logic [EqnW-1:0]     evt_eqn_i,
  input  logic [7:0]          evt_type_i,
  input  logic [31:0]         evt_id_i,
  input  logic [63:0]         evt_data_i,

  output logic                waits_o,
  output logic                told_valid_o,
  output logic [EqnW-1:0]     told_eqn_o,
  output logic [7:0]          told_type_o,     // EqeCq or EqeCqError
  output logic [CqnW-1:0]     told_cqn_o,
  output logic                cqe_o,
  output logic                overrun_o,
  output logic                dma_error_o,
  output logic [31:0]         fatal_code_o,

  output logic                awvalid_o,
  input  logic                awready_i,
  output logic                awid_o,
  output logic [AddressW-1:0] aw_o,            // {addr, len, size, burst}
  output logic                wvalid_o,
  input  logic                wready_i,
  output logic [511:0]        wdata_o,
  output logic [63:0]         wstrb_o,
  output logic                wlast_o,
  input  logic                bvalid_i,
  output logic                bready_o,
  input  logic                bid_i,
  input  logic [1:0]          bresp_i,
  output logic                arvalid_o,
  input  logic                arready_i,
  output logic [SlotW:0]      arid_o,
  output logic [AddressW-1:0] ar_o,
  input  logic                rvalid_i,
  output logic                rready_o,
  input  logic [SlotW:0]      rid_i,
  input  logic [511:0]        rdata_i,
  input  logic [1:0]          rresp_i,

  output logic                irq_valid_o,
  input  logic                irq_ready_i,
  output logic [VectorW-1:0]  irq_vector_o,
  output logic [EqnW-1:0]     irq_eqn_o
);
  localparam int unsigned CqLogW = $clog2($clog2(tally_pkg::MaxCqDepth) + 1);
  localparam int unsigned EqLogW = $clog2($clog2(tally_pkg::MaxEqDepth) + 1);
  localparam int unsigned LevelW = $clog2(tally_pkg::MemLevels + 1);
  localparam int unsigned ShiftW = $clog2(tally_pkg::MaxPageShift - tally_pkg::MinPageShift + 1);
  localparam int unsigned RingW = AddrW + LevelW + ShiftW;
  localparam int unsigned Cq = 0;              // numbers of the masters
  localparam int unsigned Eq = 1;
  localparam int unsigned EqSlots = 2;

  // ---- Registers ----
  logic cq_cfg_valid, cq_cfg_ready, eq_cfg_valid, eq_cfg_ready, eq_db_valid, eq_db_ready, enable,
      regs_busy;
  logic [CqnW-1:0] cqn;
  logic [EqnW-1:0] eqn, cq_eqn;
  logic [RingW-1:0] ring;
  logic [AddrW-1:0] first;
  logic [CqLogW-1:0] log_depth;
  logic [VectorW-1:0] vector;
  logic [CountW-1:0] count;
  tally_queue_regs #(.NumCq(NumCq), .NumEq(NumEq)) u_regs (
    .clk_i, .rst_ni, .axil_awvalid_i, .axil_awready_o, .axil_awaddr_i, .axil_wvalid_i,
    .axil_wready_o, .axil_wdata_i, .axil_wstrb_i, .axil_bvalid_o, .axil_bready_i, .axil_bresp_o,
    .busy_o(regs_busy),
    .cq_cfg_valid_o(cq_cfg_valid), .cq_cfg_ready_i(cq_cfg_ready),
    .eq_cfg_valid_o(eq_cfg_valid), .eq_cfg_ready_i(eq_cfg_ready),
    .eq_db_valid_o(eq_db_valid), .eq_db_ready_i(eq_db_ready), .cqn_o(cqn), .eqn_o(eqn),
    .enable_o(enable), .ring_o(ring), .first_o(first), .log_depth_o(log_depth),
    .cq_eqn_o(cq_eqn), .vector_o(vector), .count_o(count)
  );

  // ---- Masters: completions, events ----
  logic [1:0] m_awvalid, m_awready, m_wvalid, m_wready, m_wlast, m_bvalid, m_bready, m_arvalid,
      m_arready, m_rvalid, m_rready;
  logic [2*AddressW-1:0] m_aw, m_ar;
  logic [2*512-1:0] m_wdata;
  logic [2*64-1:0] m_wstrb;
  logic [2*SlotW-1:0] m_arid;
  logic [1:0] m_bresp, m_rresp, cq_bresp;
  logic [SlotW-1:0] m_rid;
  logic [511:0] m_rdata;
  logic cq_bvalid, cq_bready, cq_busy, eq_busy, eq_arid;
  logic event_valid, event_ready, old_valid, in_valid, in_ready;
  logic [EqnW-1:0] event_eqn;
  logic [7:0] event_type;
  logic [CqnW-1:0] event_cqn;
  logic cfg_held_q, cfg_go_q;                  // the latter: it may be carried out
  logic [$clog2(CqWrites+1)-1:0] answers_used;
  logic [1:0] m_awid, awid, bid;               // each master writes with one ID
  logic unused_bid;

  tally_cqe_dma #(
    .NumCq(NumCq), .Outstanding(CqWrites), .Walks(Walks), .Slots(CqSlots)
  ) u_cqe (
    .clk_i, .rst_ni, .busy_o(cq_busy), .now_i(now_ns_i),
    .cfg_valid_i(cfg_go_q), .cfg_ready_o(cq_cfg_ready), .cfg_cqn_i(cqn),
    .cfg_enable_i(enable), .cfg_ring_i(ring), .cfg_first_i(first), .cfg_log_depth_i(log_depth),
    .cfg_eqn_i(cq_eqn), .db_valid_i(bell_valid_i), .db_ready_o(bell_ready_o),
    .db_cqn_i(bell_cqn_i), .db_counts_i(bell_counts_i), .db_count_i(bell_count_i),
    .db_arms_i(bell_arms_i), .db_arm_i(bell_arm_i),
    .in_valid_i(cpl_valid_i), .in_ready_o(cpl_ready_o), .in_cqn_i(cpl_cqn_i),
    .in_cqe_i(cpl_cqe_i), .in_solicited_i(cpl_solicited_i), .in_rung_i(cpl_rung_i),
    .in_rung_at_i(cpl_rung_at_i),
    .awvalid_o(m_awvalid[Cq]), .awready_i(m_awready[Cq]),
    .awaddr_o(m_aw[Cq*AddressW+13 +: AddrW]), .awlen_o(m_aw[Cq*AddressW+5 +: 8]),
    .awsize_o(m_aw[Cq*AddressW+2 +: 3]), .awburst_o(m_aw[Cq*AddressW +: 2]),
    .wvalid_o(m_wvalid[Cq]), .wready_i(m_wready[Cq]), .wdata_o(m_wdata[Cq*512 +: 512]),
    .wstrb_o(m_wstrb[Cq*64 +: 64]), .wlast_o(m_wlast[Cq]),
    .bvalid_i(cq_bvalid), .bready_o(cq_bready), .bresp_i(cq_bresp),
    .arvalid_o(m_arvalid[Cq]), .arready_i(m_arready[Cq]), .arid_o(m_arid[Cq*SlotW +: SlotW]),
    .araddr_o(m_ar[Cq*AddressW+13 +: AddrW]), .arlen_o(m_ar[Cq*AddressW+5 +: 8]),
    .arsize_o(m_ar[Cq*AddressW+2 +: 3]), .arburst_o(m_ar[Cq*AddressW +: 2]),
    .rvalid_i(m_rvalid[Cq]), .rready_o(m_rready[Cq]), .rid_i(m_rid), .rdata_i(m_rdata),
    .rresp_i(m_rresp),
    .event_valid_o(event_valid), .event_ready_i(event_ready), .event_eqn_o(event_eqn),
    .event_type_o(event_type), .event_cqn_o(event_cqn),
    .cqe_o, .overrun_o, .dma_error_o
  );
  tally_fifo #(.Width(2), .Depth(CqWrites)) u_answers (
    .clk_i, .rst_ni, .in_valid_i(m_bvalid[Cq]), .in_ready_o(m_bready[Cq]), .in_i(m_bresp),
    .out_valid_o(cq_bvalid), .out_ready_i(cq_bready), .out_o(cq_bresp), .used_o(answers_used)
  );

  // ---- Events: those of CQs, those that have waited, and others take turns ----
  localparam logic [1:0] NewEvent = 2'd0;
  localparam logic [1:0] OldEvent = 2'd1;
  localparam logic [1:0] OtherEvent = 2'd2;
  logic old_ready, of_cq, asked, behind, refused, freed, given_q, retry_busy;
  logic [NumEq-1:0] waits;
  logic [1:0] in_of;
  logic [CqnW-1:0] old_cqn, in_cqn;
  logic [EqnW-1:0] old_eqn, in_eqn;
  logic [7:0] in_type;
  tally_rr_arbiter #(.Num(3)) u_events (
    .clk_i, .rst_ni, .request_valid_i({evt_valid_i, old_valid, event_valid}),
    .request_ready_o({evt_ready_o, old_ready, event_ready}), .grant_valid_o(in_valid),
    .grant_ready_i(in_ready), .grant_o(in_of)
  );
  always_comb begin
    unique case (in_of)
      NewEvent: {in_eqn, in_type, in_cqn} = {event_eqn, event_type, event_cqn};
      OldEvent: {in_eqn, in_type, in_cqn} = {old_eqn, 8'(tally_pkg::EqeCq), old_cqn};
      default: {in_eqn, in_type, in_cqn} = {evt_eqn_i, evt_type_i, old_cqn};  // OtherEvent
    endcase
  end
  assign of_cq = in_of != OtherEvent;
  assign asked = of_cq && in_type == 8'(tally_pkg::EqeCq);
  assign behind = in_of == NewEvent && waits[in_eqn];
  assign waits_o = waits != '0;

  // The EQ says in the next clock whether an event has a place.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) given_q <= 1'b0;
    else given_q <= in_valid && in_ready && of_cq;
  end
  always_ff @(posedge clk_i) {told_eqn_o, told_type_o, told_cqn_o} <= {in_eqn, in_type, in_cqn};
  assign told_valid_o = given_q && !refused;

  // A CQ is configured when no event that has waited is offered any more.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      cfg_held_q <= 1'b0;
      cfg_go_q <= 1'b0;
    end else begin
      cfg_held_q <= cq_cfg_valid;
      cfg_go_q <= cq_cfg_valid && cfg_held_q && !old_valid && !cq_cfg_ready;
    end
  end
  tally_event_retry #(.NumCq(NumCq), .NumEq(NumEq)) u_retry (
    .clk_i, .rst_ni, .busy_o(retry_busy), .waits_o(waits),
    .given_i(given_q), .refused_i(refused), .refused_cqn_i(told_cqn_o),
    .refused_eqn_i(told_eqn_o), .freed_i(freed),
    .hold_i(cq_cfg_valid), .forget_i(cq_cfg_valid && cq_cfg_ready), .forget_cqn_i(cqn),
    .out_valid_o(old_valid), .out_ready_i(old_ready), .out_cqn_o(old_cqn), .out_eqn_o(old_eqn)
  );

  tally_eqe_dma #(.NumEq(NumEq), .Slots(EqSlots)) u_eqe (
    .clk_i, .rst_ni, .busy_o(eq_busy),
    .cfg_valid_i(eq_cfg_valid), .cfg_ready_o(eq_cfg_ready), .cfg_eqn_i(eqn),
    .cfg_enable_i(enable), .cfg_ring_i(ring), .cfg_first_i(first),
    .cfg_log_depth_i(log_depth[EqLogW-1:0]), .cfg_vector_i(vector),
    .db_valid_i(eq_db_valid), .db_ready_o(eq_db_ready), .db_eqn_i(eqn), .db_count_i(count),
    .in_valid_i(in_valid), .in_ready_o(in_ready),
    .in_eqn_i(in_eqn), .in_type_i(in_type), .in_id_i(of_cq ? 32'(in_cqn) : evt_id_i),
    .in_data_i(of_cq ? '0 : evt_data_i), .in_asked_i(asked), .in_behind_i(behind),
    .refused_o(refused), .freed_o(freed),
    .awvalid_o(m_awvalid[Eq]), .awready_i(m_awready[Eq]),
    .awaddr_o(m_aw[Eq*AddressW+13 +: AddrW]), .awlen_o(m_aw[Eq*AddressW+5 +: 8]),
    .awsize_o(m_aw[Eq*AddressW+2 +: 3]), .awburst_o(m_aw[Eq*AddressW +: 2]),
    .wvalid_o(m_wvalid[Eq]), .wready_i(m_wready[Eq]), .wdata_o(m_wdata[Eq*512 +: 512]),
    .wstrb_o(m_wstrb[Eq*64 +: 64]), .wlast_o(m_wlast[Eq]),
    .bvalid_i(m_bvalid[Eq]), .bready_o(m_bready[Eq]), .bresp_i(m_bresp),
    .arvalid_o(m_arvalid[Eq]), .arready_i(m_arready[Eq]), .arid_o(eq_arid),
    .araddr_o(m_ar[Eq*AddressW+13 +: AddrW]), .arlen_o(m_ar[Eq*AddressW+5 +: 8]),
    .arsize_o(m_ar[Eq*AddressW+2 +: 3]), .arburst_o(m_ar[Eq*AddressW +: 2]),
    .rvalid_i(m_rvalid[Eq]), .rready_o(m_rready[Eq]), .rid_i(m_rid[0]), .rdata_i(m_rdata),
    .rresp_i(m_rresp),
    .irq_valid_o, .irq_ready_i, .irq_vector_o, .irq_eqn_o, .fatal_code_o
  );
  assign m_arid[Eq*SlotW +: SlotW] = SlotW'(eq_arid);

  assign m_awid = '0;
  assign awid_o = awid[1];
  assign bid = {bid_i, 1'b0};
  tally_axi_arbiter #(.Num(2), .AddrW(AddrW), .IdW(SlotW)) u_axi (
    .clk_i, .rst_ni, .m_awvalid_i(m_awvalid), .m_awready_o(m_awready), .m_aw_i(m_aw),
    .m_awid_i(m_awid),
    .m_wvalid_i(m_wvalid), .m_wready_o(m_wready), .m_wdata_i(m_wdata), .m_wstrb_i(m_wstrb),
    .m_wlast_i(m_wlast), .m_bvalid_o(m_bvalid), .m_bready_i(m_bready),
    .m_bid_o(unused_bid), .m_bresp_o(m_bresp),
    .m_arvalid_i(m_arvalid), .m_arready_o(m_arready), .m_ar_i(m_ar), .m_arid_i(m_arid),
    .m_rvalid_o(m_rvalid), .m_rready_i(m_rready), .m_rid_o(m_rid), .m_rdata_o(m_rdata),
    .m_rresp_o(m_rresp),
    .awvalid_o, .awready_i, .awid_o(awid), .aw_o, .wvalid_o, .wready_i, .wdata_o, .wstrb_o,
    .wlast_o, .bvalid_i, .bready_o, .bid_i(bid), .bresp_i, .arvalid_o, .arready_i, .arid_o, .ar_o,
    .rvalid_i, .rready_o, .rid_i, .rdata_i, .rresp_i
  );

  assign busy_o = regs_busy || cq_busy || eq_busy || cq_bvalid || retry_busy;
  logic unused;
  assign unused = ^{answers_used, awid};
endmodule
