// SPDX-License-Identifier: BSD-2-Clause
// Inputs and answers of tally_segment.
package tally_segment_pkg;
  // Fields that all contributions to a chunk share: struct message of sim/engine/message.h.
  typedef struct packed {
    logic [7:0]  opcode;
    logic [7:0]  op;
    logic [7:0]  dtype;
    logic [7:0]  root_rank;
    logic [15:0] root_node;
    logic [31:0] num;
    logic [31:0] mid;
    logic [31:0] sid;
    logic [31:0] total;
    logic [31:0] first;
    logic [31:0] count;
  } message_t;

  typedef enum logic [1:0] {
    KindReduce = 2'd0,   // a contribution
    KindResult = 2'd1,   // the result, from the parent
    KindNothing = 2'd2   // an absent contribution (EMPTY, masked out): one word without bytes
  } kind_e;

  typedef enum logic [2:0] {
    VerdictStored = 3'd0,     // for an opening: the slot is open
    VerdictDuplicate = 3'd1,  // its bit is clear; for an opening: this chunk is open already
    VerdictPast = 3'd2,       // before done: only needs an acknowledgement
    VerdictWindow = 3'd3,     // at or beyond done + Slots
    VerdictClosed = 3'd4,     // the slot is not open
    VerdictDisagrees = 3'd5,  // another message than the slot's; the status names the difference
    VerdictDropped = 3'd6     // another chunk, another length, or an unexpected result
  } verdict_e;
endpackage
