// SPDX-License-Identifier: BSD-2-Clause
// Work requests, from the doorbell to the parsed request: tally_push, tally_fetch, what reads the
// entries (tally_request_read), and tally_wqe with its tables.
//
// axil_*: struct request of tally_fw_pkg (tally_request_regs). write_i, addr_i, data_i and mine_o
// are those of tally_wqe_tables: writes that somebody carries out. push_*: doorbells and pushed
// requests, writes to the UARs and push buffers of BAR2. bell_*: doorbells of completion queues.
// retire_*, told_*, skip_*, posted_* and over_* are those of tally_fetch.
//
// chk_*, ans_*, data_* and entry_* are those of tally_wqe. They belong to the entry that has begun
// with the last pulse of begin_o. It is offered next at req_*, unless nobody wants it; chk_pd_o is
// the protection domain of its queue pair, in which the access must be. req_verdict_o says what
// becomes of a request: VerdictTake and VerdictAsk are the next one of their queue pair,
// VerdictAhead is a QUERY or an ABORT behind others, which is skipped in its turn (skip_*, which
// may come before the request in front of it is taken), and VerdictFlush is to be completed with an
// error. Of the latter only the index is valid.
//
// A command to a queue pair waits until a request of it that is offered has been taken, and what is
// offered after its answer is of after the command. So the receiver of requests must not wait for
// the answer to a write. A queue pair is started when the doorbells that came before have been
// taken, so that none of before a reset counts afterwards.
//
// dma_*: AXI4 master, which only reads. full_o, pushed_o and dma_error_o are pulses. busy_o is low
// if nothing happens without an input: what is inside, if anything, waits for the memory. It
// depends on registers only.
//
// Time: that of the blocks. Pulses (begin_o, skip_*, posted_*, over_*, full_o) are a clock later
// than theirs. A parsed request is offered when tally_fetch has carried out its result. The block
// parses one request after the other, while others are being read.
module tally_requests #(
  parameter int unsigned Groups = tally_pkg::MaxGroup,
  parameter int unsigned Qps = tally_pkg::MaxQp,
  parameter int unsigned NumCq = tally_pkg::MaxCq,
  parameter int unsigned Uars = tally_pkg::NumUars,
  parameter int unsigned Depth = tally_pkg::MaxSqDepth,
  parameter int unsigned Buffers = 64,        // of pushed requests
  parameter int unsigned Accesses = 64,       // that are checked at once
  parameter int unsigned Walks = 8,           // page lists of send queues that are read at once
  parameter int unsigned Slots = 16,          // reads; a power of two
  parameter int unsigned IdW = 4,
  localparam int unsigned QpW = Qps > 1 ? $clog2(Qps) : 1,
  localparam int unsigned CqnW = NumCq > 1 ? $clog2(NumCq) : 1,
  localparam int unsigned BarW = $clog2(tally_pkg::BarPushOffset) + 1,
  localparam int unsigned SlotW = $clog2(Slots),
  localparam int unsigned PdW = $clog2(tally_pkg::MaxPd)
) (
  input  logic                          clk_i,
  input  logic                          rst_ni,
  output logic                          busy_o,

  input  logic                          axil_awvalid_i,
  output logic                          axil_awready_o,
  input  logic [31:0]                   axil_awaddr_i,
  input  logic                          axil_wvalid_i,
  output logic                          axil_wready_o,
  input  logic [31:0]                   axil_wdata_i,
  input  logic [3:0]                    axil_wstrb_i,
  output logic                          axil_bvalid_o,
  input  logic                          axil_bready_i,
  output logic [1:0]                    axil_bresp_o,
  input  logic                          write_i,
  input  logic [31:0]                   addr_i,
  input  logic [31:0]                   data_i,
  output logic                          mine_o,

  input  logic                          push_awvalid_i,
  output logic                          push_awready_o,
  input  logic [IdW-1:0]                push_awid_i,
  input  logic [BarW-1:0]               push_awaddr_i,
  input  logic [7:0]                    push_awlen_i,
  input  logic [2:0]                    push_awsize_i,
  input  logic [1:0]                    push_awburst_i,
  input  logic                          push_wvalid_i,
  output logic                          push_wready_o,
  input  logic [511:0]                  push_wdata_i,
  input  logic [63:0]                   push_wstrb_i,
  input  logic                          push_wlast_i,
  output logic                          push_bvalid_o,
  input  logic                          push_bready_i,
  output logic [IdW-1:0]                push_bid_o,
  output logic [1:0]                    push_bresp_o,

  output logic                          bell_valid_o,
  input  logic                          bell_ready_i,
  output logic [CqnW-1:0]               bell_cqn_o,
  output logic                          bell_counts_o,
  output logic [63:0]                   bell_count_o,
  output logic                          bell_arms_o,
  output logic [63:0]                   bell_arm_o,

  input  logic                          retire_valid_i,
  output logic                          retire_ready_o,
  input  logic [QpW-1:0]                retire_qp_i,
  input  logic                          told_valid_i,
  output logic                          told_ready_o,
  input  logic [QpW-1:0]                told_qp_i,
  input  logic                          told_fails_i,
  output logic                          skip_valid_o,
  output logic [QpW-1:0]                skip_qp_o,
  output logic [31:0]                   skip_index_o,
  output logic                          skip_passes_o,
  output logic                          posted_valid_o,
  output logic [QpW-1:0]                posted_qp_o,
  output logic [31:0]                   posted_count_o,
  output logic                          over_valid_o,
  output logic [QpW-1:0]                over_qp_o,

  output logic                          begin_o,
  output logic                          chk_valid_o,
  input  logic                          chk_ready_i,
  output logic [PdW-1:0]                chk_pd_o,
  output tally_request_pkg::access_t    chk_o,
  input  logic                          ans_valid_i,
  input  logic [15:0]                   ans_status_i,
  output logic                          data_valid_o,
  output logic [5:0]                    data_index_o,
  output logic [511:0]                  data_o,
  output logic                          entry_valid_o,
  output logic                          entry_result_o,
  output logic [5:0]                    entry_index_o,
  output logic [63:0]                   entry_addr_o,
  output logic [31:0]                   entry_lkey_o,

  output logic                          req_valid_o,
  input  logic                          req_ready_i,
  output logic [QpW-1:0]                req_qp_o,
  output tally_fw_pkg::verdict_e   req_verdict_o,
  output tally_request_pkg::request_t    req_o,
  output logic                          req_root_o,  // the root of its message is one of its ranks

  output logic                          dma_arvalid_o,
  input  logic                          dma_arready_i,
  output logic [SlotW-1:0]              dma_arid_o,
  output logic [63:0]                   dma_araddr_o,
  output logic [7:0]                    dma_arlen_o,
  output logic [2:0]                    dma_arsize_o,
  output logic [1:0]                    dma_arburst_o,
  input  logic                          dma_rvalid_i,
  output logic                          dma_rready_o,
  input  logic [SlotW-1:0]              dma_rid_i,
  input  logic [511:0]                  dma_rdata_i,
  input  logic [1:0]                    dma_rresp_i,

  output logic                          full_o,
  output logic                          pushed_o,
  output logic                          dma_error_o
);
  localparam int unsigned ObjectW = QpW > CqnW ? QpW : CqnW;
  localparam int unsigned UarW = Uars > 1 ? $clog2(Uars) : 1;
  localparam int unsigned OfUarW = $clog2(tally_pkg::UarSlots);
  localparam int unsigned BufferW = Buffers > 1 ? $clog2(Buffers) : 1;
  localparam int unsigned LogW = 4;
  localparam int unsigned RingW = 64 + $clog2(tally_pkg::MemLevels + 1) +
                                  $clog2(tally_pkg::MaxPageShift - tally_pkg::MinPageShift + 1);

  // ---- Registers ----
  logic set_valid, set_ready, set_create, bind_valid, bind_ready, bind_bound, bind_cq, bind_push;
  logic [QpW-1:0] set_qp;
  logic [7:0] set_state;
  logic [RingW-1:0] set_ring;
  logic [63:0] set_base;
  logic [LogW-1:0] set_depth_log, set_stride_log;
  logic [UarW-1:0] bind_uar;
  logic [OfUarW-1:0] bind_slot;
  logic [ObjectW-1:0] bind_object;
  logic [9:0] bind_stride;
  logic regs_busy, push_busy, fetch_busy, read_busy, wqe_busy;
  tally_request_regs #(.Qps(Qps), .NumCq(NumCq), .Uars(Uars)) u_regs (
    .clk_i, .rst_ni, .axil_awvalid_i, .axil_awready_o, .axil_awaddr_i, .axil_wvalid_i,
    .axil_wready_o, .axil_wdata_i, .axil_wstrb_i, .axil_bvalid_o, .axil_bready_i, .axil_bresp_o,
    .busy_o(regs_busy), .set_valid_o(set_valid), .set_ready_i(set_ready), .set_qp_o(set_qp),
    .set_state_o(set_state), .set_create_o(set_create), .set_ring_o(set_ring),
    .set_base_o(set_base), .set_depth_log_o(set_depth_log), .set_stride_log_o(set_stride_log),
    .bind_valid_o(bind_valid), .bind_ready_i(bind_ready), .bind_uar_o(bind_uar),
    .bind_slot_o(bind_slot), .bind_bound_o(bind_bound), .bind_cq_o(bind_cq),
    .bind_object_o(bind_object), .bind_push_o(bind_push), .bind_stride_o(bind_stride)
  );

  // ---- Doorbells: those of queue pairs go to the fetcher ----
  logic db_valid, db_ready, db_cq, db_counts, db_arms, db_pushed, fetch_db_ready;
  logic [ObjectW-1:0] db_object;
  logic [63:0] db_count, db_arm;
  logic [BufferW-1:0] db_buffer, free_buffer, free_buffer_q, take_buffer;
  logic free_valid, free_valid_q, take_valid, take_ready, word_valid, word_ready, word_last;
  logic [511:0] word;
  logic full;
  tally_push #(
    .Uars(Uars), .Buffers(Buffers), .IdW(IdW), .ObjectW(ObjectW)
  ) u_push (
    .clk_i, .rst_ni, .busy_o(push_busy),
    .awvalid_i(push_awvalid_i), .awready_o(push_awready_o), .awid_i(push_awid_i),
    .awaddr_i(push_awaddr_i), .awlen_i(push_awlen_i), .awsize_i(push_awsize_i),
    .awburst_i(push_awburst_i), .wvalid_i(push_wvalid_i), .wready_o(push_wready_o),
    .wdata_i(push_wdata_i), .wstrb_i(push_wstrb_i), .wlast_i(push_wlast_i),
    .bvalid_o(push_bvalid_o), .bready_i(push_bready_i), .bid_o(push_bid_o),
    .bresp_o(push_bresp_o),
    .cfg_valid_i(bind_valid), .cfg_ready_o(bind_ready), .cfg_uar_i(bind_uar),
    .cfg_slot_i(bind_slot), .cfg_bound_i(bind_bound), .cfg_cq_i(bind_cq),
    .cfg_object_i(bind_object), .cfg_push_i(bind_push), .cfg_stride_i(bind_stride),
    .db_valid_o(db_valid), .db_ready_i(db_ready), .db_cq_o(db_cq), .db_object_o(db_object),
    .db_counts_o(db_counts), .db_count_o(db_count), .db_arms_o(db_arms), .db_arm_o(db_arm),
    .db_pushed_o(db_pushed), .db_buffer_o(db_buffer),
    .free_valid_i(free_valid_q), .free_buffer_i(free_buffer_q), .take_valid_i(take_valid),
    .take_ready_o(take_ready), .take_buffer_i(take_buffer), .word_valid_o(word_valid),
    .word_ready_i(word_ready), .word_o(word), .word_last_o(word_last), .full_o(full)
  );
  assign db_ready = db_cq ? bell_ready_i : fetch_db_ready;
  assign bell_valid_o = db_valid && db_cq;
  assign bell_cqn_o = db_object[CqnW-1:0];
  assign bell_counts_o = db_counts;
  assign bell_count_o = db_count;
  assign bell_arms_o = db_arms;
  assign bell_arm_o = db_arm;

  // When the command to start a queue pair leaves the registers, two clocks after its write, beats
  // from before the write are doorbells that are offered.
  localparam int unsigned MostInside = 5;  // doorbells
  logic starts, drained_q;
  logic [2:0] left_q;
  assign starts = set_valid && set_state == 8'(tally_pkg::QpsRts);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      drained_q <= 1'b0;
      left_q <= '0;
    end else if (!starts || set_ready) begin
      drained_q <= 1'b0;
      left_q <= '0;
    end else begin
      if (db_valid && db_ready && left_q != 3'(MostInside)) left_q <= left_q + 3'd1;
      if (!db_valid || left_q == 3'(MostInside)) drained_q <= 1'b1;
    end
  end

  // ---- Which entry is read ----
  logic fetch_valid, fetch_ready, fetch_pushed, res_valid, res_ready, set_passes, set_passes_q;
  logic [QpW-1:0] fetch_qp;
  logic [31:0] fetch_index, unused_res_index;
  logic skip_valid, skip_passes, posted_valid, over_valid;
  logic [QpW-1:0] skip_qp, posted_qp, over_qp;
  logic [31:0] skip_index, posted_count;
  logic [BufferW-1:0] fetch_buffer;
  logic [RingW-1:0] fetch_ring;
  logic [63:0] fetch_addr;
  logic [13:0] fetch_length;
  logic [QpW-1:0] at_q;           // of the entry that is parsed
  logic [31:0] index_q;
  tally_fw_pkg::verdict_e verdict;
  tally_request_pkg::request_t req;
  tally_fetch #(.Qps(Qps), .Depth(Depth), .Buffers(Buffers)) u_fetch (
    .clk_i, .rst_ni, .busy_o(fetch_busy),
    .set_valid_i(set_passes_q), .set_ready_o(set_ready), .set_qp_i(set_qp),
    .set_state_i(set_state), .set_create_i(set_create), .set_ring_i(set_ring),
    .set_base_i(set_base), .set_depth_log_i(set_depth_log), .set_stride_log_i(set_stride_log),
    .res_valid_i(res_valid), .res_ready_o(res_ready), .res_qp_i(at_q),
    .res_good_i(req.status == tally_pkg::CollOk),
    .res_query_i(req.opcode == tally_pkg::OpcodeQuery),
    .res_abort_i(req.opcode == tally_pkg::OpcodeAbort),
    .res_verdict_o(verdict), .res_index_o(unused_res_index),
    .retire_valid_i, .retire_ready_o, .retire_qp_i,
    .told_valid_i, .told_ready_o, .told_qp_i, .told_fails_i,
    .db_valid_i(db_valid && !db_cq), .db_ready_o(fetch_db_ready), .db_qp_i(db_object[QpW-1:0]),
    .db_count_i(db_count), .db_pushed_i(db_pushed), .db_buffer_i(db_buffer),
    .fetch_valid_o(fetch_valid), .fetch_ready_i(fetch_ready), .fetch_qp_o(fetch_qp),
    .fetch_index_o(fetch_index), .fetch_pushed_o(fetch_pushed), .fetch_buffer_o(fetch_buffer),
    .fetch_ring_o(fetch_ring), .fetch_addr_o(fetch_addr), .fetch_length_o(fetch_length),
    .skip_valid_o(skip_valid), .skip_qp_o(skip_qp), .skip_index_o(skip_index),
    .skip_passes_o(skip_passes), .posted_valid_o(posted_valid), .posted_qp_o(posted_qp),
    .posted_count_o(posted_count), .free_valid_o(free_valid), .free_buffer_o(free_buffer),
    .over_valid_o(over_valid), .over_qp_o(over_qp)
  );

  // ---- What the fetcher tells leaves a clock later; it is still busy then ----
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {skip_valid_o, posted_valid_o, over_valid_o, free_valid_q} <= '0;
    end else begin
      {skip_valid_o, posted_valid_o, over_valid_o, free_valid_q} <=
          {skip_valid, posted_valid, over_valid, free_valid};
    end
  end
  always_ff @(posedge clk_i) begin
    {skip_qp_o, skip_index_o, skip_passes_o} <= {skip_qp, skip_index, skip_passes};
    {posted_qp_o, posted_count_o, over_qp_o} <= {posted_qp, posted_count, over_qp};
    free_buffer_q <= free_buffer;
  end

  logic in_valid, in_ready, in_last, in_error, wqe_valid, wqe_ready, passes;
  logic [QpW-1:0] in_qp;
  logic [31:0] in_index;
  logic [511:0] in_data;
  tally_request_read #(
    .Qps(Qps), .Buffers(Buffers), .Walks(Walks), .Slots(Slots)
  ) u_read (
    .clk_i, .rst_ni, .busy_o(read_busy),
    .fetch_valid_i(fetch_valid), .fetch_ready_o(fetch_ready), .fetch_qp_i(fetch_qp),
    .fetch_index_i(fetch_index), .fetch_pushed_i(fetch_pushed), .fetch_buffer_i(fetch_buffer),
    .fetch_ring_i(fetch_ring), .fetch_addr_i(fetch_addr), .fetch_length_i(fetch_length),
    .take_valid_o(take_valid), .take_ready_i(take_ready), .take_buffer_o(take_buffer),
    .word_valid_i(word_valid), .word_ready_o(word_ready), .word_i(word),
    .word_last_i(word_last),
    .arvalid_o(dma_arvalid_o), .arready_i(dma_arready_i), .arid_o(dma_arid_o),
    .araddr_o(dma_araddr_o), .arlen_o(dma_arlen_o), .arsize_o(dma_arsize_o),
    .arburst_o(dma_arburst_o), .rvalid_i(dma_rvalid_i), .rready_o(dma_rready_o),
    .rid_i(dma_rid_i), .rdata_i(dma_rdata_i), .rresp_i(dma_rresp_i),
    .out_valid_o(in_valid), .out_ready_i(in_ready), .out_data_o(in_data), .out_last_o(in_last),
    .out_error_o(in_error), .out_qp_o(in_qp), .out_index_o(in_index),
    .pushed_o, .dma_error_o
  );

  // ---- Parsing: the rows are there in the clock after the second word, when they are needed ----
  //
  // The parser takes the first word of an entry at once.
  typedef enum logic [1:0] {
    StFirst,    // waits for the first word of an entry
    StRest,     // further words, until it is parsed and the fetcher says what becomes of it
    StOffer,
    StForget    // nobody wants it
  } state_e;
  state_e state_q, state_d;
  tally_request_pkg::group_t group;
  tally_request_pkg::qp_t qp;
  tally_fw_pkg::verdict_e verdict_q;
  logic begins, req_ready, wanted, ended_q, root;

  assign passes = state_q == StFirst || (state_q == StRest && !ended_q);
  assign wqe_valid = in_valid && passes;
  assign in_ready = wqe_ready && passes;
  assign begins = in_valid && state_q == StFirst;
  tally_wqe_tables #(.Groups(Groups), .Qps(Qps)) u_tables (
    .clk_i, .rst_ni, .write_i, .addr_i, .data_i, .mine_o, .find_valid_i(begins),
    .find_qp_i(in_qp), .qp_o(qp), .pd_o(chk_pd_o), .group_o(group)
  );

  logic parsed;
  tally_wqe #(.Accesses(Accesses)) u_wqe (
    .clk_i, .rst_ni, .busy_o(wqe_busy),
    .in_valid_i(wqe_valid), .in_ready_o(wqe_ready), .in_data_i(in_data), .in_last_i(in_last),
    .in_error_i(in_error), .group_i(group), .qp_i(qp), .index_i(index_q),
    .chk_valid_o, .chk_ready_i, .chk_o, .ans_valid_i, .ans_status_i,
    .data_valid_o, .data_index_o, .data_o, .entry_valid_o, .entry_result_o, .entry_index_o,
    .entry_addr_o, .entry_lkey_o,
    .req_valid_o(parsed), .req_ready_i(req_ready), .req_o(req)
  );

  assign wanted = verdict == tally_fw_pkg::VerdictTake ||
      verdict == tally_fw_pkg::VerdictAsk || verdict == tally_fw_pkg::VerdictAhead ||
      verdict == tally_fw_pkg::VerdictFlush;
  always_comb begin
    state_d = state_q;
    unique case (state_q)
      StFirst: if (begins) state_d = StRest;
      StRest: if (res_ready) state_d = wanted ? StOffer : StForget;
      StOffer: if (req_ready_i) state_d = StFirst;
      default: state_d = StFirst;  // StForget
    endcase
  end
  assign res_valid = state_q == StRest && parsed;
  // A request that is offered is of before the command. The fetcher hears of the command a clock
  // later; no result is taken between these two, as it takes no operation right behind one.
  assign set_passes = set_valid && !(state_q == StOffer && at_q == set_qp) &&
      (!starts || drained_q);
  assign req_valid_o = state_q == StOffer;
  assign req_ready = (state_q == StOffer && req_ready_i) || state_q == StForget;
  assign req_qp_o = at_q;
  assign req_verdict_o = verdict_q;
  assign root = req.root_node == 16'(group.node) &&
                      32'(req.root_rank) < tally_pkg::MaxRanks && req.rank_mask[req.root_rank[5:0]];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= StFirst;
      ended_q <= 1'b0;
      begin_o <= 1'b0;
      set_passes_q <= 1'b0;
      full_o <= 1'b0;
    end else begin
      state_q <= state_d;
      begin_o <= begins;
      set_passes_q <= set_passes;
      full_o <= full;
      if (in_valid && in_ready) ended_q <= in_last;
    end
  end
  always_ff @(posedge clk_i) begin
    if (begins) begin
      at_q <= in_qp;
      index_q <= in_index;
    end
    if (state_q == StRest) verdict_q <= verdict;
    // It is the same in the clock before it is offered.
    req_o <= req;
    req_root_o <= root;
  end

  assign busy_o = regs_busy || push_busy || fetch_busy || read_busy || wqe_busy || full_o;

  // The fetcher's index is that of the entry, which came with its words.
  logic unused;
  assign unused = ^{unused_res_index, db_object};
endmodule
