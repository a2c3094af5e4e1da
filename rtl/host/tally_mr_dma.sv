// SPDX-License-Identifier: BSD-2-Clause
// Accesses to memory regions, from their check to the last byte, through an AXI4 master.
//
// cfg_* and the check of an access are those of tally_mr. An access (in_*) with in_find_i low, with
// no bytes, or that is not permitted ends with done_*, whose status tells the outcome. Else a read
// gives its bytes at out_*: words that begin with the first byte, all full but the last one.
// out_error_o, valid with the last word, means CollDmaError, and none of the data may be used. A
// write takes its bytes from dat_*, in words of the same form, and ends with done_* when memory has
// answered: CollOk or CollDmaError. A write with in_find_i that has bytes takes its words in any
// case; those of one that is refused are dropped. dat_* are the words of writes in the order of
// the accesses, and must come without waiting for anything but earlier writes.
//
// Accesses begin in their order, but a read and a write may overtake each other on the bus, as AXI4
// has it. Reads end in their order, and so do writes, while refusals overtake them. An access whose
// memory is to be found has at most Pieces (up to 3) times the bytes of a page, and one that
// touches more than Pieces pages ends with CollDmaError. A region is removed when the memory of no
// access is being looked for; who removes it waits for the ends of those permitted before.
//
// Reads of page lists have IDs of their own, and overtake those of data. rlast has no port. busy_o
// is low if nothing happens without an input: what is inside waits for memory.
module tally_mr_dma #(
  parameter int unsigned NumMr = tally_pkg::MaxMr,
  parameter int unsigned Walks = 8,           // accesses whose memory is looked for at a time
  parameter int unsigned LenW = 32,
  parameter int unsigned TagW = 8,
  parameter int unsigned Pieces = 3,
  parameter int unsigned Slots = 16,          // bursts of reads at a time
  parameter int unsigned Outstanding = 32,    // bursts of writes at a time
  localparam int unsigned AddrW = 64,
  localparam int unsigned Bytes = 64,
  localparam int unsigned PdW = $clog2(tally_pkg::MaxPd),
  localparam int unsigned WalkW = $clog2(Walks),
  localparam int unsigned SlotW = $clog2(Slots),
  localparam int unsigned IdW = 1 + (SlotW > WalkW ? SlotW : WalkW)
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  output logic               busy_o,

  input  logic               cfg_valid_i,
  output logic               cfg_ready_o,
  output logic               cfg_bad_o,
  input  logic               cfg_enable_i,
  input  logic [31:0]        cfg_lkey_i,
  input  logic [PdW-1:0]     cfg_pd_i,
  input  logic               cfg_write_i,
  input  logic [AddrW-1:0]   cfg_iova_i,
  input  logic [AddrW-1:0]   cfg_addr_i,
  input  logic [AddrW-1:0]   cfg_length_i,
  input  logic [31:0]        cfg_offset_i,
  input  logic [7:0]         cfg_levels_i,
  input  logic [7:0]         cfg_page_shift_i,

  input  logic               in_valid_i,
  output logic               in_ready_o,
  input  logic [PdW-1:0]     in_pd_i,
  input  logic [31:0]        in_lkey_i,
  input  logic [AddrW-1:0]   in_addr_i,
  input  logic [LenW-1:0]    in_len_i,
  input  logic               in_write_i,
  input  logic               in_find_i,
  input  logic [TagW-1:0]    in_tag_i,
  input  logic               dat_valid_i,
  output logic               dat_ready_o,
  input  logic [8*Bytes-1:0] dat_data_i,

  output logic               out_valid_o,
  input  logic               out_ready_i,
  output logic [8*Bytes-1:0] out_data_o,
  output logic [Bytes-1:0]   out_keep_o,
  output logic               out_last_o,
  output logic [TagW-1:0]    out_tag_o,
  output logic               out_error_o,
  output logic               done_valid_o,
  input  logic               done_ready_i,
  output logic [TagW-1:0]    done_tag_o,
  output logic [15:0]        done_status_o,   // coll_status

  output logic               awvalid_o,
  input  logic               awready_i,
  output logic [AddrW-1:0]   awaddr_o,
  output logic [7:0]         awlen_o,
  output logic [2:0]         awsize_o,
  output logic [1:0]         awburst_o,
  output logic               wvalid_o,
  input  logic               wready_i,
  output logic [8*Bytes-1:0] wdata_o,
  output logic [Bytes-1:0]   wstrb_o,
  output logic               wlast_o,
  input  logic               bvalid_i,
  output logic               bready_o,
  input  logic [1:0]         bresp_i,
  output logic               arvalid_o,
  input  logic               arready_i,
  output logic [IdW-1:0]     arid_o,
  output logic [AddrW-1:0]   araddr_o,
  output logic [7:0]         arlen_o,
  output logic [2:0]         arsize_o,
  output logic [1:0]         arburst_o,
  input  logic               rvalid_i,
  output logic               rready_o,
  input  logic [IdW-1:0]     rid_i,
  input  logic [8*Bytes-1:0] rdata_i,
  input  logic [1:0]         rresp_i
);
  localparam int unsigned PageW = tally_pkg::MinPageShift;
  localparam int unsigned LaneW = $clog2(Bytes);
  localparam int unsigned EntryW = $clog2(8);                    // bytes of an entry of a list
  localparam int unsigned MostW = PageW + 2;
  localparam int unsigned WordsW = MostW - LaneW;
  localparam int unsigned PassW = 2 + WordsW + TagW;
  localparam int unsigned Waiting = 4;                           // writes before their data
  localparam int unsigned InsideW = $clog2(Walks + 8);

  // ---- Verdicts and pieces ----
  logic list_valid, list_ready, entry_valid, clearing;
  logic [AddrW-1:0] list_addr, entry;
  logic [WalkW-1:0] list_tag;
  logic piece_valid, piece_ready, piece_last, piece_write, piece_some, in_some;
  logic [15:0] piece_status;
  logic [AddrW-1:0] piece_addr;
  logic [PageW:0] piece_len;
  logic [WordsW-1:0] in_words, piece_words;
  logic [TagW-1:0] piece_tag;
  logic [MostW-1:0] rounded;

  // An access has bytes that move unless its memory is not to be found, or it is refused.
  assign in_some = in_find_i && in_len_i != '0;
  assign rounded = in_len_i[MostW-1:0] + MostW'(Bytes - 1);
  assign in_words = rounded[MostW-1:LaneW];

  tally_mr #(
    .NumMr(NumMr), .Walks(Walks), .AddrW(AddrW), .LenW(LenW), .TagW(PassW), .Pieces(Pieces)
  ) u_mr (
    .clk_i, .rst_ni, .clearing_o(clearing),
    .cfg_valid_i, .cfg_ready_o, .cfg_bad_o, .cfg_enable_i, .cfg_lkey_i, .cfg_pd_i, .cfg_write_i,
    .cfg_iova_i, .cfg_addr_i, .cfg_length_i, .cfg_offset_i, .cfg_levels_i, .cfg_page_shift_i,
    .in_valid_i, .in_ready_o, .in_pd_i, .in_lkey_i, .in_addr_i, .in_len_i,
    .in_write_i, .in_find_i, .in_tag_i({in_write_i, in_some, in_words, in_tag_i}),
    .rd_valid_o(list_valid), .rd_ready_i(list_ready), .rd_addr_o(list_addr), .rd_tag_o(list_tag),
    .rsp_valid_i(entry_valid), .rsp_data_i(entry), .rsp_tag_i(rid_i[WalkW-1:0]),
    .rsp_error_i(rresp_i != 2'b00),
    .out_valid_o(piece_valid), .out_ready_i(piece_ready), .out_status_o(piece_status),
    .out_addr_o(piece_addr), .out_len_o(piece_len), .out_last_o(piece_last),
    .out_tag_o({piece_write, piece_some, piece_words, piece_tag})
  );

  // ---- A piece is read, written, or there is none ----
  logic moves, begins_q, fate_room, may_begin, takes_words;
  logic rd_valid, rd_ready, wr_valid, wr_ready, refuse_valid, refuse_ready;

  assign moves = piece_some && piece_status == tally_pkg::CollOk;
  assign takes_words = begins_q && piece_write && piece_some;
  assign may_begin = !takes_words || fate_room;
  assign rd_valid = piece_valid && moves && !piece_write;
  assign wr_valid = piece_valid && moves && piece_write && may_begin;
  assign refuse_valid = piece_valid && !moves && may_begin;
  assign piece_ready = (rd_valid && rd_ready) || (wr_valid && wr_ready) ||
      (refuse_valid && refuse_ready);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begins_q <= 1'b1;
    else if (piece_ready) begins_q <= piece_last;
  end

  // ---- Words of writes: to memory, or dropped ----
  logic fate_valid, fate_moves, fate_ends, word_moves, word_ready;
  logic [WordsW-1:0] fate_words, word_q;
  logic [$clog2(Waiting+1)-1:0] fate_used;

  tally_fifo #(.Width(WordsW + 1), .Depth(Waiting)) u_fate (
    .clk_i, .rst_ni, .in_valid_i(piece_ready && takes_words), .in_ready_o(fate_room),
    .in_i({moves, piece_words}), .out_valid_o(fate_valid), .out_ready_i(fate_ends),
    .out_o({fate_moves, fate_words}), .used_o(fate_used)
  );
  assign dat_ready_o = fate_valid && (!fate_moves || word_ready);
  assign word_moves = dat_valid_i && dat_ready_o;
  assign fate_ends = word_moves && word_q + 1'b1 == fate_words;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) word_q <= '0;
    else if (word_moves) word_q <= fate_ends ? '0 : word_q + 1'b1;
  end

  logic wr_busy, written_valid, written_ready, written_error;
  logic [TagW-1:0] written_tag;

  tally_axi_wr #(
    .AddrW(AddrW), .LenW(PageW + 1), .TagW(TagW), .Outstanding(Outstanding)
  ) u_wr (
    .clk_i, .rst_ni, .busy_o(wr_busy), .req_valid_i(wr_valid), .req_ready_o(wr_ready),
    .req_addr_i(piece_addr), .req_len_i(piece_len), .req_tag_i(piece_tag),
    .req_more_i(!piece_last),
    .in_valid_i(dat_valid_i && fate_valid && fate_moves), .in_ready_o(word_ready),
    .in_data_i(dat_data_i),
    .awvalid_o, .awready_i, .awaddr_o, .awlen_o, .awsize_o, .awburst_o, .wvalid_o, .wready_i,
    .wdata_o, .wstrb_o, .wlast_o, .bvalid_i, .bready_o, .bresp_i,
    .done_valid_o(written_valid), .done_ready_i(written_ready), .done_tag_o(written_tag),
    .done_error_o(written_error)
  );

  // ---- Ends: that of a write goes first, but not before a refusal that has been kept ----
  //
  // So an end of a write does not wait for what comes in the same clock, and its piece neither.
  logic is_written, may_write, writes_q, refused_valid, refused_ready, refused_kept;
  logic [15:0] refused_status;
  logic [TagW-1:0] refused_tag;

  tally_keep #(.Width(16 + TagW)) u_refused (
    .clk_i, .rst_ni, .kept_o(refused_kept), .in_valid_i(refuse_valid), .in_ready_o(refuse_ready),
    .in_i({piece_status, piece_tag}), .out_valid_o(refused_valid), .out_ready_i(refused_ready),
    .out_o({refused_status, refused_tag})
  );
  assign may_write = !refused_kept || writes_q;
  assign is_written = written_valid && may_write;
  assign written_ready = done_ready_i && may_write;
  assign refused_ready = done_ready_i && !is_written;
  assign done_valid_o = written_valid || refused_valid;
  assign done_tag_o = is_written ? written_tag : refused_tag;
  always_comb begin
    if (!is_written) done_status_o = refused_status;
    else done_status_o = written_error ? tally_pkg::CollDmaError : tally_pkg::CollOk;
  end
  // An end that is offered stays.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) writes_q <= 1'b0;
    else writes_q <= is_written && !done_ready_i;
  end

  // ---- Reads: of lists and of data ----
  logic rd_busy, rd_arvalid, rd_arready, rd_rready, of_list, is_data;
  logic [SlotW-1:0] rd_arid;
  logic [AddrW-1:0] rd_araddr;
  logic [7:0] rd_arlen;
  logic [Walks-1:0][LaneW-EntryW-1:0] place_q;                   // of the entry in its word

  tally_axi_rd #(.AddrW(AddrW), .LenW(PageW + 1), .TagW(TagW), .Slots(Slots)) u_rd (
    .clk_i, .rst_ni, .busy_o(rd_busy), .req_valid_i(rd_valid), .req_ready_o(rd_ready),
    .req_addr_i(piece_addr), .req_len_i(piece_len), .req_tag_i(piece_tag),
    .req_more_i(!piece_last),
    .arvalid_o(rd_arvalid), .arready_i(rd_arready), .arid_o(rd_arid), .araddr_o(rd_araddr),
    .arlen_o(rd_arlen), .arsize_o, .arburst_o, .rvalid_i(rvalid_i && !of_list),
    .rready_o(rd_rready), .rid_i(rid_i[SlotW-1:0]), .rdata_i, .rresp_i,
    .out_valid_o, .out_ready_i, .out_data_o, .out_keep_o, .out_last_o, .out_tag_o, .out_error_o
  );
  tally_rr_arbiter #(.Num(2)) u_ar (
    .clk_i, .rst_ni, .request_valid_i({rd_arvalid, list_valid}),
    .request_ready_o({rd_arready, list_ready}), .grant_valid_o(arvalid_o),
    .grant_ready_i(arready_i), .grant_o(is_data)
  );
  assign arid_o = {!is_data, is_data ? (IdW - 1)'(rd_arid) : (IdW - 1)'(list_tag)};
  assign araddr_o = is_data ? rd_araddr : {list_addr[AddrW-1:LaneW], LaneW'(0)};
  assign arlen_o = is_data ? rd_arlen : '0;
  always_ff @(posedge clk_i) begin
    if (list_valid && list_ready) place_q[list_tag] <= list_addr[LaneW-1:EntryW];
  end

  assign rready_o = of_list || rd_rready;
  assign of_list = rid_i[IdW-1];
  assign entry_valid = rvalid_i && of_list;
  assign entry = rdata_i[{place_q[rid_i[WalkW-1:0]], 6'b0} +: AddrW];

  // ---- What can go on without the memory: an access, unless its list is being read ----
  logic [InsideW-1:0] checks_q, lists_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      checks_q <= '0;
      lists_q <= '0;
    end else begin
      checks_q <= checks_q + InsideW'(in_valid_i && in_ready_o) -
          InsideW'(piece_ready && piece_last);
      lists_q <= lists_q + InsideW'(list_valid && list_ready) - InsideW'(entry_valid);
    end
  end
  assign busy_o = checks_q != lists_q || refused_kept || wr_busy || rd_busy || clearing;

  logic unused;
  assign unused = ^{fate_used, list_addr[EntryW-1:0], rounded[LaneW-1:0], rid_i};
endmodule
