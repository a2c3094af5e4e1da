// SPDX-License-Identifier: BSD-2-Clause
// What tally_store does, and the records of tally_store_unit. Operations, answers and commands are
// those of tally_fw_pkg.
package tally_store_pkg;
  // What the store does at a time.
  typedef enum logic [2:0] {
    JobOp = 3'd0,       // an operation from outside
    JobDivided = 3'd1,  // a sum has been divided
    JobOwn = 3'd2,      // a part enters another one
    JobFinish = 3'd3,   // a chunk is finished
    JobAcked = 3'd4     // a neighbour has the sum or the result of a slot
  } job_e;

  // An operation of tally_sender or tally_local. `message` is message_t of tally_segment_pkg: yosys
  // does not know names of other packages here.
  typedef struct packed {
    logic [7:0]   op;
    logic [15:0]  group_;
    logic [247:0] message;
    logic [15:0]  bytes;
    logic [7:0]   edge_;
    logic [63:0]  ranks;
    logic [63:0]  absent;  // of these, those that give nothing where the store expects data
    logic [63:0]  quits;   // those that get nothing
    logic [63:0]  out;     // neighbours that the request leaves out
    logic         rank;
    logic         sum;
    logic         last;
  } operation_t;

  // Most operations that are in tally_store, and have not come to the list of what is due.
  // verilator lint_off UNUSEDPARAM
  localparam int unsigned Inside = 8;
  // verilator lint_on UNUSEDPARAM

  // What enters the segments, or the hold side, with the plan of its part: see tally_store_front.
  typedef struct packed {
    logic         own;      // a part enters another one; otherwise an operation from outside,
    logic [7:0]   op;       // with this store_op_e
    logic         early;    // a rank or a neighbour gives nothing; the words stay
    logic         drops;    // the words are dropped, and nothing is answered
    logic         enters;   // the words enter the segments;
    logic         holds;    // a receiver has its copy;
    logic [7:0]   answer;   // neither: the answer
    logic         wrong;    // the wrong sender: the chunk is only opened
    logic [15:0]  group_;
    logic [15:0]  slot;     // with the part
    logic [7:0]   from_part;  // own: the part that enters it
    logic [247:0] message;
    logic [15:0]  bytes;
    logic [15:0]  err_vector;
    logic [7:0]   edge_;
    logic         right;    // own, or data: the right input of the part
    logic         rank;
    logic         sum;
    logic [63:0]  ranks;
    logic [63:0]  absent;
    logic [63:0]  quits;
    logic [63:0]  out;
    logic         exchange;
    logic         shaped;   // the chunk has parts
    logic [7:0]   last_part;
    logic         ends;     // it is the last part
    logic [15:0]  chunk_bytes;
    logic [7:0]   shift;    // log2 of the words of a part
    logic         turns;
    logic         expected;
    logic         result;   // the hold side expects a result
    logic         up_send;
    logic [7:0]   up_edge;
    logic [7:0]   down_edge;
    logic         chunk_up;    // the sum of the chunk is sent on,
    logic         chunk_down;  // and a result expected, whichever part it is
    logic [63:0]  contributors;  // that give data,
    logic [63:0]  givers;        // and local ranks, or inputs of a part
    logic [63:0]  copies;   // contributors that get the result,
    logic [63:0]  deliver;  // and local ranks
    logic [63:0]  local_;   // ranks that post the chunk
  } step_t;

  // The header of a result for ranks.
  typedef struct packed {
    logic [15:0]  group_;
    logic [63:0]  ranks;
    logic         ended;  // its epoch ends
    logic [247:0] message;
    logic [15:0]  err_vector;
  } result_t;

  // What the firmware reads of a chunk: see tally_store_look. Registers of struct group and struct
  // segment follow the slash. Behind `held` all is valid only if the state is not SegFree.
  typedef struct packed {
    logic [31:0]  done;
    logic [31:0]  held;
    logic [7:0]   state;         // a tally_pkg::seg_state_e; SegBusy: / oldest_busy
    logic [247:0] message;
    logic [63:0]  missing;       // / missing
    logic [63:0]  first;         // / waits
    logic [63:0]  late;          // / oldest_missing
    logic [63:0]  waits;         // / oldest_waits
    logic         waits_parent;  // / oldest_waits_parent
    logic [63:0]  receivers;     // / receivers
    logic [63:0]  ranks;         // / ranks
    logic [63:0]  deliver;       // / deliver
  } look_t;

  // A sum, or a result, on its way to a neighbour: it leaves, perhaps once more, or is there.
  typedef struct packed {
    logic         again;
    logic         sum;
    logic [15:0]  group_;
    logic [7:0]   edge_;
    logic [31:0]  num;
    logic [31:0]  mid;
  } passage_t;

  // Whose operation is answered.
  typedef enum logic [1:0] {
    OfPacket = 2'd0,
    OfPost = 2'd1,
    OfLocal = 2'd2
  } of_e;

  typedef struct packed {
    of_e          of_;
    logic [7:0]   flight;      // of a packet
    logic [7:0]   answer;
    logic [15:0]  status;
    logic [15:0]  err_vector;
    logic [10:0]  slot;        // that has the chunk, if the store has taken anything of it
  } answer_t;

  typedef struct packed {
    logic [7:0]   cmd;
    logic [15:0]  group_;
    logic [31:0]  num;
  } command_t;

  typedef struct packed {
    logic         ok;
    logic         finished;
    logic         ended;
    logic [15:0]  group_;
    logic [31:0]  done;
    logic [31:0]  limit;
  } moved_t;
endpackage
