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
  localparam int unsigned Groups = (Lanes + 7) / 8;

  // ---- Word: sums of eight numbers, then of those ----
  logic [8*Groups-1:0][15:0] lanes;
  logic [Groups-1:0][18:0] groups_q;
  logic [22:0] word_d, word_q;
  logic [1:0] valid_q, first_q;
  logic [16:0] extra_q;

  for (genvar k = 0; k < 8 * Groups; k++) begin : gen_lane
    if (k < Lanes) begin : gen_used
      assign lanes[k] = {data_i[16*k+:8], data_i[16*k+8+:8]};
    end else begin : gen_zero
      assign lanes[k] = '0;
    end
  end

  always_comb begin
    word_d = first_q[0] ? 23'(extra_q) : '0;
    for (int unsigned k = 0; k < Groups; k++) word_d += 23'(groups_q[k]);
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned k = 0; k < Groups; k++) begin
      groups_q[k] <= ((19'(lanes[8*k]) + 19'(lanes[8*k+1])) +
                      (19'(lanes[8*k+2]) + 19'(lanes[8*k+3]))) +
                     ((19'(lanes[8*k+4]) + 19'(lanes[8*k+5])) +
                      (19'(lanes[8*k+6]) + 19'(lanes[8*k+7])));
    end
    word_q <= word_d;
    valid_q <= {valid_q[0], valid_i};
    first_q <= {first_q[0], first_i};
    extra_q <= extra_i;
  end

  // ---- Message: sum of the words, folded twice ----
  logic [27:0] total_q;
  logic [16:0] once;
  logic [15:0] sum_q;

  assign once = 17'(total_q[15:0]) + 17'(total_q[27:16]);
  always_ff @(posedge clk_i) begin
    if (valid_q[1]) total_q <= (first_q[1] ? '0 : total_q) + 28'(word_q);
    sum_q <= once[15:0] + 16'(once[16]);
  end

  assign sum_o = sum_q;
endmodule
