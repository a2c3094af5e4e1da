// SPDX-License-Identifier: BSD-2-Clause
// Operations and answers of tally_segment.
package tally_segment_pkg;
  // Fields that all contributions to a chunk share: struct message of sim/engine/message.h.
  typedef struct packed {
    logic [7:0]  mode;
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

  // All but the first two are one word without bytes.
  typedef enum logic [2:0] {
    KindReduce = 3'd0,   // a contribution
    KindResult = 3'd1,   // the result, from the parent
    KindPost = 3'd2,     // local ranks have posted the chunk, or ranks and parts give nothing
    KindQuery = 3'd3,    // changes nothing; the outcome has the bitmaps
    KindRelease = 3'd4,  // all receivers have the result
    KindClear = 3'd5,    // frees the slot, whatever it holds
    KindScale = 3'd6     // the division of AVG; only in outcomes
  } kind_e;

  typedef enum logic [2:0] {
    VerdictStored = 3'd0,     // the operation has taken effect
    VerdictDuplicate = 3'd1,  // its bit is clear; KindPost: this chunk is open already
    VerdictClosed = 3'd2,     // the slot is free, and this operation does not open it
    VerdictDisagrees = 3'd3,  // another message than the slot's; the status names the difference
    VerdictDropped = 3'd4     // another chunk, another length, or an unexpected result or release
  } verdict_e;
endpackage
