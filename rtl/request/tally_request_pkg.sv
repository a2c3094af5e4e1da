// SPDX-License-Identifier: BSD-2-Clause
// Common definitions of the blocks that fetch, receive and parse work requests: what they need to
// know of a group and of a queue pair, and a parsed request.
package tally_request_pkg;
  // No block uses all of these.
  // verilator lint_off UNUSEDPARAM

  // ---- Choice of a mode for messages that name none, one for each of the operations 1 to 8 ----
  //
  // A message in which a rank contributes at most 2 to the power of small_log bytes has mode small,
  // and so on; mode 0 is that of the group. A choice is {small, middle, large, small_log,
  // middle_log}.
  localparam int unsigned NumChoices = 8;
  localparam int unsigned ChoiceModeW = 2;
  localparam int unsigned ChoiceLogW = 5;
  localparam int unsigned ChoiceW = 3 * ChoiceModeW + 2 * ChoiceLogW;
  localparam int unsigned ChoicesW = NumChoices * ChoiceW;

  // ---- A group, as its requests see it ----
  typedef struct packed {
    logic [31:0]         jid;
    // tally_pkg::mode_e, of messages for which nothing else chooses one
    logic [7:0]          mode;
    logic [7:0]          modes;        // tally_pkg::Modes...: all that it has
    logic                sparse;
    logic                ordered;
    logic [12:0]         mtu;          // bytes
    logic [12:0]         chunk;        // bytes of a chunk in fixed order; 0: the MTU
    logic [8:0]          max_segs;
    logic [18:0]         total_ranks;
    logic [12:0]         num_nodes;
    logic [12:0]         node;         // index of this node
    logic [63:0]         rank_mask;    // local ranks
    logic [63:0]         children;     // contributors in TREE
    logic [63:0]         dests;        // contributors and peers
    logic                has_parent;
    logic [6:0]          parent;       // its index as a contributor; 64: it has none
    logic [ChoicesW-1:0] choices;      // that of operation k + 1 from bit k * ChoiceW on
  } group_t;

  // ---- A queue pair, as its requests see it ----
  typedef struct packed {
    logic [63:0] ranks;    // local ranks for which it may post
    logic [13:0] stride;   // bytes of an entry, a power of two
  } qp_t;

  // ---- A parsed request ----
  //
  // If it was refused, only status, opcode, index, mid, rank_mask, and the flags for its completion
  // are valid. They are zero except for the index if it could not be read. If the operation is
  // QUERY or ABORT, the fields up to mid are valid, and count is the reason of an ABORT.
  typedef struct packed {
    logic [15:0] status;      // tally_pkg::coll_status_e
    logic [7:0]  opcode;
    logic [31:0] flags;
    logic [31:0] index;
    logic [31:0] mid;
    logic [63:0] rank_mask;
    logic [31:0] count;       // elements of a rank
    logic [7:0]  op;
    logic [7:0]  dtype;
    logic [7:0]  mode;        // of a collective message
    logic [15:0] root_node;
    logic [7:0]  root_rank;
    logic [7:0]  counter;
    logic [7:0]  dest_counter;
    logic [15:0] dest_port;
    logic [7:0]  branch;
    logic [15:0] err_vector;
    logic [6:0]  cpcnt;
    logic [31:0] total;       // elements of the message
    logic [2:0]  elem_log;    // log2 of the bytes of an element
    logic [2:0]  give_log;    // the same in the gather list (LOC_VALUES)
    logic [12:0] chunk;       // elements of a chunk
    logic [31:0] chunks;      // their number
    logic [31:0] give_len;    // bytes of an entry of the gather list
    logic [31:0] get_len;     // bytes of an entry of the result list
    logic [31:0] loc_index;
    logic [63:0] edges;       // triggered: receivers; collective: children that are left out
    logic [31:0] timeout_ms;
    logic [8:0]  seg_count;
    logic [63:0] flag_addr;
    logic [31:0] flag_lkey;
    logic [31:0] flag_value;
    logic [12:0] inline_len;
    logic [6:0]  num_gather;
    logic [6:0]  num_result;
  } request_t;

  // ---- An access to be checked against the memory regions ----
  typedef struct packed {
    logic        write;
    logic [31:0] lkey;
    logic [31:0] length;
    logic [63:0] addr;
  } access_t;
  // verilator lint_on UNUSEDPARAM
endpackage : tally_request_pkg
