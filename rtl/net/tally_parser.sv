// SPDX-License-Identifier: BSD-2-Clause
// Parser from Ethernet frames to collective packets. It checks and splits one 512-bit word per
// clock, even if the shortest frames follow one another without a gap.
//
// in_* takes frames without their frame check sequence. in_terror_i, at the last word, means that
// the MAC found a wrong one. Each frame gets exactly one record at hdr_*, in order: its verdict
// and, if that is RxOk, the contents of its headers. The payload of a good frame, after the
// collective header, leaves at out_*, aligned to byte 0 of a word. It has payload_len bytes, and no
// word if that is 0. No word of a bad frame leaves. The record comes 11 cycles after the frame's
// last word, and the first word of a payload 12 cycles after it. Both may have to wait for earlier
// ones. The two outputs may be taken independently of each other. The words of a packet are
// followed by those of the next packet whose payload_len is not 0.
//
// ahead_*, a pulse: what the collective header of a frame has, and where the frame comes from,
// which nothing has checked yet. Its record is the next one. The pulse comes 5 cycles before the
// record of a frame that ends there, and only if the records of all frames before have been taken.
//
// in_tready_o depends on registers only. While two payloads of MaxMtu wait to be taken, a third one
// enters without a stall. mac_i and gid_i are the addresses of this node. They may change while no
// frame is inside.
//
// The first stages find the end of the IP packet. Then the words are split and the headers judged,
// while the sums are computed from a copy of the words; they are ready when the verdict needs them,
// in its last step. The collective header begins at byte 54 with IPv4
// and at byte 74 with IPv6. Each output word is assembled from two input words by one of two
// constant shifts. The remainder of a frame leaves in the cycle after its last word, in which the
// first word of the next frame produces no output.
module tally_parser #(
  // words of payload that may wait
  parameter int unsigned Depth = 4 * tally_pkg::MaxMtu / tally_net_pkg::WordBytes,
  // records that may wait
  parameter int unsigned Records = 48
) (
  input  logic                                clk_i,
  input  logic                                rst_ni,

  input  logic [47:0]                         mac_i,
  input  logic [127:0]                        gid_i,

  input  logic                                in_tvalid_i,
  output logic                                in_tready_o,
  input  logic [tally_net_pkg::WordBits-1:0]  in_tdata_i,
  input  logic [tally_net_pkg::WordBytes-1:0] in_tkeep_i,
  input  logic                                in_tlast_i,
  input  logic                                in_terror_i,

  output logic                                ahead_valid_o,
  output logic [127:0]                        ahead_sgid_o,  // IPv4 addresses are mapped
  output tally_pkg::tch_t                     ahead_tch_o,

  output logic                                hdr_valid_o,
  input  logic                                hdr_ready_i,
  output tally_net_pkg::rx_hdr_t              hdr_o,

  output logic                                out_tvalid_o,
  input  logic                                out_tready_i,
  output logic [tally_net_pkg::WordBits-1:0]  out_tdata_o,
  output logic [tally_net_pkg::WordBytes-1:0] out_tkeep_o,
  output logic                                out_tlast_o
);
  localparam int unsigned Bits = tally_net_pkg::WordBits;
  localparam int unsigned Bytes = tally_net_pkg::WordBytes;
  localparam int unsigned BytesW = tally_net_pkg::BytesW;
  localparam int unsigned EthBits = 8 * tally_pkg::EthHdrBytes;
  localparam int unsigned Ip4Bits = 8 * tally_pkg::Ipv4HdrBytes;
  localparam int unsigned Ip6Bits = 8 * tally_pkg::Ipv6HdrBytes;
  localparam int unsigned UdpBits = 8 * tally_pkg::UdpHdrBytes;
  localparam int unsigned BthBits = 8 * tally_pkg::BthHdrBytes;
  // offset of the first byte after the IP header
  localparam int unsigned End4 = (EthBits + Ip4Bits) / 8;
  localparam int unsigned End6 = (EthBits + Ip6Bits) / 8;
  // in the first word
  localparam int unsigned Body4 = EthBits + Ip4Bits + UdpBits + BthBits;
  // in the second word
  localparam int unsigned Body6 = EthBits + Ip6Bits + UdpBits + BthBits - Bits;
  localparam int unsigned MaxWords = tally_pkg::MaxFrame / Bytes;
  localparam int unsigned MtuWords = tally_pkg::MaxMtu / Bytes;
  localparam int unsigned WordW = 7;  // counts the words of a frame, beyond MaxWords
  // The sums are compared Sums cycles after their word was in c_q, and the verdict takes them four
  // cycles after p_valid.
  localparam int unsigned Sums = tally_net_pkg::IcrcLatency + 1;
  localparam int unsigned Wait = Sums - 4;
  // CRC over a register and its own complement, that is, over a packet with its right ICRC.
  localparam logic [31:0] Residue = ~tally_net_pkg::crc_ones(32'h0, tally_pkg::IcrcSize);
  // two more than the words in the pipeline, see tally_parser_exit
  localparam int unsigned UnderWay = 15;

  // ---- Input ----
  logic [WordW-1:0] in_word_q, a_word_q;
  logic a_valid_q, a_last_q, a_error_q, a_first;
  logic [Bits-1:0] a_data_q, a_wire;
  logic [Bytes-1:0] a_keep_q;
  logic enter;

  assign enter = in_tvalid_i && in_tready_o;
  assign a_first = a_word_q == '0;
  assign a_wire = tally_net_pkg::swap(a_data_q);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      in_word_q <= '0;
      a_valid_q <= 1'b0;
    end else begin
      a_valid_q <= enter;
      if (enter) in_word_q <= in_tlast_i ? '0 : in_word_q + WordW'(in_word_q != {WordW{1'b1}});
    end
  end
  always_ff @(posedge clk_i) begin
    a_word_q <= in_word_q;
    a_last_q <= in_tlast_i;
    a_error_q <= in_terror_i && in_tlast_i;
    a_data_q <= in_tdata_i;
    a_keep_q <= in_tkeep_i;
  end

  // ---- End of the IP packet, from the first word ----
  //
  // Properties of a word that go through the pipeline with it.
  typedef struct packed {
    logic first;
    logic last;
    logic mac_error;
    logic is_ip6;
    logic [WordW-1:0] word;
    logic [BytesW-1:0] bytes;
    logic [16:0] ip_last;
    logic [Bits-1:0] data;
  } word_t;

  tally_pkg::eth_hdr_t a_eth;
  tally_pkg::ipv4_hdr_t a_ip4;
  tally_pkg::ipv6_hdr_t a_ip6;
  logic b_valid_q, unused_a;
  logic [15:0] a_udp_len;
  logic [16:0] b_pseudo_q;
  word_t b_d, b_q;

  assign a_eth = a_wire[Bits-1-:EthBits];
  assign a_ip4 = a_wire[Bits-1-EthBits-:Ip4Bits];
  assign a_ip6 = a_wire[Bits-1-EthBits-:Ip6Bits];
  assign a_udp_len = b_d.is_ip6 ? a_ip6.payload : a_ip4.total - 16'(tally_pkg::Ipv4HdrBytes);
  assign unused_a = ^{a_wire, a_eth, a_ip4, a_ip6};  // the other fields are used later

  always_comb begin
    b_d = b_q;
    b_d.first = a_first;
    b_d.last = a_last_q;
    b_d.mac_error = a_error_q;
    b_d.word = a_word_q;
    b_d.data = a_data_q;
    b_d.bytes = '0;
    for (int unsigned k = 0; k < Bytes; k++) begin  // k is the last of tkeep's ones
      if (a_keep_q[k] && (k == Bytes - 1 || !a_keep_q[(k+1)%Bytes])) begin
        b_d.bytes = b_d.bytes | BytesW'(k + 1);
      end
    end
    if (a_first) begin
      b_d.is_ip6 = a_eth.ethertype == 16'(tally_pkg::EthertypeIpv6);
      b_d.ip_last = b_d.is_ip6 ? 17'(a_ip6.payload) + 17'(End6 - 1) :
                    17'(a_ip4.total) + 17'(EthBits / 8 - 1);
    end
  end

  // The UDP sum includes a pseudo header: the protocol and the length.
  always_ff @(posedge clk_i) begin
    if (a_valid_q) b_q <= b_d;
    b_pseudo_q <= 17'(tally_pkg::IpProtoUdp) + 17'(a_udp_len);
  end

  // ---- Part of the word that belongs to the IP packet ----
  logic c_valid_q, c_inside_q, c_end_q;
  logic [16:0] c_pseudo_q;
  logic [BytesW-1:0] c_bytes_q;
  word_t c_q;

  always_ff @(posedge clk_i) begin
    c_q <= b_q;
    c_pseudo_q <= b_pseudo_q;
    c_end_q <= 11'(b_q.word) == b_q.ip_last[16:6];
    c_bytes_q <= 11'(b_q.word) == b_q.ip_last[16:6] ? BytesW'(b_q.ip_last[5:0]) + 1'b1 :
                 BytesW'(Bytes);
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      b_valid_q <= 1'b0;
      c_valid_q <= 1'b0;
      c_inside_q <= 1'b0;
    end else begin
      b_valid_q <= a_valid_q;
      c_valid_q <= b_valid_q;
      c_inside_q <= b_valid_q && 11'(b_q.word) <= b_q.ip_last[16:6];
    end
  end

  // ---- Sums: a result is ready Sums cycles after its word was in c_q ----
  logic icrc_valid, icrc_valid_q, icrc_ok_q, d_inside_q, d_first_q;
  logic [31:0] icrc;
  logic [Bits-1:0] d_data_q;
  logic [16:0] d_pseudo_q;
  logic [15:0] udp_sum, ip_sum;
  logic [Ip4Bits-1:0] d_ip4_q;
  logic udp_ok_q, ip_ok_q;  // as long after their word as the ICRC

  tally_icrc u_icrc (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .valid_i(c_inside_q),
    .first_i(c_q.first),
    .last_i(c_end_q),
    .data_i(c_q.data),
    .bytes_i(c_bytes_q),
    .valid_o(icrc_valid),
    .icrc_o(icrc)
  );

  // The UDP sum begins at the IP addresses, which directly precede the UDP header.
  for (genvar k = 0; k < Bytes; k++) begin : gen_sum
    logic counts;
    assign counts = BytesW'(k) < c_bytes_q &&
                    !(c_q.first && (c_q.is_ip6 ? k < End6 - 32 : k < End4 - 8));
    always_ff @(posedge clk_i) d_data_q[8*k+:8] <= counts ? c_q.data[8*k+:8] : '0;
  end
  always_ff @(posedge clk_i) begin
    d_inside_q <= c_inside_q;
    d_first_q <= c_q.first;
    d_pseudo_q <= c_pseudo_q;
    d_ip4_q <= c_q.data[EthBits+:Ip4Bits];
    icrc_valid_q <= icrc_valid;
    icrc_ok_q <= icrc == Residue;
    udp_ok_q <= udp_sum == 16'hffff;
    ip_ok_q <= ip_sum == 16'hffff;
  end

  tally_inet_sum #(
    .Lanes(Bits / 16)
  ) u_udp_sum (
    .clk_i(clk_i),
    .valid_i(d_inside_q),
    .first_i(d_first_q),
    .data_i(d_data_q),
    .extra_i(d_pseudo_q),
    .sum_o(udp_sum)
  );

  tally_inet_sum #(
    .Lanes(Ip4Bits / 16)
  ) u_ip_sum (
    .clk_i(clk_i),
    .valid_i(d_inside_q),
    .first_i(1'b1),
    .data_i(d_ip4_q),
    .extra_i(17'h0),
    .sum_o(ip_sum)
  );

  // The sums of a frame, at its last word.
  logic [Sums-1:0] sums_valid_q, sums_first_q;
  logic sums_ip_q, sums_icrc_q, sums_ip, sums_icrc;

  assign sums_ip = sums_first_q[Sums-1] ? ip_ok_q : sums_ip_q;
  assign sums_icrc = (icrc_valid_q && icrc_ok_q) || (!sums_first_q[Sums-1] && sums_icrc_q);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) sums_valid_q <= '0;
    else sums_valid_q <= {sums_valid_q[Sums-2:0], c_valid_q};
  end
  always_ff @(posedge clk_i) begin
    sums_first_q <= {sums_first_q[Sums-2:0], c_q.first};
    if (sums_valid_q[Sums-1]) begin
      sums_ip_q <= sums_ip;
      sums_icrc_q <= sums_icrc;
    end
  end

  // ---- Words that wait, so that the sums are ready for the verdict ----
  logic [Wait-1:0] wait_valid_q;
  logic [Wait-1:0][$bits(c_q)-1:0] wait_q;
  logic p_valid;
  word_t p;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) wait_valid_q <= '0;
    else wait_valid_q <= {wait_valid_q[Wait-2:0], c_valid_q};
  end
  always_ff @(posedge clk_i) wait_q <= {wait_q[Wait-2:0], c_q};
  assign p_valid = wait_valid_q[Wait-1];
  assign p = wait_q[Wait-1];

  // ---- State of the frame, and its newest word ----
  word_t q_q;
  logic q_end_q;
  logic [Bits-1:0] q_head_q;
  logic [Body6-1:0] q_tail_q;  // the rest of the BTH with IPv6
  logic [Bits-1:0] p_wire;

  logic unused_q;
  assign unused_q = q_q.first ^ q_q.last;
  assign p_wire = tally_net_pkg::swap(p.data);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) q_end_q <= 1'b0;
    else q_end_q <= p_valid && p.last;
  end
  always_ff @(posedge clk_i) begin
    if (p_valid) begin
      q_q <= p;
      if (p.first) q_head_q <= p_wire;
      if (p.word == WordW'(1)) q_tail_q <= p_wire[Bits-1-:Body6];
    end
  end

  // ---- Words from the collective header on ----
  logic move, s_valid_q, s_end_q;
  logic [Bits-1:0] shifted, s_data_q;
  logic [WordW-1:0] place, s_place_q;  // number of the word; 0 is the collective header
  // Inputs of tally_rx_verdict.
  typedef struct packed {
    tally_pkg::eth_hdr_t eth;
    tally_pkg::ipv4_hdr_t ip4;
    tally_pkg::ipv6_hdr_t ip6;
    tally_pkg::udp_hdr_t udp;
    tally_pkg::bth_hdr_t bth;
    tally_pkg::tch_t tch;
    logic is_ip6;
    logic mac_error;
    logic too_long;
    logic [13:0] len;
    logic [16:0] ip_last;
  } raw_t;
  raw_t raw, s_raw_q;

  assign move = q_end_q || (p_valid && !p.first);
  assign shifted = q_q.is_ip6 ? {p.data[0+:Body6], q_q.data[Bits-1:Body6]} :
                   {p.data[0+:Body4], q_q.data[Bits-1:Body4]};
  assign place = q_q.is_ip6 ? q_q.word - 1'b1 : q_q.word;  // all ones for the first word with IPv6

  always_comb begin
    raw = s_raw_q;
    raw.eth = q_head_q[Bits-1-:EthBits];
    raw.ip4 = q_head_q[Bits-1-EthBits-:Ip4Bits];
    raw.ip6 = q_head_q[Bits-1-EthBits-:Ip6Bits];
    raw.udp = q_q.is_ip6 ? q_head_q[Bits-1-EthBits-Ip6Bits-:UdpBits] :
              q_head_q[Bits-1-EthBits-Ip4Bits-:UdpBits];
    raw.bth = q_q.is_ip6 ? {q_head_q[0+:BthBits-Body6], q_tail_q} :
              q_head_q[Bits-1-EthBits-Ip4Bits-UdpBits-:BthBits];
    if (place == '0) raw.tch = tally_net_pkg::swap(shifted);
    raw.is_ip6 = q_q.is_ip6;
    raw.mac_error = q_q.mac_error;
    raw.too_long = q_q.word >= WordW'(MaxWords);
    raw.len = 14'({q_q.word, 6'b0}) + 14'(q_q.bytes);
    raw.ip_last = q_q.ip_last;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      s_valid_q <= 1'b0;
      s_end_q <= 1'b0;
    end else begin
      s_valid_q <= move;
      s_end_q <= q_end_q;
    end
  end
  always_ff @(posedge clk_i) begin
    s_data_q <= shifted;
    s_place_q <= place;
    if (move) s_raw_q <= raw;
  end

  // ---- Ahead of the verdict ----
  localparam int unsigned OlderW = $clog2(Records + UnderWay + 1);
  logic [OlderW-1:0] older_q;  // frames that have passed, and whose record was not taken

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) older_q <= '0;
    else older_q <= older_q + OlderW'(s_end_q) - OlderW'(hdr_valid_o && hdr_ready_i);
  end
  assign ahead_valid_o = s_valid_q && s_place_q == '0 && older_q == '0;
  assign ahead_sgid_o = s_raw_q.is_ip6 ? s_raw_q.ip6.src :
                        {tally_net_pkg::MappedPrefix, s_raw_q.ip4.src};
  assign ahead_tch_o = s_raw_q.tch;

  // ---- The verdict takes three cycles ----
  typedef struct packed {
    logic last;
    logic [5:0] bytes;  // 0: all bytes
    logic [Bits-1:0] data;
  } out_t;

  logic [15:0] body_len;
  tally_net_pkg::rx_hdr_t verdict;
  logic [2:0] end_q;
  logic t_valid_q, u_valid_q, v_valid_q;
  logic [WordW-1:0] t_place_q;
  logic [Bits-1:0] t_data_q;
  logic t_more, t_last;
  out_t u_q, v_q;

  tally_rx_verdict u_verdict (
    .clk_i(clk_i),
    .mac_i(mac_i),
    .gid_i(gid_i),
    .eth_i(s_raw_q.eth),
    .ip4_i(s_raw_q.ip4),
    .ip6_i(s_raw_q.ip6),
    .udp_i(s_raw_q.udp),
    .bth_i(s_raw_q.bth),
    .tch_i(s_raw_q.tch),
    .is_ip6_i(s_raw_q.is_ip6),
    .mac_error_i(s_raw_q.mac_error),
    .too_long_i(s_raw_q.too_long),
    .len_i(s_raw_q.len),
    .ip_last_i(s_raw_q.ip_last),
    .ip_sum_ok_i(sums_ip),
    .udp_sum_ok_i(udp_ok_q),
    .icrc_ok_i(sums_icrc),
    .body_len_o(body_len),
    .hdr_o(verdict)
  );

  // Whether the body continues in this word, and whether it ends in it.
  assign t_more = body_len > 16'({t_place_q, 6'b0});
  assign t_last = body_len <= 16'({t_place_q, 6'b0}) + 16'(Bytes);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      end_q <= '0;
      t_valid_q <= 1'b0;
      u_valid_q <= 1'b0;
      v_valid_q <= 1'b0;
    end else begin
      end_q <= {end_q[1:0], s_end_q};
      t_valid_q <= s_valid_q && s_place_q != '0 && s_place_q <= WordW'(MtuWords);
      u_valid_q <= t_valid_q && t_more;
      v_valid_q <= u_valid_q;
    end
  end
  always_ff @(posedge clk_i) begin
    t_place_q <= s_place_q;
    t_data_q <= s_data_q;
    u_q.last <= t_last;
    u_q.bytes <= t_last ? body_len[5:0] : '0;
    u_q.data <= t_data_q;
    v_q <= u_q;
  end

  // ---- Outputs ----
  tally_parser_exit #(
    .Width(Bits),
    .RecordW($bits(verdict)),
    .Words(Depth),
    .Records(Records),
    .UnderWay(UnderWay)
  ) u_exit (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .room_o(in_tready_o),
    .word_valid_i(v_valid_q),
    .word_last_i(v_q.last),
    .word_bytes_i(v_q.bytes),
    .word_data_i(v_q.data),
    .end_i(end_q[2]),
    .keep_i(verdict.verdict == tally_pkg::RxOk),
    .record_i(verdict),
    .hdr_valid_o(hdr_valid_o),
    .hdr_ready_i(hdr_ready_i),
    .hdr_o(hdr_o),
    .out_tvalid_o(out_tvalid_o),
    .out_tready_i(out_tready_i),
    .out_tdata_o(out_tdata_o),
    .out_tkeep_o(out_tkeep_o),
    .out_tlast_o(out_tlast_o)
  );
endmodule
