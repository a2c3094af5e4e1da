// SPDX-License-Identifier: BSD-2-Clause
// What tally_encap takes and says.
package tally_encap_pkg;
  // The one constant of tally_encap's that is not in tally_pkg: packets are built as capable of congestion
  // notification, ECT(0) (RFC 3168), in the two low bits of the traffic class.
  localparam logic [1:0] EcnEct0 = 2'b10;

  // A packet to be built. The rest of its headers follows: lengths, checksums, pad count, the opcode, and the
  // collective header's tag and version, which do not count here.
  typedef struct packed {
    logic [47:0] dmac;  // in all addresses the byte that goes first is the most significant one
    logic [47:0] smac;
    logic [127:0] sgid;  // both IPv4-mapped: the packet is IPv4
    logic [127:0] dgid;
    logic [19:0] flow_label;  // 0 for IPv4
    logic [7:0] traffic_class;  // its two low bits do not count
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
    logic [12:0] payload_len;  // bytes behind the collective header
    logic [511:0] tch;  // tally_pkg::tch_t: yosys knows no types of other packages here
  } tx_hdr_t;

  // Why there is no packet.
  typedef enum logic [2:0] {
    ErrNone = 3'd0,
    ErrGids = 3'd1,    // one GID is IPv4-mapped, the other is not
    ErrFlow = 3'd2,    // a flow label with IPv4
    ErrLength = 3'd3,  // payload_len is over Mtu
    ErrShort = 3'd4,   // tlast before payload_len
    ErrLong = 3'd5,    // no tlast at payload_len
    ErrKeep = 3'd6     // tkeep says another length
  } err_e;

  localparam logic [95:0] MappedPrefix = 96'hffff;  // ::ffff:a.b.c.d
endpackage : tally_encap_pkg
