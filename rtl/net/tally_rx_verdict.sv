// SPDX-License-Identifier: BSD-2-Clause
// Verdict on a received frame: the checks of roce_parse(), of the NIC and of the collective header,
// in the order of the C model, and the fields that the engine needs.
//
// The block takes a frame in each cycle. hdr_o is valid three cycles after the frame entered, and
// is told two cycles after it entered whether its checksums are right. body_len_o is valid one
// cycle after it entered: the bytes after the BTH without pad and ICRC, provided that the frame is
// good. mac_i and gid_i are the addresses of this node.
module tally_rx_verdict (
  input  logic                     clk_i,

  input  logic [47:0]              mac_i,
  input  logic [127:0]             gid_i,
  // Headers of the frame, as far as it has them.
  input  tally_pkg::eth_hdr_t      eth_i,
  input  tally_pkg::ipv4_hdr_t     ip4_i,
  input  tally_pkg::ipv6_hdr_t     ip6_i,
  input  tally_pkg::udp_hdr_t      udp_i,
  input  tally_pkg::bth_hdr_t      bth_i,
  input  tally_pkg::tch_t          tch_i,
  // Properties that the parser found.
  input  logic                     is_ip6_i,     // by the Ethernet type
  input  logic                     mac_error_i,
  input  logic                     too_long_i,
  input  logic [13:0]              len_i,        // bytes of the frame, unless it is too long
  input  logic [16:0]              ip_last_i,    // index of the IP packet's last byte in the frame
  // Two cycles later.
  input  logic                     ip_sum_ok_i,
  input  logic                     udp_sum_ok_i,
  input  logic                     icrc_ok_i,

  output logic [15:0]              body_len_o,
  output tally_net_pkg::rx_hdr_t   hdr_o
);
  localparam int unsigned Eth = tally_pkg::EthHdrBytes;
  localparam int unsigned End4 = Eth + tally_pkg::Ipv4HdrBytes;
  localparam int unsigned End6 = Eth + tally_pkg::Ipv6HdrBytes;
  localparam int unsigned Around = tally_pkg::UdpHdrBytes + tally_pkg::BthHdrBytes +
                                   tally_pkg::IcrcSize;

  // ---- First cycle: evaluate each check on its own ----
  typedef struct packed {
    logic mac_error, too_long, station, no_eth, ethertype, no_ip, ip_version, next_header,
        ip_options, ip_fragment, ip_length, ip_address, no_udp, udp_port, udp_length, no_bth,
        bth_version, pad, group, dest, opcode;
  } wrong_t;

  tally_net_pkg::rx_hdr_t hdr, hdr_q1, hdr_q2, hdr_q3;
  wrong_t wrong, wrong_q;
  logic is4, to_group, has_udp_sum_q1;
  logic [15:0] udp_len, padded, body_q;
  logic [1:0] pad;

  logic unused_ip4;
  assign unused_ip4 = ^ip4_i;  // id and checksum are not used
  assign is4 = eth_i.ethertype == 16'(tally_pkg::EthertypeIpv4);
  assign udp_len = is_ip6_i ? ip6_i.payload : ip4_i.total - 16'(tally_pkg::Ipv4HdrBytes);
  assign padded = udp_len - 16'(Around);
  assign pad = 2'(bth_i.flags >> tally_pkg::BthPadShift);
  assign to_group = is_ip6_i && ip6_i.dst[0] == 8'hff;

  always_comb begin
    wrong = '0;
    wrong.mac_error = mac_error_i;
    wrong.too_long = too_long_i;
    wrong.no_eth = len_i < 14'(Eth);
    wrong.station = !wrong.no_eth && eth_i.dmac != mac_i && eth_i.dmac[0:1] != 16'h3333;
    wrong.ethertype = !is_ip6_i && !is4;
    wrong.no_ip = len_i < (is_ip6_i ? 14'(End6) : 14'(End4));
    wrong.ip_version = is_ip6_i ? ip6_i.flow[31:28] != 4'd6 : ip4_i.ver_ihl[7:4] != 4'd4;
    wrong.next_header = (is_ip6_i ? ip6_i.next : ip4_i.proto) != 8'(tally_pkg::IpProtoUdp);
    wrong.ip_options = !is_ip6_i && ip4_i.ver_ihl != 8'(tally_pkg::Ipv4VerIhl);
    wrong.ip_fragment = !is_ip6_i && (ip4_i.frag & 16'(tally_pkg::Ipv4FragMask)) != '0;
    wrong.ip_length = ip_last_i >= 17'(len_i) ||
                      (!is_ip6_i && ip4_i.total < 16'(tally_pkg::Ipv4HdrBytes));
    wrong.ip_address = is_ip6_i && (ip6_i.src[0:11] == tally_net_pkg::MappedPrefix ||
                                    ip6_i.dst[0:11] == tally_net_pkg::MappedPrefix);
    wrong.no_udp = udp_len < 16'(tally_pkg::UdpHdrBytes);
    wrong.udp_port = udp_i.dport != 16'(tally_pkg::RoceUdpPort);
    wrong.udp_length = udp_i.length != udp_len;
    wrong.no_bth = udp_len < 16'(Around);
    wrong.bth_version = (bth_i.flags & 8'(tally_pkg::BthVersionMask)) != '0;
    wrong.pad = padded[1:0] != '0 || (padded == '0 && pad != '0);
    wrong.group = to_group ? eth_i.dmac != {16'h3333, ip6_i.dst[12:15]} || ip6_i.src[0] == 8'hff :
                  (eth_i.dmac[0] & 8'(tally_pkg::MacGroupBit)) != '0;
    wrong.dest = !to_group && hdr.dgid != gid_i;
    wrong.opcode = bth_i.opcode != 8'(tally_pkg::BthOpcodeColl);
  end

  always_comb begin
    hdr = '0;
    hdr.ip6 = is_ip6_i;
    hdr.dmac = eth_i.dmac;
    hdr.smac = eth_i.smac;
    hdr.sgid = is_ip6_i ? ip6_i.src : {tally_net_pkg::MappedPrefix, ip4_i.src};
    hdr.dgid = is_ip6_i ? ip6_i.dst : {tally_net_pkg::MappedPrefix, ip4_i.dst};
    hdr.flow_label = is_ip6_i ? 20'(ip6_i.flow & tally_pkg::Ipv6FlowMask) : '0;
    hdr.traffic_class = is_ip6_i ? ip6_i.flow[27:20] : ip4_i.tos;
    hdr.hop_limit = is_ip6_i ? ip6_i.hops : ip4_i.ttl;
    hdr.udp_sport = udp_i.sport;
    hdr.se = (bth_i.flags & 8'(tally_pkg::BthSe)) != '0;
    hdr.migreq = (bth_i.flags & 8'(tally_pkg::BthMigreq)) != '0;
    hdr.pkey = bth_i.pkey;
    hdr.fecn = (bth_i.qp & tally_pkg::BthFecn) != '0;
    hdr.becn = (bth_i.qp & tally_pkg::BthBecn) != '0;
    hdr.dest_qp = 24'(bth_i.qp & tally_pkg::Bth24Mask);
    hdr.ackreq = (bth_i.psn & tally_pkg::BthAckreq) != '0;
    hdr.psn = 24'(bth_i.psn & tally_pkg::Bth24Mask);
    hdr.tch = tch_i;
  end

  always_ff @(posedge clk_i) begin
    wrong_q <= wrong;
    hdr_q1 <= hdr;
    body_q <= padded - 16'(pad);
    has_udp_sum_q1 <= udp_i.checksum != '0;
  end
  assign body_len_o = body_q;

  // ---- Second cycle: find the first reason before the collective header; decode that header ----
  //
  // early: the first one of all but the checksums. What comes ahead of a checksum is told apart.
  tally_pkg::rx_e early, early_q;
  logic before_ip_sum, before_udp_sum, before_icrc;
  logic before_ip_sum_q, before_udp_sum_q, before_icrc_q, has_udp_sum_q2;
  tally_pkg::tch_t tch;
  logic [2:0] value_log, elem_log;
  logic known, pair, is_data, tch_wrong_q, elem_wrong_q, is_data_q, blocked_q, length_wrong_q;
  logic [31:0] ops;
  logic [4:0] shift_q;
  logic [31:0] count_q;
  logic [15:0] body_q2;

  always_comb begin
    early = tally_pkg::RxOk;
    if (wrong_q.mac_error) early = tally_pkg::RxMacError;
    else if (wrong_q.too_long) early = tally_pkg::RxLong;
    else if (wrong_q.station) early = tally_pkg::RxStation;
    else if (wrong_q.no_eth) early = tally_pkg::RxShort;
    else if (wrong_q.ethertype) early = tally_pkg::RxEthertype;
    else if (wrong_q.no_ip) early = tally_pkg::RxShort;
    else if (wrong_q.ip_version) early = tally_pkg::RxIpVersion;
    else if (wrong_q.next_header) early = tally_pkg::RxNextHeader;
    else if (wrong_q.ip_options) early = tally_pkg::RxIpOptions;
    else if (wrong_q.ip_fragment) early = tally_pkg::RxIpFragment;
    else if (wrong_q.ip_length) early = tally_pkg::RxIpLength;
    else if (wrong_q.ip_address) early = tally_pkg::RxIpAddress;
    else if (wrong_q.no_udp) early = tally_pkg::RxUdpLength;
    else if (wrong_q.udp_port) early = tally_pkg::RxUdpPort;
    else if (wrong_q.udp_length) early = tally_pkg::RxUdpLength;
    else if (wrong_q.no_bth) early = tally_pkg::RxShort;
    else if (wrong_q.bth_version) early = tally_pkg::RxBthVersion;
    else if (wrong_q.pad) early = tally_pkg::RxPad;
    else if (wrong_q.group) early = tally_pkg::RxGroup;
    else if (wrong_q.dest) early = tally_pkg::RxDest;
    else if (wrong_q.opcode) early = tally_pkg::RxOpcode;
  end
  assign before_ip_sum = wrong_q.mac_error || wrong_q.too_long || wrong_q.station ||
                         wrong_q.no_eth || wrong_q.ethertype || wrong_q.no_ip ||
                         wrong_q.ip_version || wrong_q.next_header || wrong_q.ip_options;
  assign before_udp_sum = before_ip_sum || wrong_q.ip_fragment || wrong_q.ip_length ||
                          wrong_q.ip_address || wrong_q.no_udp || wrong_q.udp_port ||
                          wrong_q.udp_length;
  assign before_icrc = before_udp_sum || wrong_q.no_bth;

  logic unused_tch;
  assign tch = hdr_q1.tch;
  assign unused_tch = ^tch;  // only the engine uses most fields
  assign value_log = tch.dtype[2:0];
  assign pair = tch.op == tally_pkg::OpMinloc || tch.op == tally_pkg::OpMaxloc;
  assign elem_log = pair ? (value_log == 3'd3 ? 3'd4 : 3'd3) : value_log;
  assign is_data = tch.kind == tally_pkg::KindReduce || tch.kind == tally_pkg::KindResult ||
                   tch.kind == tally_pkg::KindTrigger;

  always_comb begin
    unique case (tch.dtype)
      tally_pkg::TypeNone, tally_pkg::TypeInt8, tally_pkg::TypeInt16, tally_pkg::TypeInt32,
          tally_pkg::TypeInt64,
      tally_pkg::TypeUint8, tally_pkg::TypeUint16, tally_pkg::TypeUint32, tally_pkg::TypeUint64,
      tally_pkg::TypeFp16,
      tally_pkg::TypeFp32, tally_pkg::TypeFp64, tally_pkg::TypeBf16: known = 1'b1;
      default: known = 1'b0;
    endcase
    unique case (8'(tch.dtype[7:4]))
      tally_pkg::TypeClassInt: ops = tally_pkg::OpsInt;
      tally_pkg::TypeClassUint: ops = tally_pkg::OpsUint;
      tally_pkg::TypeClassFp: ops = tally_pkg::OpsFp;
      tally_pkg::TypeClassBf: ops = tally_pkg::OpsBf;
      default: ops = '0;
    endcase
  end

  // Mode of the message: at most one flag, and none in packets that belong to no collective
  // message.
  logic exchange, ring, has_mode;
  assign exchange = (tch.flags & tally_pkg::TchFExchange) != '0;
  assign ring = (tch.flags & tally_pkg::TchFRing) != '0;
  assign has_mode = tch.kind == tally_pkg::KindReduce || tch.kind == tally_pkg::KindResult ||
                    tch.kind == tally_pkg::KindQuery;

  // Lengths of packets without data.
  logic [15:0] fixed, body_left;
  logic fixed_known;

  // If the collective header is incomplete, this wraps to more than any valid length.
  assign body_left = body_q - 16'(tally_pkg::TchBytes);
  always_comb begin
    fixed = '0;
    fixed_known = 1'b1;
    unique case (tch.kind)
      tally_pkg::KindAck: begin
        fixed = (tch.flags & tally_pkg::TchFKillAck) != '0 ? 16'd0 : 16'(tally_pkg::TchAckBytes);
      end
      tally_pkg::KindOpen: fixed = 16'(tally_pkg::TchOpenBytes);
      tally_pkg::KindKill: fixed = 16'(tally_pkg::TchKillBytes);
      tally_pkg::KindBusy, tally_pkg::KindQuery, tally_pkg::KindNotify: fixed = '0;
      default: fixed_known = 1'b0;
    endcase
  end

  always_ff @(posedge clk_i) begin
    early_q <= early;
    before_ip_sum_q <= before_ip_sum;
    before_udp_sum_q <= before_udp_sum;
    before_icrc_q <= before_icrc;
    has_udp_sum_q2 <= has_udp_sum_q1;
    hdr_q2 <= hdr_q1;
    body_q2 <= body_left;
    tch_wrong_q <= tch.tag != tally_pkg::TchTag || tch.version != 8'(tally_pkg::WireVersion) ||
                   tch.contributor > 8'(tally_pkg::ContribParent) ||
                   (has_mode ? exchange && ring : exchange || ring) ||
                   tch.round > (tch.kind == tally_pkg::KindReduce ? 8'(tally_pkg::MaxRounds) :
                                8'd0);
    is_data_q <= is_data;
    length_wrong_q <= !is_data && (!fixed_known || body_left != fixed);
    elem_wrong_q <= !known || (pair && !ops[tch.op[4:0]]);
    blocked_q <= tch.opcode < 8'd32 && tally_pkg::OpcodesBlocks[tch.opcode[4:0]];
    shift_q <= 5'd1 << elem_log;
    count_q <= tch.count;
  end

  // ---- Third cycle: check the length of data, and the checksums in their places ----
  logic [15:0] bytes;
  logic too_many, uneven, data_wrong;
  tally_net_pkg::rx_hdr_t hdr_3;

  // An element has 1, 2, 4, 8 or 16 bytes: shift_q is one-hot.
  always_comb begin
    bytes = '0;
    for (int unsigned k = 0; k < 5; k++) if (shift_q[k]) bytes |= count_q[15:0] << k;
    too_many = 1'b0;
    for (int unsigned k = 0; k < 5; k++) begin
      if (shift_q[k]) too_many |= count_q > (tally_pkg::MaxMtu >> k);
    end
    uneven = (body_q2[4:0] & (shift_q - 5'd1)) != '0;
    data_wrong = is_data_q && (elem_wrong_q || too_many || (blocked_q ? body_q2 > bytes || uneven :
                 body_q2 != bytes));
    hdr_3 = hdr_q2;
    hdr_3.payload_len = body_q2[12:0];
    hdr_3.verdict = early_q;
    if (!hdr_q2.ip6 && !ip_sum_ok_i && !before_ip_sum_q) begin
      hdr_3.verdict = tally_pkg::RxIpChecksum;
    end else if (has_udp_sum_q2 && !udp_sum_ok_i && !before_udp_sum_q) begin
      hdr_3.verdict = tally_pkg::RxUdpChecksum;
    end else if (!icrc_ok_i && !before_icrc_q) begin
      hdr_3.verdict = tally_pkg::RxIcrc;
    end else if (early_q == tally_pkg::RxOk && (tch_wrong_q || length_wrong_q || data_wrong)) begin
      hdr_3.verdict = tally_pkg::RxTch;
    end
  end

  always_ff @(posedge clk_i) hdr_q3 <= hdr_3;
  assign hdr_o = hdr_q3;
endmodule
