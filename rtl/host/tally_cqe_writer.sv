// SPDX-License-Identifier: BSD-2-Clause
// Writes completions into CQ rings in host memory, and raises the events that follow. The header of
// sim/nic/cq.c has the rules.
//
// A request (in_*) is an entry without its timestamp, elapsed time and owner, which this block
// fills in when it finds the entry's place. An entry with a status other than success counts as
// solicited. The entry becomes one write of 64 bytes (wr_*), and done_* answers the writes in their
// order. An entry without room is lost: the CQ takes no more entries, and one event CQ_ERROR is
// raised. The same happens if a write is answered with an error; the entries that were answered
// before it raise their events, later ones do not. overrun_o pulses for each lost entry, cqe_o for
// each entry that was written and answered, and dma_error_o for each write or read that failed.
// Requests for a disabled CQ are ignored.
//
// The consumer's count is in the CQ's record behind the ring. The block reads it (rd_*, rsp_*) in
// advance when an entry fills more than half of the ring, one read of a CQ at a time. An entry for
// which it knows of no room waits for a read of its own, and so do all entries behind it. db_* is a
// write to the CQ's doorbell slot: its count, its arm word, or both. A consumer writes the arm word
// last. An arm word counts as a request if it is greater than all before. A count that goes back,
// or beyond the entries that were placed, is ignored.
//
// A ring is a buffer as tally_mr_walk finds it: *_start_o is the bus address of the access (level
// 0) or its place in the list. cfg_* enables a CQ, whose ring mem_decode_ring() takes with its
// record, or disables it (cfg_enable_i low). It is taken when none of the CQ's accesses is
// outstanding, and all events have been taken: nothing else has its turn meanwhile. Requests for
// the CQ must wait until then; one that waits for room is forgotten. now_i counts nanoseconds.
//
// Time: the state of the CQs is a memory with one read and one write port, which is emptied after a
// reset (tally_written). Entries, answers, counts and configurations take turns, three clocks each:
// an entry takes six with its answer. Its write is offered three clocks after the request, and an
// event three clocks after what makes it due, if nothing else has its turn before. The ready
// outputs of db_*, done_* and rsp_* depend on the valid inputs of the same clock. busy_o is low if
// nothing happens without an input; it depends on registers only.
module tally_cqe_writer #(
  parameter int unsigned NumCq = tally_pkg::MaxCq,
  parameter int unsigned CountW = 64,
  parameter int unsigned MaxDepth = tally_pkg::MaxCqDepth,
  parameter int unsigned Outstanding = 32,    // writes
  parameter int unsigned AddrW = 64,
  localparam int unsigned CqnW = NumCq > 1 ? $clog2(NumCq) : 1,
  localparam int unsigned EqnW = $clog2(tally_pkg::MaxEq),
  localparam int unsigned LogW = $clog2($clog2(MaxDepth) + 1),
  localparam int unsigned LevelW = $clog2(tally_pkg::MemLevels + 1),
  localparam int unsigned ShiftW = $clog2(tally_pkg::MaxPageShift - tally_pkg::MinPageShift + 1),
  localparam int unsigned RingW = AddrW + LevelW + ShiftW
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic [63:0]       now_i,

  input  logic              cfg_valid_i,
  output logic              cfg_ready_o,
  input  logic [CqnW-1:0]   cfg_cqn_i,
  input  logic              cfg_enable_i,
  // addr of struct tally_mem, levels, log2 of page / 4 KiB
  input  logic [RingW-1:0]  cfg_ring_i,
  input  logic [AddrW-1:0]  cfg_first_i,      // addr at level 0, offset otherwise
  input  logic [LogW-1:0]   cfg_log_depth_i,
  input  logic [EqnW-1:0]   cfg_eqn_i,

  input  logic              db_valid_i,
  output logic              db_ready_o,
  input  logic [CqnW-1:0]   db_cqn_i,
  input  logic              db_counts_i,      // db_count_i was written
  input  logic [CountW-1:0] db_count_i,
  input  logic              db_arms_i,        // db_arm_i was written
  input  logic [CountW-1:0] db_arm_i,         // with the flags of enum cq_arm

  input  logic              in_valid_i,
  output logic              in_ready_o,
  input  logic [CqnW-1:0]   in_cqn_i,
  input  logic [511:0]      in_cqe_i,         // cqe_t
  input  logic              in_solicited_i,
  input  logic              in_rung_i,        // in_rung_at_i is valid
  input  logic [63:0]       in_rung_at_i,     // time at which the doorbell was noticed

  output logic              wr_valid_o,
  input  logic              wr_ready_i,
  output logic [RingW-1:0]  wr_ring_o,
  output logic [AddrW-1:0]  wr_start_o,
  output logic [511:0]      wr_data_o,
  input  logic              done_valid_i,
  output logic              done_ready_o,
  input  logic              done_error_i,

  output logic              rd_valid_o,       // 64 bytes: struct tally_cq_record
  input  logic              rd_ready_i,
  output logic [RingW-1:0]  rd_ring_o,
  output logic [AddrW-1:0]  rd_start_o,
  output logic [CqnW:0]     rd_tag_o,
  input  logic              rsp_valid_i,
  output logic              rsp_ready_o,
  input  logic [CqnW:0]     rsp_tag_i,
  input  logic [CountW-1:0] rsp_count_i,
  input  logic              rsp_error_i,

  output logic              event_valid_o,
  input  logic              event_ready_i,
  output logic [EqnW-1:0]   event_eqn_o,
  output logic [7:0]        event_type_o,     // EqeCq or EqeCqError
  output logic [CqnW-1:0]   event_cqn_o,

  output logic              cqe_o,
  output logic              overrun_o,
  output logic              dma_error_o,
  output logic              busy_o
);
  localparam int unsigned BusyW = $clog2(Outstanding + 1);
  localparam int unsigned FixedW = RingW + AddrW + LogW + EqnW;

  // Each state is a bit, as the choice has no time for more.
  typedef enum logic [3:0] {
    Init = 4'b0001,    // the table is emptied
    Choose = 4'b0010,  // reads the row of what has its turn
    Exec = 4'b0100,    // computes its new counts
    Judge = 4'b1000    // decides about an event, and writes the row
  } state_e;

  localparam int unsigned NumOps = 5;
  localparam int unsigned OpW = $clog2(NumOps);
  localparam logic [OpW-1:0] OpDone = 3'd0;
  localparam logic [OpW-1:0] OpRecord = 3'd1;
  localparam logic [OpW-1:0] OpDoorbell = 3'd2;
  localparam logic [OpW-1:0] OpCfg = 3'd3;
  localparam logic [OpW-1:0] OpRequest = 3'd4;

  typedef struct packed {
    logic enabled;
    logic failed;        // takes no entries
    logic broken;        // a write failed: later ones do not count
    logic reading;       // its record is being read in advance
    logic armed;
    logic armed_any;
    logic [BusyW-1:0] busy;            // placed, not answered
    logic [CountW-1:0] written;        // placed
    logic [CountW-1:0] produced;       // answered, in order, up to a failed one
    logic [CountW-1:0] consumed;
    logic [CountW-1:0] solicited_end;  // number of entries up to the newest solicited one
    logic [CountW-1:0] arm_word;       // the last one that counts
  } counts_t;

  state_e state_q;
  logic [OpW-1:0] op_q, chosen;
  logic [CqnW-1:0] cqn_q, cqn;
  logic choose, exec, judge;
  assign choose = state_q[1];
  assign exec = state_q[2];
  assign judge = state_q[3];

  // ---- Table ----
  localparam int unsigned CountsW = 6 + BusyW + 5 * CountW;
  logic [FixedW+CountsW-1:0] row_mem_q [2**CqnW];
  logic [FixedW+CountsW-1:0] row_q, row_bits;
  logic clearing, written;
  always_ff @(posedge clk_i) begin
    if (judge) row_mem_q[cqn_q] <= {next_fixed_q, judged};
    if (choose) row_q <= row_mem_q[cqn];
  end
  tally_written #(.Rows(2**CqnW)) u_written (
    .clk_i, .rst_ni, .busy_o(clearing), .write_i(judge), .write_at_i(cqn_q), .read_i(choose),
    .read_at_i(cqn), .written_o(written)
  );
  assign row_bits = written ? row_q : '0;

  counts_t row;
  logic [RingW-1:0] row_ring;
  logic [AddrW-1:0] row_first;
  logic [LogW-1:0] row_log_depth;
  assign {row_ring, row_first, row_log_depth} = row_bits[CountsW + FixedW - 1:CountsW + EqnW];
  assign row = row_bits[CountsW-1:0];

  // ---- The request that is next ----
  logic req_valid_q, req_solicited_q, req_rung_q;
  logic req_waits_q;                          // for a read of its own
  logic req_tried_q;                          // the read has come
  logic [CqnW-1:0] req_cqn_q;
  logic [63:0] req_rung_at_q;
  tally_pkg::cqe_t in_cqe, req_cqe_q, filled;
  logic req_ends, req_asks, req_forgotten;

  assign in_cqe = in_cqe_i;
  assign in_ready_o = !req_valid_q;
  always_ff @(posedge clk_i) begin
    if (in_ready_o) begin
      req_cqn_q <= in_cqn_i;
      req_cqe_q <= in_cqe;
      req_solicited_q <= in_solicited_i || in_cqe.status != tally_pkg::WcSuccess;
      req_rung_q <= in_rung_i;
      req_rung_at_q <= in_rung_at_i;
    end
  end

  // ---- Turns ----
  logic order_valid, order_room, room_q, order_solicited, event_room;
  logic [CqnW-1:0] order_cqn;
  logic [BusyW-1:0] order_used;
  logic [NumOps-1:0] asks, takes;
  logic granted, start;
  logic op_error_q, op_solicited_q, op_counts_q, op_arms_q;
  logic [CountW-1:0] op_count_q, op_arm_q;

  // Whose turn it is does not wait for `start`, which comes later in the clock. A write that takes
  // the last room is of two clocks before.
  always_ff @(posedge clk_i) room_q <= order_room;
  assign req_asks = req_valid_q && !req_waits_q && room_q && !wr_valid_o && !rd_valid_o;
  assign start = event_room && !(cfg_valid_i && event_valid_o);
  assign asks = {req_asks, cfg_valid_i, db_valid_i, rsp_valid_i, done_valid_i} & {NumOps{choose}};
  tally_rr_arbiter #(.Num(NumOps)) u_turns (
    .clk_i, .rst_ni, .request_valid_i(asks), .request_ready_o(takes),
    .grant_valid_o(granted), .grant_ready_i(start), .grant_o(chosen)
  );
  assign done_ready_o = takes[OpDone];
  assign rsp_ready_o = takes[OpRecord];
  assign db_ready_o = takes[OpDoorbell];

  always_comb begin
    unique case (chosen)
      OpDone: cqn = order_cqn;
      OpRecord: cqn = rsp_tag_i[CqnW-1:0];
      OpDoorbell: cqn = db_cqn_i;
      OpCfg: cqn = cfg_cqn_i;
      default: cqn = req_cqn_q;  // OpRequest
    endcase
  end
  always_ff @(posedge clk_i) begin
    if (choose) begin
      op_q <= chosen;
      cqn_q <= cqn;
      op_error_q <= chosen == OpDone ? done_error_i : rsp_error_i;
      op_solicited_q <= order_solicited;
      op_counts_q <= db_counts_i;
      op_arms_q <= db_arms_i;
      op_arm_q <= db_arm_i;
      op_count_q <= chosen == OpRecord ? rsp_count_i : db_count_i;
    end
  end
  // Owners of the unanswered writes.
  tally_fifo #(.Width(CqnW + 1), .Depth(Outstanding)) u_order (
    .clk_i, .rst_ni, .in_valid_i(wr_place), .in_ready_o(order_room),
    .in_i({cqn_q, req_solicited_q}), .out_valid_o(order_valid), .out_ready_i(takes[OpDone]),
    .out_o({order_cqn, order_solicited}), .used_o(order_used)
  );

  // ---- Exec: an entry finds its place, waits, or is lost ----
  logic request, has_room, wr_place, lost, must_read, reads_ahead, in_half;
  logic [CountW-1:0] used, depth;
  logic [AddrW-1:0] start_of;
  logic [63:0] elapsed;

  assign request = exec && op_q == OpRequest && row.enabled;
  assign used = row.written - row.consumed;
  assign depth = CountW'(1) << row_log_depth;
  assign has_room = used < depth;
  assign in_half = used < depth >> 1;         // also with this entry
  assign wr_place = request && !row.failed && has_room;
  assign must_read = request && !row.failed && !has_room && !req_tried_q;
  assign lost = request && (row.failed || (!has_room && req_tried_q));
  assign reads_ahead = wr_place && !in_half && !row.reading;
  assign start_of = row_first + AddrW'({row.written & (depth - 1'b1), 6'b0});
  assign overrun_o = lost;
  assign req_ends = exec && op_q == OpRequest && !must_read;
  assign req_forgotten = cfg_ready_o && req_valid_q && req_cqn_q == cqn_q;

  assign elapsed = now_i - req_rung_at_q;
  always_comb begin
    filled = req_cqe_q;
    filled.timestamp = now_i;
    if (!req_rung_q) filled.elapsed = '0;
    else filled.elapsed = elapsed[63:32] != '0 ? {32{1'b1}} : elapsed[31:0];
    filled.owner = (row.written & depth) == '0 ? tally_pkg::OwnerPhase : '0;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      req_valid_q <= 1'b0;
      req_waits_q <= 1'b0;
      req_tried_q <= 1'b0;
      wr_valid_o <= 1'b0;
      rd_valid_o <= 1'b0;
    end else begin
      if (in_ready_o) req_valid_q <= in_valid_i;
      else if (req_ends || req_forgotten) req_valid_q <= 1'b0;
      if (must_read) req_waits_q <= 1'b1;
      else if (takes[OpRecord] && rsp_tag_i[CqnW]) req_waits_q <= 1'b0;
      if (takes[OpRecord] && rsp_tag_i[CqnW]) req_tried_q <= 1'b1;
      else if (req_ends || req_forgotten) req_tried_q <= 1'b0;
      if (wr_place) wr_valid_o <= 1'b1;
      else if (wr_ready_i) wr_valid_o <= 1'b0;
      if (must_read || reads_ahead) rd_valid_o <= 1'b1;
      else if (rd_ready_i) rd_valid_o <= 1'b0;
    end
  end
  always_ff @(posedge clk_i) begin
    if (wr_place) begin
      wr_ring_o <= row_ring;
      wr_start_o <= start_of;
      wr_data_o <= filled;
    end
    if (must_read || reads_ahead) begin
      rd_ring_o <= row_ring;
      rd_start_o <= row_first + AddrW'({depth, 6'b0});
      rd_tag_o <= {must_read, cqn_q};
    end
  end

  // ---- Exec: new counts ----
  counts_t next, next_q;
  logic [FixedW-1:0] next_fixed_q;
  logic fails, fails_q, good, counts, row_idle, for_solicited;
  logic [CountW-1:0] answered;

  assign answered = row.produced + 1'b1;
  assign good = op_count_q - row.consumed <= used;
  assign counts = exec && op_q == OpDone && !op_error_q && !row.broken;
  assign fails = !row.failed && (lost || (exec && op_q == OpDone && op_error_q));
  assign row_idle = row.busy == '0 && !row.reading && !(req_waits_q && req_cqn_q == cqn_q);
  assign cfg_ready_o = exec && op_q == OpCfg && row_idle;
  assign cqe_o = counts;
  assign for_solicited = (op_arm_q & CountW'(tally_pkg::CqArmSolicited)) != '0;
  assign dma_error_o = exec && (op_q == OpDone || op_q == OpRecord) && op_error_q;

  always_comb begin
    next = row;
    if (fails) next.failed = 1'b1;
    unique case (op_q)
      OpDone: begin
        next.busy = row.busy - 1'b1;
        if (op_error_q) next.broken = 1'b1;
        if (counts) next.produced = answered;
        if (counts && op_solicited_q) next.solicited_end = answered;
      end
      OpRecord: begin
        if (!own_q) next.reading = 1'b0;
        if (!op_error_q && good) next.consumed = op_count_q;
      end
      OpDoorbell: begin
        if (row.enabled && op_counts_q && good) next.consumed = op_count_q;
        // An arm for any entry is not narrowed by a later one while no event was raised.
        if (row.enabled && op_arms_q && op_arm_q > row.arm_word) begin
          next.arm_word = op_arm_q;
          next.armed = 1'b1;
          next.armed_any = !for_solicited || (row.armed && row.armed_any);
        end
      end
      OpCfg: begin
        if (cfg_ready_o) next = '0;
        if (cfg_ready_o) next.enabled = cfg_enable_i;
      end
      default: begin  // OpRequest
        if (wr_place) next.written = row.written + 1'b1;
        if (wr_place) next.busy = row.busy + 1'b1;
        if (reads_ahead) next.reading = 1'b1;
      end
    endcase
  end

  logic own_q;                                // the record was read for the request that waits
  always_ff @(posedge clk_i) begin
    if (choose) own_q <= rsp_tag_i[CqnW];
    if (exec) begin
      next_q <= next;
      fails_q <= fails;
      next_fixed_q <= cfg_ready_o ? {cfg_ring_i, cfg_first_i, cfg_log_depth_i, cfg_eqn_i} :
          row_bits[CountsW +: FixedW];
    end
  end

  // ---- Judge: an event, if one is due ----
  logic is_due;
  logic [CountW-1:0] end_at, ahead;
  logic [EqnW-1:0] eqn;
  counts_t judged;
  logic [2:0] event_used;

  assign end_at = next_q.armed_any ? next_q.produced : next_q.solicited_end;
  assign ahead = end_at - next_q.consumed;
  // The difference is at most the ring's depth, or negative if the consumer is ahead. A failure is
  // the only event of its turn.
  assign is_due = next_q.armed && ahead != '0 && !ahead[CountW-1] && !fails_q;
  assign eqn = next_fixed_q[EqnW-1:0];
  always_comb begin
    judged = next_q;
    if (is_due) judged.armed = 1'b0;
  end
  tally_fifo #(.Width(EqnW + 8 + CqnW), .Depth(4)) u_events (
    .clk_i, .rst_ni, .in_valid_i(judge && (is_due || fails_q)), .in_ready_o(event_room),
    .in_i({eqn, fails_q ? 8'(tally_pkg::EqeCqError) : 8'(tally_pkg::EqeCq), cqn_q}),
    .out_valid_o(event_valid_o), .out_ready_i(event_ready_i),
    .out_o({event_eqn_o, event_type_o, event_cqn_o}), .used_o(event_used)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= Init;
    end else begin
      unique case (state_q)
        Init: if (!clearing) state_q <= Choose;
        Choose: if (granted && start) state_q <= Exec;
        Exec: state_q <= Judge;
        default: state_q <= Choose;  // Judge
      endcase
    end
  end

  assign busy_o = !choose || wr_valid_o || rd_valid_o || event_valid_o ||
      (req_valid_q && !req_waits_q);

  // Each answer belongs to a write. The levels of the FIFOs are not needed.
  logic unused;
  assign unused = ^{order_used, order_valid, event_used, takes[OpCfg], takes[OpRequest]};

`ifdef FORMAL
  `include "cqe_writer_proof.svh"
`endif
endmodule
