// SPDX-License-Identifier: BSD-2-Clause
// Invariant CRC of RoCEv2 packets, for one 512-bit word of a frame per clock.
//
// The words are those of an Ethernet frame with an IPv4 or IPv6 header without options, header
// first, from the one with first_i to the one with last_i. Of the last word, bytes_i bytes (1 to
// 64) are covered. If the last pad byte is the last covered byte, the result is the ICRC of the
// packet. If the packet's own ICRC is covered as well, the result is ~crc_ones(0, IcrcSize) if that
// ICRC is right. The bytes after the covered ones are ignored. icrc_o is valid with valid_o exactly
// IcrcLatency cycles after the last word, and its bits 7..0 are sent first. Frames may follow one
// another without a gap. A frame without last_i has no result. The block never stalls.
//
// The CRC covers eight bytes of ones and the bytes after the Ethernet header, with ones in all
// fields that may change on the way.
module tally_icrc (
  input  logic                               clk_i,
  input  logic                               rst_ni,

  input  logic                               valid_i,
  input  logic                               first_i,
  input  logic                               last_i,
  input  logic [tally_net_pkg::WordBits-1:0] data_i,
  input  logic [tally_net_pkg::BytesW-1:0]   bytes_i,

  output logic                               valid_o,
  output logic [31:0]                        icrc_o
);
  localparam int unsigned Bits = tally_net_pkg::WordBits;
  localparam int unsigned Bytes = tally_net_pkg::WordBytes;

  localparam int unsigned HeadBits = 2 * Bits;  // bits of the words that contain headers
  localparam int unsigned EthBits = 8 * tally_pkg::EthHdrBytes;

  // Register after the leading ones. A CRC register of zero stays zero over zeros, so this value
  // enters with the packet.
  localparam logic [31:0] Seed = tally_net_pkg::crc_ones({32{1'b1}}, tally_pkg::IcrcLrhSize);

  // Masks of the fields that count as ones, first in wire order, then in the byte order of a word.
  tally_pkg::ipv4_hdr_t ip4_ones;
  tally_pkg::ipv6_hdr_t ip6_ones;
  tally_pkg::udp_hdr_t udp_ones;
  tally_pkg::bth_hdr_t bth_ones;
  tally_pkg::eth_hdr_t eth;
  logic [HeadBits-1:0] wire4, wire6, ones4, ones6;
  logic [EthBits-1:0] eth_bits;

  always_comb begin
    ip4_ones = '0;
    ip4_ones.tos = '1;
    ip4_ones.ttl = '1;
    ip4_ones.checksum = '1;
    ip6_ones = '0;
    ip6_ones.flow = ~tally_pkg::Ipv6InvariantMask;
    ip6_ones.hops = '1;
    udp_ones = '0;
    udp_ones.checksum = '1;
    bth_ones = '0;
    bth_ones.qp[31:24] = '1;  // resv8a
    wire4 = {EthBits'(0), ip4_ones, udp_ones, bth_ones,
             {HeadBits - EthBits - $bits(ip4_ones) - $bits(udp_ones) -
             $bits(bth_ones){1'b0}}};
    wire6 = {EthBits'(0), ip6_ones, udp_ones, bth_ones,
             {HeadBits - EthBits - $bits(ip6_ones) - $bits(udp_ones) -
             $bits(bth_ones){1'b0}}};
  end
  for (genvar k = 0; k < 2 * Bytes; k++) begin : gen_ones
    assign ones4[8*k+:8] = wire4[HeadBits-8-8*k+:8];
    assign ones6[8*k+:8] = wire6[HeadBits-8-8*k+:8];
  end
  for (genvar k = 0; k < tally_pkg::EthHdrBytes; k++) begin : gen_eth
    assign eth_bits[EthBits-8-8*k+:8] = data_i[8*k+:8];
  end
  assign eth = eth_bits;

  logic unused_eth;
  assign unused_eth = ^{eth.dmac, eth.smac};

  logic ip6, ip6_q, second_q;
  logic [Bits-1:0] masked;

  assign ip6 = first_i ? eth.ethertype == 16'(tally_pkg::EthertypeIpv6) : ip6_q;

  always_comb begin
    masked = data_i;
    if (first_i) begin
      masked = data_i | (ip6 ? ones6[0+:Bits] : ones4[0+:Bits]);
      masked[0+:EthBits] = '0;
      masked[EthBits+:32] = masked[EthBits+:32] ^ Seed;
    end else if (second_q) begin
      masked = data_i | (ip6 ? ones6[Bits+:Bits] : ones4[Bits+:Bits]);
    end
  end

  always_ff @(posedge clk_i) begin
    if (valid_i) begin
      ip6_q <= ip6;
      second_q <= first_i;
    end
  end

  tally_crc32_512 #(
    .Bytes(Bytes),
    .Init(32'h0)
  ) u_crc (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .valid_i(valid_i),
    .first_i(first_i),
    .last_i(last_i),
    .data_i(masked),
    .bytes_i(bytes_i),
    .valid_o(valid_o),
    .crc_o(icrc_o)
  );
endmodule
