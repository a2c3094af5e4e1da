// SPDX-License-Identifier: BSD-2-Clause
// Answers of tally_segment_map.
package tally_segment_map_pkg;
  typedef enum logic [1:0] {
    MapSlot = 2'd0,   // the number has a slot
    MapPast = 2'd1,   // before done: only needs an acknowledgement
    MapWindow = 2'd2  // at or beyond the limit
  } mapped_e;
endpackage
