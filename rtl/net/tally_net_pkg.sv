// SPDX-License-Identifier: BSD-2-Clause
// Common definitions of the blocks of this folder: the CRC-32 steps and the record of a received
// packet.
package tally_net_pkg;
  // No block uses all of these.
  // verilator lint_off UNUSEDPARAM
  localparam int unsigned WordBytes = 64;
  localparam int unsigned WordBits = 8 * WordBytes;
  localparam int unsigned BytesW = $clog2(WordBytes + 1);

  // ---- CRC-32 of IEEE 802.3, reflected: bit 0 of a byte is sent first ----
  localparam logic [31:0] CrcPoly = 32'hedb88320;

  // Returns the register after a zero bit.
  function automatic logic [31:0] crc_zero(input logic [31:0] state);
    crc_zero = {1'b0, state[31:1]} ^ (state[0] ? CrcPoly : '0);
  endfunction

  // Returns the register before a zero bit.
  function automatic logic [31:0] crc_unzero(input logic [31:0] state);
    crc_unzero = {state[30:0] ^ (state[31] ? CrcPoly[30:0] : '0), state[31]};
  endfunction

  // Returns the register after n bytes of ones.
  function automatic logic [31:0] crc_ones(input logic [31:0] state, input int unsigned n);
    crc_ones = state;
    for (int unsigned i = 0; i < 8 * n; i++) begin
      crc_ones = {1'b0, crc_ones[31:1]} ^ (crc_ones[0] ? '0 : CrcPoly);
    end
  endfunction

  // Latencies in cycles from the last word to the checksum.
  localparam int unsigned CrcLatency = 3 + ($clog2(WordBytes) + 2) / 3;
  localparam int unsigned IcrcLatency = CrcLatency;
  localparam int unsigned InetLatency = 4;
  localparam int unsigned EncapSumsLatency = IcrcLatency + 1;

  // ---- A word in wire order: byte 0 in the highest bits, as in the structures of tally_pkg ----
  function automatic logic [WordBits-1:0] swap(input logic [WordBits-1:0] word);
    for (int unsigned k = 0; k < WordBytes; k++) swap[8*k+:8] = word[WordBits-8-8*k+:8];
  endfunction

  // The first bytes of an IPv4 address that is mapped to an IPv6 address: ::ffff:a.b.c.d.
  localparam logic [95:0] MappedPrefix = 96'hffff;

  // ---- Record of tally_parser for a frame ----
  //
  // Fields other than the verdict are valid only if the verdict is RxOk. Yosys does not know types
  // of other packages here.
  typedef struct packed {
    logic [7:0] verdict;  // tally_pkg::rx_e
    logic ip6;
    logic [47:0] dmac;
    logic [47:0] smac;
    logic [127:0] sgid;  // IPv4 addresses are mapped
    logic [127:0] dgid;
    logic [19:0] flow_label;
    logic [7:0] traffic_class;
    logic [7:0] hop_limit;
    logic [15:0] udp_sport;
    logic se;
    logic migreq;
    logic [15:0] pkey;
    logic fecn;
    logic becn;
    logic [23:0] dest_qp;
    logic ackreq;
    logic [23:0] psn;
    logic [12:0] payload_len;  // bytes after the collective header
    logic [511:0] tch;    // tally_pkg::tch_t
  } rx_hdr_t;
  // verilator lint_on UNUSEDPARAM
endpackage : tally_net_pkg
