// SPDX-License-Identifier: BSD-2-Clause
// Which timers of the firmware are stopped.
package tally_fw_timers_pkg;
  typedef enum logic [1:0] {
    // That of a group: an exception has frozen it.
    StopOwn = 2'd0,
    // That of an edge: SETTLE_EDGE, RENEW_EDGE.
    StopEdge = 2'd1,
    // Those of all edges: FREEZE.
    StopEdges = 2'd2,
    // All of a group or a tombstone: its life ends, or another one begins.
    StopAll = 2'd3
  } stop_e;
endpackage : tally_fw_timers_pkg
