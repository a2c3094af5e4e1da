// SPDX-License-Identifier: BSD-2-Clause
// Receiving side of edges. For each edge, the block holds the newest number that was stored, and an anti-replay window
// of the Window numbers up to it (edge_accept(), edge_in_turn() and edge_verdict() of sim/engine/edge.c). Numbers are
// SeqW bits wide and use serial arithmetic.
//
// Each of three independent ports takes one request per clock, of any edge:
//   query   Classifies the packet with this number. query_before_i is its predecessor: the number that the header of a
//           TRIGGER names and that the packet must not overtake. Other packets pass their own number. The answer
//           comes 2 clocks later.
//   update  With update_open_i, opens the edge at this number. Without it, marks the number, whose packet is stored.
//           2 clocks later, mark_new_o says whether the number was new and within the window. If not, nothing has
//           changed: two copies were taken at the same time, or the packet was never accepted.
//   ack     Returns the contents of an acknowledgement 2 clocks later: the newest number, and a bitmap. Bit i is set if
//           the number i before the newest one is stored.
// A query or ack sees all updates of earlier clocks. The answers cannot be stalled.
//
// An edge must be opened before it is used, and again after a reset. A second packet of an edge must be held back until
// the verdict on the first one, or its number may be stored twice, which mark_new_o shows; tally_edge_gate does so.
// Duplicates and marks require an acknowledgement: a TimerArm in a tally_edge_timers for that purpose.
module tally_edge_rx #(
  parameter int unsigned Edges = 64,
  parameter int unsigned Window = tally_pkg::EdgeWindow,  // a power of two
  parameter int unsigned SeqW = 32,
  localparam int unsigned EdgeW = Edges > 1 ? $clog2(Edges) : 1
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,

  input  logic                       query_valid_i,
  input  logic [EdgeW-1:0]           query_edge_i,
  input  logic [SeqW-1:0]            query_seq_i,
  input  logic [SeqW-1:0]            query_before_i,
  output logic                       answer_valid_o,
  output tally_edge_pkg::rx_answer_e answer_o,

  input  logic                       update_valid_i,
  input  logic                       update_open_i,
  input  logic [EdgeW-1:0]           update_edge_i,
  input  logic [SeqW-1:0]            update_seq_i,
  output logic                       mark_valid_o,
  output logic                       mark_new_o,

  input  logic                       ack_valid_i,
  input  logic [EdgeW-1:0]           ack_edge_i,
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

  // One clock after the request: the request and its edge's row. If the update of the clock before wrote the row while
  // it was read, the written row is used.
  logic [RowW-1:0] mem_q [Edges];
  logic [RowW-1:0] query_read_q, update_read_q, ack_read_q, written_q;
  logic query_hit_q, update_hit_q, ack_hit_q;
  logic query_valid_q, update_valid_q, update_open_q, ack_valid_q;
  logic [EdgeW-1:0] update_edge_q;
  logic [SeqW-1:0] query_seq_q, query_before_q, update_seq_q;
  row_t query_row, update_row, ack_row, updated;
  logic write;

  assign query_row = query_hit_q ? written_q : query_read_q;
  assign update_row = update_hit_q ? written_q : update_read_q;
  assign ack_row = ack_hit_q ? written_q : ack_read_q;

  // Queries.
  logic [SeqW-1:0] query_ahead, query_behind, before_behind;
  logic query_near, query_seen, in_turn;
  tally_edge_pkg::rx_answer_e answer;

  assign query_ahead = query_seq_q - query_row.top;
  assign query_behind = query_row.top - query_seq_q;
  assign before_behind = query_row.top - query_before_q;
  assign query_near = query_ahead <= SeqW'(Window) || query_behind < SeqW'(Window);
  assign query_seen = query_behind < SeqW'(Window) && query_row.seen[query_behind[AgeW-1:0]];
  assign in_turn = query_before_q == query_seq_q ||
      (!before_behind[SeqW-1] &&
       (before_behind >= SeqW'(Window) || query_row.seen[before_behind[AgeW-1:0]]));

  always_comb begin
    if (!query_near) answer = tally_edge_pkg::RxOutside;
    else if (query_seen) answer = tally_edge_pkg::RxDuplicate;
    else if (!in_turn) answer = tally_edge_pkg::RxNotInTurn;
    else answer = tally_edge_pkg::RxAccept;
  end

  // Updates.
  logic [SeqW-1:0] ahead, behind;
  logic forward, recent, mark_new;

  assign ahead = update_seq_q - update_row.top;
  assign behind = update_row.top - update_seq_q;
  assign forward = ahead <= SeqW'(Window) && ahead != '0;
  assign recent = behind < SeqW'(Window);
  assign mark_new = forward || (recent && !update_row.seen[behind[AgeW-1:0]]);
  assign write = update_valid_q && (update_open_q || mark_new);

  always_comb begin
    updated = update_row;
    if (update_open_q) begin
      updated.top = update_seq_q - 1'b1;
      updated.seen = '1;  // numbers before the first are never valid
    end else if (forward) begin
      updated.top = update_seq_q;
      updated.seen = update_row.seen << ahead[AgeW:0] | Window'(1);
    end else begin
      updated.seen[behind[AgeW-1:0]] = 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (write) mem_q[update_edge_q] <= updated;
    written_q <= updated;
    query_read_q <= mem_q[query_edge_i];
    update_read_q <= mem_q[update_edge_i];
    ack_read_q <= mem_q[ack_edge_i];
    query_hit_q <= write && update_edge_q == query_edge_i;
    update_hit_q <= write && update_edge_q == update_edge_i;
    ack_hit_q <= write && update_edge_q == ack_edge_i;
    query_seq_q <= query_seq_i;
    query_before_q <= query_before_i;
    update_open_q <= update_open_i;
    update_edge_q <= update_edge_i;
    update_seq_q <= update_seq_i;
    answer_o <= answer;
    mark_new_o <= mark_new;
    ack_top_o <= ack_row.top;
    ack_seen_o <= ack_row.seen;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      query_valid_q <= 1'b0;
      update_valid_q <= 1'b0;
      ack_valid_q <= 1'b0;
      answer_valid_o <= 1'b0;
      mark_valid_o <= 1'b0;
      ack_valid_o <= 1'b0;
    end else begin
      query_valid_q <= query_valid_i;
      update_valid_q <= update_valid_i;
      ack_valid_q <= ack_valid_i;
      answer_valid_o <= query_valid_q;
      mark_valid_o <= update_valid_q && !update_open_q;
      ack_valid_o <= ack_valid_q;
    end
  end

`ifdef FORMAL
  `include "edge_rx_proof.svh"
`endif
endmodule
