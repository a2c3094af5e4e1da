// SPDX-License-Identifier: BSD-2-Clause
// CRC-32 of IEEE 802.3 over a stream of words of Bytes bytes, one each clock, byte 0 first.
//
// A message is the words from one with first_i to one with last_i, of which only bytes_i bytes (1 to Bytes) count;
// its register starts as Init. The checksum, the complement of the register, is at crc_o with valid_o exactly
// 3 + log2(Bytes) cycles after its last word. A message without last_i has none. Nothing stalls.
//
// A CRC is linear: each word's part is a tree of XORs over the word alone, with a register behind it, and only a
// matrix of 32 columns stands in the loop. A last word that is not full counts as if zeros followed; the register
// is then taken back over them, by steps of 1, 2, 4, ... bytes. Bytes is a power of two.
module tally_crc32_512 #(
  parameter int unsigned Bytes = 64,
  parameter logic [31:0] Init = 32'hffffffff,
  localparam int unsigned Bits = 8 * Bytes,
  localparam int unsigned CountW = $clog2(Bytes + 1),
  localparam int unsigned Steps = $clog2(Bytes)
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
  // ---- Columns of the matrices, constants ----
  // What bit i of a word makes of the register at the word's end; of the register's bits, too, as far as it has them.
  // Functions of constants, which no bench runs.
  // verilator coverage_off
  function automatic logic [32*Bits-1:0] columns();
    logic [31:0] column;
    column = tally_net_pkg::CrcPoly;
    for (int unsigned i = 0; i < Bits; i++) begin
      columns[32*(Bits-1-i)+:32] = column;
      column = tally_net_pkg::crc_zero(column);
    end
  endfunction
  localparam logic [32*Bits-1:0] Column = columns();

  // Bit 0 of the register, n bits earlier; bit i stands there n + i bits earlier.
  localparam int unsigned MaxBack = Bits / 2 + 32;
  function automatic logic [32*MaxBack-1:0] earlier();
    logic [31:0] column;
    column = 32'h1;
    for (int unsigned n = 0; n < MaxBack; n++) begin
      earlier[32*n+:32] = column;
      column = tally_net_pkg::crc_unzero(column);
    end
  endfunction
  localparam logic [32*MaxBack-1:0] Earlier = earlier();
  // verilator coverage_on

  // ---- The word: bytes that do not count become zero ----
  logic [Bits-1:0] data_d, data_q;
  logic word_valid_q, word_first_q, word_last_q;
  logic [Steps:0] word_zeros_q;  // bytes that do not count

  for (genvar k = 0; k < Bytes; k++) begin : g_mask
    assign data_d[8*k+:8] = last_i && bytes_i <= CountW'(k) ? 8'h0 : data_i[8*k+:8];
  end

  always_ff @(posedge clk_i) begin
    data_q <= data_d;
    word_first_q <= first_i;
    word_last_q <= last_i;
    word_zeros_q <= (Steps + 1)'(Bytes) - bytes_i;
  end

  // ---- Its part: what each of its bits makes of the register at its end ----
  logic [31:0] part_d, part_q;
  logic part_valid_q, part_first_q, part_last_q;
  logic [Steps:0] part_zeros_q;

  tally_crc_matrix #(
    .Inputs(Bits)
  ) u_part (
    .bits_i(data_q),
    .columns_i(Column),
    .sum_o(part_d)
  );

  always_ff @(posedge clk_i) begin
    part_q <= part_d;
    part_first_q <= word_first_q;
    part_last_q <= word_last_q;
    part_zeros_q <= word_zeros_q;
  end

  // ---- The register ----
  logic [31:0] state_q, from, moved;
  logic [31:0][31:0] move;
  logic state_last_q;
  logic [Steps:0] state_zeros_q;

  assign from = part_first_q ? Init : state_q;
  for (genvar i = 0; i < 32; i++) begin : g_move
    if (i < Bits) begin : g_through
      assign move[i] = Column[32*i+:32];
    end else begin : g_down
      assign move[i] = 32'h1 << (i - Bits);
    end
  end
  tally_crc_matrix u_move (
    .bits_i(from),
    .columns_i(move),
    .sum_o(moved)
  );

  always_ff @(posedge clk_i) begin
    if (part_valid_q) state_q <= moved ^ part_q;
    state_zeros_q <= part_zeros_q;
  end

  // ---- Back over the zeros ----
  logic [Steps:0][31:0] back;
  logic [Steps:0][Steps:0] zeros;
  logic [Steps:0] done;

  assign back[0] = state_q;
  assign zeros[0] = state_zeros_q;
  assign done[0] = state_last_q;
  for (genvar s = 0; s < Steps; s++) begin : g_back
    logic [31:0] taken, back_q;
    logic [Steps:0] zeros_q;
    logic done_q;
    tally_crc_matrix u_back (
      .bits_i(back[s]),
      .columns_i(Earlier[32*(8<<s)+:1024]),
      .sum_o(taken)
    );
    always_ff @(posedge clk_i) begin
      back_q <= zeros[s][s] ? taken : back[s];
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
