// SPDX-License-Identifier: BSD-2-Clause
// Builds collective packets: Ethernet, IPv4 or IPv6, UDP, BTH, collective header, payload, pad,
// ICRC (roce_build() and packet_send() of the C model).
//
// hdr_i describes a packet. Its payload follows as one AXI4-Stream packet. A header with payload
// length zero has no payload packet; the block cannot detect a surplus one. The frame leaves as
// another AXI4-Stream packet, without idle cycles between its words, as Ethernet MACs require: it
// waits in a packet RAM until it is complete and its checksums are known. Bytes outside of tkeep
// are zero. All frames have more than MinFrame bytes, so none is padded.
//
// If the header is invalid, or the payload's tlast or tkeep disagree with its length, nothing of
// the packet leaves. The block takes its payload up to tlast, and then err_valid_o reports the
// reason for one cycle. Each header therefore has one frame or one error. Frames leave in the order
// of the headers. Errors are not ordered relative to frames.
//
// Rate: one word of the frame per clock on both sides of the RAM, also between packets. Latency: at
// most 11 cycles from the last word of the payload to the first word of the frame. With a payload
// of one word, or from a header without payload, it is at most 10 plus the words of the frame. No
// ready signal depends on a signal of the same cycle, but frame_tready_i feeds the RAM's read side.
// A reset empties the RAM, which must have room for two frames of maximum length.
module tally_encap #(
  parameter int unsigned Mtu = tally_pkg::MaxMtu,
  parameter int unsigned RamWords = 512,  // a power of two
  // complete frames at most; small frames reach full rate with this many
  parameter int unsigned Frames = 16
) (
  input  logic                               clk_i,
  input  logic                               rst_ni,

  input  logic                               hdr_valid_i,
  output logic                               hdr_ready_o,
  input  tally_encap_pkg::tx_hdr_t           hdr_i,

  input  logic                               pay_tvalid_i,
  output logic                               pay_tready_o,
  input  logic [tally_net_pkg::WordBits-1:0] pay_tdata_i,
  input  logic [tally_net_pkg::WordBytes-1:0] pay_tkeep_i,
  input  logic                               pay_tlast_i,

  output logic                               frame_tvalid_o,
  input  logic                               frame_tready_i,
  output logic [tally_net_pkg::WordBits-1:0] frame_tdata_o,
  output logic [tally_net_pkg::WordBytes-1:0] frame_tkeep_o,
  output logic                               frame_tlast_o,

  output logic                               err_valid_o,
  output tally_encap_pkg::err_e              err_o
);
  localparam int unsigned Bits = tally_net_pkg::WordBits;
  localparam int unsigned Bytes = tally_net_pkg::WordBytes;
  // Bytes before the payload.
  localparam int unsigned Head4 = tally_pkg::EthHdrBytes + tally_pkg::Ipv4HdrBytes +
                                  tally_pkg::UdpHdrBytes +
                                  tally_pkg::BthHdrBytes + tally_pkg::TchBytes;
  localparam int unsigned Head6 = Head4 - tally_pkg::Ipv4HdrBytes + tally_pkg::Ipv6HdrBytes;
  localparam int unsigned HeadBits = 8 * Head6;
  // Offset of the payload in its first word. Byte 0 of each word of payload goes there.
  localparam int unsigned At4 = Head4 % Bytes;
  localparam int unsigned At6 = Head6 % Bytes;
  localparam int unsigned Carry = At6 > At4 ? At6 : At4;

  // ---- Header: one cycle to decode it ----
  logic rec_valid_q, load;
  tally_encap_pkg::tx_hdr_t rec_q;
  logic [HeadBits-1:0] head_new;
  logic ip6_new, straddle_new;
  logic [12:0] len_new;
  logic [6:0] words_new, covered_new, pay_words_new;
  logic [Bytes-1:0] pay_keep_new;
  logic [18:0] ip_sum_new;
  logic [16:0] pseudo_new;
  tally_encap_pkg::err_e err_new;

  assign hdr_ready_o = !rec_valid_q;

  always_ff @(posedge clk_i) if (hdr_ready_o) rec_q <= hdr_i;

  tally_encap_head #(
    .Mtu(Mtu)
  ) u_head (
    .hdr_i(rec_q),
    .head_o(head_new),
    .ip6_o(ip6_new),
    .len_o(len_new),
    .words_o(words_new),
    .straddle_o(straddle_new),
    .covered_o(covered_new),
    .pay_words_o(pay_words_new),
    .pay_keep_o(pay_keep_new),
    .ip_sum_o(ip_sum_new),
    .pseudo_o(pseudo_new),
    .err_o(err_new)
  );

  // ---- Payload: one word ----
  logic pay_valid_q, pay_last_q, pay_take;
  logic [Bits-1:0] pay_q;
  logic [Bytes-1:0] pay_keep_q;

  assign pay_tready_o = !pay_valid_q || pay_take;

  always_ff @(posedge clk_i) begin
    if (pay_tready_o) begin
      for (int unsigned k = 0; k < Bytes; k++) begin
        pay_q[8*k+:8] <= pay_tkeep_i[k] ? pay_tdata_i[8*k+:8] : '0;
      end
      pay_keep_q <= pay_tkeep_i;
      pay_last_q <= pay_tlast_i;
    end
  end

  // ---- Current packet, one word at a time ----
  logic cur_valid_q, ip6_q, first_q, second_q, straddle_q, bad_q, has_pay_q;
  logic [HeadBits-1:0] head_q;
  logic [12:0] len_q;
  logic [6:0] words_q, covered_q, pay_words_q;
  logic [Bytes-1:0] last_keep_q;
  logic [18:0] ip_sum_q;
  logic [16:0] pseudo_q;
  tally_encap_pkg::err_e err_q;
  logic [8*Carry-1:0] carry_q, carry_d;
  logic ram_room, lens_room;
  logic pay_turn, pay_end, last_word, step, emit, abandon, drained, finish, covered_end;
  tally_encap_pkg::err_e pay_err;
  logic [Bits-1:0] pay_word, word;

  assign pay_turn = pay_words_q != '0 && !first_q && !(ip6_q && second_q);
  assign pay_end = pay_words_q == 7'd1;
  assign last_word = words_q == 7'd1;
  assign covered_end = straddle_q ? words_q == 7'd2 : last_word;

  // A frame reserves its place among the complete frames before its first word.
  assign step = cur_valid_q && !bad_q && ram_room && (lens_room || !first_q) &&
                (pay_valid_q || !pay_turn);
  assign emit = step && !(pay_turn && pay_err != tally_encap_pkg::ErrNone);
  assign abandon = step && pay_turn && pay_err != tally_encap_pkg::ErrNone;
  assign drained = cur_valid_q && bad_q && (!has_pay_q || (pay_valid_q && pay_last_q));
  assign finish = (emit && last_word) || drained;
  assign load = rec_valid_q && (!cur_valid_q || finish);
  // The word of an abandoned packet is taken once bad_q is set.
  assign pay_take = (emit && pay_turn) || (cur_valid_q && bad_q && has_pay_q);

  always_comb begin
    pay_err = tally_encap_pkg::ErrNone;
    if (pay_last_q && !pay_end) pay_err = tally_encap_pkg::ErrShort;
    else if (!pay_last_q && pay_end) pay_err = tally_encap_pkg::ErrLong;
    else if (pay_keep_q != (pay_end ? last_keep_q : {Bytes{1'b1}})) begin
      pay_err = tally_encap_pkg::ErrKeep;
    end
  end

  assign pay_word = pay_turn ? pay_q : '0;
  assign carry_d = ip6_q ? (8*Carry)'(pay_word[Bits-1:8*(Bytes-At6)]) :
                   pay_word[Bits-1:8*(Bytes-At4)];
  assign word = head_q[0+:Bits] | Bits'(carry_q) |
                (ip6_q ? pay_word << 8 * At6 : pay_word << 8 * At4);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      rec_valid_q <= 1'b0;
      pay_valid_q <= 1'b0;
      cur_valid_q <= 1'b0;
      err_valid_o <= 1'b0;
    end else begin
      rec_valid_q <= rec_valid_q ? !load : hdr_valid_i;
      if (pay_tready_o) pay_valid_q <= pay_tvalid_i;
      cur_valid_q <= load || (cur_valid_q && !finish);
      err_valid_o <= drained;
    end
  end

  always_ff @(posedge clk_i) begin
    err_o <= err_q;
    if (load) begin
      head_q <= head_new;
      ip6_q <= ip6_new;
      first_q <= 1'b1;
      second_q <= 1'b0;
      straddle_q <= straddle_new;
      len_q <= len_new;
      words_q <= words_new;
      covered_q <= covered_new;
      pay_words_q <= pay_words_new;
      has_pay_q <= rec_q.payload_len != '0;  // of any length, including a refused one
      last_keep_q <= pay_keep_new;
      ip_sum_q <= ip_sum_new;
      pseudo_q <= pseudo_new;
      carry_q <= '0;
      bad_q <= err_new != tally_encap_pkg::ErrNone;
      err_q <= err_new;
    end else if (emit) begin
      head_q <= head_q >> Bits;
      first_q <= 1'b0;
      second_q <= first_q;
      words_q <= words_q - 1'b1;
      if (pay_turn) pay_words_q <= pay_words_q - 1'b1;
      carry_q <= carry_d;
    end else if (abandon) begin
      bad_q <= 1'b1;
      err_q <= pay_err;
    end
  end

  // ---- Output of the word to the RAM and to the checksums ----
  logic word_valid_q, word_first_q, word_end_q, word_ip6_q;
  logic [16:0] word_pseudo_q;
  logic [Bits-1:0] word_q;
  logic [6:0] word_bytes_q;
  logic sums_push;
  logic [31:0] icrc;
  logic [15:0] udp_checksum;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) word_valid_q <= 1'b0;
    else word_valid_q <= emit;
  end

  always_ff @(posedge clk_i) begin
    word_q <= word;
    word_first_q <= first_q;
    word_end_q <= covered_end;
    word_ip6_q <= ip6_q;
    word_pseudo_q <= pseudo_q;
    word_bytes_q <= covered_end ? covered_q : 7'(Bytes);
  end

`ifndef FORMAL
  tally_encap_sums u_encap_sums (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .valid_i(word_valid_q),
    .first_i(word_first_q),
    .last_i(word_end_q),
    .ip6_i(word_ip6_q),
    .pseudo_i(word_pseudo_q),
    .data_i(word_q),
    .bytes_i(word_bytes_q),
    .valid_o(sums_push),
    .icrc_o(icrc),
    .udp_o(udp_checksum)
  );
`endif

  // ---- Complete frames: their words, the values known at the last word, those known later ----
  logic fetch, fetch_last, lens_push, sums_valid, ip6_out;
  logic [12:0] len_out;
  logic [16:0] ip_folded;
  logic [15:0] ip_checksum, ip_checksum_out, udp_out;
  logic [31:0] icrc_out;
  logic [Bits-1:0] ram_word;
  logic [$clog2(Frames + 1)-1:0] lens_used, sums_used;
  logic lens_valid, sums_room, complete, unused;

  assign lens_push = emit && last_word;
  assign ip_folded = 17'(ip_sum_q[15:0]) + 17'(ip_sum_q[18:16]);
  assign ip_checksum = ~(ip_folded[15:0] + 16'(ip_folded[16]));

  tally_encap_ring #(
    .Width(Bits),
    .Words(RamWords)
  ) u_ring (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .room_o(ram_room),
    .write_i(emit),
    .last_i(last_word),
    .abort_i(abandon),
    .wdata_i(word),
    .read_i(fetch),
    .rdata_o(ram_word)
  );

  tally_fifo #(
    .Width(1 + 13 + 16),
    .Depth(Frames)
  ) u_lens (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .in_valid_i(lens_push),
    .in_ready_o(lens_room),
    .in_i({ip6_q, len_q, ip_checksum}),
    .out_valid_o(lens_valid),
    .out_ready_i(fetch && fetch_last),
    .out_o({ip6_out, len_out, ip_checksum_out}),
    .used_o(lens_used)
  );

  // Never full: the frame has its place in u_lens before.
  tally_fifo #(
    .Width(32 + 16),
    .Depth(Frames)
  ) u_sums (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .in_valid_i(sums_push),
    .in_ready_o(sums_room),
    .in_i({icrc, udp_checksum}),
    .out_valid_o(sums_valid),
    .out_ready_i(fetch && fetch_last),
    .out_o({icrc_out, udp_out}),
    .used_o(sums_used)
  );
  assign unused = ^{lens_used, sums_used, sums_room};

  // ---- Output from the RAM: fetch a word, then insert the checksums ----
  logic fetch_first_q, move_ram, move_out;
  logic [6:0] fetch_left_q, fetch_left;
  logic icrc_splits, icrc_starts;
  logic [3:0] icrc_place;
  logic ram_valid_q, ram_first_q, ram_last_q, ram_ip6_q, ram_rest_q;
  logic [5:0] ram_end_q;  // index of the last byte of the frame in its word
  logic [31:0] ram_icrc_q;
  logic [15:0] ram_udp_q, ram_ip_q;

  // The ICRC is aligned to four bytes relative to the end of the header, so it has the same phase
  // in each word.
  localparam int unsigned Phase = Head4 % tally_pkg::IcrcSize;
  localparam int unsigned Places = Bytes / tally_pkg::IcrcSize;
  logic [Places-1:0] ram_place_q;

  assign move_out = !frame_tvalid_o || frame_tready_i;
  assign move_ram = !ram_valid_q || move_out;
  // A frame may begin in the cycle in which its checksums enter the FIFO. Its first word has no
  // part of the ICRC, and is not its last one; from the second one on, the FIFO has the checksums.
  assign complete = lens_valid && (sums_valid || sums_push);
  assign fetch = complete && move_ram;
  // a frame never fills its last word
  assign fetch_left = fetch_first_q ? len_out[12:6] + 1'b1 : fetch_left_q;
  assign fetch_last = fetch_left == 7'd1;
  assign icrc_place = len_out[5:2] - 1'b1;
  assign icrc_splits = len_out[5:0] < 6'(tally_pkg::IcrcSize);
  assign icrc_starts = icrc_splits ? fetch_left == 7'd2 : fetch_last;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      fetch_first_q <= 1'b1;
      ram_valid_q <= 1'b0;
      frame_tvalid_o <= 1'b0;
    end else begin
      if (fetch) fetch_first_q <= fetch_last;
      if (move_ram) ram_valid_q <= complete;
      if (move_out) frame_tvalid_o <= ram_valid_q;
    end
  end

  always_ff @(posedge clk_i) begin
    if (fetch) begin
      fetch_left_q <= fetch_left - 1'b1;
      ram_first_q <= fetch_first_q;
      ram_last_q <= fetch_last;
      ram_ip6_q <= ip6_out;
      ram_end_q <= len_out[5:0] - 1'b1;
      ram_icrc_q <= icrc_out;
      ram_udp_q <= sums_valid ? udp_out : udp_checksum;
      ram_ip_q <= ip_checksum_out;
      ram_rest_q <= icrc_splits && fetch_last;
      for (int unsigned p = 0; p < Places; p++) begin
        ram_place_q[p] <= icrc_starts && icrc_place == 4'(p);
      end
    end
  end

  // Checksums of the first word, first in wire order, then in the byte order of a word.
  tally_pkg::ipv4_hdr_t sums_ip4;
  tally_pkg::udp_hdr_t sums_udp;
  logic [Bits-1:0] sums_wire, sums_word, icrc_word;

  always_comb begin
    sums_ip4 = '0;
    sums_ip4.checksum = ram_ip_q;
    sums_udp = '0;
    sums_udp.checksum = ram_udp_q;
    sums_wire = ram_ip6_q ?
        {(8 * (tally_pkg::EthHdrBytes + tally_pkg::Ipv6HdrBytes))'(0), sums_udp,
         (Bits - 8 * (tally_pkg::EthHdrBytes + tally_pkg::Ipv6HdrBytes +
                      tally_pkg::UdpHdrBytes))'(0)} :
        {(8 * tally_pkg::EthHdrBytes)'(0), sums_ip4, sums_udp,
         (Bits - 8 * (tally_pkg::EthHdrBytes + tally_pkg::Ipv4HdrBytes +
                      tally_pkg::UdpHdrBytes))'(0)};
  end

  for (genvar k = 0; k < Bytes; k++) begin : gen_sums
    localparam int unsigned Part = (k + tally_pkg::IcrcSize - Phase) % tally_pkg::IcrcSize;
    assign sums_word[8*k+:8] = sums_wire[Bits-8-8*k+:8];
    if (k < Phase) begin : gen_rest
      assign icrc_word[8*k+:8] = ram_rest_q ? ram_icrc_q[8*Part+:8] : '0;
    end else begin : gen_place
      assign icrc_word[8*k+:8] = ram_place_q[(k-Phase)/tally_pkg::IcrcSize] ?
                                 ram_icrc_q[8*Part+:8] : '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (move_out) begin
      frame_tdata_o <= ram_word | icrc_word | (ram_first_q ? sums_word : '0);
      frame_tlast_o <= ram_last_q;
      frame_tkeep_o <= ram_last_q ? {Bytes{1'b1}} >> ~ram_end_q : {Bytes{1'b1}};
    end
  end

`ifdef FORMAL
  `include "encap_proof.svh"
`endif
endmodule
