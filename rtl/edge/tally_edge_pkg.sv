// SPDX-License-Identifier: BSD-2-Clause
// What the blocks of an edge are told, and what they answer.
package tally_edge_pkg;
  // tally_edge_rx: what a numbered packet is.
  typedef enum logic [1:0] {
    // New: to be stored, and then marked.
    RxAccept = 2'd0,
    // Marked before: to be acknowledged again, and dropped.
    RxDuplicate = 2'd1,
    // Far from what is expected: dropped.
    RxOutside = 2'd2,
    // New, but the one that it names as its predecessor has not been stored: dropped.
    RxNotInTurn = 2'd3
  } rx_answer_e;

  // tally_edge_tx: operations.
  typedef enum logic [2:0] {
    // The edge is open; its first number is given.
    TxOpen = 3'd0,
    // Nothing is sent any more, what is unacknowledged is forgotten.
    TxClose = 3'd1,
    // The next number, if the window lets it.
    TxSend = 3'd2,
    // An acknowledgement: newest number and the bitmap of it and those before it.
    TxAck = 3'd3,
    // The neighbour had no room for this number: is it still to be repeated?
    TxBusy = 3'd4,
    // What is unacknowledged?
    TxLook = 3'd5
  } tx_op_e;

  // tally_edge_timers: commands.
  typedef enum logic [1:0] {
    // First time-out, longest time-out and number of retries from now on; the timer stops.
    TimerConfig = 2'd0,
    // Starts anew with all retries left, running or not.
    TimerStart = 2'd1,
    TimerStop = 2'd2,
    // Starts unless it is running.
    TimerArm = 2'd3
  } timer_op_e;
endpackage
