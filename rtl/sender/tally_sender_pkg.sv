// SPDX-License-Identifier: BSD-2-Clause
// Records of the blocks behind the parser of requests (docs/rtl-sender.md).
package tally_sender_pkg;
  // No block uses all of these.
  // verilator lint_off UNUSEDPARAM

  // What the firmware has done with a queue pair.
  typedef enum logic [1:0] {
    CommandCreate = 2'd0,  // it begins, in a state
    CommandState = 2'd1,   // another state; in RESET it forgets everything
    CommandEnd = 2'd2,     // the epoch of its group has ended, with this report
    CommandAnswer = 2'd3   // to its QUERY: contributors, ranks and sid of the report
  } command_e;

  // Why an epoch has ended.
  typedef struct packed {
    logic [15:0] status;  // tally_pkg::coll_status_e
    logic [15:0] detector;
    logic [63:0] contributors;
    logic [63:0] ranks;
    logic [31:0] sid;
  } report_t;

  // A chunk of a request has begun, or the request is refused. A triggered descriptor that has
  // begun is refused with CollMismatch when its contributions disagree.
  typedef struct packed {
    logic [63:0] contributors;  // of a refused one: those that disagree
    logic        refused;
    logic [15:0] status;  // of one that is refused
    logic        last;    // of the chunks of the request
    logic [31:0] num;
    logic [6:0]  ranks;   // for which it was posted, at most 64
    logic [6:0]  finished;  // of these, those that neither give nor get data
    logic [15:0] err_vector;
  } update_t;

  // Ranks have finished a chunk, or a flag word is in memory.
  typedef struct packed {
    logic        flag;
    logic        failed;  // memory has refused it
    logic [6:0]  ranks;
    logic [12:0] bytes;   // of the result
    logic [15:0] err_vector;
  } end_t;

  // A group, as completions see it: by_segs of the model divides by max_segs.
  typedef struct packed {
    logic [31:0] jid;
    logic [15:0] node;
    logic [8:0]  max_segs;
    logic [31:0] inverse;
    logic [5:0]  shift;
  } group_t;

  // What the fetcher must know of a queue pair.
  typedef enum logic [1:0] {
    TellRetired = 2'd0,   // its oldest request has
    TellFails = 2'd1,     // take in no further request
    TellAnswered = 2'd2,  // its QUERY was
    TellError = 2'd3      // it is in ERROR
  } tell_e;

  // What the sender is told of a queue pair.
  typedef enum logic [1:0] {
    EventTaken = 2'd0,  // a request was taken in, and may begin
    EventFails = 2'd1,  // one has failed: no further one begins
    EventError = 2'd2   // it is in ERROR: nothing is done
  } event_e;

  // What the sender needs of a parsed request (tally_request_pkg::request_t).
  typedef struct packed {
    logic [7:0]  opcode;
    logic [7:0]  op;
    logic [7:0]  dtype;
    logic [7:0]  mode;
    logic [15:0] root_node;
    logic [7:0]  root_rank;
    logic        root_here;  // the root is one of its ranks
    logic        empty;
    logic        combined;
    logic [31:0] mid;
    logic [63:0] ranks;
    logic [63:0] out;        // neighbours that take no part
    logic [31:0] total;
    logic [12:0] chunk;      // elements of a chunk
    logic [31:0] chunks;
    logic [8:0]  seg_count;
  } work_t;

  // A chunk of a request has begun, or a triggered descriptor, or the request is refused. A chunk
  // that is not here, and a descriptor, are carried out by those who are told of it.
  typedef struct packed {
    logic        refused;
    logic        here;        // the chunk is in the store, whose answer follows
    logic [15:0] status;      // of a refused one; or why the store disagrees
    logic [31:0] num;         // of the chunk
    logic [7:0]  answer;
    logic [15:0] err_vector;
  } began_t;

  // What is done with the list of a queue pair (tally_sender_lists).
  typedef enum logic [2:0] {
    ListFirst = 3'd0,   // a visit begins with the first entry
    ListNext = 3'd1,    // it goes on with the next one
    ListPosted = 3'd2,  // a chunk of the entry has begun, and the visit goes on
    ListDrop = 3'd3,    // the entry leaves the list, and the visit goes on
    ListClear = 3'd4    // all entries leave
  } list_op_e;
  // verilator lint_on UNUSEDPARAM
endpackage : tally_sender_pkg
