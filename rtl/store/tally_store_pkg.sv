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
    OpTaken = 3'd4
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
endpackage
