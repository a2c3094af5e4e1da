// SPDX-License-Identifier: BSD-2-Clause
// Computes the values that tally_encap needs before the first word of a packet from its header.
// Combinational.
module tally_encap_head #(
  parameter int unsigned Mtu = tally_pkg::MaxMtu,
  localparam int unsigned Head4 = tally_pkg::EthHdrBytes + tally_pkg::Ipv4HdrBytes +
                                  tally_pkg::UdpHdrBytes +
                                  tally_pkg::BthHdrBytes + tally_pkg::TchBytes,
  localparam int unsigned Head6 = Head4 - tally_pkg::Ipv4HdrBytes + tally_pkg::Ipv6HdrBytes,
  localparam int unsigned HeadBits = 8 * Head6
) (
  input  tally_encap_pkg::tx_hdr_t hdr_i,

  // bytes before the payload, with zero checksums; byte 0 in bits 7..0
  output logic [HeadBits-1:0]      head_o,
  output logic                     ip6_o,
  output logic [12:0]              len_o,         // length of the frame in bytes
  output logic [6:0]               words_o,       // length of the frame in words
  output logic                     straddle_o,    // the last word holds only the end of the ICRC
  // bytes before the ICRC, in the word of the last of them
  output logic [6:0]               covered_o,
  // words of payload; undefined for a refused length
  output logic [6:0]               pay_words_o,
  output logic [63:0]              pay_keep_o,    // tkeep of the last of these words
  output logic [18:0]              ip_sum_o,      // sum of the IPv4 header
  output logic [16:0]              pseudo_o,      // protocol plus UDP length
  output tally_encap_pkg::err_e    err_o
);
  localparam int unsigned UdpExtra = tally_pkg::UdpHdrBytes + tally_pkg::BthHdrBytes +
                                     tally_pkg::TchBytes +
                                     tally_pkg::IcrcSize;

  logic sip4, dip4;
  logic [1:0] pad;
  logic [5:0] pay_end;  // index of the last byte of payload in its word
  logic [12:0] padded, covered, udp_len;
  logic [15:0] ip4_total;
  logic [7:0] tos;

  assign sip4 = hdr_i.sgid[127:32] == tally_net_pkg::MappedPrefix;
  assign dip4 = hdr_i.dgid[127:32] == tally_net_pkg::MappedPrefix;
  assign ip6_o = !sip4;
  assign pad = -hdr_i.payload_len[1:0];
  assign padded = hdr_i.payload_len + 13'(pad);
  assign udp_len = padded + 13'(UdpExtra);
  assign ip4_total = 16'(padded) + 16'(UdpExtra + tally_pkg::Ipv4HdrBytes);
  assign covered = padded + (sip4 ? 13'(Head4) : 13'(Head6));
  assign pseudo_o = 17'(udp_len) + 17'(tally_pkg::IpProtoUdp);
  assign len_o = covered + 13'(tally_pkg::IcrcSize);
  // All headers end two bytes after a multiple of four. Therefore no frame fills its last word, and
  // no word begins with the start of the ICRC.
  assign words_o = len_o[12:6] + 1'b1;
  assign straddle_o = len_o[5:0] < 6'(tally_pkg::IcrcSize);
  assign covered_o = 7'(covered[5:0]);
  assign pay_words_o = hdr_i.payload_len[12:6] + 7'(hdr_i.payload_len[5:0] != '0);
  assign pay_end = hdr_i.payload_len[5:0] - 1'b1;
  assign pay_keep_o = {64{1'b1}} >> ~pay_end;

  always_comb begin
    err_o = tally_encap_pkg::ErrNone;
    if (sip4 != dip4) err_o = tally_encap_pkg::ErrGids;
    else if (sip4 && hdr_i.flow_label != '0) err_o = tally_encap_pkg::ErrFlow;
    else if (hdr_i.payload_len > 13'(Mtu)) err_o = tally_encap_pkg::ErrLength;
  end

  // ---- The headers ----
  tally_pkg::eth_hdr_t eth;
  tally_pkg::ipv4_hdr_t ip4;
  tally_pkg::ipv6_hdr_t ip6;
  tally_pkg::udp_hdr_t udp;
  tally_pkg::bth_hdr_t bth;
  tally_pkg::tch_t tch;
  logic [8*Head4-1:0] wire4;
  logic [8*Head6-1:0] wire6;

  assign tos = {hdr_i.traffic_class[7:2], tally_encap_pkg::EcnEct0};

  always_comb begin
    eth = '0;
    eth.dmac = hdr_i.dmac;
    eth.smac = hdr_i.smac;
    eth.ethertype = sip4 ? 16'(tally_pkg::EthertypeIpv4) : 16'(tally_pkg::EthertypeIpv6);

    ip4 = '0;  // the identification is zero: unfragmentable packets need none (RFC 6864)
    ip4.ver_ihl = 8'(tally_pkg::Ipv4VerIhl);
    ip4.tos = tos;
    ip4.total = ip4_total;
    ip4.frag = 16'(tally_pkg::Ipv4DontFragment);
    ip4.ttl = hdr_i.hop_limit;
    ip4.proto = 8'(tally_pkg::IpProtoUdp);
    ip4.src = hdr_i.sgid[31:0];
    ip4.dst = hdr_i.dgid[31:0];

    ip6 = '0;
    ip6.flow = {4'd6, tos, hdr_i.flow_label};
    ip6.payload = 16'(udp_len);
    ip6.next = 8'(tally_pkg::IpProtoUdp);
    ip6.hops = hdr_i.hop_limit;
    ip6.src = hdr_i.sgid;
    ip6.dst = hdr_i.dgid;

    udp = '0;
    udp.sport = hdr_i.udp_sport;
    udp.dport = 16'(tally_pkg::RoceUdpPort);
    udp.length = 16'(udp_len);

    bth = '0;
    bth.opcode = 8'(tally_pkg::BthOpcodeColl);
    bth.flags = (hdr_i.se ? 8'(tally_pkg::BthSe) : '0) | (hdr_i.migreq ? 8'(tally_pkg::BthMigreq) :
                                                          '0) |
                8'(pad) << tally_pkg::BthPadShift;
    bth.pkey = hdr_i.pkey;
    bth.qp = 32'(hdr_i.dest_qp) | (hdr_i.fecn ? tally_pkg::BthFecn : '0) |
             (hdr_i.becn ? tally_pkg::BthBecn : '0);
    bth.psn = 32'(hdr_i.psn) | (hdr_i.ackreq ? tally_pkg::BthAckreq : '0);

    tch = hdr_i.tch;
    tch.tag = tally_pkg::TchTag;
    tch.version = 8'(tally_pkg::WireVersion);
  end

  assign wire4 = {eth, ip4, udp, bth, tch};
  assign wire6 = {eth, ip6, udp, bth, tch};
  for (genvar k = 0; k < Head6; k++) begin : gen_head
    if (k < Head4) begin : gen_both
      assign head_o[8*k+:8] = sip4 ? wire4[8*(Head4-1-k)+:8] : wire6[8*(Head6-1-k)+:8];
    end else begin : gen_ip6
      assign head_o[8*k+:8] = sip4 ? '0 : wire6[8*(Head6-1-k)+:8];
    end
  end

  assign ip_sum_o = 19'({ip4.ver_ihl, ip4.tos}) + 19'(ip4.total) + 19'(ip4.frag) +
                    19'({ip4.ttl, ip4.proto}) +
                    19'(hdr_i.sgid[31:16]) + 19'(hdr_i.sgid[15:0]) + 19'(hdr_i.dgid[31:16]) +
                    19'(hdr_i.dgid[15:0]);
endmodule
