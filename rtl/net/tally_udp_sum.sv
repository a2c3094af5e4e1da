// SPDX-License-Identifier: BSD-2-Clause
// The one's complement sum that a UDP checksum is the complement of, over a frame of one 512-bit word each clock.
//
// Words are those of an Ethernet frame with an IPv4 or IPv6 header without options, header first, from the one with
// first_i to the one with last_i, zeros where there is nothing, zeros in the checksum's field. The sum is over
// addresses, protocol, UDP length, UDP header and all behind it; sum_o has it exactly Latency cycles after the last
// word. A frame without last_i has none. Nothing stalls.
module tally_udp_sum #(
  localparam int unsigned Latency = tally_net_pkg::IcrcLatency
) (
  input  logic                               clk_i,

  input  logic                               valid_i,
  input  logic                               first_i,
  input  logic [tally_net_pkg::WordBits-1:0] data_i,

  output logic [15:0]                        sum_o
);
  localparam int unsigned Fields = tally_net_pkg::WordBits / 16;
  localparam int unsigned Levels = $clog2(Fields);
  localparam int unsigned SumW = 16 + Levels;
  // 16-bit fields of the frame: those before the addresses do not count.
  localparam int unsigned Addr4 = (tally_pkg::EthHdrBytes + tally_pkg::Ipv4HdrBytes - 8) / 2;
  localparam int unsigned Addr6 = (tally_pkg::EthHdrBytes + tally_pkg::Ipv6HdrBytes - 32) / 2;
  localparam int unsigned Type = (tally_pkg::EthHdrBytes - 2) / 2;
  localparam int unsigned Length4 = (tally_pkg::EthHdrBytes + tally_pkg::Ipv4HdrBytes + 4) / 2;
  localparam int unsigned Length6 = (tally_pkg::EthHdrBytes + tally_pkg::Ipv6HdrBytes + 4) / 2;
  localparam int unsigned Delay = Latency - Levels - 4;

  // ---- What counts of a word; in a frame's first, protocol and UDP length stand in for what does not ----
  logic [Fields-1:0][15:0] word, counted;
  logic ip6;

  for (genvar f = 0; f < Fields; f++) begin : g_field
    assign word[f] = {data_i[16*f+:8], data_i[16*f+8+:8]};
  end
  assign ip6 = word[Type] == 16'(tally_pkg::EthertypeIpv6);

  always_comb begin
    counted = word;
    if (first_i) begin
      for (int unsigned f = 0; f < Addr4; f++) if (f < Addr6 || !ip6) counted[f] = '0;
      counted[0] = 16'(tally_pkg::IpProtoUdp);
      counted[1] = ip6 ? word[Length6] : word[Length4];
    end
  end

  // ---- Its sum, two by two ----
  logic [Levels:0] valid_q, first_q;
  logic [Levels:0][Fields-1:0][SumW-1:0] sums_d, sums_q;

  for (genvar f = 0; f < Fields; f++) begin : g_leaf
    assign sums_d[0][f] = SumW'(counted[f]);
  end
  for (genvar l = 1; l <= Levels; l++) begin : g_level
    for (genvar f = 0; f < Fields; f++) begin : g_sum
      if (f < Fields >> l) begin : g_add
        assign sums_d[l][f] = sums_q[l-1][2*f] + sums_q[l-1][2*f+1];
      end else begin : g_none
        assign sums_d[l][f] = '0;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    valid_q <= {valid_q[Levels-1:0], valid_i};
    first_q <= {first_q[Levels-1:0], first_i};
    sums_q <= sums_d;
  end

  // ---- The frame's: 28 bits suffice for 128 words, more than the longest frame has ----
  logic [27:0] frame_q;
  logic [16:0] folded_q;
  logic [Delay:0][15:0] out_q;

  always_ff @(posedge clk_i) begin
    if (valid_q[Levels]) frame_q <= (first_q[Levels] ? '0 : frame_q) + 28'(sums_q[Levels][0]);
    folded_q <= 17'(frame_q[27:16]) + 17'(frame_q[15:0]);
    out_q <= {out_q[Delay-1:0], folded_q[15:0] + 16'(folded_q[16])};
  end

  assign sum_o = out_q[Delay];
endmodule
