// SPDX-License-Identifier: BSD-2-Clause
// Place of a chunk in its message: place_chunk() and the test of the length in message.c of the
// model for packets, and slot_post() of segment.c for chunks of a work request.
//
// All chunks of a message have the same number of elements, except that the last may be shorter. A
// packet tells the number of elements of its chunk and whether that is the last one; a request
// knows that of all chunks but the last. ok_o says whether the chunk of a packet is possible and
// fits into the MTU. Those of requests have been checked.
//
// One chunk is inside at a time: the next one may enter with the answer of the one before. The
// answer comes tally_plan_pkg::PlaceLatency clocks after the chunk; that of the first chunk of a
// message comes two clocks earlier, since it lies at 0 without a multiplication. mtu_i is that of
// the chunk from the second clock after valid_i on, until the answer.
module tally_place (
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

  output logic            valid_o,
  output logic            ok_o,
  output logic [31:0]     first_o,  // first element of the chunk
  output logic [31:0]     count_o,
  output logic            last_o,
  output logic [15:0]     bytes_o
);
  typedef struct packed {
    logic request;
    logic last;
    logic [31:0] sid;
    logic [31:0] count;
    logic [31:0] total;
    logic [2:0] size;
  } chunk_t;

  chunk_t chunk_q;
  logic valid_q1, valid_q2, valid_q3, valid_q4, begins;
  logic [31:0] left_q4, rest_q4;
  logic [63:0] product_q2, product_q3, product, product_q4;
  logic [64:0] end_q4;
  logic [35:0] bytes_q4;  // an element has up to 16 bytes
  logic ok, fits, shorter;
  logic [31:0] first, count;

  assign begins = chunk_q.sid == '0;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q1 <= 1'b0;
      valid_q2 <= 1'b0;
      valid_q3 <= 1'b0;
      valid_q4 <= 1'b0;
      valid_o <= 1'b0;
    end else begin
      valid_q1 <= valid_i;
      valid_q2 <= valid_q1 && !begins;
      valid_q3 <= valid_q2;
      valid_q4 <= valid_q3 || (valid_q1 && begins);
      valid_o <= valid_q4;
    end
  end

  assign product = begins ? '0 : product_q3;
  always_ff @(posedge clk_i) begin
    if (valid_i) chunk_q <= {request_i, last_i, sid_i, count_i, total_i, size_i};

    // Two clocks for the multiplication, whose registers the DSPs take in.
    product_q2 <= 64'(chunk_q.sid) * 64'(chunk_q.count);
    product_q3 <= product_q2;

    product_q4 <= product;
    end_q4 <= 65'(product) + 65'(chunk_q.count);
    left_q4 <= chunk_q.total - product[31:0];   // elements from this chunk on
    rest_q4 <= chunk_q.total - chunk_q.count;   // elements before the last chunk
    bytes_q4 <= 36'(chunk_q.count) << chunk_q.size;
  end

  assign fits = bytes_q4 <= 36'(mtu_i);
  assign shorter = left_q4 <= chunk_q.count;

  always_comb begin
    first = product_q4[31:0];
    count = chunk_q.count;
    if (chunk_q.request) begin
      if (shorter) count = left_q4;
    end else if (chunk_q.last) begin
      first = rest_q4;
    end
    if (chunk_q.request) ok = 1'b1;
    else if (!chunk_q.last) ok = chunk_q.count != '0 && end_q4 < 65'(chunk_q.total);
    else if (begins) ok = chunk_q.count == chunk_q.total;
    else ok = chunk_q.count != '0 && chunk_q.count < chunk_q.total && product_q4 <= 64'(rest_q4);
  end

  always_ff @(posedge clk_i) begin
    ok_o <= chunk_q.request || (ok && fits);
    first_o <= first;
    count_o <= count;
    last_o <= chunk_q.request ? shorter : chunk_q.last;
    bytes_o <= 16'(count << chunk_q.size);
  end

`ifdef FORMAL
  `include "place_proof.svh"
`endif
endmodule
