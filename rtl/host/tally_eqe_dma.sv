// SPDX-License-Identifier: BSD-2-Clause
// Events, from the engine to the rings in host memory: tally_eqe_writer with an AXI4 master. The
// page lists of the rings are read for each event, as the model does, by walkers that take turns,
// so events keep their order.
//
// cfg_*, db_*, in_*, refused_o, freed_o, irq_* and fatal_code_o are those of tally_eqe_writer. An
// event that has no memory counts as one whose write failed. All writes have the same ID. Reads are
// those of page lists, of one word each, with Slots IDs; rlast has no port.
//
// busy_o is low if nothing happens without an input: what is inside, if anything, waits for the
// memory. It depends on registers only.
//
// Time: AW of an event of a contiguous ring comes 4 clocks after the event was taken. Each level of
// a page list adds the time of a read.
module tally_eqe_dma #(
  parameter int unsigned NumEq = tally_pkg::MaxEq,
  parameter int unsigned MaxDepth = tally_pkg::MaxEqDepth,
  parameter int unsigned Outstanding = 8,     // writes
  parameter int unsigned Walks = 2,
  parameter int unsigned Slots = 2,           // reads; a power of two
  localparam int unsigned AddrW = 64,
  localparam int unsigned CountW = 64,
  localparam int unsigned EqnW = NumEq > 1 ? $clog2(NumEq) : 1,
  localparam int unsigned VectorW = $clog2(tally_pkg::NumVectors),
  localparam int unsigned LogW = $clog2($clog2(MaxDepth) + 1),
  localparam int unsigned LevelW = $clog2(tally_pkg::MemLevels + 1),
  localparam int unsigned ShiftW = $clog2(tally_pkg::MaxPageShift - tally_pkg::MinPageShift + 1),
  localparam int unsigned RingW = AddrW + LevelW + ShiftW,
  localparam int unsigned EqeW = 8 * tally_pkg::EqeBytes,
  localparam int unsigned SlotW = $clog2(Slots)
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  output logic               busy_o,

  input  logic               cfg_valid_i,
  output logic               cfg_ready_o,
  input  logic [EqnW-1:0]    cfg_eqn_i,
  input  logic               cfg_enable_i,
  input  logic [RingW-1:0]   cfg_ring_i,
  input  logic [AddrW-1:0]   cfg_first_i,
  input  logic [LogW-1:0]    cfg_log_depth_i,
  input  logic [VectorW-1:0] cfg_vector_i,

  input  logic               db_valid_i,
  output logic               db_ready_o,
  input  logic [EqnW-1:0]    db_eqn_i,
  input  logic [CountW-1:0]  db_count_i,

  input  logic               in_valid_i,
  output logic               in_ready_o,
  input  logic [EqnW-1:0]    in_eqn_i,
  input  logic [7:0]         in_type_i,
  input  logic [31:0]        in_id_i,
  input  logic [63:0]        in_data_i,
  input  logic               in_asked_i,
  input  logic               in_behind_i,
  output logic               refused_o,
  output logic               freed_o,

  output logic               awvalid_o,
  input  logic               awready_i,
  output logic [AddrW-1:0]   awaddr_o,
  output logic [7:0]         awlen_o,
  output logic [2:0]         awsize_o,
  output logic [1:0]         awburst_o,
  output logic               wvalid_o,
  input  logic               wready_i,
  output logic [511:0]       wdata_o,
  output logic [63:0]        wstrb_o,
  output logic               wlast_o,
  input  logic               bvalid_i,
  output logic               bready_o,
  input  logic [1:0]         bresp_i,
  output logic               arvalid_o,
  input  logic               arready_i,
  output logic [SlotW-1:0]   arid_o,
  output logic [AddrW-1:0]   araddr_o,
  output logic [7:0]         arlen_o,
  output logic [2:0]         arsize_o,
  output logic [1:0]         arburst_o,
  input  logic               rvalid_i,
  output logic               rready_o,
  input  logic [SlotW-1:0]   rid_i,
  input  logic [511:0]       rdata_i,
  input  logic [1:0]         rresp_i,

  output logic               irq_valid_o,
  input  logic               irq_ready_i,
  output logic [VectorW-1:0] irq_vector_o,
  output logic [EqnW-1:0]    irq_eqn_o,

  output logic [31:0]        fatal_code_o
);
  localparam int unsigned PageW = tally_pkg::MinPageShift;
  localparam int unsigned LenW = PageW + 1;
  localparam int unsigned WalkW = $clog2(Walks);
  localparam int unsigned InsideW = 8;                  // more than there are of anything
  localparam int unsigned ReadBytes = 128;              // bursts of reads cross no multiple of it
  localparam logic [LenW-1:0] EntryBytes = LenW'(tally_pkg::EqeBytes);
  localparam logic [LenW-1:0] WordBytes = 13'd8;

  // ---- Event queues ----
  logic wr_valid, wr_ready, done_valid, done_ready, done_error, writer_busy;
  logic [RingW-1:0] wr_ring;
  logic [AddrW-1:0] wr_start;
  logic [EqeW-1:0] wr_data;
  tally_eqe_writer #(
    .NumEq(NumEq), .MaxDepth(MaxDepth), .Outstanding(Outstanding)
  ) u_writer (
    .clk_i, .rst_ni, .cfg_valid_i, .cfg_ready_o, .cfg_eqn_i, .cfg_enable_i, .cfg_ring_i,
    .cfg_first_i, .cfg_log_depth_i, .cfg_vector_i, .db_valid_i, .db_ready_o, .db_eqn_i,
    .db_count_i, .in_valid_i, .in_ready_o, .in_eqn_i, .in_type_i, .in_id_i, .in_data_i,
    .in_asked_i, .in_behind_i, .refused_o, .freed_o,
    .wr_valid_o(wr_valid), .wr_ready_i(wr_ready), .wr_ring_o(wr_ring), .wr_start_o(wr_start),
    .wr_data_o(wr_data), .done_valid_i(done_valid), .done_ready_o(done_ready),
    .done_error_i(done_error), .irq_valid_o, .irq_ready_i, .irq_vector_o, .irq_eqn_o,
    .fatal_code_o, .busy_o(writer_busy)
  );

  // ---- Where they are in memory ----
  logic walk_ready, data_room, place_valid, place_take, place_ok, place_last, walks_idle, none;
  logic [15:0] place_status;
  logic [AddrW-1:0] place_addr, walk_base;
  logic [LevelW-1:0] walk_levels;
  logic [ShiftW-1:0] walk_shift;
  logic [PageW:0] place_len;
  logic list_valid, list_ready, entry_valid, entry_error;
  logic [AddrW-1:0] list_addr;
  logic [WalkW-1:0] list_tag, entry_tag;

  assign wr_ready = walk_ready && data_room;
  assign {walk_base, walk_levels, walk_shift} = wr_ring;
  tally_mr_walks #(
    .Walks(Walks), .AddrW(AddrW), .LenW(LenW), .TagW(1), .Pieces(1)
  ) u_walks (
    .clk_i, .rst_ni, .in_valid_i(wr_valid && data_room), .in_ready_o(walk_ready),
    .in_status_i(tally_pkg::CollOk), .in_walk_i(1'b1), .in_start_i(wr_start),
    .in_len_i(EntryBytes), .in_root_i(walk_base[AddrW-1:PageW]), .in_levels_i(walk_levels),
    .in_shift_i(walk_shift), .in_tag_i(1'b0), .rd_valid_o(list_valid), .rd_ready_i(list_ready),
    .rd_addr_o(list_addr), .rd_tag_o(list_tag), .rsp_valid_i(entry_valid),
    .rsp_data_i(word[63:0]), .rsp_tag_i(entry_tag), .rsp_error_i(entry_error),
    .out_valid_o(place_valid), .out_ready_i(place_take), .out_status_o(place_status),
    .out_addr_o(place_addr), .out_len_o(place_len), .out_last_o(place_last), .out_tag_o(none),
    .idle_o(walks_idle)
  );
  assign place_ok = place_status == tally_pkg::CollOk;

  // ---- Events: each waits for its place, and is written or dropped ----
  logic data_valid, data_pop, fate_room, fate_valid, fate_ok, order_room, order_valid, order_ok;
  logic write_ready, word_ready, b_valid, b_error, b_tag;
  logic [EqeW-1:0] data;
  logic [$clog2(Outstanding+1)-1:0] data_used, fate_used, order_used;

  tally_fifo #(.Width(EqeW), .Depth(Outstanding)) u_data (
    .clk_i, .rst_ni, .in_valid_i(wr_valid && wr_ready), .in_ready_o(data_room), .in_i(wr_data),
    .out_valid_o(data_valid), .out_ready_i(data_pop), .out_o(data), .used_o(data_used)
  );
  tally_fifo #(.Width(1), .Depth(Outstanding)) u_fate (
    .clk_i, .rst_ni, .in_valid_i(place_valid && place_take), .in_ready_o(fate_room),
    .in_i(place_ok), .out_valid_o(fate_valid), .out_ready_i(data_pop), .out_o(fate_ok),
    .used_o(fate_used)
  );
  tally_fifo #(.Width(1), .Depth(Outstanding)) u_order (
    .clk_i, .rst_ni, .in_valid_i(place_valid && place_take), .in_ready_o(order_room),
    .in_i(place_ok), .out_valid_o(order_valid), .out_ready_i(done_valid && done_ready),
    .out_o(order_ok), .used_o(order_used)
  );
  assign place_take = fate_room && order_room && (!place_ok || write_ready);
  assign data_pop = fate_valid && (!fate_ok || word_ready);
  assign done_valid = order_valid && (!order_ok || b_valid);
  assign done_error = !order_ok || b_error;

  logic wr_busy, rd_busy;             // told by what is counted below
  tally_axi_wr #(.AddrW(AddrW), .LenW(LenW), .TagW(1), .Outstanding(Outstanding)) u_wr (
    .clk_i, .rst_ni, .busy_o(wr_busy),
    .req_valid_i(place_valid && place_ok && fate_room && order_room),
    .req_ready_o(write_ready), .req_addr_i(place_addr), .req_len_i(EntryBytes), .req_tag_i(1'b0),
    .req_more_i(1'b0),
    .in_valid_i(fate_valid && fate_ok), .in_ready_o(word_ready), .in_data_i(512'(data)),
    .awvalid_o, .awready_i, .awaddr_o, .awlen_o, .awsize_o, .awburst_o, .wvalid_o, .wready_i,
    .wdata_o, .wstrb_o, .wlast_o, .bvalid_i, .bready_o, .bresp_i,
    .done_valid_o(b_valid), .done_ready_i(order_valid && order_ok && done_ready),
    .done_tag_o(b_tag), .done_error_o(b_error)
  );

  // ---- Reads of page lists ----
  logic word_last;
  logic [511:0] word;
  logic [63:0] word_keep;
  tally_axi_rd #(
    .AddrW(AddrW), .LenW(LenW), .TagW(WalkW), .Slots(Slots), .Boundary(ReadBytes)
  ) u_rd (
    .clk_i, .rst_ni, .busy_o(rd_busy), .req_valid_i(list_valid), .req_ready_o(list_ready),
    .req_addr_i(list_addr), .req_len_i(WordBytes), .req_tag_i(list_tag), .req_more_i(1'b0),
    .arvalid_o, .arready_i, .arid_o, .araddr_o, .arlen_o, .arsize_o, .arburst_o, .rvalid_i,
    .rready_o, .rid_i, .rdata_i, .rresp_i,
    .out_valid_o(entry_valid), .out_ready_i(1'b1), .out_data_o(word), .out_keep_o(word_keep),
    .out_last_o(word_last), .out_tag_o(entry_tag), .out_error_o(entry_error)
  );

  // ---- What can go on without the memory ----
  //
  // A walker waits while it reads, a read while its word is due, and an event while its answer is.
  logic [InsideW-1:0] walks_q, lists_q, words_q, entries_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      walks_q <= '0;
      lists_q <= '0;
      words_q <= '0;
      entries_q <= '0;
    end else begin
      walks_q <= walks_q + InsideW'(wr_valid && wr_ready) - InsideW'(place_valid && place_take);
      lists_q <= lists_q + InsideW'(list_valid && list_ready) - InsideW'(entry_valid);
      words_q <= words_q + InsideW'(arvalid_o && arready_i) - InsideW'(rvalid_i && rready_o);
      entries_q <= entries_q + InsideW'(place_valid && place_take && place_ok) -
          InsideW'(wvalid_o && wready_i);
    end
  end
  assign busy_o = writer_busy || walks_q != lists_q || lists_q != words_q || entries_q != '0 ||
      (order_valid && !order_ok);

  // Each access is one piece and one word.
  logic unused;
  assign unused = ^{rd_busy, wr_busy,
      data_valid, data_used, fate_used, order_used, place_len, place_last, none,
      walks_idle, walk_base[PageW-1:0], b_tag, word[511:64], word_keep, word_last};

`ifdef FORMAL
  `include "eqe_dma_proof.svh"
`endif
endmodule
