// SPDX-License-Identifier: BSD-2-Clause
// Splits an access to memory into AXI4 bursts: INCR bursts of whole words, none of which crosses a
// multiple of Boundary.
//
// A request is an address, a length in bytes (at least 1), and a tag. Its last byte must have an
// address: the caller checks that the sum does not overflow. The bursts cover all words that
// contain a byte of the request, from the lowest address up. out_addr_o is a multiple of Bytes, and
// out_last_o marks the last burst of a request. The tag comes with each of its bursts.
//
// Time: the first burst is offered one clock after the request was taken, and one burst per clock
// follows, also across requests. in_ready_o depends on out_ready_i of the same cycle.
module tally_axi_split #(
  parameter int unsigned AddrW = 64,
  parameter int unsigned LenW = 13,           // at least the bits of Boundary - 1
  parameter int unsigned TagW = 8,
  parameter int unsigned Bytes = 64,          // of a word; a power of two
  parameter int unsigned Boundary = 4096,     // a power of two; at most 256 words
  localparam int unsigned BeatW = $clog2(Boundary / Bytes)
) (
  input  logic             clk_i,
  input  logic             rst_ni,

  input  logic             in_valid_i,
  output logic             in_ready_o,
  input  logic [AddrW-1:0] in_addr_i,
  input  logic [LenW-1:0]  in_len_i,
  input  logic [TagW-1:0]  in_tag_i,

  output logic             out_valid_o,
  input  logic             out_ready_i,
  output logic [AddrW-1:0] out_addr_o,
  output logic [BeatW-1:0] out_beats_o,       // number of words, minus 1
  output logic             out_last_o,
  output logic [TagW-1:0]  out_tag_o
);
  localparam int unsigned LaneW = $clog2(Bytes);
  localparam int unsigned LeftW = LenW + 1 - LaneW;
  localparam int unsigned PageW = AddrW - LaneW - BeatW;

  logic valid_q, take, give;
  logic [PageW-1:0] page_q;
  logic [BeatW-1:0] word_q;                   // first word of the burst, within its page
  logic [LeftW-1:0] left_q;                   // words from there to the end of the request, minus 1
  logic [TagW-1:0] tag_q;

  logic [BeatW-1:0] room;                     // words from there to the end of the page, minus 1
  logic [LaneW-1:0] unused;
  logic [LeftW-1:0] words;                    // of the request, minus 1

  assign room = ~word_q;
  assign {words, unused} = (LenW + 1)'(in_addr_i[LaneW-1:0]) + (LenW + 1)'(in_len_i) - 1'b1;

  assign in_ready_o = !valid_q || (out_ready_i && out_last_o);
  assign take = in_valid_i && in_ready_o;
  assign give = valid_q && out_ready_i;

  assign out_valid_o = valid_q;
  assign out_addr_o = {page_q, word_q, {LaneW{1'b0}}};
  assign out_last_o = left_q <= LeftW'(room);
  assign out_beats_o = out_last_o ? left_q[BeatW-1:0] : room;
  assign out_tag_o = tag_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= 1'b0;
    else if (in_ready_o) valid_q <= in_valid_i;
  end

  always_ff @(posedge clk_i) begin
    if (take) begin
      {page_q, word_q} <= in_addr_i[AddrW-1:LaneW];
      left_q <= words;
      tag_q <= in_tag_i;
    end else if (give) begin
      page_q <= page_q + 1'b1;
      word_q <= '0;
      left_q <= left_q - LeftW'(room) - 1'b1;
    end
  end

`ifdef FORMAL
  `include "axi_split_proof.svh"
`endif
endmodule
