// SPDX-License-Identifier: BSD-2-Clause
// Finds the memory of one access: reads the page list of its region, as struct tally_mem describes
// it, and gives the pieces of the access, each within one page of 8 << TableW bytes.
//
// A request is the verdict on an access. If in_walk_i is low, the access has no memory to be found:
// it was refused, has no bytes, or was only to be checked. Else in_start_i is the bus address of
// its first byte (level 0), or the place of its first byte counted from the beginning of the first
// page of the list. Each piece begins at the root of the list, as in the model, unless it continues
// the page of the piece before. An entry that cannot be read, or is no multiple of the size of what
// it points to, makes the access fail with CollDmaError, and so do more than Pieces pieces.
//
// The answer is one word for each piece, in their order, or a single one of length 0. It begins
// when all pieces are known, so an access that fails has no pieces. A new request is taken when the
// answer has left.
//
// Time: 1 clock to the answer without a walk, and to that of one piece at level 0; else 1 clock
// more for each piece, and for each entry that is read 2 clocks and the time of its read. rd_* asks
// for the 8 bytes of an entry, one at a time; rsp_* is its answer, which is taken at once.
module tally_mr_walk #(
  parameter int unsigned AddrW = 64,
  parameter int unsigned LenW = 32,
  parameter int unsigned TagW = 8,
  parameter int unsigned Pieces = 3,
  parameter int unsigned TableW = 9,          // log2 of the entries of a page of the list
  localparam int unsigned PageW = TableW + 3,
  localparam int unsigned FrameW = AddrW - PageW,
  localparam int unsigned LevelW = $clog2(tally_pkg::MemLevels + 1),
  localparam int unsigned ShiftW = $clog2(tally_pkg::MaxPageShift - tally_pkg::MinPageShift + 1)
) (
  input  logic              clk_i,
  input  logic              rst_ni,

  input  logic              in_valid_i,
  output logic              in_ready_o,
  input  logic [15:0]       in_status_i,      // coll_status
  input  logic              in_walk_i,        // only with CollOk and a length of at least 1
  input  logic [AddrW-1:0]  in_start_i,
  input  logic [LenW-1:0]   in_len_i,
  input  logic [FrameW-1:0] in_root_i,        // page of the root of the list
  input  logic [LevelW-1:0] in_levels_i,
  input  logic [ShiftW-1:0] in_shift_i,       // log2 of the pages of the list in a buffer's page
  input  logic [TagW-1:0]   in_tag_i,

  output logic              rd_valid_o,
  input  logic              rd_ready_i,
  output logic [AddrW-1:0]  rd_addr_o,
  input  logic              rsp_valid_i,
  input  logic [AddrW-1:0]  rsp_data_i,
  input  logic              rsp_error_i,

  output logic              out_valid_o,
  input  logic              out_ready_i,
  output logic [15:0]       out_status_o,
  output logic [AddrW-1:0]  out_addr_o,
  output logic [PageW:0]    out_len_o,        // 0: no piece
  output logic              out_last_o,
  output logic [TagW-1:0]   out_tag_o
);
  localparam int unsigned NumberW = TableW * tally_pkg::MemLevels;
  localparam int unsigned PieceW = Pieces > 1 ? $clog2(Pieces) : 1;
  localparam logic [15:0] DmaError = tally_pkg::CollDmaError;

  typedef enum logic [2:0] {
    Idle = 3'd0,
    Begin = 3'd1,  // begins a piece
    Ask = 3'd2,    // asks for an entry
    Wait = 3'd3,   // waits for it
    Give = 3'd4    // gives the answer
  } state_e;

  state_e state_q;
  logic [15:0] status_q;
  logic [TagW-1:0] tag_q;
  logic none_q;                               // the answer has no piece
  logic [LenW-1:0] left_q;                    // bytes that are not given
  logic [PageW-1:0] first_q;                  // place of the first byte in its page
  logic [FrameW-1:0] root_q, unit_q;          // unit: number of the page in the buffer
  logic [LevelW-1:0] levels_q, level_q;
  logic [ShiftW-1:0] shift_q;
  logic [NumberW-1:0] number_q;               // the same in pages of the list's last level
  logic [FrameW-1:0] table_q;
  logic [FrameW-1:0] last_q;                  // page of the piece before
  logic [PieceW-1:0] at_q, last_at_q;
  logic [FrameW-1:0] frame_q [Pieces];

  // ---- Number of pieces ----
  logic [LenW:0] end_byte;                    // of the access, from the beginning of its first page
  logic [LenW-PageW:0] end_piece;
  logic [PageW-1:0] unused;
  logic straight;                             // one piece, at the address itself
  assign end_byte = (LenW + 1)'(in_start_i[PageW-1:0]) + (LenW + 1)'(in_len_i) - 1'b1;
  assign {end_piece, unused} = end_byte;
  assign straight = in_levels_i == '0 && end_piece == '0;

  // ---- The entry that is asked for ----
  logic [FrameW-1:0] mask;
  logic [TableW-1:0] index;
  assign mask = ~({FrameW{1'b1}} << shift_q);
  always_comb begin
    index = number_q[TableW-1:0];
    for (int unsigned i = 1; i < tally_pkg::MemLevels; i++) begin
      if (level_q == LevelW'(i + 1)) index = number_q[TableW*i +: TableW];
    end
  end
  assign rd_valid_o = state_q == Ask;
  assign rd_addr_o = {table_q, index, 3'b000};

  // ---- Its answer ----
  logic bad, leaf, answer, found;
  logic [FrameW-1:0] page, frame;
  assign page = rsp_data_i[AddrW-1:PageW];
  assign leaf = level_q == LevelW'(1);
  assign bad = rsp_error_i || rsp_data_i[PageW-1:0] != '0 || (leaf && (page & mask) != '0);
  assign answer = state_q == Wait && rsp_valid_i;

  // ---- The page of a piece ----
  logic flat, goes_on;
  assign flat = levels_q == '0;
  assign goes_on = at_q != '0 && (unit_q & mask) != '0;
  assign found = (state_q == Begin && (flat || goes_on)) || (answer && leaf && !bad);
  always_comb begin
    if (state_q == Wait) frame = page | (unit_q & mask);
    else if (flat) frame = unit_q;
    else frame = last_q + 1'b1;
  end

  // ---- The answer ----
  logic [PageW:0] room;
  logic give;
  assign in_ready_o = state_q == Idle;
  assign out_valid_o = state_q == Give;
  assign give = out_valid_o && out_ready_i;
  assign room = {1'b1, {PageW{1'b0}}} - (PageW + 1)'(first_q);
  assign out_status_o = status_q;
  assign out_tag_o = tag_q;
  assign out_last_o = none_q || at_q == last_at_q;
  assign out_addr_o = {frame_q[at_q], first_q};
  always_comb begin
    if (none_q) out_len_o = '0;
    else if (out_last_o) out_len_o = left_q[PageW:0];
    else out_len_o = room;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= Idle;
    end else begin
      unique case (state_q)
        Idle: begin
          if (in_valid_i) begin
            state_q <= in_walk_i && !straight && end_piece < (LenW - PageW + 1)'(Pieces) ? Begin :
                       Give;
          end
        end
        Begin: begin
          if (!found) state_q <= Ask;
          else if (at_q == last_at_q) state_q <= Give;
        end
        Ask: if (rd_ready_i) state_q <= Wait;
        Wait: begin
          if (rsp_valid_i) begin
            if (bad) state_q <= Give;
            else if (!leaf) state_q <= Ask;
            else state_q <= at_q == last_at_q ? Give : Begin;
          end
        end
        default: if (give && out_last_o) state_q <= Idle;  // Give
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (in_valid_i && in_ready_o) begin
      status_q <= in_status_i;
      tag_q <= in_tag_i;
      none_q <= !in_walk_i;
      left_q <= in_len_i;
      {unit_q, first_q} <= in_start_i;
      root_q <= in_root_i;
      levels_q <= in_levels_i;
      shift_q <= in_shift_i;
      at_q <= '0;
      frame_q[0] <= in_start_i[AddrW-1:PageW];
      last_at_q <= end_piece[PieceW-1:0];
      if (in_walk_i && end_piece >= (LenW - PageW + 1)'(Pieces)) begin
        status_q <= DmaError;
        none_q <= 1'b1;
      end
    end
    if (state_q == Begin) begin
      level_q <= levels_q;
      table_q <= root_q;
      number_q <= NumberW'(unit_q >> shift_q);
    end
    if (answer && bad) begin
      status_q <= DmaError;
      none_q <= 1'b1;
    end
    if (answer && !leaf) begin
      level_q <= level_q - 1'b1;
      table_q <= page;
    end
    if (found) begin
      frame_q[at_q] <= frame;
      last_q <= frame;
      unit_q <= unit_q + 1'b1;
      at_q <= at_q == last_at_q ? '0 : at_q + 1'b1;
    end
    if (give) begin
      first_q <= '0;
      left_q <= left_q - LenW'(room);
      at_q <= at_q + 1'b1;
    end
  end

`ifdef FORMAL
  `include "mr_walk_proof.svh"
`endif
endmodule
