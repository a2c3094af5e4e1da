// SPDX-License-Identifier: BSD-2-Clause
// What the blocks of the receive message queue say to one another.
package tally_queue_pkg;
  // What tally_cp_counters is asked to do.
  typedef enum logic [1:0] {
    // A message has come.
    CpMessage = 2'd0,
    // A descriptor waits.
    CpArm = 2'd1,
    // A message was taken by a firing.
    CpRelease = 2'd2,
    // Forget all of one counter.
    CpClear = 2'd3
  } cp_op_e;
endpackage : tally_queue_pkg
