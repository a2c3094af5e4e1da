// SPDX-License-Identifier: BSD-2-Clause
// Common definitions of the blocks of the receive message queue.
package tally_queue_pkg;
  // Operations of tally_cp_counters.
  typedef enum logic [1:0] {
    // A message has arrived.
    CpMessage = 2'd0,
    // Read the count.
    CpLook = 2'd1,
    // A descriptor takes its messages.
    CpFire = 2'd2,
    // Clear all counters of a port.
    CpClear = 2'd3
  } cp_op_e;

  // Operations of tally_rmq_lists.
  typedef enum logic [2:0] {
    // Search for the place of a message.
    LsFind = 3'd0,
    // A descriptor waits for the oldest intermediate result.
    LsAwait = 3'd1,
    // The intermediate result that a descriptor waits for.
    LsAwaited = 3'd2,
    // A firing takes that intermediate result.
    LsFire = 3'd3,
    // Take the count of a message that waits in the list.
    LsCount = 3'd4,
    // Take the count of such a message, and the message.
    LsOut = 3'd5,
    // Remove everything of a port.
    LsFlush = 3'd6
  } ls_op_e;

  // What tally_rmq_words does with the words of a message.
  typedef enum logic [1:0] {
    // Discard them.
    WdDrop = 2'd0,
    // They are the first ones of the place.
    WdFill = 2'd1,
    // Combine them with those of the place.
    WdCombine = 2'd2,
    // No message: report when all words before have been written.
    WdToken = 2'd3
  } wd_kind_e;
endpackage : tally_queue_pkg
