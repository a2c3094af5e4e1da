// SPDX-License-Identifier: BSD-2-Clause
// What tally_limits is told of chunks.
package tally_limits_pkg;
  typedef enum logic [1:0] {
    // A chunk of a group begins in this slot, with the time limit of its group.
    SlotOpen = 2'd0,
    // A local rank has posted it, and may have a limit of its own.
    SlotPost = 2'd1,
    // All local ranks have posted it, and all contributions are here: this node only waits.
    SlotWhole = 2'd2,
    // It is finished, or its epoch has ended.
    SlotEnd = 2'd3
  } slot_op_e;
endpackage : tally_limits_pkg
