// SPDX-License-Identifier: BSD-2-Clause
// The side of tally_nic that has host memory: memory regions with those who access them, completion
// and event queues, and the AXI4 master that they share with the reads of requests.
//
// axil_*: registers of queues and of regions; mine_o says of an address that it is of these. Writes
// are taken one at a time.
//
// acc_*, acw_*, acr_* and ace_*: accesses from beyond the boundary, words of writes, words of
// reads, and ends (acc_*, dat_*, out_* and done_* of tally_regions). loc_* and desc_* are accesses
// of tally_local_unit and of tally_trigger_unit, with their words of writes. Tags of these two have
// the highest bit, those of the latter the next one, too; their words and ends, which loc_out_o,
// loc_done_o, desc_out_o and desc_done_o name, are taken at once. acl_*, alw_*: one of their
// accesses, or one of the words that they write, has been taken.
//
// chk_*, ans_*: tally_requests asks whether accesses are permitted, in the order of its answers.
// req_*: its reads. bell_*: doorbells of completion queues. done_*: completions of
// tally_status_unit, each of which waits for done_go_i; they go before cpl_*, those from beyond the
// boundary, unless one of these is on offer. All others are ports of tally_queues.
//
// Time: an access of tally_local_unit or tally_trigger_unit and a check take a clock to
// tally_regions, a doorbell one to tally_queues; all else passes at once. loc_* and desc_* wait for
// no other unit, and chk_*, req_* and bell_* for registers only. So does each master for its
// addresses.
//
// The clocks of queues and of regions stand still while they have nothing to do. starts_i: they may
// not. busy_o is low if nothing happens without an input.
module tally_nic_memory #(
  parameter int unsigned NumCq = tally_pkg::MaxCq,
  parameter int unsigned NumMr = tally_pkg::MaxMr,
  parameter int unsigned Descs = 256,
  parameter int unsigned AccessTagW = 20,
  parameter int unsigned JobW = 5,
  parameter int unsigned OwnW = 9,
  parameter int unsigned CqSlots = 16,        // reads of completion queues at a time
  localparam int unsigned MasterIdW = 1 + $clog2(CqSlots),  // of the reads of one master
  localparam int unsigned Masters = 3,
  localparam int unsigned DmaIdW = $clog2(Masters) + MasterIdW,
  localparam int unsigned AddressW = 64 + 13,  // {addr, len, size, burst}
  localparam int unsigned DescW = $clog2(Descs),
  localparam int unsigned AccessLenW = tally_pkg::MinPageShift + 1,
  localparam int unsigned PdW = $clog2(tally_pkg::MaxPd),
  localparam int unsigned CqnW = $clog2(NumCq),
  localparam int unsigned EqnW = $clog2(tally_pkg::MaxEq),
  localparam int unsigned VectorW = $clog2(tally_pkg::NumVectors)
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  input  logic                        starts_i,
  output logic                        busy_o,
  input  logic [63:0]                 now_ns_i,

  input  logic                        axil_awvalid_i,
  output logic                        axil_awready_o,
  input  logic [31:0]                 axil_awaddr_i,
  input  logic                        axil_wvalid_i,
  output logic                        axil_wready_o,
  input  logic [31:0]                 axil_wdata_i,
  input  logic [3:0]                  axil_wstrb_i,
  output logic                        axil_bvalid_o,
  input  logic                        axil_bready_i,
  output logic [1:0]                  axil_bresp_o,
  output logic                        mine_o,

  input  logic                        acc_valid_i,
  output logic                        acc_ready_o,
  input  logic [PdW-1:0]              acc_pd_i,
  input  logic [31:0]                 acc_lkey_i,
  input  logic [63:0]                 acc_addr_i,
  input  logic [AccessLenW-1:0]       acc_len_i,
  input  logic                        acc_write_i,
  input  logic [AccessTagW-1:0]       acc_tag_i,
  input  logic                        acw_valid_i,
  output logic                        acw_ready_o,
  input  logic [511:0]                acw_data_i,
  output logic                        acr_valid_o,
  input  logic                        acr_ready_i,
  output logic [511:0]                acr_data_o,
  output logic [63:0]                 acr_keep_o,
  output logic                        acr_last_o,
  output logic [AccessTagW:0]         acr_tag_o,
  output logic                        acr_error_o,
  output logic                        ace_valid_o,
  input  logic                        ace_ready_i,
  output logic [AccessTagW:0]         ace_tag_o,
  output logic [15:0]                 ace_status_o,

  input  logic                        loc_valid_i,
  output logic                        loc_ready_o,
  input  tally_local_pkg::access_t    loc_i,
  input  logic [JobW-1:0]             loc_job_i,
  input  logic                        loc_dat_valid_i,
  output logic                        loc_dat_ready_o,
  input  logic [511:0]                loc_dat_i,
  output logic                        loc_out_o,    // acr_* are for this one
  output logic                        loc_done_o,   // ace_* are
  input  logic                        desc_valid_i,
  output logic                        desc_ready_o,
  input  tally_local_pkg::access_t    desc_i,
  input  logic [DescW-1:0]            desc_number_i,
  input  logic                        desc_dat_valid_i,
  output logic                        desc_dat_ready_o,
  input  logic [511:0]                desc_dat_i,
  output logic                        desc_out_o,
  output logic                        desc_done_o,
  output logic                        acl_valid_o,
  output tally_local_pkg::access_t    acl_o,
  output logic [OwnW-1:0]             acl_job_o,
  output logic                        alw_valid_o,
  output logic [511:0]                alw_o,

  input  logic                        chk_valid_i,
  output logic                        chk_ready_o,
  input  logic [PdW-1:0]              chk_pd_i,
  input  tally_request_pkg::access_t  chk_i,
  output logic                        ans_valid_o,
  output logic [15:0]                 ans_status_o,
  input  logic                        req_arvalid_i,
  output logic                        req_arready_o,
  input  logic [MasterIdW-2:0]        req_arid_i,
  input  logic [AddressW-1:0]         req_ar_i,
  output logic                        req_rvalid_o,
  input  logic                        req_rready_i,
  output logic [MasterIdW-2:0]        req_rid_o,
  output logic [511:0]                req_rdata_o,
  output logic [1:0]                  req_rresp_o,

  input  logic                        bell_valid_i,
  output logic                        bell_ready_o,
  input  logic [CqnW-1:0]             bell_cqn_i,
  input  logic                        bell_counts_i,
  input  logic [63:0]                 bell_count_i,
  input  logic                        bell_arms_i,
  input  logic [63:0]                 bell_arm_i,
  input  logic                        done_valid_i,
  output logic                        done_ready_o,
  input  logic                        done_go_i,
  input  logic [CqnW-1:0]             done_cqn_i,
  input  tally_pkg::cqe_t             done_i,
  input  logic                        done_solicited_i,
  input  logic                        rung_i,
  input  logic [63:0]                 rung_at_i,
  input  logic                        cpl_valid_i,
  output logic                        cpl_ready_o,
  input  logic [CqnW-1:0]             cpl_cqn_i,
  input  logic [511:0]                cpl_cqe_i,
  input  logic                        cpl_solicited_i,
  input  logic                        cpl_rung_i,
  input  logic [63:0]                 cpl_rung_at_i,
  input  logic                        evt_valid_i,
  output logic                        evt_ready_o,
  input  logic [EqnW-1:0]             evt_eqn_i,
  input  logic [7:0]                  evt_type_i,
  input  logic [31:0]                 evt_id_i,
  input  logic [63:0]                 evt_data_i,
  output logic                        waits_o,
  output logic                        told_valid_o,
  output logic [EqnW-1:0]             told_eqn_o,
  output logic [7:0]                  told_type_o,
  output logic [CqnW-1:0]             told_cqn_o,
  output logic                        cqe_o,
  output logic                        overrun_o,
  output logic                        dma_error_o,
  output logic [31:0]                 fatal_code_o,

  output logic                        dma_awvalid_o,
  input  logic                        dma_awready_i,
  output logic [DmaIdW-MasterIdW:0]   dma_awid_o,
  output logic [AddressW-1:0]         dma_aw_o,
  output logic                        dma_wvalid_o,
  input  logic                        dma_wready_i,
  output logic [511:0]                dma_wdata_o,
  output logic [63:0]                 dma_wstrb_o,
  output logic                        dma_wlast_o,
  input  logic                        dma_bvalid_i,
  output logic                        dma_bready_o,
  input  logic [DmaIdW-MasterIdW:0]   dma_bid_i,
  input  logic [1:0]                  dma_bresp_i,
  output logic                        dma_arvalid_o,
  input  logic                        dma_arready_i,
  output logic [DmaIdW-1:0]           dma_arid_o,
  output logic [AddressW-1:0]         dma_ar_o,
  input  logic                        dma_rvalid_i,
  output logic                        dma_rready_o,
  input  logic [DmaIdW-1:0]           dma_rid_i,
  input  logic [511:0]                dma_rdata_i,
  input  logic [1:0]                  dma_rresp_i,
  output logic                        irq_valid_o,
  input  logic                        irq_ready_i,
  output logic [VectorW-1:0]          irq_vector_o,
  output logic [EqnW-1:0]             irq_eqn_o
);
  localparam int unsigned Queues = 0;
  localparam int unsigned Regions = 1;
  localparam int unsigned Requests = 2;

  // ---- Clocks ----
  logic queues_clk, regions_clk, queues_needed, regions_needed, queues_busy, regions_busy;
  logic regions_comes, regions_came_q, regions_busy_q, regions_late;
  tally_clock_gate u_queues_gate (.clk_i, .en_i(queues_needed || starts_i), .clk_o(queues_clk));
  tally_clock_gate u_regions_gate (.clk_i, .en_i(regions_needed || starts_i), .clk_o(regions_clk));

  // ---- Writes of registers ----
  logic for_queues, for_regions, queues_write, queues_write_ready, queues_bvalid, regions_write,
      regions_write_ready, regions_bvalid, unused_queues_wready, unused_regions_wready;
  logic [1:0] queues_bresp, regions_bresp;
  assign for_queues = axil_awaddr_i >= tally_fw_pkg::QueueBase &&
      axil_awaddr_i < tally_fw_pkg::QueueBase + tally_fw_pkg::QueueBytes;
  assign for_regions = axil_awaddr_i >= tally_fw_pkg::RegionBase &&
      axil_awaddr_i < tally_fw_pkg::RegionBase + tally_fw_pkg::RegionBytes;
  assign mine_o = for_queues || for_regions;
  assign queues_write = axil_awvalid_i && axil_wvalid_i && for_queues;
  assign regions_write = axil_awvalid_i && axil_wvalid_i && for_regions;
  assign axil_awready_o = queues_write_ready || regions_write_ready;
  assign axil_wready_o = axil_awready_o;
  assign axil_bvalid_o = queues_bvalid || regions_bvalid;
  assign axil_bresp_o = queues_bvalid ? queues_bresp : regions_bresp;

  // ---- The master of host memory ----
  logic [Masters-1:0] m_awvalid, m_awready, m_awid, m_wvalid, m_wready, m_wlast, m_bvalid, m_bready,
      m_arvalid, m_arready, m_rvalid, m_rready;
  logic [1:0] m_bresp, m_rresp;
  logic m_bid;
  logic [Masters*AddressW-1:0] m_aw, m_ar;
  logic [Masters*512-1:0] m_wdata;
  logic [Masters*64-1:0] m_wstrb;
  logic [Masters*MasterIdW-1:0] m_arid;
  logic [MasterIdW-1:0] m_rid;
  logic [511:0] m_rdata;

  // An address waits for the bus, and for the other masters, where it holds up nothing.
  localparam int unsigned ReadAskW = MasterIdW + AddressW;
  logic [Masters-1:0] aw_kept, ar_kept, ask_awvalid, ask_awready, ask_awid, ask_arvalid,
      ask_arready;
  logic [Masters*AddressW-1:0] ask_aw, ask_ar;
  logic [Masters*MasterIdW-1:0] ask_arid;
  for (genvar m = 0; m < Masters; m++) begin : gen_ask
    tally_keep #(.Width(1 + AddressW)) u_aw (
      .clk_i, .rst_ni, .kept_o(aw_kept[m]), .in_valid_i(m_awvalid[m]), .in_ready_o(m_awready[m]),
      .in_i({m_awid[m], m_aw[m*AddressW +: AddressW]}), .out_valid_o(ask_awvalid[m]),
      .out_ready_i(ask_awready[m]), .out_o({ask_awid[m], ask_aw[m*AddressW +: AddressW]})
    );
    tally_keep #(.Width(ReadAskW)) u_ar (
      .clk_i, .rst_ni, .kept_o(ar_kept[m]), .in_valid_i(m_arvalid[m]), .in_ready_o(m_arready[m]),
      .in_i({m_arid[m*MasterIdW +: MasterIdW], m_ar[m*AddressW +: AddressW]}),
      .out_valid_o(ask_arvalid[m]), .out_ready_i(ask_arready[m]),
      .out_o({ask_arid[m*MasterIdW +: MasterIdW], ask_ar[m*AddressW +: AddressW]})
    );
  end

  tally_axi_arbiter #(.Num(Masters), .AddrW(64), .IdW(MasterIdW)) u_dma (
    .clk_i, .rst_ni, .m_awvalid_i(ask_awvalid), .m_awready_o(ask_awready), .m_aw_i(ask_aw),
    .m_awid_i(ask_awid), .m_wvalid_i(m_wvalid), .m_wready_o(m_wready), .m_wdata_i(m_wdata),
    .m_wstrb_i(m_wstrb), .m_wlast_i(m_wlast), .m_bvalid_o(m_bvalid), .m_bready_i(m_bready),
    .m_bid_o(m_bid), .m_bresp_o(m_bresp), .m_arvalid_i(ask_arvalid), .m_arready_o(ask_arready),
    .m_ar_i(ask_ar), .m_arid_i(ask_arid), .m_rvalid_o(m_rvalid), .m_rready_i(m_rready),
    .m_rid_o(m_rid), .m_rdata_o(m_rdata), .m_rresp_o(m_rresp),
    .awvalid_o(dma_awvalid_o), .awready_i(dma_awready_i), .awid_o(dma_awid_o),
    .aw_o(dma_aw_o), .wvalid_o(dma_wvalid_o), .wready_i(dma_wready_i), .wdata_o(dma_wdata_o),
    .wstrb_o(dma_wstrb_o), .wlast_o(dma_wlast_o),
    .bvalid_i(dma_bvalid_i), .bready_o(dma_bready_o), .bid_i(dma_bid_i), .bresp_i(dma_bresp_i),
    .arvalid_o(dma_arvalid_o), .arready_i(dma_arready_i), .arid_o(dma_arid_o),
    .ar_o(dma_ar_o), .rvalid_i(dma_rvalid_i), .rready_o(dma_rready_o), .rid_i(dma_rid_i),
    .rdata_i(dma_rdata_i), .rresp_i(dma_rresp_i)
  );

  // The third master only reads.
  assign m_arvalid[Requests] = req_arvalid_i;
  assign req_arready_o = m_arready[Requests];
  assign m_arid[Requests*MasterIdW +: MasterIdW] = {1'b0, req_arid_i};
  assign m_ar[Requests*AddressW +: AddressW] = req_ar_i;
  assign req_rvalid_o = m_rvalid[Requests];
  assign m_rready[Requests] = req_rready_i;
  assign req_rid_o = m_rid[MasterIdW-2:0];
  assign req_rdata_o = m_rdata;
  assign req_rresp_o = m_rresp;
  assign {m_awvalid[Requests], m_awid[Requests], m_wvalid[Requests], m_wlast[Requests]} = '0;
  assign m_bready[Requests] = 1'b1;
  assign m_aw[Requests*AddressW +: AddressW] = '0;
  assign m_wdata[Requests*512 +: 512] = '0;
  assign m_wstrb[Requests*64 +: 64] = '0;

  // ---- Memory regions ----
  //
  // Accesses of the engine, and those of tally_local_unit and of tally_trigger_unit, whose tags
  // have the highest bit; those of the latter have the next one, too.
  localparam int unsigned AccessTagsW = AccessTagW + 1;
  localparam int unsigned AccessW = PdW + 32 + 64 + AccessTagsW;
  logic [1:0] use_valid, use_ready, use_write, use_dat_valid, use_dat_ready;
  logic [1:0][AccessW-1:0] use_acc;
  logic [1:0][AccessLenW-1:0] use_len;
  logic [1:0][511:0] use_dat;
  logic reg_valid, reg_ready, reg_write, reg_dat_valid, reg_dat_ready, unused_user;
  logic [AccessLenW-1:0] reg_len;
  logic [PdW-1:0] reg_pd;
  logic [31:0] reg_lkey;
  logic [63:0] reg_addr;
  logic [AccessTagW:0] reg_tag;
  logic [511:0] reg_dat;
  logic out_own, done_own, unused_tag;
  logic own_valid, own_ready, own_of_desc, own_write, own_dat_valid, own_dat_ready;
  logic own_in_valid, own_in_ready, own_in_write, own_word_valid, own_word_ready;
  logic [1:0] owns_ready, own_dats_ready;
  logic [AccessW-1:0] own_acc, own_in;
  logic [AccessLenW-1:0] own_len, own_in_len;
  logic [511:0] own_dat, own_word;

  tally_access_users #(.AccessW(AccessW)) u_own (
    .clk_i(regions_clk), .rst_ni,
    .acc_valid_i({desc_valid_i, loc_valid_i}), .acc_ready_o(owns_ready),
    .acc_i({{desc_i.pd[PdW-1:0], desc_i.lkey, desc_i.addr, 2'b11,
             (AccessTagW-1)'(desc_number_i)},
            {loc_i.pd[PdW-1:0], loc_i.lkey, loc_i.addr, 2'b10, (AccessTagW-1)'(loc_job_i)}}),
    .acc_len_i({desc_i.len[AccessLenW-1:0], loc_i.len[AccessLenW-1:0]}),
    .acc_write_i({desc_i.write, loc_i.write}),
    .dat_valid_i({desc_dat_valid_i, loc_dat_valid_i}), .dat_ready_o(own_dats_ready),
    .dat_i({desc_dat_i, loc_dat_i}),
    .acc_valid_o(own_valid), .acc_ready_i(own_ready), .acc_user_o(own_of_desc), .acc_o(own_acc),
    .acc_len_o(own_len), .acc_write_o(own_write), .dat_valid_o(own_dat_valid),
    .dat_ready_i(own_dat_ready), .dat_o(own_dat)
  );
  assign {desc_ready_o, loc_ready_o} = owns_ready;
  assign {desc_dat_ready_o, loc_dat_ready_o} = own_dats_ready;

  tally_skid #(.Width(AccessW + AccessLenW + 1)) u_own_in (
    .clk_i(regions_clk), .rst_ni, .in_valid_i(own_valid), .in_ready_o(own_ready),
    .in_i({own_acc, own_len, own_write}), .out_valid_o(own_in_valid), .out_ready_i(own_in_ready),
    .out_o({own_in, own_in_len, own_in_write})
  );
  // Its words come here while the memory of their access is looked for, so this takes no time.
  tally_skid #(.Width(512)) u_own_words (
    .clk_i(regions_clk), .rst_ni, .in_valid_i(own_dat_valid), .in_ready_o(own_dat_ready),
    .in_i(own_dat), .out_valid_o(own_word_valid), .out_ready_i(own_word_ready), .out_o(own_word)
  );

  assign use_valid = {own_in_valid, acc_valid_i};
  assign {own_in_ready, acc_ready_o} = use_ready;
  assign use_write = {own_in_write, acc_write_i};
  assign use_len = {own_in_len, acc_len_i};
  assign use_acc = {own_in, {acc_pd_i, acc_lkey_i, acc_addr_i, 1'b0, acc_tag_i}};
  assign use_dat_valid = {own_word_valid, acw_valid_i};
  assign {own_word_ready, acw_ready_o} = use_dat_ready;
  assign use_dat = {own_word, acw_data_i};
  tally_access_users #(.AccessW(AccessW)) u_users (
    .clk_i(regions_clk), .rst_ni, .acc_valid_i(use_valid),
    .acc_ready_o(use_ready), .acc_i(use_acc), .acc_len_i(use_len), .acc_write_i(use_write),
    .dat_valid_i(use_dat_valid), .dat_ready_o(use_dat_ready), .dat_i(use_dat),
    .acc_valid_o(reg_valid), .acc_ready_i(reg_ready), .acc_user_o(unused_user),
    .acc_o({reg_pd, reg_lkey, reg_addr, reg_tag}), .acc_len_o(reg_len), .acc_write_o(reg_write),
    .dat_valid_o(reg_dat_valid), .dat_ready_i(reg_dat_ready), .dat_o(reg_dat)
  );
  assign acl_valid_o = own_valid && own_ready;
  assign acl_o = own_of_desc ? desc_i : loc_i;
  assign acl_job_o = {own_of_desc, own_of_desc ? (OwnW-1)'(desc_number_i) : (OwnW-1)'(loc_job_i)};
  assign alw_valid_o = own_dat_valid && own_dat_ready;
  assign alw_o = own_dat;
  assign out_own = acr_tag_o[AccessTagW];
  assign done_own = ace_tag_o[AccessTagW];
  assign loc_out_o = out_own && !acr_tag_o[AccessTagW-1];
  assign loc_done_o = done_own && !ace_tag_o[AccessTagW-1];
  assign desc_out_o = out_own && acr_tag_o[AccessTagW-1];
  assign desc_done_o = done_own && ace_tag_o[AccessTagW-1];

  logic chk_valid, chk_ready;
  logic [PdW-1:0] chk_pd;
  tally_request_pkg::access_t chk;
  tally_skid #(.Width(PdW + $bits(chk_i))) u_chk (
    .clk_i, .rst_ni, .in_valid_i(chk_valid_i), .in_ready_o(chk_ready_o), .in_i({chk_pd_i, chk_i}),
    .out_valid_o(chk_valid), .out_ready_i(chk_ready), .out_o({chk_pd, chk})
  );

  assign m_awid[Regions] = 1'b0;
  tally_regions #(.NumMr(NumMr), .TagW(AccessTagsW), .Reads(CqSlots / 2)) u_regions (
    .clk_i(regions_clk), .rst_ni, .busy_o(regions_busy),
    .axil_awvalid_i(regions_write),
    .axil_awready_o(regions_write_ready),
    .axil_awaddr_i,
    .axil_wvalid_i(regions_write),
    .axil_wready_o(unused_regions_wready),
    .axil_wdata_i, .axil_wstrb_i,
    .axil_bvalid_o(regions_bvalid),
    .axil_bready_i,
    .axil_bresp_o(regions_bresp),
    .acc_valid_i(reg_valid), .acc_ready_o(reg_ready), .acc_pd_i(reg_pd), .acc_lkey_i(reg_lkey),
    .acc_addr_i(reg_addr), .acc_len_i(reg_len), .acc_write_i(reg_write), .acc_tag_i(reg_tag),
    .dat_valid_i(reg_dat_valid), .dat_ready_o(reg_dat_ready), .dat_data_i(reg_dat),
    .out_valid_o(acr_valid_o), .out_ready_i(out_own || acr_ready_i), .out_data_o(acr_data_o),
    .out_keep_o(acr_keep_o), .out_last_o(acr_last_o), .out_tag_o(acr_tag_o),
    .out_error_o(acr_error_o),
    .done_valid_o(ace_valid_o), .done_ready_i(done_own || ace_ready_i), .done_tag_o(ace_tag_o),
    .done_status_o(ace_status_o),
    .chk_valid_i(chk_valid), .chk_ready_o(chk_ready), .chk_pd_i(chk_pd), .chk_lkey_i(chk.lkey),
    .chk_addr_i(chk.addr), .chk_len_i(chk.length), .chk_write_i(chk.write), .chk_tag_i(1'b0),
    .ans_valid_o, .ans_ready_i(1'b1), .ans_tag_o(unused_tag), .ans_status_o,
    .awvalid_o(m_awvalid[Regions]), .awready_i(m_awready[Regions]),
    .aw_o(m_aw[Regions*AddressW +: AddressW]), .wvalid_o(m_wvalid[Regions]),
    .wready_i(m_wready[Regions]), .wdata_o(m_wdata[Regions*512 +: 512]),
    .wstrb_o(m_wstrb[Regions*64 +: 64]), .wlast_o(m_wlast[Regions]), .bvalid_i(m_bvalid[Regions]),
    .bready_o(m_bready[Regions]), .bresp_i(m_bresp),
    .arvalid_o(m_arvalid[Regions]), .arready_i(m_arready[Regions]),
    .arid_o(m_arid[Regions*MasterIdW +: MasterIdW]), .ar_o(m_ar[Regions*AddressW +: AddressW]),
    .rvalid_i(m_rvalid[Regions]), .rready_o(m_rready[Regions]), .rid_i(m_rid), .rdata_i(m_rdata),
    .rresp_i(m_rresp)
  );

  // ---- Doorbells ----
  //
  // One of them waits here at most, and takes its turn before a CQ is configured again.
  logic bell_q, bell_ready, bell_counts_q, bell_arms_q;
  logic [CqnW-1:0] bell_cqn_q;
  logic [63:0] bell_count_q, bell_arm_q;
  assign bell_ready_o = !bell_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) bell_q <= 1'b0;
    else bell_q <= bell_q ? !bell_ready : bell_valid_i;
  end
  always_ff @(posedge clk_i) begin
    if (!bell_q) begin
      bell_cqn_q <= bell_cqn_i;
      {bell_counts_q, bell_count_q} <= {bell_counts_i, bell_count_i};
      {bell_arms_q, bell_arm_q} <= {bell_arms_i, bell_arm_i};
    end
  end

  // ---- Completions and events ----
  //
  // Those of tally_status_unit first, unless another one is on offer.
  logic cpl_valid, cpl_ready, by_model, model_q;
  assign by_model = cpl_valid_i && (model_q || !(done_valid_i && done_go_i));
  assign cpl_valid = by_model || (done_valid_i && done_go_i);
  assign cpl_ready_o = by_model && cpl_ready;
  assign done_ready_o = !by_model && done_go_i && cpl_ready;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) model_q <= 1'b0;
    else model_q <= by_model && !cpl_ready;
  end

  tally_queues #(.NumCq(NumCq), .CqSlots(CqSlots)) u_queues (
    .clk_i(queues_clk), .rst_ni, .busy_o(queues_busy), .now_ns_i,
    .axil_awvalid_i(queues_write),
    .axil_awready_o(queues_write_ready),
    .axil_awaddr_i,
    .axil_wvalid_i(queues_write),
    .axil_wready_o(unused_queues_wready),
    .axil_wdata_i, .axil_wstrb_i,
    .axil_bvalid_o(queues_bvalid),
    .axil_bready_i,
    .axil_bresp_o(queues_bresp),
    .bell_valid_i(bell_q), .bell_ready_o(bell_ready), .bell_cqn_i(bell_cqn_q),
    .bell_counts_i(bell_counts_q), .bell_count_i(bell_count_q), .bell_arms_i(bell_arms_q),
    .bell_arm_i(bell_arm_q),
    .cpl_valid_i(cpl_valid), .cpl_ready_o(cpl_ready),
    .cpl_cqn_i(by_model ? cpl_cqn_i : done_cqn_i), .cpl_cqe_i(by_model ? cpl_cqe_i : done_i),
    .cpl_solicited_i(by_model ? cpl_solicited_i : done_solicited_i),
    .cpl_rung_i(by_model ? cpl_rung_i : rung_i),
    .cpl_rung_at_i(by_model ? cpl_rung_at_i : rung_at_i),
    .evt_valid_i, .evt_ready_o, .evt_eqn_i, .evt_type_i, .evt_id_i, .evt_data_i,
    .told_valid_o, .told_eqn_o, .told_type_o, .told_cqn_o, .waits_o, .cqe_o, .overrun_o,
    .dma_error_o, .fatal_code_o,
    .awvalid_o(m_awvalid[Queues]), .awready_i(m_awready[Queues]), .awid_o(m_awid[Queues]),
    .aw_o(m_aw[Queues*AddressW +: AddressW]), .wvalid_o(m_wvalid[Queues]),
    .wready_i(m_wready[Queues]), .wdata_o(m_wdata[Queues*512 +: 512]),
    .wstrb_o(m_wstrb[Queues*64 +: 64]), .wlast_o(m_wlast[Queues]), .bvalid_i(m_bvalid[Queues]),
    .bready_o(m_bready[Queues]), .bid_i(m_bid), .bresp_i(m_bresp),
    .arvalid_o(m_arvalid[Queues]), .arready_i(m_arready[Queues]),
    .arid_o(m_arid[Queues*MasterIdW +: MasterIdW]), .ar_o(m_ar[Queues*AddressW +: AddressW]),
    .rvalid_i(m_rvalid[Queues]), .rready_o(m_rready[Queues]), .rid_i(m_rid), .rdata_i(m_rdata),
    .rresp_i(m_rresp),
    .irq_valid_o, .irq_ready_i, .irq_vector_o, .irq_eqn_o
  );

  // ---- When the clocks are needed ----
  //
  // queues_busy is low while they wait for the host to take something.
  assign queues_needed = queues_write || bell_q || cpl_valid || evt_valid_i ||
      m_bvalid[Queues] || m_rvalid[Queues] || m_awvalid[Queues] || m_wvalid[Queues] ||
      m_arvalid[Queues] || queues_busy;
  assign regions_comes = regions_write || (own_valid && own_ready) || (reg_valid && reg_ready) ||
      chk_valid || (own_dat_valid && own_dat_ready) || (reg_dat_valid && reg_dat_ready) ||
      acr_valid_o || ace_valid_o || m_bvalid[Regions] || m_rvalid[Regions];
  // Whether the regions are busy is known late in a clock, so it counts in the next one. They
  // become busy only by what comes.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {regions_came_q, regions_busy_q} <= 2'b11;
    else {regions_came_q, regions_busy_q} <= {regions_comes, regions_busy};
  end
  assign regions_late = regions_came_q || regions_busy_q;
  assign regions_needed = regions_comes || regions_late;
  assign busy_o = queues_busy || regions_late || bell_q || chk_valid || own_in_valid ||
      own_word_valid || aw_kept != '0 || ar_kept != '0;
endmodule
