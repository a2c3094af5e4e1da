// SPDX-License-Identifier: BSD-2-Clause
// Checks the description of a buffer, struct tally_mem, and of the addresses of a memory region. It
// is the same check as mem_decode() of sim/nic/mem.c, with that of REG_MR that the last byte of the
// region has an address. What passes it needs no check of overflows later: each byte of the buffer
// has a bus address, or a place in the list.
//
// Time: combinational, with some 64-bit comparisons one after the other; register its output.
module tally_mem_check #(
  parameter int unsigned AddrW = 64,
  parameter int unsigned TableW = 9           // log2 of the entries of a page of the list
) (
  input  logic [AddrW-1:0] iova_i,
  input  logic [AddrW-1:0] addr_i,
  input  logic [AddrW-1:0] length_i,
  input  logic [31:0]      offset_i,
  input  logic [7:0]       levels_i,
  input  logic [7:0]       page_shift_i,
  output logic             ok_o
);
  localparam int unsigned PageW = TableW + 3;
  localparam int unsigned MaxShift =
      PageW + tally_pkg::MaxPageShift - tally_pkg::MinPageShift;
  localparam int unsigned MaxBits = TableW * tally_pkg::MemLevels + MaxShift;
  localparam int unsigned SizeW = MaxBits + 1 > AddrW ? MaxBits + 1 : AddrW;

  logic [AddrW-1:0] last;
  logic shift_ok, flat_ok, paged_ok;
  logic [6:0] bits;                           // log2 of what the list can hold
  logic [SizeW-1:0] capacity;

  assign last = length_i - 1'b1;
  assign shift_ok = page_shift_i >= 8'(PageW) && page_shift_i <= 8'(MaxShift);
  assign flat_ok = offset_i == '0 && (page_shift_i == '0 || shift_ok) && last <= ~addr_i;

  // Only the levels and sizes that are valid count.
  always_comb begin
    bits = 7'(page_shift_i);
    for (int unsigned i = 1; i <= tally_pkg::MemLevels; i++) begin
      if (levels_i == 8'(i)) bits = 7'(page_shift_i) + 7'(TableW * i);
    end
  end
  assign capacity = SizeW'(1) << bits;
  assign paged_ok = shift_ok && addr_i[PageW-1:0] == '0 && (offset_i >> page_shift_i) == '0 &&
      SizeW'(length_i) <= capacity - SizeW'(offset_i);

  assign ok_o = length_i != '0 && levels_i <= 8'(tally_pkg::MemLevels) && last <= ~iova_i &&
      (levels_i == '0 ? flat_ok : paged_ok);
endmodule
