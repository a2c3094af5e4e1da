// SPDX-License-Identifier: BSD-2-Clause
// What the planners of moves read and what they answer.
package tally_plan_pkg;
  // No block uses all of these.
  // verilator lint_off UNUSEDPARAM
  // tally_pkg::MaxContributors and MaxRanks: yosys does not know names of other packages here. The
  // benches compare them.
  localparam int unsigned Contributors = 64;
  localparam int unsigned Ranks = 64;
  localparam int unsigned NodeW = 16;

  // Clocks of the blocks, which never stall.
  localparam int unsigned ModuloLatency = 7;
  localparam int unsigned RingLatency = ModuloLatency + 3;
  localparam int unsigned Latency = RingLatency + 2;
  localparam int unsigned PlaceLatency = 5;

  // An edge that does not exist: NO_EDGE of the model.
  localparam logic [7:0] NoEdge = 8'hff;
  // verilator lint_on UNUSEDPARAM

  // What the firmware has written for a group: struct group of sim/engine/tables.h.
  typedef struct packed {
    logic [NodeW-1:0]        node;          // this node
    logic [NodeW-1:0]        nodes;         // number of nodes
    logic [31:0]             inverse;       // of this number
    logic [5:0]              shift;
    logic                    root;          // this node is the root of the tree
    logic [7:0]              parent;        // edges of TREE and RING
    logic [7:0]              left;
    logic [7:0]              right;
    logic [Ranks-1:0]        rank_mask;     // local ranks
    logic [Contributors-1:0] children;      // edges whose data are combined in TREE,
    logic [Contributors-1:0] exchange_ins;  // and in EXCHANGE
  } group_t;

  // A chunk, and the way to the root of its message.
  typedef struct packed {
    logic [7:0]              mode;
    logic [7:0]              opcode;
    logic [NodeW-1:0]        root_node;
    logic [7:0]              root_rank;
    logic [31:0]             sid;
    logic                    routed;  // a contributor leads to the root's node:
    logic [5:0]              route;   // this edge
  } chunk_t;

  // The moves of a chunk: fields of struct slot of the model, which chunk_plan() sets.
  typedef struct packed {
    logic [Ranks-1:0]        up_ranks;         // local ranks that give data,
    logic [Contributors-1:0] up_contributors;  // and neighbours
    logic [7:0]              up_edge;          // the sum goes there,
    logic                    up_send;          // if it is sent on
    logic                    turns;            // the sum becomes the result here
    logic [7:0]              down_edge;        // the result comes from there
    logic                    down_expected;    // the result comes, or is made here
    logic [Contributors-1:0] down_todo;        // neighbours that get the result,
    logic [Ranks-1:0]        deliver;          // and local ranks
  } plan_t;

  // What a node of RING is on the way of a chunk: struct way of sim/engine/ring.c.
  typedef struct packed {
    logic up;      // the sum passes,
    logic begins;  // begins here,
    logic turns;   // is complete here
    logic down;    // the result passes, or is made here,
    logic stops;   // goes no further
  } way_t;
endpackage
