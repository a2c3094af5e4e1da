// SPDX-License-Identifier: BSD-2-Clause
// Internet checksum (RFC 1071) over words of Lanes (4 to 64) big-endian 16-bit numbers, one word
// per clock.
//
// A message begins with the word that has first_i; extra_i is added to it. sum_o is the folded
// one's complement sum of the words of the message up to the one that entered InetLatency cycles
// ago. It is 16'hffff if the words include a right checksum. A message must have fewer than 2^28 /
// (Lanes * 2^16) words. The block never stalls.
module tally_inet_sum #(
  parameter int unsigned Lanes = 32,
  localparam int unsigned Bits = 16 * Lanes
) (
  input  logic            clk_i,

  input  logic            valid_i,
  input  logic            first_i,
  input  logic [Bits-1:0] data_i,
  input  logic [16:0]     extra_i,

  output logic [15:0]     sum_o
);
  localparam int unsigned Quads = (Lanes + 3) / 4;
  localparam int unsigned Groups = (Quads + 3) / 4;

  // ---- Word: sums of four numbers, twice, then of the remaining ones ----
  logic [16*Groups-1:0][15:0] lanes;
  logic [4*Groups-1:0][17:0] quads_q;
  logic [Groups-1:0][19:0] groups_q;
  logic [22:0] word_d, word_q;
  logic [2:0] valid_q, first_q;
  logic [1:0][16:0] extra_q;

  for (genvar k = 0; k < 16 * Groups; k++) begin : gen_lane
    if (k < Lanes) begin : gen_used
      assign lanes[k] = {data_i[16*k+:8], data_i[16*k+8+:8]};
    end else begin : gen_zero
      assign lanes[k] = '0;
    end
  end

  always_comb begin
    word_d = first_q[1] ? 23'(extra_q[1]) : '0;
    for (int unsigned k = 0; k < Groups; k++) word_d += 23'(groups_q[k]);
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned k = 0; k < 4 * Groups; k++) begin
      quads_q[k] <= (18'(lanes[4*k]) + 18'(lanes[4*k+1])) + (18'(lanes[4*k+2]) + 18'(lanes[4*k+3]));
    end
    for (int unsigned k = 0; k < Groups; k++) begin
      groups_q[k] <= (20'(quads_q[4*k]) + 20'(quads_q[4*k+1])) +
                     (20'(quads_q[4*k+2]) + 20'(quads_q[4*k+3]));
    end
    word_q <= word_d;
    valid_q <= {valid_q[1:0], valid_i};
    first_q <= {first_q[1:0], first_i};
    extra_q <= {extra_q[0], extra_i};
  end

  // ---- Message: sum of the words, folded twice ----
  logic [27:0] total_q;
  logic [16:0] once_q;
  logic [15:0] sum_q;

  always_ff @(posedge clk_i) begin
    if (valid_q[2]) total_q <= (first_q[2] ? '0 : total_q) + 28'(word_q);
    once_q <= 17'(total_q[15:0]) + 17'(total_q[27:16]);
    sum_q <= once_q[15:0] + 16'(once_q[16]);
  end

  assign sum_o = sum_q;
endmodule
