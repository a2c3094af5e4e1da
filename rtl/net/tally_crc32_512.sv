// SPDX-License-Identifier: BSD-2-Clause
// CRC-32 of IEEE 802.3 over a stream of words of Bytes bytes. The block takes a word in each clock,
// byte 0 first.
//
// A message is the sequence of words from one with first_i to one with last_i. Of the last word,
// only bytes_i bytes (1 to Bytes) count. The register starts as Init. The checksum, which is the
// complement of the register, is at crc_o with valid_o exactly 3 + log2(Bytes) / 3, rounded up,
// cycles after the last word. A message without last_i has none. The block never stalls.
//
// A CRC is linear: the contribution of a word is a tree of XORs over the word alone, followed by a
// register. Only a matrix of 32 columns is in the feedback loop. A partly filled last word is
// processed as if it were followed by zeros. The register is then moved back over these zeros, in
// steps of 0 to 7 bytes, and of 0 to 7 times 8. Bytes is a power of two, at least 4.
module tally_crc32_512 #(
  parameter int unsigned Bytes = 64,
  parameter logic [31:0] Init = 32'hffffffff,
  localparam int unsigned Bits = 8 * Bytes,
  localparam int unsigned CountW = $clog2(Bytes + 1),
  localparam int unsigned CountBits = $clog2(Bytes),
  localparam int unsigned Steps = (CountBits + 2) / 3
) (
  input  logic              clk_i,
  input  logic              rst_ni,

  input  logic              valid_i,
  input  logic              first_i,
  input  logic              last_i,
  input  logic [Bits-1:0]   data_i,
  input  logic [CountW-1:0] bytes_i,

  output logic              valid_o,
  output logic [31:0]       crc_o
);
  // ---- Constant rows of the matrices: the set of bits whose sum is bit b of a result ----
  // When the register moves on by a zero bit, bit 0 is shifted out and added to the positions of
  // Poly. Therefore bit b is the sum of the bits shifted out one, two, ... zeros before, weighted
  // by bits b, b + 1, ... of Poly. The way back is similar. The bits shifted out of a register that
  // began with a single one are a fixed sequence, and a row is a sum of parts of it.
  //
  // These functions are evaluated at compile time, so no bench covers them.
  // verilator coverage_off
  localparam logic [31:0] Poly = tally_net_pkg::CrcPoly;

  function automatic logic [Bits+30:0] dropped();  // the last bit shifted out is bit 0
    logic [31:0] state;
    state = 32'h8000_0000;
    for (int unsigned n = 0; n < Bits + 31; n++) begin
      dropped[Bits+30-n] = state[0];
      state = tally_net_pkg::crc_zero(state);
    end
  endfunction
  localparam logic [Bits+30:0] Dropped = dropped();

  // Row for the bits of a word. Its first 32 bits are the row for the register, too.
  function automatic logic [Bits-1:0] on_row(input int unsigned b);
    on_row = '0;
    for (int unsigned d = 0; d < 32 - b; d++) if (Poly[b+d]) on_row = on_row ^ Dropped[d+:Bits];
  endfunction

  // the first bit shifted out is bit 0
  localparam int unsigned BackBits = (7 * 8 << 3 * (Steps - 1)) + 63;
  function automatic logic [BackBits-1:0] dropped_back();
    logic [31:0] state;
    state = 32'h1;
    for (int unsigned n = 0; n < 32; n++) state = tally_net_pkg::crc_zero(state);
    for (int unsigned n = 0; n < BackBits; n++) begin
      dropped_back[n] = state[31];
      state = tally_net_pkg::crc_unzero(state);
    end
  endfunction
  localparam logic [BackBits-1:0] DroppedBack = dropped_back();

  // Row for moving the register back by n bits.
  function automatic logic [31:0] back_row(input int unsigned n, input int unsigned b);
    back_row = '0;
    for (int unsigned d = 0; d <= b; d++) begin
      if (d == b || Poly[b-d-1]) back_row = back_row ^ DroppedBack[n+31-d+:32];
    end
  endfunction
  // verilator coverage_on

  // ---- Word: bytes that do not count become zero ----
  logic [Bits-1:0] data_d, data_q;
  logic word_valid_q, word_first_q, word_last_q;
  logic [CountBits-1:0] word_zeros_q;  // number of bytes that do not count

  for (genvar k = 0; k < Bytes; k++) begin : gen_mask
    assign data_d[8*k+:8] = last_i && bytes_i <= CountW'(k) ? 8'h0 : data_i[8*k+:8];
  end

  always_ff @(posedge clk_i) begin
    data_q <= data_d;
    word_first_q <= first_i;
    word_last_q <= last_i;
    word_zeros_q <= -bytes_i[CountBits-1:0];
  end

  // ---- Contribution of the word to the register at its end; the register moved on by a word ----
  logic [31:0] part_d, part_q, state_q, from, moved;
  logic part_valid_q, part_first_q, part_last_q;
  logic [CountBits-1:0] part_zeros_q;

  assign from = part_first_q ? Init : state_q;
  for (genvar b = 0; b < 32; b++) begin : gen_row
    localparam logic [Bits-1:0] Row = on_row(b);
    assign part_d[b] = ^(data_q & Row);
    assign moved[b] = ^(from & Row[31:0]);
  end

  always_ff @(posedge clk_i) begin
    part_q <= part_d;
    part_first_q <= word_first_q;
    part_last_q <= word_last_q;
    part_zeros_q <= word_zeros_q;
  end

  logic state_last_q;
  logic [3*Steps-1:0] state_zeros_q;

  always_ff @(posedge clk_i) begin
    if (part_valid_q) state_q <= moved ^ part_q;
    state_zeros_q <= (3 * Steps)'(part_zeros_q);
  end

  // ---- Move back over the zeros ----
  logic [Steps:0][31:0] back;
  logic [Steps:0][3*Steps-1:0] zeros;
  logic [Steps:0] done;

  assign back[0] = state_q;
  assign zeros[0] = state_zeros_q;
  assign done[0] = state_last_q;
  for (genvar s = 0; s < Steps; s++) begin : gen_back
    logic [8*32-1:0] taken;  // back by 0 to 7 steps
    logic [31:0] back_q;
    logic [3*Steps-1:0] zeros_q;
    logic done_q;
    assign taken[0+:32] = back[s];
    for (genvar n = 1; n < 8; n++) begin : gen_step
      for (genvar b = 0; b < 32; b++) begin : gen_row
        localparam logic [31:0] Row = back_row((8 * n) << 3 * s, b);
        assign taken[32*n+b] = ^(back[s] & Row);
      end
    end
    always_ff @(posedge clk_i) begin
      back_q <= taken[32*zeros[s][3*s+:3]+:32];
      zeros_q <= zeros[s];
    end
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) done_q <= 1'b0;
      else done_q <= done[s];
    end
    assign back[s+1] = back_q;
    assign zeros[s+1] = zeros_q;
    assign done[s+1] = done_q;
  end

  logic unused_zeros;
  assign unused_zeros = ^zeros[Steps];

  assign valid_o = done[Steps];
  assign crc_o = ~back[Steps];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      word_valid_q <= 1'b0;
      part_valid_q <= 1'b0;
      state_last_q <= 1'b0;
    end else begin
      word_valid_q <= valid_i;
      part_valid_q <= word_valid_q;
      state_last_q <= part_valid_q && part_last_q;
    end
  end
endmodule
