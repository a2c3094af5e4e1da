// SPDX-License-Identifier: BSD-2-Clause
// ICRC and UDP checksum of the frames that tally_encap builds, for one 512-bit word per clock.
//
// The words are those of a frame, header first, beginning with the one with first_i. Unused bytes
// and the checksum fields are zero. ip6_i and pseudo_i (protocol plus UDP length) are valid with
// the first word. last_i marks the word with the last byte before the ICRC, and bytes_i (1 to 64)
// is the number of its bytes before the ICRC. Exactly EncapSumsLatency cycles later, valid_o
// presents both checksums: icrc_o, whose bits 7..0 are sent first, and udp_o, which also covers the
// ICRC. Frames may follow one another without a gap. The block never stalls.
module tally_encap_sums (
  input  logic                               clk_i,
  input  logic                               rst_ni,

  input  logic                               valid_i,
  input  logic                               first_i,
  input  logic                               last_i,
  input  logic                               ip6_i,
  input  logic [16:0]                        pseudo_i,
  input  logic [tally_net_pkg::WordBits-1:0] data_i,
  input  logic [tally_net_pkg::BytesW-1:0]   bytes_i,

  output logic                               valid_o,
  output logic [31:0]                        icrc_o,
  output logic [15:0]                        udp_o
);
  localparam int unsigned Bits = tally_net_pkg::WordBits;
  // Offset of the IP addresses, where the UDP checksum begins.
  localparam int unsigned Addr4 = tally_pkg::EthHdrBytes + tally_pkg::Ipv4HdrBytes - 8;
  localparam int unsigned Addr6 = tally_pkg::EthHdrBytes + tally_pkg::Ipv6HdrBytes - 32;

  logic icrc_valid;
  logic [31:0] icrc;

  tally_icrc u_icrc (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .valid_i(valid_i),
    .first_i(first_i),
    .last_i(last_i),
    .data_i(data_i),
    .bytes_i(bytes_i),
    .valid_o(icrc_valid),
    .icrc_o(icrc)
  );

  // ---- UDP sum without the ICRC, at the same time: a cycle clears what does not count ----
  logic counted_valid_q, counted_first_q;
  logic [16:0] counted_pseudo_q;
  logic [Bits-1:0] counted_q;
  logic [15:0] sum;

  always_ff @(posedge clk_i) begin
    counted_valid_q <= valid_i;
    counted_first_q <= first_i;
    counted_pseudo_q <= pseudo_i;
    counted_q <= data_i;
    if (first_i) begin
      counted_q[0+:8*Addr6] <= '0;
      if (!ip6_i) counted_q[8*Addr6+:8*(Addr4-Addr6)] <= '0;
    end
  end

  tally_inet_sum #(
    .Lanes(Bits / 16)
  ) u_udp_sum (
    .clk_i(clk_i),
    .valid_i(counted_valid_q),
    .first_i(counted_first_q),
    .data_i(counted_q),
    .extra_i(counted_pseudo_q),
    .sum_o(sum)
  );

  // ---- Add the ICRC and fold. A checksum of zero is sent as ones, since zero means none ----
  logic folded_valid_q;
  logic [17:0] added;
  logic [16:0] folded_q;
  logic [31:0] folded_icrc_q;
  logic [15:0] total;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) folded_valid_q <= 1'b0;
    else folded_valid_q <= icrc_valid;
  end

  assign added = (18'({icrc[7:0], icrc[15:8]}) + 18'({icrc[23:16], icrc[31:24]})) + 18'(sum);
  always_ff @(posedge clk_i) begin
    folded_q <= 17'(added[15:0]) + 17'(added[17:16]);
    folded_icrc_q <= icrc;
  end

  assign total = folded_q[15:0] + 16'(folded_q[16]);
  assign valid_o = folded_valid_q;
  assign icrc_o = folded_icrc_q;
  assign udp_o = &total ? total : ~total;
endmodule
