// SPDX-License-Identifier: BSD-2-Clause
// Writes events into EQ rings in host memory, and raises the interrupts that follow. The header of
// sim/nic/eq.c has the rules.
//
// An event (in_*) becomes one write of 32 bytes (wr_*), and done_* answers the writes in their
// order. When a write is answered, irq_* offers its queue and its vector. An event for a queue that
// is not enabled has no consumer and is dropped.
//
// A queue without room, or a write that fails, stops the device: fatal_code_o tells the first cause
// until the next reset. From then on events are dropped, except EqeDeviceFatal, by which the
// firmware tells it. Interrupts of earlier events still come.
//
// An event that processes ask for (in_asked_i) must leave half of the queue to the others. If half
// is used, or others that were given back come first (in_behind_i), refused_o gives it back in the
// clock after it was taken. freed_o is a pulse when one which was given back may find room: when a
// consumer's count has advanced, or with refused_o if there was room.
//
// db_* is the consumer's count of the queue's doorbell. A count that goes back, or beyond the
// events that were placed, is ignored. cfg_* enables a queue, whose ring mem_decode_ring() takes,
// or disables it. It is taken when no write is outstanding; no event is taken meanwhile. A ring is
// a buffer as tally_mr_walk finds it: wr_start_o is the bus address of the entry (level 0), or its
// place in the list.
//
// Time: events, counts and configurations take turns, two clocks each. The write of an event is
// offered two clocks after the event was taken, if nothing else has its turn before. The ready
// outputs depend on the valid inputs of the same clock. Nothing is taken in the first clocks after
// a reset, one for each queue. busy_o is low if nothing happens without an input; it depends on
// registers only.
module tally_eqe_writer #(
  parameter int unsigned NumEq = tally_pkg::MaxEq,    // a power of two
  parameter int unsigned CountW = 64,
  parameter int unsigned MaxDepth = tally_pkg::MaxEqDepth,
  parameter int unsigned Outstanding = 8,             // writes
  parameter int unsigned AddrW = 64,
  localparam int unsigned EqnW = NumEq > 1 ? $clog2(NumEq) : 1,
  localparam int unsigned VectorW = $clog2(tally_pkg::NumVectors),
  localparam int unsigned LogW = $clog2($clog2(MaxDepth) + 1),
  localparam int unsigned LevelW = $clog2(tally_pkg::MemLevels + 1),
  localparam int unsigned ShiftW = $clog2(tally_pkg::MaxPageShift - tally_pkg::MinPageShift + 1),
  localparam int unsigned RingW = AddrW + LevelW + ShiftW,
  localparam int unsigned EqeW = 8 * tally_pkg::EqeBytes
) (
  input  logic               clk_i,
  input  logic               rst_ni,

  input  logic               cfg_valid_i,
  output logic               cfg_ready_o,
  input  logic [EqnW-1:0]    cfg_eqn_i,
  input  logic               cfg_enable_i,
  // addr of struct tally_mem, levels, log2 of page / 4 KiB
  input  logic [RingW-1:0]   cfg_ring_i,
  input  logic [AddrW-1:0]   cfg_first_i,     // addr at level 0, offset otherwise
  input  logic [LogW-1:0]    cfg_log_depth_i,
  input  logic [VectorW-1:0] cfg_vector_i,

  input  logic               db_valid_i,
  output logic               db_ready_o,
  input  logic [EqnW-1:0]    db_eqn_i,
  input  logic [CountW-1:0]  db_count_i,

  input  logic               in_valid_i,
  output logic               in_ready_o,
  input  logic [EqnW-1:0]    in_eqn_i,
  input  logic [7:0]         in_type_i,       // eqe_type
  input  logic [31:0]        in_id_i,
  input  logic [63:0]        in_data_i,
  input  logic               in_asked_i,
  input  logic               in_behind_i,     // only with in_asked_i
  output logic               refused_o,
  output logic               freed_o,

  output logic               wr_valid_o,
  input  logic               wr_ready_i,
  output logic [RingW-1:0]   wr_ring_o,
  output logic [AddrW-1:0]   wr_start_o,
  output logic [EqeW-1:0]    wr_data_o,
  input  logic               done_valid_i,
  output logic               done_ready_o,
  input  logic               done_error_i,

  output logic               irq_valid_o,
  input  logic               irq_ready_i,
  output logic [VectorW-1:0] irq_vector_o,
  output logic [EqnW-1:0]    irq_eqn_o,

  output logic [31:0]        fatal_code_o,    // enum fatal; FatalNone: the device works
  output logic               busy_o
);
  localparam int unsigned EntryW = $clog2(tally_pkg::EqeBytes);
  localparam int unsigned RowW = 1 + RingW + AddrW + LogW + VectorW + 2 * CountW;
  localparam int unsigned UsedW = $clog2(Outstanding + 1);

  typedef enum logic [1:0] {
    Init = 2'd0,    // empties the table
    Choose = 2'd1,  // reads the row of what has its turn
    Exec = 2'd2     // carries it out
  } state_e;

  localparam logic [1:0] OpDoorbell = 2'd0;
  localparam logic [1:0] OpCfg = 2'd1;
  localparam logic [1:0] OpEvent = 2'd2;

  state_e state_q;
  logic [1:0] op_q, chosen;
  logic [EqnW-1:0] clear_q, eqn_q, eqn;
  logic choose, exec;
  assign choose = state_q == Choose;
  assign exec = state_q == Exec;

  // ---- Table ----
  logic [RowW-1:0] row_mem_q [NumEq];
  logic [RowW-1:0] row_q, write_row;
  logic row_enabled, write;
  logic [RingW-1:0] row_ring;
  logic [AddrW-1:0] row_first;
  logic [LogW-1:0] row_log_depth;
  logic [VectorW-1:0] row_vector;
  logic [CountW-1:0] row_placed, row_consumed;
  always_ff @(posedge clk_i) begin
    if (write) row_mem_q[exec ? eqn_q : clear_q] <= write_row;
    if (choose) row_q <= row_mem_q[eqn];
  end
  assign {row_enabled, row_ring, row_first, row_log_depth, row_vector, row_placed, row_consumed} =
      row_q;

  // ---- Turns ----
  logic [2:0] asks, takes;
  logic granted, wr_free, order_room, order_valid;
  logic [UsedW-1:0] order_used, irq_used;
  logic [VectorW-1:0] order_vector;
  logic [EqnW-1:0] order_eqn;
  logic [CountW-1:0] count_q;
  logic [7:0] type_q;
  logic [31:0] id_q;
  logic [63:0] data_q;
  logic asked_q, behind_q;

  assign wr_free = !wr_valid_o || wr_ready_i;
  assign asks = {in_valid_i && wr_free && order_room && !cfg_valid_i, cfg_valid_i && !order_valid,
      db_valid_i} & {3{choose}};
  tally_rr_arbiter #(.Num(3)) u_turns (
    .clk_i, .rst_ni, .request_valid_i(asks), .request_ready_o(takes),
    .grant_valid_o(granted), .grant_ready_i(1'b1), .grant_o(chosen)
  );
  assign db_ready_o = takes[OpDoorbell];
  assign in_ready_o = takes[OpEvent];
  assign cfg_ready_o = exec && op_q == OpCfg;
  always_comb begin
    unique case (chosen)
      OpDoorbell: eqn = db_eqn_i;
      OpCfg: eqn = cfg_eqn_i;
      default: eqn = in_eqn_i;  // OpEvent
    endcase
  end
  always_ff @(posedge clk_i) begin
    if (choose) begin
      op_q <= chosen;
      eqn_q <= eqn;
      count_q <= db_count_i;
      type_q <= in_type_i;
      id_q <= in_id_i;
      data_q <= in_data_i;
      asked_q <= in_asked_i;
      behind_q <= in_asked_i && in_behind_i;
    end
  end

  // ---- What becomes of an event ----
  logic event_here, has_room, place, overrun, failed, stopped;
  logic [CountW-1:0] used, depth, half;
  logic [AddrW-1:0] start_of;
  tally_pkg::eqe_t eqe;
  assign stopped = fatal_code_o != tally_pkg::FatalNone;
  assign event_here = exec && op_q == OpEvent && row_enabled &&
      (!stopped || type_q == 8'(tally_pkg::EqeDeviceFatal));
  assign used = row_placed - row_consumed;
  assign depth = CountW'(1) << row_log_depth;
  assign half = {1'b0, depth[CountW-1:1]} | CountW'(depth[0]);
  assign has_room = used < (asked_q ? half : depth);
  assign refused_o = event_here && asked_q && (!has_room || behind_q);
  assign place = event_here && has_room && !behind_q;
  assign overrun = event_here && !asked_q && !has_room;
  assign failed = done_valid_i && done_ready_o && done_error_i;
  assign start_of = row_first + AddrW'({row_placed & (depth - 1'b1), {EntryW{1'b0}}});
  always_comb begin
    eqe = '0;
    eqe.etype = type_q;
    eqe.id = id_q;
    eqe.data = data_q;
    eqe.owner = (row_placed & depth) == '0 ? tally_pkg::OwnerPhase : '0;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) wr_valid_o <= 1'b0;
    else if (place) wr_valid_o <= 1'b1;
    else if (wr_ready_i) wr_valid_o <= 1'b0;
  end
  always_ff @(posedge clk_i) begin
    if (place) begin
      wr_ring_o <= row_ring;
      wr_start_o <= start_of;
      wr_data_o <= eqe;
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) fatal_code_o <= tally_pkg::FatalNone;
    else if (!stopped && overrun) fatal_code_o <= tally_pkg::FatalEqOverrun;
    else if (!stopped && failed) fatal_code_o <= tally_pkg::FatalEqDma;
  end

  // ---- The row ----
  logic good;
  logic [CountW-1:0] placed, consumed;
  assign good = count_q - row_consumed <= used;
  assign freed_o = (exec && op_q == OpDoorbell && good && count_q != row_consumed) ||
      (refused_o && has_room);
  assign placed = row_placed + CountW'(place);
  assign consumed = op_q == OpDoorbell && good ? count_q : row_consumed;
  assign write = state_q == Init || exec;
  always_comb begin
    if (!exec) begin
      write_row = '0;
    end else if (op_q == OpCfg) begin
      write_row = {cfg_enable_i, cfg_ring_i, cfg_first_i, cfg_log_depth_i, cfg_vector_i,
          {2 * CountW{1'b0}}};
    end else begin
      write_row = {row_q[RowW-1:2*CountW], placed, consumed};
    end
  end

  // ---- Answers, and interrupts ----
  logic irq_room;
  tally_fifo #(.Width(EqnW + VectorW), .Depth(Outstanding)) u_order (
    .clk_i, .rst_ni, .in_valid_i(place), .in_ready_o(order_room), .in_i({eqn_q, row_vector}),
    .out_valid_o(order_valid), .out_ready_i(done_valid_i && done_ready_o),
    .out_o({order_eqn, order_vector}), .used_o(order_used)
  );
  assign done_ready_o = irq_room;
  tally_fifo #(.Width(EqnW + VectorW), .Depth(Outstanding)) u_irq (
    .clk_i, .rst_ni, .in_valid_i(done_valid_i && done_ready_o && !done_error_i),
    .in_ready_o(irq_room), .in_i({order_eqn, order_vector}), .out_valid_o(irq_valid_o),
    .out_ready_i(irq_ready_i), .out_o({irq_eqn_o, irq_vector_o}), .used_o(irq_used)
  );
  assign busy_o = state_q != Choose || wr_valid_o || irq_valid_o;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= Init;
      clear_q <= '0;
    end else begin
      unique case (state_q)
        Init: begin
          clear_q <= clear_q + 1'b1;
          if (clear_q == {EqnW{1'b1}}) state_q <= Choose;
        end
        Choose: if (granted) state_q <= Exec;
        default: state_q <= Choose;  // Exec
      endcase
    end
  end

  logic unused;
  assign unused = ^{order_used, irq_used, takes[OpCfg]};

`ifdef FORMAL
  `include "eqe_writer_proof.svh"
`endif
endmodule
