// SPDX-License-Identifier: BSD-2-Clause
// Packet RAM: a ring of Words words (a power of two) whose newest packet can be taken back.
//
// write_i writes a word, which must only happen while room_o is high. The word is in the RAM two
// cycles later. last_i makes the packet that ends with this word final. abort_i, which excludes
// write_i, takes back the words since the last final packet. read_i reads a word: rdata_o is the
// oldest word from the next cycle until the next read_i. The user must ensure that this word is
// final and in the RAM. The block reads and writes one word per clock. room_o depends on no signal
// of the same cycle.
module tally_encap_ring #(
  parameter int unsigned Width = 512,
  parameter int unsigned Words = 512
) (
  input  logic             clk_i,
  input  logic             rst_ni,

  output logic             room_o,
  input  logic             write_i,
  input  logic             last_i,
  input  logic             abort_i,
  input  logic [Width-1:0] wdata_i,

  input  logic             read_i,
  output logic [Width-1:0] rdata_o
);
  localparam int unsigned AddrW = $clog2(Words);

  // Pointers have one bit more than addresses, to distinguish full and empty.
  logic [AddrW:0] write_q, final_q, read_q;
  logic put_q;
  logic [AddrW-1:0] put_at_q;
  logic [Width-1:0] put_data_q, mem_q [Words];

  assign room_o = (write_q ^ read_q) != (AddrW + 1)'(Words);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_q <= '0;
      final_q <= '0;
      read_q <= '0;
      put_q <= 1'b0;
    end else begin
      if (write_i) write_q <= write_q + 1'b1;
      else if (abort_i) write_q <= final_q;
      if (write_i && last_i) final_q <= write_q + 1'b1;
      if (read_i) read_q <= read_q + 1'b1;
      put_q <= write_i;
    end
  end

  always_ff @(posedge clk_i) begin
    put_at_q <= write_q[AddrW-1:0];
    put_data_q <= wdata_i;
    if (put_q) mem_q[put_at_q] <= put_data_q;
    if (read_i) rdata_o <= mem_q[read_q[AddrW-1:0]];
  end

`ifdef FORMAL
  `include "encap_ring_proof.svh"
`endif
endmodule
