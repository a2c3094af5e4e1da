// SPDX-License-Identifier: BSD-2-Clause
// Place of a chunk in its message: place_chunk() and the test of the length in message.c of the
// model for packets, and slot_post() of segment.c for chunks of a work request.
//
// All chunks of a message have the same number of elements, except that the last may be shorter. A
// packet tells the number of elements of its chunk and whether that is the last one; a request
// knows that of all chunks but the last. ok_o says whether the chunk of a packet is possible and
// fits into the MTU. Those of requests have been checked.
//
// A chunk may enter in each clock. Its answer comes tally_plan_pkg::PlaceLatency clocks later with
// its tag. The block never stalls. A reset discards what is inside.
module tally_place #(
  parameter int unsigned TagW = 1
) (
  input  logic            clk_i,
  input  logic            rst_ni,

  input  logic            valid_i,
  input  logic            request_i,  // the chunk is one of a work request
  input  logic            last_i,     // packets: this is the last chunk
  input  logic [31:0]     sid_i,
  // elements of this chunk; requests: of all chunks but the last
  input  logic [31:0]     count_i,
  input  logic [31:0]     total_i,    // elements of the message
  input  logic [2:0]      size_i,     // log2 of the bytes of an element, at most 4
  input  logic [15:0]     mtu_i,
  input  logic [TagW-1:0] tag_i,

  output logic            valid_o,
  output logic            ok_o,
  output logic [31:0]     first_o,  // first element of the chunk
  output logic [31:0]     count_o,
  output logic            last_o,
  output logic [15:0]     bytes_o,
  output logic [TagW-1:0] tag_o
);
  localparam int unsigned Latency = tally_plan_pkg::PlaceLatency;

  typedef struct packed {
    logic request;
    logic last;
    logic begins;  // sid is 0
    logic [31:0] count;
    logic [31:0] total;
    logic [2:0] size;
    logic [15:0] mtu;
  } chunk_t;

  chunk_t entering, chunk_q1, chunk_q2, chunk_q3, chunk_q4;
  logic [Latency-1:0] valid_q;
  logic [Latency*TagW-1:0] tag_q;  // the youngest in the lowest bits
  logic [31:0] sid_q1, left_q4, rest_q4;
  logic [63:0] product_q2, product_q3, product_q4;
  logic [64:0] end_q4;
  logic [35:0] bytes_q4;  // an element has up to 16 bytes
  logic ok, fits, shorter;
  logic [31:0] first, count;

  assign entering = {request_i, last_i, sid_i == '0, count_i, total_i, size_i, mtu_i};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= '0;
    else valid_q <= Latency'({valid_q, valid_i});
  end

  always_ff @(posedge clk_i) begin
    tag_q <= (Latency*TagW)'({tag_q, tag_i});
    chunk_q1 <= entering;
    sid_q1 <= sid_i;

    // Two clocks for the multiplication, whose registers the DSPs take in.
    product_q2 <= 64'(sid_q1) * 64'(chunk_q1.count);
    chunk_q2 <= chunk_q1;
    product_q3 <= product_q2;
    chunk_q3 <= chunk_q2;

    product_q4 <= product_q3;
    chunk_q4 <= chunk_q3;
    end_q4 <= 65'(product_q3) + 65'(chunk_q3.count);
    left_q4 <= chunk_q3.total - product_q3[31:0];  // elements from this chunk on
    rest_q4 <= chunk_q3.total - chunk_q3.count;    // elements before the last chunk
    bytes_q4 <= 36'(chunk_q3.count) << chunk_q3.size;
  end

  assign fits = bytes_q4 <= 36'(chunk_q4.mtu);
  assign shorter = left_q4 <= chunk_q4.count;

  always_comb begin
    first = product_q4[31:0];
    count = chunk_q4.count;
    if (chunk_q4.request) begin
      if (shorter) count = left_q4;
    end else if (chunk_q4.last) begin
      first = rest_q4;
    end
    if (chunk_q4.request) ok = 1'b1;
    else if (!chunk_q4.last) ok = chunk_q4.count != '0 && end_q4 < 65'(chunk_q4.total);
    else if (chunk_q4.begins) ok = chunk_q4.count == chunk_q4.total;
    else ok = chunk_q4.count != '0 && chunk_q4.count < chunk_q4.total && product_q4 <= 64'(rest_q4);
  end

  always_ff @(posedge clk_i) begin
    ok_o <= chunk_q4.request || (ok && fits);
    first_o <= first;
    count_o <= count;
    last_o <= chunk_q4.request ? shorter : chunk_q4.last;
    bytes_o <= 16'(count << chunk_q4.size);
  end

  assign valid_o = valid_q[Latency-1];
  assign tag_o = tag_q[(Latency-1)*TagW+:TagW];

`ifdef FORMAL
  `include "place_proof.svh"
`endif
endmodule
