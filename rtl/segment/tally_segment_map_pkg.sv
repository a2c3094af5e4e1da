// SPDX-License-Identifier: BSD-2-Clause
// Commands and answers of tally_segment_map.
package tally_segment_map_pkg;
  typedef enum logic [1:0] {
    CmdBegin = 2'd0,   // an epoch begins: numbers begin at 0, and no segment is set aside
    CmdRaise = 2'd1,   // one more segment is set aside: the limit rises by one
    CmdFinish = 2'd2,  // the chunk of a number is finished
    CmdEnd = 2'd3      // the epoch has ended: all segments are given back
  } cmd_e;

  typedef enum logic [1:0] {
    MapSlot = 2'd0,   // the number has a slot
    MapPast = 2'd1,   // before done: only needs an acknowledgement
    MapWindow = 2'd2  // at or beyond the limit
  } mapped_e;
endpackage
