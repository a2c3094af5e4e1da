// SPDX-License-Identifier: BSD-2-Clause
// Completions, from the engine to the rings in host memory: tally_cqe_writer with an AXI4 master.
// The page lists of the rings are read for each entry, as the model does, by walkers that take
// turns, so entries keep their order.
//
// cfg_*, db_*, in_*, event_* and the pulses are those of tally_cqe_writer. An entry or a record
// that has no memory counts as one whose access failed. Each entry is one word, strobed completely.
// All writes have the same ID. Reads have Slots IDs and one word each; rlast has no port. busy_o is
// low if nothing happens without an input: what is inside, if anything, waits for the memory. It
// depends on registers only.
//
// Pulses come a clock later than those of tally_cqe_writer.
//
// Time: AW of an entry of a contiguous ring comes 5 clocks after the request, or 6 if a record is
// read in advance for it. Each level of a page list adds the time of a read.
module tally_cqe_dma #(
  parameter int unsigned NumCq = tally_pkg::MaxCq,
  parameter int unsigned MaxDepth = tally_pkg::MaxCqDepth,
  parameter int unsigned Outstanding = 32,    // writes
  parameter int unsigned Walks = 8,
  parameter int unsigned Slots = 16,          // reads; a power of two
  localparam int unsigned AddrW = 64,
  localparam int unsigned CountW = 64,
  localparam int unsigned CqnW = NumCq > 1 ? $clog2(NumCq) : 1,
  localparam int unsigned EqnW = $clog2(tally_pkg::MaxEq),
  localparam int unsigned LogW = $clog2($clog2(MaxDepth) + 1),
  localparam int unsigned LevelW = $clog2(tally_pkg::MemLevels + 1),
  localparam int unsigned ShiftW = $clog2(tally_pkg::MaxPageShift - tally_pkg::MinPageShift + 1),
  localparam int unsigned RingW = AddrW + LevelW + ShiftW,
  localparam int unsigned SlotW = $clog2(Slots)
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  output logic              busy_o,
  input  logic [63:0]       now_i,

  input  logic              cfg_valid_i,
  output logic              cfg_ready_o,
  input  logic [CqnW-1:0]   cfg_cqn_i,
  input  logic              cfg_enable_i,
  input  logic [RingW-1:0]  cfg_ring_i,
  input  logic [AddrW-1:0]  cfg_first_i,
  input  logic [LogW-1:0]   cfg_log_depth_i,
  input  logic [EqnW-1:0]   cfg_eqn_i,

  input  logic              db_valid_i,
  output logic              db_ready_o,
  input  logic [CqnW-1:0]   db_cqn_i,
  input  logic              db_counts_i,
  input  logic [CountW-1:0] db_count_i,
  input  logic              db_arms_i,
  input  logic [CountW-1:0] db_arm_i,

  input  logic              in_valid_i,
  output logic              in_ready_o,
  input  logic [CqnW-1:0]   in_cqn_i,
  input  logic [511:0]      in_cqe_i,
  input  logic              in_solicited_i,
  input  logic              in_rung_i,
  input  logic [63:0]       in_rung_at_i,

  output logic              awvalid_o,
  input  logic              awready_i,
  output logic [AddrW-1:0]  awaddr_o,
  output logic [7:0]        awlen_o,
  output logic [2:0]        awsize_o,
  output logic [1:0]        awburst_o,
  output logic              wvalid_o,
  input  logic              wready_i,
  output logic [511:0]      wdata_o,
  output logic [63:0]       wstrb_o,
  output logic              wlast_o,
  input  logic              bvalid_i,
  output logic              bready_o,
  input  logic [1:0]        bresp_i,
  output logic              arvalid_o,
  input  logic              arready_i,
  output logic [SlotW-1:0]  arid_o,
  output logic [AddrW-1:0]  araddr_o,
  output logic [7:0]        arlen_o,
  output logic [2:0]        arsize_o,
  output logic [1:0]        arburst_o,
  input  logic              rvalid_i,
  output logic              rready_o,
  input  logic [SlotW-1:0]  rid_i,
  input  logic [511:0]      rdata_i,
  input  logic [1:0]        rresp_i,

  output logic              event_valid_o,
  input  logic              event_ready_i,
  output logic [EqnW-1:0]   event_eqn_o,
  output logic [7:0]        event_type_o,
  output logic [CqnW-1:0]   event_cqn_o,

  output logic              cqe_o,
  output logic              overrun_o,
  output logic              dma_error_o
);
  localparam int unsigned PageW = tally_pkg::MinPageShift;
  localparam int unsigned LenW = PageW + 1;
  localparam int unsigned WalkW = $clog2(Walks);
  localparam int unsigned RecordW = CqnW + 1;           // tag of the read of a record
  localparam int unsigned ReadW = 1 + (RecordW > WalkW ? RecordW : WalkW);
  localparam int unsigned Waiting = 2 * Walks;          // entries whose place is being found
  localparam int unsigned InsideW = 8;                  // more than there are of anything
  localparam int unsigned ReadBytes = 128;              // bursts of reads cross no multiple of it
  localparam logic [LenW-1:0] EntryBytes = 13'd64;
  localparam logic [LenW-1:0] WordBytes = 13'd8;

  // ---- Completion queues ----
  logic wr_valid, wr_ready, rd_valid, rd_ready, done_valid, done_ready, done_error;
  logic rsp_valid, rsp_ready, rsp_error, writer_busy, cqe, overrun, dma_error;
  logic [RingW-1:0] wr_ring, rd_ring;
  logic [AddrW-1:0] wr_start, rd_start;
  logic [511:0] wr_data;
  logic [RecordW-1:0] rd_tag, rsp_tag;
  logic [CountW-1:0] rsp_count;
  tally_cqe_writer #(
    .NumCq(NumCq), .MaxDepth(MaxDepth), .Outstanding(Outstanding)
  ) u_writer (
    .clk_i, .rst_ni, .now_i, .cfg_valid_i, .cfg_ready_o, .cfg_cqn_i, .cfg_enable_i, .cfg_ring_i,
    .cfg_first_i, .cfg_log_depth_i, .cfg_eqn_i, .db_valid_i, .db_ready_o, .db_cqn_i,
    .db_counts_i, .db_count_i, .db_arms_i, .db_arm_i,
    .in_valid_i, .in_ready_o, .in_cqn_i, .in_cqe_i, .in_solicited_i,
    .in_rung_i, .in_rung_at_i,
    .wr_valid_o(wr_valid), .wr_ready_i(wr_ready), .wr_ring_o(wr_ring), .wr_start_o(wr_start),
    .wr_data_o(wr_data), .done_valid_i(done_valid), .done_ready_o(done_ready),
    .done_error_i(done_error),
    .rd_valid_o(rd_valid), .rd_ready_i(rd_ready), .rd_ring_o(rd_ring), .rd_start_o(rd_start),
    .rd_tag_o(rd_tag), .rsp_valid_i(rsp_valid), .rsp_ready_o(rsp_ready), .rsp_tag_i(rsp_tag),
    .rsp_count_i(rsp_count), .rsp_error_i(rsp_error),
    .event_valid_o, .event_ready_i, .event_eqn_o, .event_type_o, .event_cqn_o,
    .cqe_o(cqe), .overrun_o(overrun), .dma_error_o(dma_error), .busy_o(writer_busy)
  );
  // The writer is busy in the clock after a pulse.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {cqe_o, overrun_o, dma_error_o} <= '0;
    else {cqe_o, overrun_o, dma_error_o} <= {cqe, overrun, dma_error};
  end

  // ---- Where they are in memory: a record goes first, as few are read ----
  logic walk_valid, walk_ready, data_room, data_valid, data_pop;
  logic [RingW-1:0] walk_ring;
  logic [AddrW-1:0] walk_start, walk_base;
  logic [LevelW-1:0] walk_levels;
  logic [ShiftW-1:0] walk_shift;
  logic place_valid, place_take, place_ok, place_last, place_read;
  logic [15:0] place_status;
  logic [AddrW-1:0] place_addr;
  logic [PageW:0] place_len;
  logic [RecordW-1:0] place_tag;
  logic list_valid, list_ready, entry_valid, entry_error, walks_idle;
  logic [AddrW-1:0] list_addr, entry;
  logic [WalkW-1:0] list_tag, entry_tag;
  logic [511:0] data;

  assign walk_valid = rd_valid || (wr_valid && data_room);
  assign rd_ready = walk_ready;
  assign wr_ready = walk_ready && !rd_valid && data_room;
  assign walk_ring = rd_valid ? rd_ring : wr_ring;
  assign walk_start = rd_valid ? rd_start : wr_start;
  assign {walk_base, walk_levels, walk_shift} = walk_ring;

  tally_mr_walks #(
    .Walks(Walks), .AddrW(AddrW), .LenW(LenW), .TagW(RecordW + 1), .Pieces(1)
  ) u_walks (
    .clk_i, .rst_ni, .in_valid_i(walk_valid), .in_ready_o(walk_ready),
    .in_status_i(tally_pkg::CollOk), .in_walk_i(1'b1), .in_start_i(walk_start),
    .in_len_i(rd_valid ? WordBytes : EntryBytes), .in_root_i(walk_base[AddrW-1:PageW]),
    .in_levels_i(walk_levels), .in_shift_i(walk_shift), .in_tag_i({rd_valid, rd_tag}),
    .rd_valid_o(list_valid), .rd_ready_i(list_ready), .rd_addr_o(list_addr), .rd_tag_o(list_tag),
    .rsp_valid_i(entry_valid), .rsp_data_i(entry), .rsp_tag_i(entry_tag), .rsp_error_i(entry_error),
    .out_valid_o(place_valid), .out_ready_i(place_take), .out_status_o(place_status),
    .out_addr_o(place_addr), .out_len_o(place_len), .out_last_o(place_last),
    .out_tag_o({place_read, place_tag}), .idle_o(walks_idle)
  );
  assign place_ok = place_status == tally_pkg::CollOk;

  // ---- Entries: each waits for its place, and is written or dropped ----
  logic write, write_ready, fate_room, fate_valid, fate_ok, order_room, order_valid, order_ok;
  logic word_ready, b_valid, b_error, b_tag, answered;
  logic [$clog2(Waiting+1)-1:0] data_used, fate_used;
  logic [$clog2(Outstanding+1)-1:0] order_used;

  tally_fifo #(.Width(512), .Depth(Waiting)) u_data (
    .clk_i, .rst_ni, .in_valid_i(wr_valid && wr_ready), .in_ready_o(data_room), .in_i(wr_data),
    .out_valid_o(data_valid), .out_ready_i(data_pop), .out_o(data), .used_o(data_used)
  );
  assign write = place_valid && !place_read && fate_room && order_room;
  tally_fifo #(.Width(1), .Depth(Waiting)) u_fate (
    .clk_i, .rst_ni, .in_valid_i(write && place_take), .in_ready_o(fate_room), .in_i(place_ok),
    .out_valid_o(fate_valid), .out_ready_i(data_pop), .out_o(fate_ok), .used_o(fate_used)
  );
  tally_fifo #(.Width(1), .Depth(Outstanding)) u_order (
    .clk_i, .rst_ni, .in_valid_i(write && place_take), .in_ready_o(order_room), .in_i(place_ok),
    .out_valid_o(order_valid), .out_ready_i(answered), .out_o(order_ok),
    .used_o(order_used)
  );
  assign data_pop = fate_valid && (!fate_ok || word_ready);

  // An answer waits in a register for its turn; the writer takes one in three clocks at most.
  assign answered = order_valid && (!order_ok || b_valid) && !done_valid;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) done_valid <= 1'b0;
    else done_valid <= answered || (done_valid && !done_ready);
  end
  always_ff @(posedge clk_i) if (answered) done_error <= !order_ok || b_error;

  logic wr_busy, rd_busy;             // told by what is counted below
  tally_axi_wr #(.AddrW(AddrW), .LenW(LenW), .TagW(1), .Outstanding(Outstanding)) u_wr (
    .clk_i, .rst_ni, .busy_o(wr_busy), .req_valid_i(write && place_ok), .req_ready_o(write_ready),
    .req_addr_i(place_addr), .req_len_i(EntryBytes), .req_tag_i(1'b0), .req_more_i(1'b0),
    .in_valid_i(fate_valid && fate_ok), .in_ready_o(word_ready), .in_data_i(data),
    .awvalid_o, .awready_i, .awaddr_o, .awlen_o, .awsize_o, .awburst_o, .wvalid_o, .wready_i,
    .wdata_o, .wstrb_o, .wlast_o, .bvalid_i, .bready_o, .bresp_i,
    .done_valid_o(b_valid), .done_ready_i(order_valid && order_ok && !done_valid),
    .done_tag_o(b_tag), .done_error_o(b_error)
  );

  // ---- Records: a read of memory, or an answer that there is none ----
  logic record_q, record_ok_q, record, record_ready, lost;
  logic [RecordW-1:0] record_tag_q;
  logic [AddrW-1:0] record_addr_q;
  assign record = record_q && record_ok_q;
  assign lost = record_q && !record_ok_q;
  assign place_take = place_read ? !record_q :
      fate_room && order_room && (!place_ok || write_ready);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) record_q <= 1'b0;
    else if (record_q) record_q <= record_ok_q ? !record_ready : rsp_valid;
    else record_q <= place_valid && place_read;
  end
  always_ff @(posedge clk_i) begin
    if (!record_q) begin
      record_ok_q <= place_ok;
      record_tag_q <= place_tag;
      record_addr_q <= place_addr;
    end
  end

  // ---- Reads: of page lists and of records ----
  logic read_valid, read_ready, word_valid, word_take, word_last, word_error, grant;
  logic [AddrW-1:0] read_addr;
  logic [ReadW-1:0] read_tag, word_tag;
  logic [511:0] word;
  logic [63:0] word_keep;
  logic is_record;
  tally_rr_arbiter #(.Num(2)) u_turns (
    .clk_i, .rst_ni, .request_valid_i({record, list_valid}),
    .request_ready_o({record_ready, list_ready}), .grant_valid_o(read_valid),
    .grant_ready_i(read_ready), .grant_o(grant)
  );
  assign read_addr = grant ? record_addr_q : list_addr;
  assign read_tag = {grant, grant ? (ReadW - 1)'(record_tag_q) : (ReadW - 1)'(list_tag)};
  tally_axi_rd #(
    .AddrW(AddrW), .LenW(LenW), .TagW(ReadW), .Slots(Slots), .Boundary(ReadBytes)
  ) u_rd (
    .clk_i, .rst_ni, .busy_o(rd_busy), .req_valid_i(read_valid), .req_ready_o(read_ready),
    .req_addr_i(read_addr), .req_len_i(WordBytes), .req_tag_i(read_tag), .req_more_i(1'b0),
    .arvalid_o, .arready_i, .arid_o, .araddr_o, .arlen_o, .arsize_o, .arburst_o, .rvalid_i,
    .rready_o, .rid_i, .rdata_i, .rresp_i,
    .out_valid_o(word_valid), .out_ready_i(word_take), .out_data_o(word), .out_keep_o(word_keep),
    .out_last_o(word_last), .out_tag_o(word_tag), .out_error_o(word_error)
  );
  assign is_record = word_tag[ReadW-1];
  assign word_take = !is_record || (!rsp_valid && !lost);
  assign entry_valid = word_valid && !is_record;
  assign entry = word[63:0];
  assign entry_tag = word_tag[WalkW-1:0];
  assign entry_error = word_error;

  // What is read of a record waits in a register for its turn, too.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) rsp_valid <= 1'b0;
    else rsp_valid <= rsp_valid ? !rsp_ready : lost || (word_valid && is_record);
  end
  always_ff @(posedge clk_i) begin
    if (!rsp_valid) begin
      rsp_tag <= lost ? record_tag_q : word_tag[RecordW-1:0];
      rsp_count <= word[63:0];
      rsp_error <= lost || word_error;
    end
  end

  // ---- What can go on without the memory ----
  //
  // A walker waits while it reads, a read while its word is due, and an entry while its answer is.
  logic [InsideW-1:0] walks_q, lists_q, reads_q, words_q, entries_q;
  logic leaves, reads, read_ends;
  assign leaves = place_valid && place_take;
  assign reads = read_valid && read_ready;
  assign read_ends = word_valid && word_take;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      walks_q <= '0;
      lists_q <= '0;
      reads_q <= '0;
      words_q <= '0;
      entries_q <= '0;
    end else begin
      walks_q <= walks_q + InsideW'(walk_valid && walk_ready) - InsideW'(leaves);
      lists_q <= lists_q + InsideW'(reads && !grant) - InsideW'(entry_valid);
      reads_q <= reads_q + InsideW'(reads) - InsideW'(read_ends);
      words_q <= words_q + InsideW'(arvalid_o && arready_i) - InsideW'(rvalid_i && rready_o);
      entries_q <= entries_q + InsideW'(leaves && write && place_ok) -
          InsideW'(wvalid_o && wready_i);
    end
  end
  assign busy_o = writer_busy || walks_q != lists_q || reads_q != words_q || entries_q != '0 ||
      record_q || rsp_valid || done_valid || (order_valid && !order_ok);

  // Each access is one piece and one word.
  logic unused;
  assign unused = ^{rd_busy, wr_busy,
      data_used, fate_used, order_used, data_valid, place_len, place_last, walks_idle,
      walk_base[PageW-1:0], b_tag, word[511:64], word_keep, word_last, word_tag[ReadW-2:0]};
endmodule
