// SPDX-License-Identifier: BSD-2-Clause
// Operations of the blocks of an edge, and their answers.
package tally_edge_pkg;
  // Operations of tally_edge_rx.
  typedef enum logic [1:0] {
    // Opens the edge at this number.
    RxOpen = 2'd0,
    // Marks the number, whose packet is stored.
    RxMark = 2'd1,
    // Classifies the packet with this number.
    RxQuery = 2'd2,
    // Returns the contents of an acknowledgement.
    RxAck = 2'd3
  } rx_op_e;

  // Answer of tally_edge_rx to a query about a numbered packet.
  typedef enum logic [1:0] {
    // New: the packet must be stored, and its number then marked.
    RxAccept = 2'd0,
    // Already marked: the packet is acknowledged again, and dropped.
    RxDuplicate = 2'd1,
    // Too far from the expected numbers: the packet is dropped.
    RxOutside = 2'd2,
    // New, but the predecessor that it names has not been stored: the packet is dropped.
    RxNotInTurn = 2'd3
  } rx_answer_e;

  // Operations of tally_edge_tx.
  typedef enum logic [2:0] {
    // Opens the edge and sets its first number.
    TxOpen = 3'd0,
    // Closes the edge and forgets the unacknowledged numbers.
    TxClose = 3'd1,
    // Assigns the next number, if the window allows it.
    TxSend = 3'd2,
    // Takes an acknowledgement: the newest number, and the bitmap of it and the numbers before it.
    TxAck = 3'd3,
    // The neighbour had no room for this number. The answer says whether it is still outstanding.
    TxBusy = 3'd4,
    // Reports the unacknowledged numbers.
    TxLook = 3'd5
  } tx_op_e;

  // Commands of tally_edge_timers.
  typedef enum logic [1:0] {
    // Sets the first time-out, the longest time-out and the number of retries, and stops the timer.
    TimerConfig = 2'd0,
    // Starts the timer anew with all retries, whether it runs or not.
    TimerStart = 2'd1,
    TimerStop = 2'd2,
    // Starts the timer unless it runs.
    TimerArm = 2'd3
  } timer_op_e;

  // Operations of tally_edge_rows.
  typedef enum logic [1:0] {
    // Returns the row of the edge.
    RowFind = 2'd0,
    // The same; an edge that has none gets one.
    RowTake = 2'd1,
    // Takes the row from the edge.
    RowGive = 2'd2
  } row_op_e;

  // Operations of tally_edge_state on the row of an edge.
  typedef enum logic [2:0] {
    // Closes the edge: its neighbour is told nothing.
    StateClose = 3'd0,
    // Closes it, and forgets what both ends have told. The limit is the neighbour's first one.
    StateRenew = 3'd1,
    // Opens it. The limit is the one of the neighbour's OPEN.
    StateOpen = 3'd2,
    // Lets chunks leave: the neighbour's end is open, too.
    StateSettle = 3'd3,
    // Takes the neighbour's done and limit from a packet. Neither falls.
    StateHeard = 3'd4,
    // Asks whether a chunk may leave.
    StateAsk = 3'd5,
    // A packet leaves: returns this node's done and limit, which the neighbour is told.
    StateTell = 3'd6,
    // Asks whether a message of a descriptor may leave: no limit concerns it.
    StateAskMessage = 3'd7
  } state_op_e;

  // What the registers have tally_edge_send do with an edge.
  typedef enum logic [1:0] {
    // Opens it: it gets a row, and begins at a number.
    SetOpen = 2'd0,
    // Closes it: what is not acknowledged is forgotten, and the row is free.
    SetClose = 2'd1,
    // Closes it, but it keeps its row.
    SetStop = 2'd2,
    // It gets a row if it has none, and then is closed.
    SetRow = 2'd3
  } set_op_e;

  // What the neighbour has said about packets that were sent to it.
  typedef enum logic {
    ReplyAck = 1'b0,
    ReplyBusy = 1'b1
  } reply_e;

  // A packet to be numbered. A TRIGGER names the one before it with the same tag.
  typedef struct packed {
    logic known;    // row_ is that of the edge, if it has not been given back since
    logic [15:0] row_;
    logic again;    // it has its number
    logic [15:0] context_;
    logic [7:0] edge_;
    logic [15:0] ref_;  // what the sender knows it by
    logic [31:0] seq;   // again: its number
    logic is_trigger;
    logic [23:0] tag;   // port and counter
  } ask_t;

  // A packet that was numbered: it is acknowledged, or is to be sent again.
  typedef struct packed {
    logic [15:0] context_;
    logic [7:0] edge_;
    logic [15:0] ref_;
    logic [31:0] seq;
  } sent_t;

  // A time-out of an edge: the number of those since the last acknowledgement. over: it was the
  // last one; nothing is sent again.
  typedef struct packed {
    logic [15:0] context_;
    logic [7:0] edge_;
    logic [8:0] tries;
    logic over;
  } expired_t;

  // The edge of a packet at the boundary: valid if it is to be numbered.
  typedef struct packed {
    logic valid;
    logic again;
    logic [15:0] context_;
    logic [7:0] edge_;
    logic [15:0] ref_;
  } name_t;

  // An acknowledgement that is due: the edge of a group, the newest number that was stored, and
  // which of the Window numbers up to it were; bit i stands for the number i before the newest one.
  typedef struct packed {
    logic [15:0] context_;  // `context` is a keyword
    logic [7:0] edge_;
    logic [31:0] top;
    logic [63:0] seen;
  } ack_t;

  // Operations of tally_edge_probes on the row of an edge.
  typedef enum logic [1:0] {
    // The edge opens: nobody has been probed.
    ProbeOpen = 2'd0,
    // It is closed.
    ProbeClose = 2'd1,
    // The oldest chunk of its group waits for the neighbour.
    ProbeWatch = 2'd2,
    // The neighbour has sent something.
    ProbeHeard = 2'd3
  } probe_op_e;
endpackage
