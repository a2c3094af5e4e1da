// SPDX-License-Identifier: BSD-2-Clause
// What tally_sender_turn says about a request (docs/rtl-sender.md).
package tally_turn_pkg;
  typedef enum logic [2:0] {
    VerdictPost = 3'd0,     // its next chunk may be posted
    VerdictShut = 3'd1,     // its next chunk has to wait for the window
    VerdictStreams = 3'd2,  // chunks of the message before have not begun
    VerdictAhead = 3'd3,    // a rank has not begun the messages before
    VerdictRefuse = 3'd4,   // it is to fail, with the status
    VerdictEnded = 3'd5     // no epoch of its group runs
  } verdict_e;
endpackage : tally_turn_pkg
