// SPDX-License-Identifier: BSD-2-Clause
// Reads the entries of send queues that tally_fetch wants: from host memory, or from the buffers of
// tally_push (sim/nic/qp.c, mem.c).
//
// fetch_* are those of tally_fetch. An entry in host memory begins at fetch_addr_i: a bus address
// if the send queue is contiguous, otherwise a place in its pages, whose list is read for each
// entry. Entries and queues begin at multiples of an entry. take_* and word_* are those of
// tally_push.
//
// out_* are the words of an entry in order, 64 bytes each, with the queue pair and the index of the
// entry. out_last_o is high with the last word. out_error_o says that a word could not be read; it
// comes with this word or a later one of the entry. An entry that has no memory is one word with an
// error. Entries leave in any order, but each one is complete before the next one begins.
//
// Reads have Slots IDs, and bursts of at most ReadBytes; rlast has no port. busy_o is low if
// nothing happens without an input: what is inside, if anything, waits for the memory. It depends
// on registers only. pushed_o and dma_error_o are pulses that count entries that were pushed, and
// such that could not be read.
//
// Outputs and out_ready_i meet in registers only, as the parser's ready depends on its word.
//
// Time: each page list adds the times of the reads of its levels to those of an entry in contiguous
// memory. A pushed word takes as long as tally_push and two registers.
module tally_request_read #(
  parameter int unsigned Qps = tally_pkg::MaxQp,
  parameter int unsigned Buffers = 64,
  parameter int unsigned Walks = 8,           // page lists that are read at once
  parameter int unsigned Slots = 16,          // a power of two
  localparam int unsigned AddrW = 64,
  localparam int unsigned IndexW = 32,
  localparam int unsigned LengthW = 14,
  localparam int unsigned QpW = Qps > 1 ? $clog2(Qps) : 1,
  localparam int unsigned BufferW = Buffers > 1 ? $clog2(Buffers) : 1,
  localparam int unsigned LevelW = $clog2(tally_pkg::MemLevels + 1),
  localparam int unsigned ShiftW = $clog2(tally_pkg::MaxPageShift - tally_pkg::MinPageShift + 1),
  localparam int unsigned RingW = AddrW + LevelW + ShiftW,
  localparam int unsigned SlotW = $clog2(Slots)
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  output logic               busy_o,

  input  logic               fetch_valid_i,
  output logic               fetch_ready_o,
  input  logic [QpW-1:0]     fetch_qp_i,
  input  logic [IndexW-1:0]  fetch_index_i,
  input  logic               fetch_pushed_i,
  input  logic [BufferW-1:0] fetch_buffer_i,
  input  logic [RingW-1:0]   fetch_ring_i,
  input  logic [AddrW-1:0]   fetch_addr_i,
  input  logic [LengthW-1:0] fetch_length_i,

  output logic               take_valid_o,
  input  logic               take_ready_i,
  output logic [BufferW-1:0] take_buffer_o,
  input  logic               word_valid_i,
  output logic               word_ready_o,
  input  logic [511:0]       word_i,
  input  logic               word_last_i,

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

  output logic               out_valid_o,
  input  logic               out_ready_i,
  output logic [511:0]       out_data_o,
  output logic               out_last_o,
  output logic               out_error_o,
  output logic [QpW-1:0]     out_qp_o,
  output logic [IndexW-1:0]  out_index_o,

  output logic               pushed_o,
  output logic               dma_error_o
);
  localparam int unsigned PageW = tally_pkg::MinPageShift;
  localparam int unsigned LenW = PageW + 1;
  localparam int unsigned WalkW = $clog2(Walks);
  localparam int unsigned NameW = QpW + IndexW;          // of an entry
  localparam int unsigned PlaceW = 16 + AddrW + PageW + 1 + 1 + NameW;
  localparam int unsigned TagW = 1 + 1 + NameW;          // of a read; more bits than of a walk
  localparam int unsigned ReadBytes = 512;
  localparam int unsigned InsideW = 8;                   // more than there are walkers
  localparam int unsigned Memory = 0;                    // sources of words
  localparam int unsigned Pushed = 1;
  localparam int unsigned Lost = 2;
  localparam logic [LenW-1:0] ListBytes = 13'd8;

  // ---- Pushed entries, one at a time ----
  logic push_q, push_ends;
  logic [NameW-1:0] push_name_q;
  logic take;

  assign take_valid_o = fetch_valid_i && fetch_pushed_i && !push_q;
  assign take_buffer_o = fetch_buffer_i;
  assign take = take_valid_o && take_ready_i;
  assign pushed_o = take;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) push_q <= 1'b0;
    else push_q <= take || (push_q && !push_ends);
  end
  always_ff @(posedge clk_i) if (take) push_name_q <= {fetch_qp_i, fetch_index_i};

  // ---- Where the others are in memory: one piece, or two pages ----
  //
  // A place that cannot be read at once is kept here, so that nothing but a register tells the
  // walkers whether it is taken.
  logic walked_valid, walked_last, kept_q;
  logic [AddrW-1:0] walked_addr;
  logic [15:0] walked_status;
  logic [PageW:0] walked_len;
  logic [NameW-1:0] walked_name;
  logic [PlaceW-1:0] walked, place_q, place;
  logic walk, walk_ready, place_valid, place_take, place_ok, place_last;
  logic [AddrW-1:0] ring_addr, place_addr;
  logic [LevelW-1:0] levels;
  logic [ShiftW-1:0] shift;
  logic [15:0] place_status;
  logic [PageW:0] place_len;
  logic [NameW-1:0] place_name;
  logic list_valid, list_ready, entry_valid, walks_idle;
  logic [AddrW-1:0] list_addr;
  logic [WalkW-1:0] list_tag;
  logic word_valid, word_take, word_last, word_error, is_entry, ends_entry;
  logic [511:0] word;
  logic [63:0] word_keep;
  logic [TagW-1:0] word_tag;

  assign walk = fetch_valid_i && !fetch_pushed_i;
  assign fetch_ready_o = fetch_pushed_i ? take_ready_i && !push_q : walk_ready;
  assign {ring_addr, levels, shift} = fetch_ring_i;
  tally_mr_walks #(
    .Walks(Walks), .AddrW(AddrW), .LenW(LengthW), .TagW(NameW), .Pieces(2)
  ) u_walks (
    .clk_i, .rst_ni, .in_valid_i(walk), .in_ready_o(walk_ready),
    .in_status_i(tally_pkg::CollOk), .in_walk_i(1'b1), .in_start_i(fetch_addr_i),
    .in_len_i(fetch_length_i), .in_root_i(ring_addr[AddrW-1:PageW]), .in_levels_i(levels),
    .in_shift_i(shift), .in_tag_i({fetch_qp_i, fetch_index_i}),
    .rd_valid_o(list_valid), .rd_ready_i(list_ready), .rd_addr_o(list_addr), .rd_tag_o(list_tag),
    .rsp_valid_i(entry_valid), .rsp_data_i(word[AddrW-1:0]), .rsp_tag_i(word_tag[WalkW-1:0]),
    .rsp_error_i(word_error),
    .out_valid_o(walked_valid), .out_ready_i(!kept_q), .out_status_o(walked_status),
    .out_addr_o(walked_addr), .out_len_o(walked_len), .out_last_o(walked_last),
    .out_tag_o(walked_name), .idle_o(walks_idle)
  );
  assign walked = {walked_status, walked_addr, walked_len, walked_last, walked_name};
  assign place_valid = kept_q || walked_valid;
  assign place = kept_q ? place_q : walked;
  assign {place_status, place_addr, place_len, place_last, place_name} = place;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) kept_q <= 1'b0;
    else kept_q <= place_valid && !place_take;
  end
  always_ff @(posedge clk_i) if (!kept_q) place_q <= walked;
  assign place_ok = place_status == tally_pkg::CollOk;

  // ---- Reads: of page lists and of entries ----
  logic rd_busy, read, read_ready, read_valid, read_take, of_entry, lost_q, lose, lost_ends;
  logic [AddrW-1:0] read_addr;
  logic [LenW-1:0] read_len;
  logic [TagW-1:0] read_tag;
  logic [NameW-1:0] lost_name_q;

  assign read = place_valid && place_ok;
  assign lose = place_valid && !place_ok && !lost_q;
  assign place_take = place_ok ? read_ready : !lost_q;
  tally_rr_arbiter #(.Num(2)) u_reads (
    .clk_i, .rst_ni, .request_valid_i({read, list_valid}),
    .request_ready_o({read_ready, list_ready}), .grant_valid_o(read_valid),
    .grant_ready_i(read_take), .grant_o(of_entry)
  );
  assign read_addr = of_entry ? place_addr : list_addr;
  assign read_len = of_entry ? place_len : ListBytes;
  assign read_tag = of_entry ? {1'b1, place_last, place_name} : {2'b00, NameW'(list_tag)};
  tally_axi_rd #(
    .AddrW(AddrW), .LenW(LenW), .TagW(TagW), .Slots(Slots), .Boundary(ReadBytes)
  ) u_rd (
    .clk_i, .rst_ni, .busy_o(rd_busy), .req_valid_i(read_valid), .req_ready_o(read_take),
    .req_addr_i(read_addr), .req_len_i(read_len), .req_tag_i(read_tag), .req_more_i(1'b0),
    .arvalid_o, .arready_i, .arid_o, .araddr_o, .arlen_o, .arsize_o, .arburst_o, .rvalid_i,
    .rready_o, .rid_i, .rdata_i, .rresp_i,
    .out_valid_o(word_valid), .out_ready_i(word_take), .out_data_o(word), .out_keep_o(word_keep),
    .out_last_o(word_last), .out_tag_o(word_tag), .out_error_o(word_error)
  );
  assign is_entry = word_tag[TagW-1];
  assign ends_entry = word_last && word_tag[TagW-2];
  assign entry_valid = word_valid && !is_entry;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) lost_q <= 1'b0;
    else lost_q <= lose || (lost_q && !lost_ends);
  end
  always_ff @(posedge clk_i) if (lose) lost_name_q <= place_name;

  // ---- Words that leave: from one source until an entry is complete ----
  logic [2:0] offers, asks, takes;
  logic [1:0] source;
  logic open_q;          // an entry has begun
  logic [1:0] source_q;  // where it comes from
  logic [NameW-1:0] name;
  logic failed_q;        // an earlier word of the entry could not be read
  logic pick_valid, pick_ready, last, error;
  logic [511:0] data;

  assign offers = {lost_q, push_q && word_valid_i, word_valid && is_entry};
  always_comb begin
    for (int unsigned i = 0; i < 3; i++) asks[i] = offers[i] && (!open_q || source_q == 2'(i));
  end
  tally_rr_arbiter #(.Num(3)) u_turns (
    .clk_i, .rst_ni, .request_valid_i(asks), .request_ready_o(takes), .grant_valid_o(pick_valid),
    .grant_ready_i(pick_ready), .grant_o(source)
  );
  always_comb begin
    unique case (source)
      2'(Pushed): begin
        name = push_name_q;
        last = word_last_i;
        error = 1'b0;
      end
      2'(Lost): begin
        name = lost_name_q;
        last = 1'b1;
        error = 1'b1;
      end
      default: begin  // Memory
        name = word_tag[NameW-1:0];
        last = ends_entry;
        error = word_last && word_error;
      end
    endcase
  end
  assign data = source == 2'(Pushed) ? word_i : word;
  tally_skid #(.Width(512 + 2 + NameW)) u_out (
    .clk_i, .rst_ni, .in_valid_i(pick_valid), .in_ready_o(pick_ready),
    .in_i({data, last, error, name}), .out_valid_o, .out_ready_i,
    .out_o({out_data_o, out_last_o, out_error_o, out_qp_o, out_index_o})
  );
  assign word_take = is_entry ? takes[Memory] : 1'b1;
  assign word_ready_o = takes[Pushed];
  assign push_ends = takes[Pushed] && word_last_i;
  assign lost_ends = takes[Lost];
  assign dma_error_o = takes != '0 && last && (error || failed_q);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      open_q <= 1'b0;
      failed_q <= 1'b0;
    end else if (takes != '0) begin
      open_q <= !last;
      failed_q <= !last && (failed_q || error);
    end
  end
  always_ff @(posedge clk_i) if (takes != '0) source_q <= source;

  // ---- What can go on without the memory ----
  //
  // A walker waits while it reads.
  logic [InsideW-1:0] walks_q, lists_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      walks_q <= '0;
      lists_q <= '0;
    end else begin
      walks_q <= walks_q + InsideW'(walk && walk_ready) -
          InsideW'(place_valid && place_take && place_last);
      lists_q <= lists_q + InsideW'(list_valid && list_ready) - InsideW'(entry_valid);
    end
  end
  assign busy_o = out_valid_o || push_q || lost_q || walks_q != lists_q || rd_busy;

  // Words of entries are full.
  logic unused;
  assign unused = ^{walks_idle, word_keep, ring_addr[PageW-1:0]};

`ifdef FORMAL
  `include "request_read_proof.svh"
`endif
endmodule
