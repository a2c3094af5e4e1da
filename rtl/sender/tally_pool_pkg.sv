// SPDX-License-Identifier: BSD-2-Clause
// What the firmware does with the segments of a group (tally_pool).
package tally_pool_pkg;
  typedef enum logic [1:0] {
    PoolJoin = 2'd0,   // it is created, and owns segments
    PoolLeave = 2'd1,  // it is destroyed; no epoch of it runs
    PoolBegin = 2'd2,  // its epoch begins
    PoolEnd = 2'd3     // its epoch ends: StoreCmdEnd follows
  } pool_e;
endpackage : tally_pool_pkg
