// SPDX-License-Identifier: BSD-2-Clause
// Time-outs of edges with back-off (the times of edge_backoff(), edge_send(), edge_ack(),
// edge_busy() and retransmit() of sim/engine/edge.c). now_i is the time, in any unit; it may wrap
// around. All durations are shorter than half its range.
//
// The block takes one command per clock (tally_edge_pkg::timer_op_e), of any edge. The first
// command of an edge after reset must be TimerConfig with cmd_fresh_i, which is low in all others:
// what the tables have of the edge is of no meaning then. Only TimerConfig uses cmd_rto_i, the
// first time-out, cmd_cap_i, the longest time-out, and cmd_limit_i, the number of retries, which
// must not be all ones.
//
// When a timer expires, expired_valid_o offers its edge and the number of retries, including this
// one. The timer then restarts with rto << retries, limited to BackoffMax doublings and to cap.
// After limit retries it stops instead, and expired_over_o is high. With limit 0 a timer runs once;
// TimerArm with limit 0 delays acknowledgements. TimerStart is for events that cost no retry (BUSY,
// an acknowledgement of something). An offered expiry is not withdrawn: the engine drops it if
// held_o of tally_edge_tx is zero.
//
// Edges whose timer runs are in a list, in which they stay until the search finds them stopped. The
// search looks at one of them in three clocks, so an expiry is found within 3 L + 3 clocks if L
// edges are in the list. This does not count clocks in which another expiry waits, and one for each
// command that writes to the edge that is looked at or starts a timer. A time-out begins one clock
// after its command.
//
// deadline_*: no timer is due earlier. While it lies ahead and busy_o is low, the clock may stop
// until then. It may be the time of a timer that has been stopped since; then the search finds the
// next one. busy_o depends on now_i.
//
// The commands and the search each write a table of their own. The command's row is valid if its
// turn bit differs from that of the search's row. After the search has served the command, both
// bits are equal. In the same way an edge is in the list if the bits `listed` of the two rows
// differ: commands put edges in, the search takes them out. If a command and the search meet at an
// edge in the same clock, the command wins, and the search looks at what it has written.
module tally_edge_timers #(
  parameter int unsigned Edges = 64,
  parameter int unsigned TimeW = 40,
  parameter int unsigned TriesW = 8,
  parameter int unsigned BackoffMax = 10,
  localparam int unsigned EdgeW = Edges > 1 ? $clog2(Edges) : 1
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,
  output logic                       busy_o,

  input  logic [TimeW-1:0]           now_i,
  output logic                       deadline_valid_o,
  output logic [TimeW-1:0]           deadline_o,

  input  logic                       cmd_valid_i,
  input  logic                       cmd_fresh_i,
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

  typedef struct packed {  // written by commands
    logic              turn;
    logic              listed;
    logic              running;
    logic [TimeW-1:0]  due;
    logic [TimeW-1:0]  rto;
    logic [TimeW-1:0]  cap;
    logic [TriesW-1:0] limit;
  } order_t;
  localparam int unsigned OrderW = 3 + 3 * TimeW + TriesW;

  typedef struct packed {  // written by the search
    logic                turn;
    logic                listed;
    logic                running;
    logic [TimeW-1:0]    due;
    logic [TriesW-1:0]   tries;
    logic [BackoffW-1:0] doublings;  // applied to the next time-out
  } state_t;
  localparam int unsigned StateW = 3 + TimeW + TriesW + BackoffW;

  typedef enum logic [1:0] {
    Pop = 2'd0,  // the first edge of the list is taken
    Row = 2'd1,  // its rows are read
    Act = 2'd2   // and looked at
  } search_e;

  // Memories. A row that is written in the clock of its read is taken from the written value.
  logic [OrderW-1:0] orders_q [Edges];
  logic [StateW-1:0] states_q [Edges];
  logic [OrderW-1:0] cmd_order_read_q, scan_order_read_q, order_written_q;
  logic [StateW-1:0] cmd_state_read_q, scan_state_read_q, state_written_q;
  logic cmd_order_hit_q, scan_order_hit_q, cmd_state_hit_q;
  logic order_write, state_write;

  // Commands.
  logic cmd_valid_q, cmd_fresh_q, cmd_running, cmd_listed, starts, cmd_push;
  tally_edge_pkg::timer_op_e cmd_op_q;
  logic [EdgeW-1:0] cmd_edge_q;
  logic [TimeW-1:0] cmd_rto_q, cmd_cap_q;
  logic [TriesW-1:0] cmd_limit_q;
  order_t cmd_order, order;
  // verilator lint_off UNUSEDSIGNAL
  state_t cmd_state;  // only three bits are used
  // verilator lint_on UNUSEDSIGNAL

  assign cmd_order = cmd_order_hit_q ? order_written_q : cmd_order_read_q;
  assign cmd_state = cmd_state_hit_q ? state_written_q : cmd_state_read_q;
  assign cmd_running = cmd_order.turn != cmd_state.turn ? cmd_order.running : cmd_state.running;
  assign cmd_listed = cmd_order.listed != cmd_state.listed && !cmd_fresh_q;
  assign starts = order_write && order.running;
  assign cmd_push = starts && !cmd_listed;
  assign order_write = cmd_valid_q && !(cmd_op_q == tally_edge_pkg::TimerArm && cmd_running);

  always_comb begin
    order = cmd_order;
    order.turn = !cmd_state.turn;
    order.running = cmd_op_q == tally_edge_pkg::TimerStart || cmd_op_q == tally_edge_pkg::TimerArm;
    order.listed = cmd_state.listed ^ (cmd_listed || order.running);
    order.due = now_i + cmd_order.rto;
    if (cmd_op_q == tally_edge_pkg::TimerConfig) begin
      order.rto = cmd_rto_q;
      order.cap = cmd_cap_q;
      order.limit = cmd_limit_q;
    end
  end

  // Search.
  search_e search_q, search_d;
  logic acts, fresh, running, past, met, held_up, fire, keeps, leaves;
  logic [EdgeW-1:0] first_edge_q, scan_edge;
  logic [TimeW-1:0] due, left, wait_time;
  logic [TriesW-1:0] tries, retries;
  logic [BackoffW-1:0] doublings, doubled;
  logic over;
  logic [WaitW-1:0] longer;
  order_t scan_order;
  // verilator lint_off UNUSEDSIGNAL
  state_t scan_state;  // its bit `listed` is not: what is looked at is in the list
  // verilator lint_on UNUSEDSIGNAL
  state_t state;

  assign scan_edge = first_edge_q;
  assign scan_order = scan_order_hit_q ? order_written_q : scan_order_read_q;
  assign scan_state = scan_state_read_q;
  assign fresh = scan_order.turn != scan_state.turn;
  assign running = fresh ? scan_order.running : scan_state.running;
  assign due = fresh ? scan_order.due : scan_state.due;
  assign tries = fresh ? '0 : scan_state.tries;
  assign doublings = fresh ? BackoffW'(1) : scan_state.doublings;

  assign left = now_i - due;
  assign past = running && !left[TimeW-1];
  assign met = order_write && cmd_edge_q == scan_edge;
  assign held_up = met || starts || (past && expired_valid_o && !expired_ready_i);
  assign acts = search_q == Act && !held_up;
  assign fire = acts && past;
  assign keeps = acts && running && !(past && over);  // it goes to the end of the list
  assign leaves = acts && !keeps;
  assign state_write = fire || leaves;

  assign retries = tries + 1'b1;
  assign over = tries >= scan_order.limit;
  assign longer = WaitW'(scan_order.rto) << doublings;
  assign wait_time = longer < WaitW'(scan_order.cap) ? longer[TimeW-1:0] : scan_order.cap;
  assign doubled = doublings == BackoffW'(BackoffMax) ? doublings : doublings + 1'b1;

  always_comb begin
    state.turn = scan_order.turn;
    state.listed = scan_order.listed ^ keeps;
    state.running = keeps;
    state.due = now_i + wait_time;
    state.tries = retries;
    state.doublings = doubled;
  end

  // The list, a ring of edges. count_q are those in it; one more may be with the search.
  logic [EdgeW-1:0] list_q [2**EdgeW];
  logic [EdgeW-1:0] head_q, tail_q, push_edge;
  logic [EdgeW:0] count_q;
  logic pop, push;

  assign pop = search_q == Pop && count_q != '0;
  assign push = cmd_push || keeps;
  assign push_edge = cmd_push ? cmd_edge_q : scan_edge;

  // The earliest time of those that were looked at or started in this round of the list, and in the
  // round before. A timer that runs was so in one of the two, so none is due before both.
  logic [EdgeW:0] round_q;  // edges of this round that are still to be looked at
  logic last_valid_q, this_valid_q, ends;
  logic [TimeW-1:0] last_q, this_q, seen, this_left, both_left, now_left;

  assign ends = search_q == Pop && round_q == '0;
  assign seen = starts ? order.due : fire ? state.due : due;
  assign this_left = seen - this_q;
  assign both_left = last_q - this_q;
  assign deadline_valid_o = last_valid_q || this_valid_q;
  assign deadline_o = last_valid_q && !(this_valid_q && !both_left[TimeW-1]) ? last_q : this_q;

  always_ff @(posedge clk_i) begin
    if (ends) last_q <= this_q;
    if ((starts || keeps) && (ends || !this_valid_q || this_left[TimeW-1])) this_q <= seen;
  end

  always_ff @(posedge clk_i) begin
    if (order_write) orders_q[cmd_edge_q] <= order;
    if (state_write) states_q[scan_edge] <= state;
    if (push) list_q[tail_q] <= push_edge;
    first_edge_q <= pop ? list_q[head_q] : first_edge_q;
    order_written_q <= order;
    state_written_q <= state;
    cmd_order_read_q <= orders_q[cmd_edge_i];
    cmd_state_read_q <= states_q[cmd_edge_i];
    scan_order_read_q <= orders_q[scan_edge];
    scan_state_read_q <= states_q[scan_edge];
    cmd_order_hit_q <= order_write && cmd_edge_q == cmd_edge_i;
    cmd_state_hit_q <= state_write && scan_edge == cmd_edge_i;
    scan_order_hit_q <= met;
    cmd_fresh_q <= cmd_fresh_i;
    cmd_op_q <= cmd_op_i;
    cmd_edge_q <= cmd_edge_i;
    cmd_rto_q <= cmd_rto_i;
    cmd_cap_q <= cmd_cap_i;
    cmd_limit_q <= cmd_limit_i;
    if (fire) begin
      expired_edge_o <= scan_edge;
      expired_tries_o <= retries;
      expired_over_o <= over;
    end
  end

  assign now_left = now_i - deadline_o;
  assign busy_o = cmd_valid_q || expired_valid_o ||
                  (deadline_valid_o && !now_left[TimeW-1]);

  always_comb begin
    unique case (search_q)
      Pop: search_d = pop ? Row : Pop;
      Row: search_d = Act;
      default: search_d = acts ? Pop : Act;  // Act
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      search_q <= Pop;
      cmd_valid_q <= 1'b0;
      expired_valid_o <= 1'b0;
      head_q <= '0;
      tail_q <= '0;
      count_q <= '0;
      round_q <= '0;
      last_valid_q <= 1'b0;
      this_valid_q <= 1'b0;
    end else begin
      search_q <= search_d;
      cmd_valid_q <= cmd_valid_i;
      expired_valid_o <= fire || (expired_valid_o && !expired_ready_i);
      head_q <= head_q + EdgeW'(pop);
      tail_q <= tail_q + EdgeW'(push);
      count_q <= count_q + (EdgeW + 1)'(push) - (EdgeW + 1)'(pop);
      round_q <= (ends ? count_q : round_q) - (EdgeW + 1)'(pop);
      if (ends) last_valid_q <= this_valid_q;
      this_valid_q <= (this_valid_q && !ends) || starts || keeps;
    end
  end

`ifdef FORMAL
  `include "edge_timers_proof.svh"
`endif
endmodule
