// SPDX-License-Identifier: BSD-2-Clause
// What packets of the firmware are formed from, and an OPEN is compared with.
package tally_fw_send_pkg;
  // verilator lint_off UNUSEDPARAM
  localparam int unsigned GroupWords = 14;
  localparam int unsigned EdgeWords = 13;
  localparam int unsigned Regs = GroupWords + EdgeWords;
  localparam int unsigned Words = Regs + 2;
  localparam int unsigned OpenFirst = Words;  // the words of opens_t follow those of words_t
  localparam int unsigned OpenWords = 3;
  localparam int unsigned WordW = 5;
  // verilator lint_on UNUSEDPARAM

  // What a packet needs of a group and of an edge, in words of 32 bits; word 0 is the first field.
  // Registers of the group come first, then those of the edge.
  typedef struct packed {
    logic [31:0] jid;
    logic [31:0] state;
    logic [31:0] flags;
    logic [31:0] epoch;
    logic [31:0] group_key;
    logic [31:0] mtu;
    logic [31:0] chunk;
    logic [31:0] plan;
    logic [31:0] num_segs;
    logic [31:0] node;
    logic [31:0] num_nodes;
    logic [31:0] modes;
    logic [31:0] rounds;
    logic [31:0] total_ranks;
    logic [127:0] gid;  // word 0 in the highest bits, and so in the next ones
    logic [63:0] mac;
    logic [31:0] remote_index;
    logic [63:0] nonce;
    logic [63:0] peer_nonce;
    logic [31:0] key;
    logic [31:0] first_seq;
    logic [31:0] done;  // of this node
    logic [31:0] limit;
  } words_t;

  // What an OPEN is compared with, besides, of an edge.
  typedef struct packed {
    logic [31:0] peer_key;
    logic [15:0] count;    // subtree_count
    logic [15:0] first;    // subtree_first
    logic [14:0] zero;
    logic awaits;          // awaits_epoch is 1
    logic [6:0] zero_too;
    logic unconfirmed;
    logic [5:0] zero_as_well;
    logic [1:0] state;     // tally_pkg::edge_state_e
  } opens_t;

  // A command that sends a packet.
  typedef struct packed {
    logic open;          // OPEN, formed from words_t; otherwise KILL or an ACK, from what follows
    logic confirm;       // OPEN: with the flag CONFIRM
    logic challenge;     // OPEN: echoes `echo`, and tells neither key nor epoch
    logic [63:0] echo;
    logic [7:0] kind;
    logic [15:0] flags;
    logic [31:0] epoch;
    logic [31:0] key;
    logic [31:0] mid;
    logic [31:0] sid;
    logic [6:0] length;  // bytes of data, at most 64
    logic [511:0] data;
  } send_t;
endpackage
