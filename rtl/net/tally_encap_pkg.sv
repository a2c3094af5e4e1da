// SPDX-License-Identifier: BSD-2-Clause
// Header and errors of tally_encap.
package tally_encap_pkg;
  // No block uses all of these.
  // verilator lint_off UNUSEDPARAM
  // The only constant of tally_encap outside of tally_pkg. Packets carry ECT(0), ECN-capable
  // transport (RFC 3168), in the two low bits of the traffic class.
  localparam logic [1:0] EcnEct0 = 2'b10;

  // Description of a packet to be built. The block derives the other fields: lengths, checksums,
  // pad count, opcode, and the tag and the version of the collective header, which it ignores in
  // tch.
  typedef struct packed {
    logic [47:0] dmac;  // in all addresses, the first byte on the wire is the most significant one
    logic [47:0] smac;
    logic [127:0] sgid;  // the packet is IPv4 if both GIDs are IPv4-mapped
    logic [127:0] dgid;
    logic [19:0] flow_label;  // must be 0 for IPv4
    logic [7:0] traffic_class;  // the two low bits are ignored
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
    logic [511:0] tch;  // tally_pkg::tch_t; yosys does not know types of other packages here
  } tx_hdr_t;
  localparam int unsigned TxHdrBits = 998;  // of tx_hdr_t

  // Reason why no packet is built.
  typedef enum logic [2:0] {
    ErrNone = 3'd0,
    ErrGids = 3'd1,    // only one GID is IPv4-mapped
    ErrFlow = 3'd2,    // a flow label with IPv4
    ErrLength = 3'd3,  // payload_len exceeds Mtu
    ErrShort = 3'd4,   // tlast before payload_len
    ErrLong = 3'd5,    // no tlast at payload_len
    ErrKeep = 3'd6     // tkeep disagrees with payload_len
  } err_e;
  // verilator lint_on UNUSEDPARAM
endpackage : tally_encap_pkg
