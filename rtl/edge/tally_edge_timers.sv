// SPDX-License-Identifier: BSD-2-Clause
// Time-outs of edges with back-off, in clocks (the times of edge_backoff(), edge_send(), edge_ack(), edge_busy() and
// retransmit() of sim/engine/edge.c). now_o is a free-running counter of TimeW bits. All durations are shorter than
// half its range.
//
// The block takes one command per clock (tally_edge_pkg::timer_op_e), of any edge. cmd_ready_o is low only in the Edges
// clocks after reset, in which all timers are stopped. The first command of an edge must be TimerConfig. Only
// TimerConfig uses cmd_rto_i, the first time-out, cmd_cap_i, the longest time-out, and cmd_limit_i, the number of
// retries, which must not be all ones.
//
// When a timer expires, expired_valid_o offers its edge and the number of retries, including this one. The timer then
// restarts with rto << retries, limited to BackoffMax doublings and to cap. After limit retries it stops instead, and
// expired_over_o is high. With limit 0 a timer runs once; TimerArm with limit 0 delays acknowledgements. TimerStart is
// for events that cost no retry (BUSY, an acknowledgement of something). An offered expiry is not withdrawn: the engine
// drops it if held_o of tally_edge_tx is zero.
//
// The search examines one edge per clock, so an expiry is offered at most Edges clocks after now_o reaches its time.
// This does not count the clocks in which another expiry is offered and not taken, nor the clock after each of them. In
// these clocks the search waits and reads the same edge again, so that it skips none. A time-out begins one clock after
// its command.
//
// The commands and the search each write a table of their own. The command's row is valid if its turn bit differs from
// that of the search's row. After the search has served the command, both bits are equal. If a command and the search
// meet at an edge in the same clock, the command wins.
module tally_edge_timers #(
  parameter int unsigned Edges = 64,
  parameter int unsigned TimeW = 40,
  parameter int unsigned TriesW = 8,
  parameter int unsigned BackoffMax = 10,
  localparam int unsigned EdgeW = Edges > 1 ? $clog2(Edges) : 1
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,
  output logic [TimeW-1:0]           now_o,

  input  logic                       cmd_valid_i,
  output logic                       cmd_ready_o,
  input  tally_edge_pkg::timer_op_e  cmd_op_i,
  input  logic [EdgeW-1:0]           cmd_edge_i,
  input  logic [TimeW-1:0]           cmd_rto_i,
  input  logic [TimeW-1:0]           cmd_cap_i,
  input  logic [TriesW-1:0]          cmd_limit_i,

  output logic                       expired_valid_o,
  input  logic                       expired_ready_i,
  output logic [EdgeW-1:0]           expired_edge_o,
  output logic [TriesW-1:0]          expired_tries_o,
  output logic                       expired_over_o
);
  localparam int unsigned BackoffW = $clog2(BackoffMax + 1);
  localparam int unsigned WaitW = TimeW + BackoffMax;
  localparam logic [EdgeW-1:0] Last = EdgeW'(Edges - 1);

  typedef struct packed {  // written by commands
    logic              turn;
    logic              running;
    logic [TimeW-1:0]  due;
    logic [TimeW-1:0]  rto;
    logic [TimeW-1:0]  cap;
    logic [TriesW-1:0] limit;
  } order_t;
  localparam int unsigned OrderW = 2 + 3 * TimeW + TriesW;

  typedef struct packed {  // written by the search
    logic                turn;
    logic                running;
    logic [TimeW-1:0]    due;
    logic [TriesW-1:0]   tries;
    logic [BackoffW-1:0] doublings;  // applied to the next time-out
  } state_t;
  localparam int unsigned StateW = 2 + TimeW + TriesW + BackoffW;

  logic [TimeW-1:0] now_q;
  assign now_o = now_q;

  // Memories. A row that is written in the clock of its read is taken from the written value.
  logic [OrderW-1:0] orders_q [Edges];
  logic [StateW-1:0] states_q [Edges];
  logic [OrderW-1:0] cmd_order_read_q, scan_order_read_q, order_written_q;
  logic [StateW-1:0] cmd_state_read_q, scan_state_read_q, state_written_q;
  logic cmd_order_hit_q, scan_order_hit_q, cmd_state_hit_q, scan_state_hit_q;
  logic order_write, state_write;

  // Commands.
  logic cmd_valid_q, cmd_running;
  tally_edge_pkg::timer_op_e cmd_op_q;
  logic [EdgeW-1:0] cmd_edge_q;
  logic [TimeW-1:0] cmd_rto_q, cmd_cap_q;
  logic [TriesW-1:0] cmd_limit_q;
  order_t cmd_order, order;
  // verilator lint_off UNUSEDSIGNAL
  state_t cmd_state;  // only the running bit is used
  // verilator lint_on UNUSEDSIGNAL

  assign cmd_order = cmd_order_hit_q ? order_written_q : cmd_order_read_q;
  assign cmd_state = cmd_state_hit_q ? state_written_q : cmd_state_read_q;
  assign cmd_running = cmd_order.turn != cmd_state.turn ? cmd_order.running : cmd_state.running;
  assign order_write = cmd_valid_q && !(cmd_op_q == tally_edge_pkg::TimerArm && cmd_running);

  always_comb begin
    order = cmd_order;
    order.turn = !cmd_state.turn;
    order.running = cmd_op_q == tally_edge_pkg::TimerStart || cmd_op_q == tally_edge_pkg::TimerArm;
    order.due = now_q + cmd_order.rto;
    if (cmd_op_q == tally_edge_pkg::TimerConfig) begin
      order.rto = cmd_rto_q;
      order.cap = cmd_cap_q;
      order.limit = cmd_limit_q;
    end
  end

  // Search.
  logic starting_q, scan_valid_q, fresh, running, past, found, held_up, fire;
  logic [EdgeW-1:0] next_edge_q, scan_edge_q;
  logic [TimeW-1:0] due, left, wait_time;
  logic [TriesW-1:0] tries, retries;
  logic [BackoffW-1:0] doublings, doubled;
  logic over;
  logic [WaitW-1:0] longer;
  order_t scan_order;
  state_t scan_state, state;

  assign scan_order = scan_order_hit_q ? order_written_q : scan_order_read_q;
  assign scan_state = scan_state_hit_q ? state_written_q : scan_state_read_q;
  assign fresh = scan_order.turn != scan_state.turn;
  assign running = fresh ? scan_order.running : scan_state.running;
  assign due = fresh ? scan_order.due : scan_state.due;
  assign tries = fresh ? '0 : scan_state.tries;
  assign doublings = fresh ? BackoffW'(1) : scan_state.doublings;

  assign left = now_q - due;
  assign past = !left[TimeW-1];
  assign found = scan_valid_q && !starting_q && running && past &&
      !(order_write && cmd_edge_q == scan_edge_q);
  assign held_up = found && expired_valid_o && !expired_ready_i;
  assign fire = found && !held_up;
  assign state_write = fire || (scan_valid_q && starting_q);

  assign retries = tries + 1'b1;
  assign over = tries >= scan_order.limit;
  assign longer = WaitW'(scan_order.rto) << doublings;
  assign wait_time = longer < WaitW'(scan_order.cap) ? longer[TimeW-1:0] : scan_order.cap;
  assign doubled = doublings == BackoffW'(BackoffMax) ? doublings : doublings + 1'b1;

  always_comb begin
    state.turn = scan_order.turn;
    state.running = !starting_q && !over;
    state.due = now_q + wait_time;
    state.tries = retries;
    state.doublings = doubled;
  end

  always_ff @(posedge clk_i) begin
    if (order_write) orders_q[cmd_edge_q] <= order;
    if (state_write) states_q[scan_edge_q] <= state;
    order_written_q <= order;
    state_written_q <= state;
    cmd_order_read_q <= orders_q[cmd_edge_i];
    cmd_state_read_q <= states_q[cmd_edge_i];
    scan_order_read_q <= orders_q[next_edge_q];
    scan_state_read_q <= states_q[next_edge_q];
    cmd_order_hit_q <= order_write && cmd_edge_q == cmd_edge_i;
    cmd_state_hit_q <= state_write && scan_edge_q == cmd_edge_i;
    scan_order_hit_q <= order_write && cmd_edge_q == next_edge_q;
    scan_state_hit_q <= state_write && scan_edge_q == next_edge_q;
    cmd_op_q <= cmd_op_i;
    cmd_edge_q <= cmd_edge_i;
    cmd_rto_q <= cmd_rto_i;
    cmd_cap_q <= cmd_cap_i;
    cmd_limit_q <= cmd_limit_i;
    scan_edge_q <= next_edge_q;
    if (fire) begin
      expired_edge_o <= scan_edge_q;
      expired_tries_o <= retries;
      expired_over_o <= over;
    end
  end

  assign cmd_ready_o = !starting_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      now_q <= '0;
      cmd_valid_q <= 1'b0;
      starting_q <= 1'b1;
      scan_valid_q <= 1'b0;
      next_edge_q <= '0;
      expired_valid_o <= 1'b0;
    end else begin
      now_q <= now_q + 1'b1;
      cmd_valid_q <= cmd_valid_i && cmd_ready_o;
      if (scan_valid_q && scan_edge_q == Last) starting_q <= 1'b0;
      // A stalled edge is read again, because a command may have changed it.
      scan_valid_q <= !held_up;
      if (held_up) next_edge_q <= scan_edge_q;
      else next_edge_q <= next_edge_q == Last ? '0 : next_edge_q + 1'b1;
      expired_valid_o <= fire || (expired_valid_o && !expired_ready_i);
    end
  end

`ifdef FORMAL
  `include "edge_timers_proof.svh"
`endif
endmodule
