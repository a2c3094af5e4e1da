// SPDX-License-Identifier: BSD-2-Clause
// Memory regions: whether an access is permitted, and where its memory is. The rules are those of
// sim/nic/mr.c and mem.c.
//
// cfg_* enters a region under its key, whose index must be free, or removes it (cfg_enable_i low).
// cfg_bad_o tells, with cfg_ready_o, that a region to be entered was not: its key has no place in
// the table, or tally_mem_check refuses it. A region is removed when no access is inside, and none
// is taken meanwhile. So no piece of a region leaves after its removal was taken; who removes it
// waits for the accesses to the pieces before.
//
// A request (in_*) asks whether an access is permitted, and with in_find_i also for its memory. The
// answers come in the order of the requests, each as in tally_mr_walk: status CollBadLkey,
// CollMrRange, CollMrAccess, or CollDmaError if its page list cannot be read; or CollOk with the
// pieces, if they were asked for. An access of length 0 within its region, or at its end, is
// permitted and has no pieces. The region is that of the clock in which the request was taken.
//
// rd_* reads an entry of a page list, 8 bytes at a multiple of 8. Its answer carries the tag.
//
// Time: after a reset, the table is emptied in a clock for each 64 rows; nothing is taken until
// then, and clearing_o is high. An answer without a walk comes 4 clocks after its request. A
// request may follow in each clock as long as one of the Walks walkers is free. Each of them
// has one read at a time, so Walks accesses wait for memory together. in_ready_o depends on no
// ready of the same cycle, but on cfg_valid_i and cfg_enable_i.
module tally_mr #(
  parameter int unsigned NumMr = tally_pkg::MaxMr,
  parameter int unsigned Walks = 8,           // at least 2
  parameter int unsigned AddrW = 64,
  parameter int unsigned LenW = 32,
  parameter int unsigned TagW = 8,
  parameter int unsigned Pieces = 3,
  parameter int unsigned TableW = 9,
  localparam int unsigned PdW = $clog2(tally_pkg::MaxPd),
  localparam int unsigned PageW = TableW + 3,
  localparam int unsigned WalkW = $clog2(Walks)
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  output logic             clearing_o,

  input  logic             cfg_valid_i,
  output logic             cfg_ready_o,
  output logic             cfg_bad_o,
  input  logic             cfg_enable_i,
  input  logic [31:0]      cfg_lkey_i,
  input  logic [PdW-1:0]   cfg_pd_i,
  input  logic             cfg_write_i,       // AccessLocalWrite
  input  logic [AddrW-1:0] cfg_iova_i,
  input  logic [AddrW-1:0] cfg_addr_i,        // this and the following: struct tally_mem
  input  logic [AddrW-1:0] cfg_length_i,
  input  logic [31:0]      cfg_offset_i,
  input  logic [7:0]       cfg_levels_i,
  input  logic [7:0]       cfg_page_shift_i,

  input  logic             in_valid_i,
  output logic             in_ready_o,
  input  logic [PdW-1:0]   in_pd_i,
  input  logic [31:0]      in_lkey_i,
  input  logic [AddrW-1:0] in_addr_i,
  input  logic [LenW-1:0]  in_len_i,
  input  logic             in_write_i,
  input  logic             in_find_i,
  input  logic [TagW-1:0]  in_tag_i,

  output logic             rd_valid_o,
  input  logic             rd_ready_i,
  output logic [AddrW-1:0] rd_addr_o,
  output logic [WalkW-1:0] rd_tag_o,
  input  logic             rsp_valid_i,       // taken at once
  input  logic [AddrW-1:0] rsp_data_i,
  input  logic [WalkW-1:0] rsp_tag_i,
  input  logic             rsp_error_i,

  output logic             out_valid_o,
  input  logic             out_ready_i,
  output logic [15:0]      out_status_o,      // coll_status
  output logic [AddrW-1:0] out_addr_o,        // bus address of the piece
  output logic [PageW:0]   out_len_o,         // 0: no piece
  output logic             out_last_o,
  output logic [TagW-1:0]  out_tag_o
);
  localparam int unsigned IndexW = $clog2(NumMr);
  localparam int unsigned FrameW = AddrW - PageW;
  localparam int unsigned LevelW = $clog2(tally_pkg::MemLevels + 1);
  localparam int unsigned ShiftW = $clog2(tally_pkg::MaxPageShift - tally_pkg::MinPageShift + 1);
  localparam int unsigned OffsetW =
      PageW + tally_pkg::MaxPageShift - tally_pkg::MinPageShift;
  localparam int unsigned KeyW = 8;           // of the key, beside the index
  localparam int unsigned RowW =
      1 + KeyW + PdW + 1 + 3 * AddrW + OffsetW + LevelW + ShiftW;

  // ---- Table ----
  logic [RowW-1:0] row_mem_q [NumMr];
  logic [RowW-1:0] row_q, cfg_row;
  logic [IndexW-1:0] write_at, read_at;
  logic ready, write, take, row_written;

  tally_written #(.Rows(NumMr)) u_written (
    .clk_i, .rst_ni, .busy_o(clearing_o), .write_i(write), .write_at_i(write_at), .read_i(take),
    .read_at_i(read_at), .written_o(row_written)
  );
  assign ready = !clearing_o;
  assign read_at = in_lkey_i[KeyW +: IndexW];
  always_ff @(posedge clk_i) begin
    if (write) row_mem_q[write_at] <= cfg_row;
    if (take) row_q <= row_mem_q[read_at];
  end

  // ---- Configuration: checked in the first clock, taken in a later one ----
  logic cfg_seen_q, cfg_ok_q, cfg_mem_ok, cfg_in_table, idle;
  logic [ShiftW-1:0] cfg_shift;

  tally_mem_check #(.AddrW(AddrW), .TableW(TableW)) u_check (
    .iova_i(cfg_iova_i), .addr_i(cfg_addr_i), .length_i(cfg_length_i), .offset_i(cfg_offset_i),
    .levels_i(cfg_levels_i), .page_shift_i(cfg_page_shift_i), .ok_o(cfg_mem_ok)
  );
  assign cfg_in_table = cfg_lkey_i[31:KeyW] < (32 - KeyW)'(NumMr);
  assign cfg_ready_o = cfg_seen_q && ready && (cfg_enable_i || idle);
  assign cfg_bad_o = !cfg_ok_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) cfg_seen_q <= 1'b0;
    else cfg_seen_q <= cfg_valid_i && !cfg_ready_o;
  end
  always_ff @(posedge clk_i) cfg_ok_q <= cfg_in_table && (cfg_mem_ok || !cfg_enable_i);

  // The size of pages does not matter at level 0.
  assign cfg_shift = cfg_levels_i == '0 ? '0 : ShiftW'(cfg_page_shift_i - 8'(PageW));
  assign cfg_row = {cfg_enable_i, cfg_lkey_i[KeyW-1:0], cfg_pd_i, cfg_write_i, cfg_iova_i,
      cfg_addr_i, cfg_length_i, cfg_offset_i[OffsetW-1:0], cfg_levels_i[LevelW-1:0], cfg_shift};
  assign write = cfg_valid_i && cfg_ready_o && cfg_ok_q;
  assign write_at = cfg_lkey_i[KeyW +: IndexW];

  // ---- A request and its row ----
  logic step, a_valid_q, a_index_ok_q, a_write_q, a_find_q;
  logic [KeyW-1:0] a_key_q;
  logic [PdW-1:0] a_pd_q;
  logic [AddrW-1:0] a_addr_q;
  logic [LenW-1:0] a_len_q;
  logic [TagW-1:0] a_tag_q;

  assign in_ready_o = step && ready && !(cfg_valid_i && !cfg_enable_i);
  assign take = in_valid_i && in_ready_o;

  always_ff @(posedge clk_i) begin
    if (take) begin
      a_index_ok_q <= in_lkey_i[31:KeyW] < (32 - KeyW)'(NumMr);
      a_key_q <= in_lkey_i[KeyW-1:0];
      a_pd_q <= in_pd_i;
      a_addr_q <= in_addr_i;
      a_len_q <= in_len_i;
      a_write_q <= in_write_i;
      a_find_q <= in_find_i;
      a_tag_q <= in_tag_i;
    end
  end

  logic row_used, row_write;
  logic [KeyW-1:0] row_key;
  logic [PdW-1:0] row_pd;
  logic [AddrW-1:0] row_iova, row_addr, row_length;
  logic [OffsetW-1:0] row_offset;
  logic [LevelW-1:0] row_levels;
  logic [ShiftW-1:0] row_shift;
  assign {row_used, row_key, row_pd, row_write, row_iova, row_addr, row_length, row_offset,
      row_levels, row_shift} = row_q;

  // ---- Key; place in the region ----
  logic b_valid_q, b_key_ok_q, b_below_q, b_access_ok_q, b_find_q;
  logic [AddrW-1:0] b_place_q, b_length_q, b_addr_q;
  logic [LenW-1:0] b_len_q;
  logic [OffsetW-1:0] b_offset_q;
  logic [LevelW-1:0] b_levels_q;
  logic [ShiftW-1:0] b_shift_q;
  logic [TagW-1:0] b_tag_q;

  always_ff @(posedge clk_i) begin
    if (step) begin
      b_key_ok_q <= a_index_ok_q && row_written && row_used && row_key == a_key_q &&
          row_pd == a_pd_q;
      {b_below_q, b_place_q} <= {1'b0, a_addr_q} - {1'b0, row_iova};
      b_length_q <= row_length;
      b_addr_q <= row_addr;
      b_access_ok_q <= row_write || !a_write_q;
      b_len_q <= a_len_q;
      b_offset_q <= row_offset;
      b_levels_q <= row_levels;
      b_shift_q <= row_shift;
      b_find_q <= a_find_q;
      b_tag_q <= a_tag_q;
    end
  end

  // ---- Room behind it; place in the memory ----
  logic c_valid_q, c_key_ok_q, c_outside_q, c_access_ok_q, c_find_q;
  logic [AddrW-1:0] c_room_q, c_start_q, b_base;
  logic [LenW-1:0] c_len_q;
  logic [FrameW-1:0] c_root_q;
  logic [LevelW-1:0] c_levels_q;
  logic [ShiftW-1:0] c_shift_q;
  logic [TagW-1:0] c_tag_q;
  logic b_beyond;
  logic [AddrW-1:0] b_room;

  assign {b_beyond, b_room} = {1'b0, b_length_q} - {1'b0, b_place_q};
  assign b_base = b_levels_q == '0 ? b_addr_q : AddrW'(b_offset_q);
  always_ff @(posedge clk_i) begin
    if (step) begin
      c_key_ok_q <= b_key_ok_q;
      c_outside_q <= b_below_q || b_beyond;
      c_room_q <= b_room;
      c_start_q <= b_base + b_place_q;
      c_access_ok_q <= b_access_ok_q;
      c_len_q <= b_len_q;
      c_root_q <= b_addr_q[AddrW-1:PageW];
      c_levels_q <= b_levels_q;
      c_shift_q <= b_shift_q;
      c_find_q <= b_find_q;
      c_tag_q <= b_tag_q;
    end
  end

  // ---- Verdict ----
  logic [15:0] status;
  logic walk;
  always_comb begin
    if (!c_key_ok_q) status = tally_pkg::CollBadLkey;
    else if (c_outside_q || AddrW'(c_len_q) > c_room_q) status = tally_pkg::CollMrRange;
    else if (!c_access_ok_q) status = tally_pkg::CollMrAccess;
    else status = tally_pkg::CollOk;
  end
  assign walk = c_find_q && c_len_q != '0 && status == tally_pkg::CollOk;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      a_valid_q <= 1'b0;
      b_valid_q <= 1'b0;
      c_valid_q <= 1'b0;
    end else if (step) begin
      a_valid_q <= take;
      b_valid_q <= a_valid_q;
      c_valid_q <= b_valid_q;
    end
  end

  // ---- Its memory ----
  logic walks_ready, walks_idle;
  assign step = !c_valid_q || walks_ready;
  assign idle = !a_valid_q && !b_valid_q && !c_valid_q && walks_idle;

  tally_mr_walks #(
    .Walks(Walks), .AddrW(AddrW), .LenW(LenW), .TagW(TagW), .Pieces(Pieces), .TableW(TableW)
  ) u_walks (
    .clk_i, .rst_ni,
    .in_valid_i(c_valid_q), .in_ready_o(walks_ready), .in_status_i(status), .in_walk_i(walk),
    .in_start_i(c_start_q), .in_len_i(c_len_q), .in_root_i(c_root_q), .in_levels_i(c_levels_q),
    .in_shift_i(c_shift_q), .in_tag_i(c_tag_q),
    .rd_valid_o, .rd_ready_i, .rd_addr_o, .rd_tag_o, .rsp_valid_i, .rsp_data_i, .rsp_tag_i,
    .rsp_error_i,
    .out_valid_o, .out_ready_i, .out_status_o, .out_addr_o, .out_len_o, .out_last_o, .out_tag_o,
    .idle_o(walks_idle)
  );

`ifdef FORMAL
  `include "mr_proof.svh"
`endif
endmodule
