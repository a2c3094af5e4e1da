// SPDX-License-Identifier: BSD-2-Clause
// FIFO of packets that releases a packet only after it is known to be good. It has Depth words of
// Width bits; Depth is a power of two.
//
// The words of a packet enter with in_valid_i. With the last word or later, end_i ends the packet,
// and keep_i says whether its words are kept or discarded. A packet may have no words. Words enter
// without a handshake: room_o, the number of free words at the beginning of the cycle, must not be
// 0 then. The user must count the words on their way to the FIFO. Kept packets leave in order, one
// word per clock. The first word leaves two cycles after the end of its packet.
module tally_packet_fifo #(
  parameter int unsigned Width = 8,
  parameter int unsigned Depth = 4,
  localparam int unsigned CountW = $clog2(Depth + 1)
) (
  input  logic              clk_i,
  input  logic              rst_ni,

  input  logic              in_valid_i,
  input  logic [Width-1:0]  in_i,
  input  logic              end_i,
  input  logic              keep_i,
  output logic [CountW-1:0] room_o,

  output logic              out_valid_o,
  input  logic              out_ready_i,
  output logic [Width-1:0]  out_o
);
  localparam int unsigned PtrW = $clog2(Depth);

  // Counts modulo twice Depth: words written, words kept of these, words read of those.
  logic [Width-1:0] mem_q [Depth];
  logic [PtrW:0] write_q, kept_q, read_q, write_next;
  logic [Width-1:0] out_q;
  logic out_valid_q, fetch;

  assign room_o = CountW'(Depth) - CountW'(write_q - read_q);
  assign write_next = write_q + (PtrW + 1)'(in_valid_i);
  assign fetch = read_q != kept_q && (!out_valid_q || out_ready_i);
  assign out_valid_o = out_valid_q;
  assign out_o = out_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_q <= '0;
      kept_q <= '0;
      read_q <= '0;
      out_valid_q <= 1'b0;
    end else begin
      write_q <= end_i && !keep_i ? kept_q : write_next;
      if (end_i && keep_i) kept_q <= write_next;
      if (fetch) read_q <= read_q + 1'b1;
      if (fetch) out_valid_q <= 1'b1;
      else if (out_ready_i) out_valid_q <= 1'b0;
    end
  end

  // Memory with an output register.
  always_ff @(posedge clk_i) begin
    if (in_valid_i) mem_q[write_q[PtrW-1:0]] <= in_i;
    if (fetch) out_q <= mem_q[read_q[PtrW-1:0]];
  end

`ifdef FORMAL
  `include "packet_fifo_proof.svh"
`endif
endmodule
