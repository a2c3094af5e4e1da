// SPDX-License-Identifier: BSD-2-Clause
// Rows of the tables from which headers are formed, what they are formed for, and what becomes of
// it.
package tally_head_pkg;
  // References of packets of the segment store: their slot in the low bits, and these.
  // verilator lint_off UNUSEDPARAM
  localparam int unsigned RefStoreBit = 15;  // it is one of the store
  localparam int unsigned RefSumBit = 14;    // the sum of the slot, not its result
  // verilator lint_on UNUSEDPARAM

  // The neighbour of an edge. In addresses, the first byte is the most significant one.
  typedef struct packed {
    logic [47:0] mac;
    logic [127:0] gid;
    logic [31:0] peer_key;
    logic [7:0] remote_index;
    logic [15:0] sport;  // UDP source port of packets to it (tally_sport)
    logic [7:0] round;   // EXCHANGE: the round for which this node sends to it
  } edge_row_t;

  typedef struct packed {
    logic [31:0] jid;
    logic [31:0] epoch;
    logic ordered;
  } group_row_t;

  // A message of a descriptor, as the header of a TRIGGER has it.
  typedef struct packed {
    logic [7:0] opcode;
    logic [7:0] op;
    logic [7:0] dtype;
    logic [7:0] branch;
    logic [31:0] mid;
    logic [31:0] count;
    logic [7:0] counter;
    logic [15:0] port;
    logic cp;
    logic swp_mp;
    logic [12:0] len;  // bytes
  } trigger_t;

  // What a packet is for. `message` is message_t of tally_segment_pkg: yosys does not know types of
  // other packages here. Packets without a chunk have only its mid and num, and a TRIGGER has
  // trigger_t in the low bits instead.
  typedef struct packed {
    logic [7:0] kind;       // tally_pkg::kind_e; not OPEN or KILL
    logic chunk;            // the header describes a chunk
    logic again;            // it was sent before, with number seq
    logic [15:0] context_;
    logic [7:0] edge_;
    logic [15:0] ref_;      // what its sender knows it by
    logic [31:0] seq;       // again, ACK, BUSY: edge_seq
    logic [247:0] message;
    logic [15:0] err_vector;
  } source_t;

  typedef enum logic [1:0] {
    // Its header has left; the payload must follow.
    EndSent = 2'd0,
    // The neighbour's limit, or the window of the edge, keeps it here for now.
    EndWaits = 2'd1,
    // Nobody wants it: the edge is closed, or the packet was acknowledged.
    EndDropped = 2'd2
  } end_e;
endpackage
