// SPDX-License-Identifier: BSD-2-Clause
// Records of the request processor (docs/rtl-trigger.md).
package tally_trigger_pkg;
  // No block uses all of these.
  // verilator lint_off UNUSEDPARAM

  // References of packets of descriptors, without RefStoreBit of tally_head_pkg: the number of the
  // descriptor in the low bits, and this.
  localparam int unsigned RefTriggerBit = 14;

  // A message, as tally_rmq takes it. Its contributor is told beside it.
  typedef struct packed {
    logic        swp_mp;
    logic        cp;
    logic [7:0]  branch;
    logic [7:0]  op;
    logic [7:0]  dtype;
    logic [31:0] count;
    logic [15:0] err_vector;
    logic [12:0] len;      // bytes
    logic [7:0]  counter;  // at its destination
  } message_t;

  // Own data of a descriptor: bytes as they are used, and len in the list or in the request.
  typedef struct packed {
    logic        swaps;     // they go into its intermediate result, otherwise to its place
    logic        values;    // become pairs with their indices
    logic [1:0]  give_log;  // log2 of the bytes of such a value
    logic [31:0] index;     // of the first one
    logic [15:0] group_;
    logic [15:0] qp;
    logic [15:0] place;
    logic [7:0]  op;
    logic [7:0]  dtype;
    logic [7:0]  counter;
    logic [31:0] count;
    logic [12:0] bytes;
    logic [12:0] len;
  } own_t;

  // What tally_rmq says of a descriptor that fires.
  typedef struct packed {
    logic        swaps;     // it takes an intermediate result
    logic        many;      // of several messages
    logic [15:0] place;     // where that is
    logic [7:0]  op;
    logic [7:0]  dtype;
    logic [31:0] count;
    logic [63:0] disagree;
    logic [15:0] err_vector;
  } fire_t;

  // What leaves for each receiver of a descriptor that has fired. `message` is message_t.
  typedef struct packed {
    logic [15:0] group_;
    logic [15:0] place;    // of its words
    logic [7:0]  opcode;
    logic [31:0] mid;
    logic [15:0] port;     // at its destination
    logic [94:0] message;
  } left_t;

  // What has become of a message to this node itself.
  typedef enum logic [1:0] {
    SelfStored = 2'd0,
    SelfStarved = 2'd1,  // there was no room
    SelfNobody = 2'd2    // no queue pair that works has the port
  } self_e;

  // A packet that was refused for lack of room.
  typedef struct packed {
    logic [15:0] context_;  // `context` is a keyword
    logic [7:0]  edge_;
    logic [31:0] seq;
  } busy_t;
  // verilator lint_on UNUSEDPARAM
endpackage : tally_trigger_pkg
