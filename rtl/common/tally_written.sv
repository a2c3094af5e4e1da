// SPDX-License-Identifier: BSD-2-Clause
// Which rows of a memory have been written since the reset. A memory keeps what it had before; its
// owner takes a row that was not written for an empty one, and need not clear it. The bits are a
// memory of 64 in a word, so they are cleared in a 64th of the time: busy_o is high meanwhile, and
// then nothing may be written.
//
// write_*: a row is written. read_*: written_o is that of row read_at_i a clock later, and stays
// until the next read_i. A row that is written in the clock of its read counts as before, like the
// row of a memory that is read while it is written.
module tally_written #(
  parameter int unsigned Rows = 1024,
  localparam int unsigned RowW = Rows > 1 ? $clog2(Rows) : 1
) (
  input  logic            clk_i,
  input  logic            rst_ni,
  output logic            busy_o,

  input  logic            write_i,
  input  logic [RowW-1:0] write_at_i,
  input  logic            read_i,
  input  logic [RowW-1:0] read_at_i,
  output logic            written_o
);
  localparam int unsigned BitW = RowW < 6 ? RowW : 6;
  localparam int unsigned Bits = 2 ** BitW;
  localparam int unsigned Words = (Rows + Bits - 1) / Bits;
  localparam int unsigned WordW = Words > 1 ? $clog2(Words) : 1;

  logic [Bits-1:0] bits_q [Words];
  logic [Bits-1:0] word;
  logic [WordW:0] clear_q;  // words that have been cleared
  logic [WordW-1:0] write_word, read_word;
  logic [BitW-1:0] write_bit, read_bit;

  assign busy_o = clear_q != (WordW + 1)'(Words);
  assign write_word = busy_o ? clear_q[WordW-1:0] : WordW'(write_at_i >> BitW);
  assign write_bit = write_at_i[BitW-1:0];
  assign read_word = WordW'(read_at_i >> BitW);
  assign read_bit = read_at_i[BitW-1:0];
  assign word = bits_q[write_word];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) clear_q <= '0;
    else if (busy_o) clear_q <= clear_q + 1'b1;
  end
  always_ff @(posedge clk_i) begin
    if (write_i || busy_o) bits_q[write_word] <= busy_o ? '0 : word | (Bits'(1) << write_bit);
    if (read_i) written_o <= bits_q[read_word][read_bit];
  end

`ifdef FORMAL
  `include "written_proof.svh"
`endif
endmodule
