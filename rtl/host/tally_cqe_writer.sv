// SPDX-License-Identifier: BSD-2-Clause
// Writes completions into CQ rings in host memory, and raises the events that follow. The header of sim/nic/cq.c has
// the rules.
//
// A request (in_*) is an entry without its timestamp, elapsed time and owner, which this block fills in. An entry with
// a status other than success counts as solicited. The entry becomes one AXI write of 64 bytes, at the base of the CQ
// plus 64 times its place. A write is one beat of full width. All writes have the same ID, so that the memory keeps
// their order. An entry without room is lost: the CQ takes no more entries, and one event CQ_ERROR is raised. The same
// happens if a write is answered with an error. overrun_o pulses for each lost entry, and cqe_o for each entry that was
// written and answered. Requests for a disabled CQ are ignored.
//
// produced_o counts the entries of CQ produced_cqn_i that the memory has answered, in order, up to a failed one. Only
// these raise events. Events of a CQ may be merged, and are raised at most NumCq cycles late.
//
// db_* reports the consumer's count, from the CQ's record in memory or, with a new arm request (db_arm_i), from its
// doorbell slot. The rules of the model apply to the user. It loads the arm word before the count. It reads the record
// before a request for which produced_o leaves no room. It keeps a place in the event queue for each armed CQ. A count
// that goes back, or beyond the written entries, is ignored.
//
// cfg_* enables or (cfg_enable_i low) disables a CQ. It is ready when none of the CQ's writes is outstanding. Requests
// for the CQ must wait until then. now_i counts nanoseconds.
//
// Time: the block takes one request per clock, and offers it to AXI 2 cycles later. W comes after its AW was taken. The
// writes that may be outstanding suffice for full throughput if they are answered within Outstanding cycles. bready_o
// is always 1. All tables are registers, which suits some dozens of CQs.
module tally_cqe_writer #(
  parameter int unsigned NumCq = 16,
  parameter int unsigned CountW = 64,
  parameter int unsigned MaxDepth = tally_pkg::MaxCqDepth,
  parameter int unsigned Outstanding = 32,
  parameter int unsigned AddrW = 64,
  localparam int unsigned CqnW = NumCq > 1 ? $clog2(NumCq) : 1,
  localparam int unsigned EqnW = $clog2(tally_pkg::MaxEq),
  localparam int unsigned LogW = $clog2($clog2(MaxDepth) + 1)
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic [63:0]       now_i,

  input  logic              cfg_valid_i,
  output logic              cfg_ready_o,
  input  logic [CqnW-1:0]   cfg_cqn_i,
  input  logic              cfg_enable_i,
  input  logic [AddrW-1:0]  cfg_base_i,       // a multiple of 64
  input  logic [LogW-1:0]   cfg_log_depth_i,
  input  logic [EqnW-1:0]   cfg_eqn_i,

  input  logic              db_valid_i,       // taken at once
  input  logic [CqnW-1:0]   db_cqn_i,
  input  logic [CountW-1:0] db_count_i,
  input  logic              db_arm_i,
  input  logic              db_solicited_i,   // only for solicited entries

  input  logic              in_valid_i,
  output logic              in_ready_o,
  input  logic [CqnW-1:0]   in_cqn_i,
  input  logic [511:0]      in_cqe_i,         // cqe_t
  input  logic              in_solicited_i,
  input  logic              in_rung_i,        // in_rung_at_i is valid
  input  logic [63:0]       in_rung_at_i,     // time at which the doorbell was noticed

  output logic              awvalid_o,
  input  logic              awready_i,
  output logic [AddrW-1:0]  awaddr_o,
  output logic              wvalid_o,
  input  logic              wready_i,
  output logic [511:0]      wdata_o,
  input  logic              bvalid_i,
  output logic              bready_o,
  input  logic [1:0]        bresp_i,

  output logic              event_valid_o,
  input  logic              event_ready_i,
  output logic [EqnW-1:0]   event_eqn_o,
  output logic [7:0]        event_type_o,     // EqeCq or EqeCqError
  output logic [CqnW-1:0]   event_cqn_o,

  input  logic [CqnW-1:0]   produced_cqn_i,
  output logic [CountW-1:0] produced_o,
  output logic              cqe_o,
  output logic              overrun_o,
  output logic              dma_error_o
);
  localparam int unsigned Cqs = 2**CqnW;
  localparam int unsigned BusyW = $clog2(Outstanding + 1);
  localparam int unsigned LeadW = 3;          // bits of the lead of AW over W, at most AxiDepth
  localparam int unsigned AxiDepth = 4;

  // ---- State of each CQ ----
  logic [Cqs-1:0] enabled_q, failed_q, error_due_q, armed_q, armed_any_q, look_q;
  logic [Cqs-1:0] failed_at_q;  // a write failed: later ones do not count
  logic [Cqs-1:0][AddrW-1:0] base_q;
  logic [Cqs-1:0][LogW-1:0] log_depth_q;
  logic [Cqs-1:0][EqnW-1:0] eqn_q;
  logic [Cqs-1:0][CountW-1:0] written_q;    // given to AXI
  logic [Cqs-1:0][CountW-1:0] produced_q;   // written and answered
  logic [Cqs-1:0][CountW-1:0] consumed_q;
  logic [Cqs-1:0][CountW-1:0] solicited_q;  // number of entries up to the newest solicited one
  logic [Cqs-1:0][BusyW-1:0] busy_q;        // written, not answered

  // ---- Request: fill in the fields that do not depend on the CQ ----
  logic req_valid_q, req_solicited_q, req_go;
  logic [CqnW-1:0] req_cqn_q;
  tally_pkg::cqe_t in_cqe, in_filled, req_cqe_q, filled;
  logic [63:0] elapsed;

  assign in_cqe = in_cqe_i;
  assign elapsed = now_i - in_rung_at_i;
  always_comb begin
    in_filled = in_cqe;
    in_filled.timestamp = now_i;
    in_filled.elapsed = !in_rung_i ? '0 : elapsed[63:32] != '0 ? {32{1'b1}} : elapsed[31:0];
  end

  assign in_ready_o = !req_valid_q || req_go;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) req_valid_q <= 1'b0;
    else if (in_ready_o) req_valid_q <= in_valid_i;
  end
  always_ff @(posedge clk_i) begin
    if (in_ready_o) begin
      req_cqn_q <= in_cqn_i;
      req_cqe_q <= in_filled;
      req_solicited_q <= in_solicited_i || in_cqe.status != tally_pkg::WcSuccess;
    end
  end

  // ---- Place in the ring, if there is room ----
  logic aw_room, w_room, order_room, has_room, write, lost;
  logic [CountW-1:0] req_written, req_used, req_depth;
  logic [AddrW-1:0] req_addr;

  assign req_go = req_valid_q && aw_room && w_room && order_room;
  assign req_written = written_q[req_cqn_q];
  assign req_used = req_written - consumed_q[req_cqn_q];
  assign req_depth = CountW'(1) << log_depth_q[req_cqn_q];
  assign has_room = req_used < req_depth;
  assign write = req_go && enabled_q[req_cqn_q] && !failed_q[req_cqn_q] && has_room;
  assign lost = req_go && enabled_q[req_cqn_q] && (failed_q[req_cqn_q] || !has_room);
  assign req_addr = base_q[req_cqn_q] + AddrW'({req_written & (req_depth - 1'b1), 6'b0});
  assign overrun_o = lost;

  always_comb begin
    filled = req_cqe_q;
    filled.owner = (req_written & req_depth) == '0 ? tally_pkg::OwnerPhase : '0;
  end

  // ---- AXI ----
  logic w_waits;
  logic [LeadW-1:0] lead_q;    // addresses taken whose data are not
  logic [$clog2(AxiDepth+1)-1:0] aw_used, w_used;
  logic [BusyW-1:0] order_used;
  logic order_valid, b_solicited, b_good;
  logic [CqnW-1:0] b_cqn;

  tally_fifo #(.Width(AddrW), .Depth(AxiDepth)) u_aw (
    .clk_i, .rst_ni, .in_valid_i(write), .in_ready_o(aw_room), .in_i(req_addr),
    .out_valid_o(awvalid_o), .out_ready_i(awready_i), .out_o(awaddr_o), .used_o(aw_used)
  );
  tally_fifo #(.Width(512), .Depth(AxiDepth)) u_w (
    .clk_i, .rst_ni, .in_valid_i(write), .in_ready_o(w_room), .in_i(filled),
    .out_valid_o(w_waits), .out_ready_i(wvalid_o && wready_i), .out_o(wdata_o), .used_o(w_used)
  );
  // Owners of the unanswered writes.
  tally_fifo #(.Width(CqnW + 1), .Depth(Outstanding)) u_order (
    .clk_i, .rst_ni, .in_valid_i(write), .in_ready_o(order_room), .in_i({req_cqn_q, req_solicited_q}),
    .out_valid_o(order_valid), .out_ready_i(bvalid_i), .out_o({b_cqn, b_solicited}), .used_o(order_used)
  );

  assign wvalid_o = w_waits && lead_q != '0;
  assign bready_o = 1'b1;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) lead_q <= '0;
    else lead_q <= lead_q + LeadW'(awvalid_o && awready_i) - LeadW'(wvalid_o && wready_i);
  end

  assign b_good = bvalid_i && bresp_i == 2'b00 && !failed_at_q[b_cqn];
  assign cqe_o = b_good;
  assign dma_error_o = bvalid_i && bresp_i != 2'b00;

  // ---- Doorbells, answers, configuration ----
  logic cfg, db_good;
  logic [CountW-1:0] b_produced;

  assign cfg_ready_o = busy_q[cfg_cqn_i] == '0 && !(req_valid_q && req_cqn_q == cfg_cqn_i);
  assign cfg = cfg_valid_i && cfg_ready_o;
  assign db_good = db_count_i - consumed_q[db_cqn_i] <= written_q[db_cqn_i] - consumed_q[db_cqn_i];
  assign b_produced = produced_q[b_cqn] + 1'b1;
  assign produced_o = produced_q[produced_cqn_i];

  // ---- Events: examine one CQ per clock, if anything has changed for it ----
  logic [CqnW-1:0] at_q;
  logic event_room, look, is_due;
  logic [CountW-1:0] end_at, ahead;
  logic event_valid_q;

  assign event_room = !event_valid_q || event_ready_i;
  assign look = event_room && look_q[at_q];
  assign end_at = armed_any_q[at_q] ? produced_q[at_q] : solicited_q[at_q];
  assign ahead = end_at - consumed_q[at_q];
  // The difference is at most the ring's depth, or negative if the consumer is ahead.
  assign is_due = armed_q[at_q] && ahead != '0 && !ahead[CountW-1];

  for (genvar c = 0; c < Cqs; c++) begin : gen_cq
    logic mine_cfg, mine_write, mine_b, mine_db, mine_fail, mine_look, mine_event;
    assign mine_cfg = cfg && cfg_cqn_i == CqnW'(c);
    assign mine_write = write && req_cqn_q == CqnW'(c);
    assign mine_b = bvalid_i && b_cqn == CqnW'(c);
    assign mine_db = db_valid_i && db_cqn_i == CqnW'(c) && enabled_q[c];
    assign mine_fail = !failed_q[c] && ((lost && req_cqn_q == CqnW'(c)) || (mine_b && bresp_i != 2'b00));
    assign mine_look = look && at_q == CqnW'(c);
    assign mine_event = mine_look && !error_due_q[c] && is_due;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        enabled_q[c] <= 1'b0;
        failed_q[c] <= 1'b0;
        failed_at_q[c] <= 1'b0;
        error_due_q[c] <= 1'b0;
        armed_q[c] <= 1'b0;
        look_q[c] <= 1'b0;
        busy_q[c] <= '0;
      end else begin
        if (mine_cfg) enabled_q[c] <= cfg_enable_i;
        if (mine_cfg) begin
          failed_q[c] <= 1'b0;
          failed_at_q[c] <= 1'b0;
          error_due_q[c] <= 1'b0;
          armed_q[c] <= 1'b0;
          look_q[c] <= 1'b0;
        end else begin
          if (mine_b && bresp_i != 2'b00) failed_at_q[c] <= 1'b1;
          // An error is reported first, and the CQ is examined once more. A CQ fails once, so no second error can come
          // meanwhile.
          if (mine_look) begin
            look_q[c] <= error_due_q[c];
            error_due_q[c] <= 1'b0;
          end
          if (mine_fail) begin
            failed_q[c] <= 1'b1;
            error_due_q[c] <= 1'b1;
          end
          if (mine_b || mine_db || mine_fail) look_q[c] <= 1'b1;
          if (mine_event) armed_q[c] <= 1'b0;
          if (mine_db && db_arm_i) armed_q[c] <= 1'b1;
        end
        busy_q[c] <= busy_q[c] + BusyW'(mine_write) - BusyW'(mine_b);
      end
    end

    always_ff @(posedge clk_i) begin
      if (mine_cfg) begin
        base_q[c] <= cfg_base_i;
        log_depth_q[c] <= cfg_log_depth_i;
        eqn_q[c] <= cfg_eqn_i;
        written_q[c] <= '0;
        produced_q[c] <= '0;
        consumed_q[c] <= '0;
        solicited_q[c] <= '0;
      end else begin
        if (mine_write) written_q[c] <= written_q[c] + 1'b1;
        if (mine_b && b_good) produced_q[c] <= b_produced;
        if (mine_b && b_good && b_solicited) solicited_q[c] <= b_produced;
        if (mine_db && db_good) consumed_q[c] <= db_count_i;
        // An arm for any entry is not narrowed by a later one for solicited entries while no event was raised.
        if (mine_db && db_arm_i) begin
          armed_any_q[c] <= !db_solicited_i || (armed_q[c] && armed_any_q[c] && !mine_event);
        end
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      at_q <= '0;
      event_valid_q <= 1'b0;
    end else begin
      if (event_room) begin
        at_q <= at_q + 1'b1;
        event_valid_q <= look && (error_due_q[at_q] || is_due);
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (event_room) begin
      event_eqn_o <= eqn_q[at_q];
      event_cqn_o <= at_q;
      event_type_o <= error_due_q[at_q] ? tally_pkg::EqeCqError : tally_pkg::EqeCq;
    end
  end
  assign event_valid_o = event_valid_q;

  // Each answer belongs to a write. The levels of the FIFOs are not needed.
  logic unused;
  assign unused = ^{aw_used, w_used, order_used, order_valid};

`ifdef FORMAL
  `include "cqe_writer_proof.svh"
`endif
endmodule
