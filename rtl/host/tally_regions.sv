// SPDX-License-Identifier: BSD-2-Clause
// Memory regions in the NIC: their registers (tally_region_regs), the accesses of the engine to
// them (tally_mr_dma), and checks whether accesses are permitted.
//
// acc_*: an access of at most a page, which begins with its turn. dat_* are the words of writes in
// the order of the accesses, each there without waiting for anything but earlier ones. A read ends
// with the last word of out_*; one that is refused or has no bytes, and each write, ends with
// done_*. All of this is as in tally_mr_dma.
//
// chk_*: a check of any length, without data: it is answered by ans_*, with its tag, in the order
// of the checks. tally_requests is the user of this port, in the protection domain of its queue
// pair; the tag is of no use to it, as it takes each answer at once. A user must take
// answers without waiting for an access, as ends and answers leave by one way.
//
// Checks and accesses take turns, and are decided in the order in which they were taken. So that no
// check waits for the data of an access, an access is taken only if all of its bursts have room:
// at most Reads and Writes are inside. A check may still wait for page lists that accesses
// before it need. A removal holds up both until nothing is inside of tally_mr; meanwhile the data
// of accesses that were permitted before may still be on their way, and the removal is answered
// when they have ended: accesses carry a bit, which changes with each removal.
//
// busy_o is low if nothing happens without an input: what is inside, if anything, waits for the
// memory. It depends on registers only, and so do acc_ready_o and dat_ready_o but on acc_write_i,
// chk_valid_i and acc_valid_i. After a reset it is high until the table is empty.
module tally_regions #(
  parameter int unsigned NumMr = tally_pkg::MaxMr,
  parameter int unsigned Walks = 8,           // accesses and checks whose verdict is looked for
  parameter int unsigned TagW = 20,
  parameter int unsigned CheckTagW = 1,       // at most TagW
  parameter int unsigned Reads = 8,           // a power of two, at least 2
  parameter int unsigned Writes = 16,
  localparam int unsigned AddrW = 64,
  localparam int unsigned Bytes = 64,
  localparam int unsigned PdW = $clog2(tally_pkg::MaxPd),
  localparam int unsigned LenW = tally_pkg::MinPageShift + 1,
  localparam int unsigned Pieces = 2,         // pages that a page of data may touch
  localparam int unsigned Slots = Pieces * Reads,
  localparam int unsigned SlotW = $clog2(Slots),
  localparam int unsigned WalkW = $clog2(Walks),
  localparam int unsigned IdW = 1 + (SlotW > WalkW ? SlotW : WalkW),
  localparam int unsigned AddressW = AddrW + 13
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  output logic                 busy_o,

  input  logic                 axil_awvalid_i,
  output logic                 axil_awready_o,
  input  logic [31:0]          axil_awaddr_i,
  input  logic                 axil_wvalid_i,
  output logic                 axil_wready_o,
  input  logic [31:0]          axil_wdata_i,
  input  logic [3:0]           axil_wstrb_i,
  output logic                 axil_bvalid_o,
  input  logic                 axil_bready_i,
  output logic [1:0]           axil_bresp_o,

  input  logic                 acc_valid_i,
  output logic                 acc_ready_o,
  input  logic [PdW-1:0]       acc_pd_i,
  input  logic [31:0]          acc_lkey_i,
  input  logic [AddrW-1:0]     acc_addr_i,
  input  logic [LenW-1:0]      acc_len_i,      // at most a page
  input  logic                 acc_write_i,
  input  logic [TagW-1:0]      acc_tag_i,
  input  logic                 dat_valid_i,
  output logic                 dat_ready_o,
  input  logic [8*Bytes-1:0]   dat_data_i,
  output logic                 out_valid_o,
  input  logic                 out_ready_i,
  output logic [8*Bytes-1:0]   out_data_o,
  output logic [Bytes-1:0]     out_keep_o,
  output logic                 out_last_o,
  output logic [TagW-1:0]      out_tag_o,
  output logic                 out_error_o,
  output logic                 done_valid_o,
  input  logic                 done_ready_i,
  output logic [TagW-1:0]      done_tag_o,
  output logic [15:0]          done_status_o,  // coll_status

  input  logic                 chk_valid_i,
  output logic                 chk_ready_o,
  input  logic [PdW-1:0]       chk_pd_i,
  input  logic [31:0]          chk_lkey_i,
  input  logic [AddrW-1:0]     chk_addr_i,
  input  logic [31:0]          chk_len_i,
  input  logic                 chk_write_i,
  input  logic [CheckTagW-1:0] chk_tag_i,
  output logic                 ans_valid_o,
  input  logic                 ans_ready_i,
  output logic [CheckTagW-1:0] ans_tag_o,
  output logic [15:0]          ans_status_o,   // coll_status

  output logic                 awvalid_o,
  input  logic                 awready_i,
  output logic [AddressW-1:0]  aw_o,           // {addr, len, size, burst}
  output logic                 wvalid_o,
  input  logic                 wready_i,
  output logic [8*Bytes-1:0]   wdata_o,
  output logic [Bytes-1:0]     wstrb_o,
  output logic                 wlast_o,
  input  logic                 bvalid_i,
  output logic                 bready_o,
  input  logic [1:0]           bresp_i,
  output logic                 arvalid_o,
  input  logic                 arready_i,
  output logic [IdW-1:0]       arid_o,
  output logic [AddressW-1:0]  ar_o,
  input  logic                 rvalid_i,
  output logic                 rready_o,
  input  logic [IdW-1:0]       rid_i,
  input  logic [8*Bytes-1:0]   rdata_i,
  input  logic [1:0]           rresp_i
);
  localparam int unsigned PassW = 3 + TagW;    // {check, turn, write, tag}
  localparam int unsigned ReadsW = $clog2(Reads + 1);
  localparam int unsigned WritesW = $clog2(Writes + 1);
  localparam int unsigned InsideW = $clog2(Reads + Writes + 1);

  // ---- Registers ----
  logic cfg_valid, cfg_ready, cfg_bad, cfg_enable, cfg_write, drained, regs_busy;
  logic [31:0] cfg_lkey, cfg_offset;
  logic [PdW-1:0] cfg_pd;
  logic [AddrW-1:0] cfg_iova, cfg_addr, cfg_length;
  logic [7:0] cfg_levels, cfg_page_shift;

  tally_region_regs u_regs (
    .clk_i, .rst_ni, .axil_awvalid_i, .axil_awready_o, .axil_awaddr_i, .axil_wvalid_i,
    .axil_wready_o, .axil_wdata_i, .axil_wstrb_i, .axil_bvalid_o, .axil_bready_i, .axil_bresp_o,
    .busy_o(regs_busy),
    .cfg_valid_o(cfg_valid), .cfg_ready_i(cfg_ready), .cfg_bad_i(cfg_bad),
    .cfg_enable_o(cfg_enable), .cfg_lkey_o(cfg_lkey), .cfg_pd_o(cfg_pd), .cfg_write_o(cfg_write),
    .cfg_iova_o(cfg_iova), .cfg_addr_o(cfg_addr), .cfg_length_o(cfg_length),
    .cfg_offset_o(cfg_offset), .cfg_levels_o(cfg_levels), .cfg_page_shift_o(cfg_page_shift),
    .drained_i(drained)
  );

  // ---- Accesses inside, by direction, and by the removals before them ----
  logic turn_q, acc_taken, read_ends, done_ends, ended_read, ended_write;
  logic [PassW-1:0] out_pass, done_pass;
  logic [ReadsW-1:0] reads_q;
  logic [WritesW-1:0] writes_q;
  logic [1:0][InsideW-1:0] inside_q;
  logic has_room;

  assign has_room = acc_write_i ? writes_q != WritesW'(Writes) : reads_q != ReadsW'(Reads);
  assign read_ends = out_valid_o && out_ready_i && out_last_o;
  assign done_ends = done_valid_o && done_ready_i;
  assign ended_read = done_ends && !done_pass[TagW];
  assign ended_write = done_ends && done_pass[TagW];
  assign drained = inside_q[!turn_q] == '0;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      turn_q <= 1'b0;
      reads_q <= '0;
      writes_q <= '0;
      inside_q <= '0;
    end else begin
      if (cfg_valid && cfg_ready && !cfg_enable) turn_q <= !turn_q;
      reads_q <= reads_q + ReadsW'(acc_taken && !acc_write_i) - ReadsW'(read_ends) -
          ReadsW'(ended_read);
      writes_q <= writes_q + WritesW'(acc_taken && acc_write_i) - WritesW'(ended_write);
      for (int unsigned t = 0; t < 2; t++) begin
        inside_q[t] <= inside_q[t] + InsideW'(acc_taken && turn_q == 1'(t)) -
            InsideW'(read_ends && out_pass[TagW+1] == 1'(t)) -
            InsideW'(done_ends && done_pass[TagW+1] == 1'(t));
      end
    end
  end

  // ---- Accesses and checks take turns ----
  logic in_valid, in_ready, in_check, in_write;
  logic [PdW-1:0] in_pd;
  logic [31:0] in_lkey, in_len;
  logic [AddrW-1:0] in_addr;
  logic [TagW-1:0] in_tag;

  tally_rr_arbiter #(.Num(2)) u_in (
    .clk_i, .rst_ni, .request_valid_i({chk_valid_i, acc_valid_i && has_room}),
    .request_ready_o({chk_ready_o, acc_ready_o}), .grant_valid_o(in_valid),
    .grant_ready_i(in_ready), .grant_o(in_check)
  );
  assign acc_taken = acc_valid_i && acc_ready_o;
  assign in_pd = in_check ? chk_pd_i : acc_pd_i;
  assign in_lkey = in_check ? chk_lkey_i : acc_lkey_i;
  assign in_addr = in_check ? chk_addr_i : acc_addr_i;
  assign in_len = in_check ? chk_len_i : 32'(acc_len_i);
  assign in_write = in_check ? chk_write_i : acc_write_i;
  assign in_tag = in_check ? TagW'(chk_tag_i) : acc_tag_i;

  // ---- Accesses ----
  logic dma_busy, dma_end_valid, dma_end_ready, end_valid, end_ready;
  logic [PassW-1:0] dma_end_pass;
  logic [15:0] dma_end_status;
  logic [AddrW-1:0] awaddr, araddr;
  logic [7:0] awlen, arlen;
  logic [2:0] awsize, arsize;
  logic [1:0] awburst, arburst;

  tally_mr_dma #(
    .NumMr(NumMr), .Walks(Walks), .TagW(PassW), .Pieces(Pieces), .Slots(Slots),
    .Outstanding(Pieces * Writes)
  ) u_dma (
    .clk_i, .rst_ni, .busy_o(dma_busy),
    .cfg_valid_i(cfg_valid), .cfg_ready_o(cfg_ready), .cfg_bad_o(cfg_bad),
    .cfg_enable_i(cfg_enable), .cfg_lkey_i(cfg_lkey), .cfg_pd_i(cfg_pd), .cfg_write_i(cfg_write),
    .cfg_iova_i(cfg_iova), .cfg_addr_i(cfg_addr), .cfg_length_i(cfg_length),
    .cfg_offset_i(cfg_offset), .cfg_levels_i(cfg_levels), .cfg_page_shift_i(cfg_page_shift),
    .in_valid_i(in_valid), .in_ready_o(in_ready), .in_pd_i(in_pd), .in_lkey_i(in_lkey),
    .in_addr_i(in_addr), .in_len_i(in_len), .in_write_i(in_write), .in_find_i(!in_check),
    .in_tag_i({in_check, turn_q, in_write, in_tag}),
    .dat_valid_i, .dat_ready_o, .dat_data_i,
    .out_valid_o, .out_ready_i, .out_data_o, .out_keep_o, .out_last_o, .out_tag_o(out_pass),
    .out_error_o,
    .done_valid_o(dma_end_valid), .done_ready_i(dma_end_ready), .done_tag_o(dma_end_pass),
    .done_status_o(dma_end_status),
    .awvalid_o, .awready_i, .awaddr_o(awaddr), .awlen_o(awlen), .awsize_o(awsize),
    .awburst_o(awburst), .wvalid_o, .wready_i, .wdata_o, .wstrb_o, .wlast_o, .bvalid_i, .bready_o,
    .bresp_i,
    .arvalid_o, .arready_i, .arid_o, .araddr_o(araddr), .arlen_o(arlen), .arsize_o(arsize),
    .arburst_o(arburst), .rvalid_i, .rready_o, .rid_i, .rdata_i, .rresp_i
  );
  assign aw_o = {awaddr, awlen, awsize, awburst};
  assign ar_o = {araddr, arlen, arsize, arburst};

  // ---- Ends: of an access, or of a check ----
  logic end_check;

  tally_skid #(.Width(16 + PassW)) u_ends (
    .clk_i, .rst_ni, .in_valid_i(dma_end_valid), .in_ready_o(dma_end_ready),
    .in_i({dma_end_status, dma_end_pass}), .out_valid_o(end_valid), .out_ready_i(end_ready),
    .out_o({done_status_o, done_pass})
  );
  assign end_check = done_pass[PassW-1];
  assign done_valid_o = end_valid && !end_check;
  assign ans_valid_o = end_valid && end_check;
  assign end_ready = end_check ? ans_ready_i : done_ready_i;
  assign out_tag_o = out_pass[TagW-1:0];
  assign done_tag_o = done_pass[TagW-1:0];
  assign ans_tag_o = done_pass[CheckTagW-1:0];
  assign ans_status_o = done_status_o;

  assign busy_o = regs_busy || dma_busy || end_valid;
  logic unused;
  assign unused = ^out_pass;
endmodule
