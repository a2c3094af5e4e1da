// SPDX-License-Identifier: BSD-2-Clause
// Sending side of edges. For each edge, the block holds the next number, and the unacknowledged
// ones of the Window numbers before it (edge_send(), edge_ack(), edge_busy() and hurry() of
// sim/engine/edge.c). Numbers are SeqW bits wide and use serial arithmetic. In bitmaps, number n
// has bit n % Window, which is also the place of its packet in the edge's buffer.
//
// The block takes one operation per clock, of any edge, and answers 4 clocks later. An operation
// sees the effect of all earlier ones. The answers cannot be stalled. The operations
// (tally_edge_pkg::tx_op_e), and the outputs that are valid for each:
//   TxOpen   op_seq_i is the first number.
//   TxClose
//   TxSend   ok_o: number seq_o was assigned to the packet. Otherwise the window is full or the
//            edge is closed.
//   TxAck    op_seq_i is the newest number; bit i of op_seen_i is set if the number i before it was
//            stored. ok_o: some number is newly acknowledged. acked_o: these numbers, each reported
//            once. hurry_o: numbers to retransmit at once, because at least ReorderMax later ones
//            have arrived; each is reported at most once.
//   TxBusy   ok_o: op_seq_i lies between the oldest unacknowledged number and the next one.
//   TxLook
// gave_valid_o: TxSend assigned gave_seq_o, told two clocks before its answer. For all operations,
// the answer has the state after the operation: held_o (the unacknowledged
// numbers, which are retransmitted after a time-out), una_o (the oldest of them, or the next
// number) and next_o (the next number). idle_o is high if no number was unacknowledged before the
// operation; it means nothing for the first operation of an edge.
//
// The engine drives the edge's timer (tally_edge_timers). TimerStart is due if TxSend assigned a
// number while idle_o is high, and if TxAck or TxBusy answers ok_o. TimerStop is due instead if
// TxAck answers ok_o and held_o is zero. The first operation of an edge after a reset must be
// TxOpen.
//
// The oldest unacknowledged number is not stored. It follows from held and next, because each of
// the Window numbers before the next one has its own bit. The same bits prevent that a number is
// assigned a full window ahead: its bit would still be held.
//
// This block does not find the predecessor that a TRIGGER names (sent_before()). It is the newest
// held number whose packet has the same port and counter, which only the headers in the edge's
// buffer show. The engine finds it from held_o, una_o and seq_o of the answer to TxSend before it
// sends the packet.
module tally_edge_tx #(
  parameter int unsigned Edges = 64,
  parameter int unsigned Window = tally_pkg::EdgeWindow,  // a power of two
  parameter int unsigned SeqW = 32,
  // packets that may overtake one before it is taken as lost
  parameter int unsigned ReorderMax = 3,
  localparam int unsigned EdgeW = Edges > 1 ? $clog2(Edges) : 1
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,

  input  logic                    op_valid_i,
  input  tally_edge_pkg::tx_op_e  op_i,
  input  logic [EdgeW-1:0]        op_edge_i,
  input  logic [SeqW-1:0]         op_seq_i,
  input  logic [Window-1:0]       op_seen_i,

  output logic                    gave_valid_o,
  output logic [SeqW-1:0]         gave_seq_o,
  output logic                    answer_valid_o,
  output logic                    ok_o,
  output logic                    idle_o,
  output logic [SeqW-1:0]         seq_o,
  output logic [SeqW-1:0]         una_o,
  output logic [SeqW-1:0]         next_o,
  output logic [Window-1:0]       held_o,
  output logic [Window-1:0]       acked_o,
  output logic [Window-1:0]       hurry_o
);
  localparam int unsigned AgeW = $clog2(Window);

  typedef struct packed {
    logic              open;
    logic [SeqW-1:0]   next;
    logic [Window-1:0] held;
    logic [Window-1:0] hurried;
  } row_t;
  localparam int unsigned RowW = 1 + SeqW + 2 * Window;

  // One clock after the operation: its edge's row. If the operation before wrote the row while it
  // was read, the written row is used.
  logic [RowW-1:0] mem_q [Edges];
  logic [RowW-1:0] read_q, written_q;
  logic hit_q, valid_q;
  tally_edge_pkg::tx_op_e op_q;
  logic [EdgeW-1:0] edge_q;
  logic [SeqW-1:0] seq_q;
  row_t row, updated;

  assign row = hit_q ? written_q : read_q;

  // Contents of an acknowledgement, by the numbers' bits. seen: stored numbers. missing: other
  // numbers, except for the newest ones, which do not count as overtaken. upto, for all operations:
  // bits that do not exceed that of the operation's number.
  logic [Window-1:0] backwards, seen, seen_q, young, missing_q, upto, upto_q;
  logic op_ack;

  assign op_ack = op_i == tally_edge_pkg::TxAck;
  // bit b is op_seen_i[op_seq_i - b]
  assign seen = Window'({backwards, backwards} >> ~op_seq_i[AgeW-1:0]);

  always_comb begin
    for (int unsigned b = 0; b < Window; b++) begin
      backwards[b] = op_seen_i[Window-1-b];
      young[b] = op_seq_i[AgeW-1:0] - AgeW'(b) < AgeW'(ReorderMax);
      upto[b] = AgeW'(b) <= op_seq_i[AgeW-1:0];
    end
  end

  // Of the Window numbers before the next one: those up to the operation's number that are less
  // than Window older.
  logic [SeqW-1:0] beyond_q;  // the operation's number plus Window
  // verilator lint_off UNUSEDSIGNAL
  // distance of beyond from next; only the number of whole windows is used
  logic [SeqW-1:0] reach;
  // verilator lint_on UNUSEDSIGNAL
  logic [AgeW-1:0] first_bit, last_bit;
  logic [Window-1:0] first, within_reach, covered;
  logic near, far, wrapped;

  assign reach = beyond_q - row.next;
  assign near = reach[SeqW-1:AgeW] == '0;
  assign far = reach[SeqW-1:AgeW] == (SeqW-AgeW)'(1);
  assign first_bit = row.next[AgeW-1:0];
  assign last_bit = seq_q[AgeW-1:0];
  assign wrapped = first_bit > last_bit;

  always_comb begin
    for (int unsigned b = 0; b < Window; b++) begin
      first[b] = AgeW'(b) == first_bit;
      within_reach[b] = wrapped ? AgeW'(b) >= first_bit || upto_q[b] : AgeW'(b) >= first_bit &&
                        upto_q[b];
      covered[b] = row.held[b] && (within_reach[b] ? near : far);
    end
  end

  logic opens_q, forgets_q, sends_q, acks_q, may_send;
  logic [Window-1:0] acked, hurry, sent;

  assign may_send = row.open && (row.held & first) == '0;
  assign acked = covered & seen_q;
  assign hurry = covered & missing_q & ~row.hurried;
  // A full window need not be checked here: the bit is then held already.
  assign sent = sends_q && row.open ? first : '0;

  always_comb begin
    updated.open = opens_q || (row.open && !forgets_q);
    updated.next = opens_q ? seq_q : row.next + SeqW'(sends_q && may_send);
    updated.held = forgets_q ? '0 : (row.held & ~acked) | sent;
    updated.hurried = (row.hurried & (row.held | ~sent)) | hurry;
  end

  always_ff @(posedge clk_i) begin
    if (valid_q) mem_q[edge_q] <= updated;
    written_q <= updated;
    read_q <= mem_q[op_edge_i];
    hit_q <= valid_q && edge_q == op_edge_i;
    op_q <= op_i;
    opens_q <= op_i == tally_edge_pkg::TxOpen;
    forgets_q <= op_i == tally_edge_pkg::TxOpen || op_i == tally_edge_pkg::TxClose;
    sends_q <= op_i == tally_edge_pkg::TxSend;
    acks_q <= op_ack;
    edge_q <= op_edge_i;
    seq_q <= op_seq_i;
    beyond_q <= op_seq_i + SeqW'(Window);
    seen_q <= op_ack ? seen : '0;
    missing_q <= op_ack ? ~seen & ~young : '0;
    upto_q <= upto;
  end

  // Whether the operation was useful, and the bits of held, rotated so that the bit of the next
  // number is the lowest.
  logic done_q, turned_valid_q, gave_q, gave_q2, ack_q, busy_q, useful_q, idle_q, idle_q2;
  logic [SeqW-1:0] given_q, given_q2, next_q, next_q2, oldest_q;
  logic [Window-1:0] held_q, held_q2, touched_q, acked_q2, hurry_q, hurry_q2, turned_q;

  assign gave_valid_o = done_q && gave_q;
  assign gave_seq_o = given_q;
  always_ff @(posedge clk_i) begin
    gave_q <= sends_q && may_send;
    ack_q <= acks_q;
    busy_q <= op_q == tally_edge_pkg::TxBusy && near;
    idle_q <= row.held == '0;
    next_q <= updated.next;
    held_q <= updated.held;
    given_q <= row.next;
    touched_q <= acks_q ? acked : covered;
    hurry_q <= hurry;

    gave_q2 <= gave_q;
    useful_q <= (ack_q || busy_q) && touched_q != '0;
    idle_q2 <= idle_q;
    next_q2 <= next_q;
    oldest_q <= next_q - SeqW'(Window);
    held_q2 <= held_q;
    given_q2 <= given_q;
    acked_q2 <= ack_q ? touched_q : '0;
    hurry_q2 <= hurry_q;
    turned_q <= Window'({held_q, held_q} >> next_q[AgeW-1:0]);
  end

  // Oldest number: the lowest held bit of the rotated bitmap.
  logic [Window-1:0] lowest;
  logic [AgeW:0] ahead;

  assign lowest = turned_q & -turned_q;

  always_comb begin
    ahead = {turned_q == '0, AgeW'(0)};
    for (int unsigned b = 0; b < Window; b++) begin
      if (lowest[b]) ahead = ahead | (AgeW + 1)'(b);
    end
  end

  always_ff @(posedge clk_i) begin
    ok_o <= gave_q2 || useful_q;
    idle_o <= idle_q2;
    seq_o <= given_q2;
    una_o <= oldest_q + SeqW'(ahead);
    next_o <= next_q2;
    held_o <= held_q2;
    acked_o <= acked_q2;
    hurry_o <= hurry_q2;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q <= 1'b0;
      done_q <= 1'b0;
      turned_valid_q <= 1'b0;
      answer_valid_o <= 1'b0;
    end else begin
      valid_q <= op_valid_i;
      done_q <= valid_q;
      turned_valid_q <= done_q;
      answer_valid_o <= turned_valid_q;
    end
  end

`ifdef FORMAL
  `include "edge_tx_proof.svh"
`endif
endmodule
