// SPDX-License-Identifier: BSD-2-Clause
// Receiving side of edges. For each edge, the block holds the newest number that was stored, and an
// anti-replay window of the Window numbers up to it (edge_accept(), edge_in_turn() and
// edge_verdict() of sim/engine/edge.c). Numbers are SeqW bits wide and use serial arithmetic.
//
// The block takes one operation per clock, of any edge, so its memory has one read and one write
// port. The operations (tally_edge_pkg::rx_op_e) and their answers, 2 clocks later:
//   RxOpen   Opens the edge at number op_seq_i.
//   RxMark   Marks the number, whose packet is stored. mark_new_o says whether the number was new
//            and within the window. If not, nothing has changed: two copies were taken at the same
//            time, or the packet was never accepted.
//   RxQuery  answer_o classifies the packet with this number. op_before_i is its predecessor: the
//            number that the header of a TRIGGER names and that the packet must not overtake. Other
//            packets pass their own number.
//   RxAck    The newest number, and a bitmap. Bit i is set if the number i before the newest one is
//            stored.
// An operation sees the effect of all earlier ones. The answers cannot be stalled.
//
// An edge must be opened before it is used, and again after a reset. A second packet of an edge
// must be held back until the verdict on the first one, or its number may be stored twice, which
// mark_new_o shows; tally_edge_gate does so. Duplicates and marks require an acknowledgement: a
// TimerArm in a tally_edge_timers for that purpose.
module tally_edge_rx #(
  parameter int unsigned Edges = 64,
  parameter int unsigned Window = tally_pkg::EdgeWindow,  // a power of two
  parameter int unsigned SeqW = 32,
  localparam int unsigned EdgeW = Edges > 1 ? $clog2(Edges) : 1
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,

  input  logic                       op_valid_i,
  input  tally_edge_pkg::rx_op_e     op_i,
  input  logic [EdgeW-1:0]           op_edge_i,
  input  logic [SeqW-1:0]            op_seq_i,
  input  logic [SeqW-1:0]            op_before_i,

  output logic                       answer_valid_o,
  output tally_edge_pkg::rx_answer_e answer_o,
  output logic                       mark_valid_o,
  output logic                       mark_new_o,
  output logic                       ack_valid_o,
  output logic [SeqW-1:0]            ack_top_o,
  output logic [Window-1:0]          ack_seen_o
);
  localparam int unsigned AgeW = $clog2(Window);

  typedef struct packed {
    logic [SeqW-1:0]   top;   // newest number
    logic [Window-1:0] seen;  // bit i: number top - i
  } row_t;
  localparam int unsigned RowW = SeqW + Window;

  // One clock after the operation: its edge's row. If the operation before wrote the row while it
  // was read, the written row is used.
  logic [RowW-1:0] mem_q [Edges];
  logic [RowW-1:0] read_q, written_q;
  logic hit_q, valid_q, write;
  tally_edge_pkg::rx_op_e op_q;
  logic [EdgeW-1:0] edge_q;
  logic [SeqW-1:0] seq_q, before_q;
  row_t row, updated;

  assign row = hit_q ? written_q : read_q;

  // Queries.
  logic [SeqW-1:0] ahead, behind, before_behind;
  logic near, seen, in_turn;
  tally_edge_pkg::rx_answer_e answer;

  assign ahead = seq_q - row.top;
  assign behind = row.top - seq_q;
  assign before_behind = row.top - before_q;
  assign near = ahead <= SeqW'(Window) || behind < SeqW'(Window);
  assign seen = behind < SeqW'(Window) && row.seen[behind[AgeW-1:0]];
  assign in_turn = before_q == seq_q ||
      (!before_behind[SeqW-1] &&
       (before_behind >= SeqW'(Window) || row.seen[before_behind[AgeW-1:0]]));

  always_comb begin
    if (!near) answer = tally_edge_pkg::RxOutside;
    else if (seen) answer = tally_edge_pkg::RxDuplicate;
    else if (!in_turn) answer = tally_edge_pkg::RxNotInTurn;
    else answer = tally_edge_pkg::RxAccept;
  end

  // Updates.
  logic forward, mark_new, opens;

  assign forward = ahead <= SeqW'(Window) && ahead != '0;
  assign mark_new = near && !seen;
  assign opens = op_q == tally_edge_pkg::RxOpen;
  assign write = valid_q && (opens || (op_q == tally_edge_pkg::RxMark && mark_new));

  always_comb begin
    updated = row;
    if (opens) begin
      updated.top = seq_q - 1'b1;
      updated.seen = '1;  // numbers before the first are never valid
    end else if (forward) begin
      updated.top = seq_q;
      updated.seen = row.seen << ahead[AgeW:0] | Window'(1);
    end else begin
      updated.seen[behind[AgeW-1:0]] = 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (write) mem_q[edge_q] <= updated;
    written_q <= updated;
    read_q <= mem_q[op_edge_i];
    hit_q <= write && edge_q == op_edge_i;
    op_q <= op_i;
    edge_q <= op_edge_i;
    seq_q <= op_seq_i;
    before_q <= op_before_i;
    answer_o <= answer;
    mark_new_o <= mark_new;
    ack_top_o <= row.top;
    ack_seen_o <= row.seen;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q <= 1'b0;
      answer_valid_o <= 1'b0;
      mark_valid_o <= 1'b0;
      ack_valid_o <= 1'b0;
    end else begin
      valid_q <= op_valid_i;
      answer_valid_o <= valid_q && op_q == tally_edge_pkg::RxQuery;
      mark_valid_o <= valid_q && op_q == tally_edge_pkg::RxMark;
      ack_valid_o <= valid_q && op_q == tally_edge_pkg::RxAck;
    end
  end

`ifdef FORMAL
  `include "edge_rx_proof.svh"
`endif
endmodule
