// SPDX-License-Identifier: BSD-2-Clause
// Common definitions of the blocks of the receive message queue.
package tally_queue_pkg;
  // Operations of tally_cp_counters.
  typedef enum logic [1:0] {
    // A message has arrived.
    CpMessage = 2'd0,
    // A descriptor waits.
    CpArm = 2'd1,
    // A firing took a message.
    CpRelease = 2'd2,
    // Clear a counter.
    CpClear = 2'd3
  } cp_op_e;
endpackage : tally_queue_pkg
