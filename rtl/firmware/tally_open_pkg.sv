// SPDX-License-Identifier: BSD-2-Clause
// What tally_open_state compares an OPEN with.
package tally_open_pkg;
  typedef struct packed {
    logic [31:0] flags;        // registers of struct group
    logic [31:0] chunk;
    logic [31:0] mtu;
    logic [31:0] plan;
    logic [31:0] total_ranks;
    logic [15:0] num_nodes;
    logic [15:0] node;
    logic [15:0] num_segs;
    logic [7:0] modes;
    logic [7:0] rounds;
    logic [31:0] epoch;        // 0: not known
    logic [31:0] key;          // of results by multicast; 0: not known
    logic alive;               // its epoch runs
  } group_t;

  typedef struct packed {
    logic [15:0] first;        // nodes of its subtree
    logic [15:0] count;        // 0: not known
    logic [63:0] nonce;
    logic [63:0] peer_nonce;
    logic [31:0] peer_key;
    logic [1:0] state;         // tally_pkg::edge_state_e
    logic unconfirmed;
    logic [31:0] awaits_epoch;
  } edge_t;
endpackage : tally_open_pkg
