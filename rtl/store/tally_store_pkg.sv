// SPDX-License-Identifier: BSD-2-Clause
// Operations, answers and packets of tally_store.
package tally_store_pkg;
  // What the host and the neighbours bring.
  typedef enum logic [2:0] {
    OpReduce = 3'd0,  // a contribution, from a neighbour
    OpResult = 3'd1,  // the result, from a neighbour
    OpPost = 3'd2,    // local ranks have posted a chunk
    OpData = 3'd3,    // the data of a local rank
    // a neighbour has acknowledged a packet, or a result is in the memory of a local rank
    OpTaken = 3'd4,
    OpAbsent = 3'd5   // a neighbour or a local rank gives no data to a chunk that is open
  } op_e;

  // What became of it.
  typedef enum logic [3:0] {
    AnswerStored = 4'd0,     // it has taken effect
    AnswerDuplicate = 4'd1,  // it had come before
    AnswerPast = 4'd2,       // its chunk is finished
    AnswerWindow = 4'd3,     // its number has no segment
    AnswerBad = 4'd4,        // its chunk is impossible, or its operation is not one of this unit
    // another message than that of the slot; the status names the difference
    AnswerDisagrees = 4'd5,
    AnswerDropped = 4'd6,    // another chunk, neighbour or length than expected
    AnswerEnded = 4'd7       // the epoch of its group ends
  } answer_e;

  // What is to be sent.
  typedef enum logic [1:0] {
    // to a neighbour that gets the sum, or a partial result of EXCHANGE: a packet of kind REDUCE
    SendSum = 2'd0,
    SendResult = 2'd1,  // to a neighbour: a packet of kind RESULT
    SendRanks = 2'd2    // to the memory of local ranks
  } send_e;

  // What the store does at a time.
  typedef enum logic [1:0] {
    JobOp = 2'd0,       // an operation from outside
    JobDivided = 2'd1,  // a sum has been divided
    JobOwn = 2'd2,      // a partial result enters the next round
    JobFinish = 2'd3    // a chunk is finished
  } job_e;

  // An operation of the boundary of the NIC, and what comes out there. `message` is message_t of
  // tally_segment_pkg: yosys does not know names of other packages here.
  typedef struct packed {
    logic [7:0]   op;
    logic [15:0]  group_;
    logic [247:0] message;
    logic [15:0]  bytes;
    logic [7:0]   edge_;
    logic [63:0]  ranks;
    logic         rank;
    logic         sum;
    logic         last;
  } operation_t;

  typedef struct packed {
    logic [7:0]   kind;
    logic [15:0]  group_;
    logic [7:0]   edge_;
    logic [63:0]  ranks;
    logic         ended;
    logic [247:0] message;
    logic [15:0]  err_vector;
  } result_t;

  typedef struct packed {
    logic         of_packet;  // of flight `flight`, else of the operation
    logic [7:0]   flight;
    logic [7:0]   answer;
    logic [15:0]  status;
    logic [15:0]  err_vector;
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
