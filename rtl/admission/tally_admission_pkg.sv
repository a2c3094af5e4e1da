// SPDX-License-Identifier: BSD-2-Clause
// Rows of the tables by which packets are admitted, and the answer of tally_admission.
package tally_admission_pkg;
  // A group or a tombstone, both of which are called contexts.
  typedef struct packed {
    logic [31:0] jid;
    logic [31:0] epoch;  // 0: not known
    logic [31:0] key;    // of results by multicast; 0: not known
    // their only source; in all addresses, the first byte is the most significant one
    logic [127:0] source_gid;
    logic multicast;
    logic has_parent;
    logic [6:0] parent;  // its edge
    logic alive;
    logic destroyed;
    logic next_valid;
    logic [15:0] next;   // next context in the same bucket
  } group_row_t;

  typedef struct packed {
    logic [1:0] state;   // tally_pkg::edge_state_e
    logic [31:0] key;    // 0: none
    logic [63:0] nonce;
    logic [63:0] peer_nonce;  // 0: not known
    logic [127:0] gid;
  } edge_row_t;

  // What tally_admission says about a packet. Context and edge are valid if the verdict is
  // AdmissionOk.
  typedef struct packed {
    logic [7:0] verdict;  // tally_fw_pkg::admission_e
    logic [15:0] context_;  // number of the group or tombstone; `context` is a keyword
    logic [7:0] edge_;
  } admission_t;
endpackage : tally_admission_pkg
