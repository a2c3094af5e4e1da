// SPDX-License-Identifier: BSD-2-Clause
// Time limits of chunks and of requests that are ahead of their turn (slot_next() and slot_timer()
// of sim/engine/segment.c, ahead_out() of wr_timeout.c). Those of descriptors are in
// tally_trigger_timers.
//
// group_*: the firmware writes the limit of a group in picoseconds, all ones if it has none.
// slot_*: what a chunk does (tally_limits_pkg::slot_op_e); slot_group_i counts for SlotOpen,
// slot_ms_i for SlotPost: a limit of the request in milliseconds, or 0. The shortest limit counts.
// A chunk may take six eighths of it, or seven once it is whole: so a node that knows what is
// missing reports before one that only waits. SlotPost and SlotWhole come after SlotOpen, and
// before SlotEnd. wait_*: a request is ahead of its turn from now on, or, with wait_ends_i, no
// longer: it has begun, or has ended. It may wait for six eighths.
//
// late_*: a request has waited too long: whether a local rank of the group has not posted its
// oldest message. If all have, the chunks of that message have limits of their own, and nothing
// follows. The question is withdrawn if the request ends before it is answered.
// exc_*: TIME_OUT, for tally_exceptions. It stays until it is taken; who answers a command that
// ends an epoch waits until no such offer of the group is left, and nothing of a slot or a request
// is told after its end has been taken.
//
// now_i: the time in picoseconds. deadline_*, busy_o: see tally_calendar.
//
// Time: what is told by slot_* and wait_* waits for neither late_* nor exc_*. It takes four clocks,
// and more if the calendar is at work.
module tally_limits #(
  parameter int unsigned Groups = tally_pkg::MaxGroup,
  parameter int unsigned Slots = 2048,
  parameter int unsigned Requests = 16384,
  parameter int unsigned TimeW = 64,
  localparam int unsigned GroupW = Groups > 1 ? $clog2(Groups) : 1,
  localparam int unsigned SlotW = Slots > 1 ? $clog2(Slots) : 1,
  localparam int unsigned RequestW = Requests > 1 ? $clog2(Requests) : 1
) (
  input  logic                          clk_i,
  input  logic                          rst_ni,
  output logic                          busy_o,
  input  logic [TimeW-1:0]              now_i,
  output logic                          deadline_valid_o,
  output logic [TimeW-1:0]              deadline_o,

  input  logic                          group_write_i,
  input  logic [GroupW-1:0]             group_index_i,
  input  logic [TimeW-1:0]              group_limit_i,

  input  logic                          slot_valid_i,
  output logic                          slot_ready_o,
  input  tally_limits_pkg::slot_op_e    slot_op_i,
  input  logic [SlotW-1:0]              slot_i,
  input  logic [GroupW-1:0]             slot_group_i,
  input  logic [31:0]                   slot_ms_i,

  input  logic                          wait_valid_i,
  output logic                          wait_ready_o,
  input  logic                          wait_ends_i,
  input  logic [RequestW-1:0]           wait_request_i,
  input  logic [GroupW-1:0]             wait_group_i,
  input  logic [31:0]                   wait_ms_i,

  output logic                          late_valid_o,
  input  logic                          late_ready_i,
  output logic [GroupW-1:0]             late_group_o,
  input  logic                          late_i,

  output logic                          exc_valid_o,
  input  logic                          exc_ready_i,
  output logic [GroupW-1:0]             exc_group_o,
  output tally_events_pkg::exception_t  exc_o
);
  // Slots, then requests.
  localparam int unsigned Keys = Slots + Requests;
  localparam int unsigned KeyW = $clog2(Keys);
  localparam int unsigned EighthW = TimeW - 3;
  localparam logic [EighthW-1:0] NoLimit = {EighthW{1'b1}};
  localparam logic [TimeW-1:0] Never = {TimeW{1'b1}};
  localparam logic [EighthW-1:0] Millisecond = EighthW'(64'd125_000_000);  // an eighth of it

  typedef struct packed {
    logic [GroupW-1:0]  group;
    logic               whole;
    logic [TimeW-1:0]   since;
    logic [EighthW-1:0] eighth;  // an eighth of the limit
  } row_t;
  localparam int unsigned RowW = GroupW + 1 + TimeW + EighthW;

  typedef enum logic [1:0] {
    StIdle,
    StRow,  // the row and the limits have been read
    StSum,  // the row has been written
    StSet   // the calendar gets the time
  } state_e;
  state_e state_q, state_d;

  // ---- Whose turn it is ----
  logic due_valid, due_ready, told_free, idle, takes, takes_due;
  logic [KeyW-1:0] due_key, slot_key, request_key;
  logic [2:0] sides, sides_ready;
  logic [1:0] side;

  assign slot_key = KeyW'(slot_i);
  assign request_key = KeyW'(Slots) + KeyW'(wait_request_i);
  // A due key may be withdrawn, so sides are looked at only in a clock in which one is taken.
  assign idle = state_q == StIdle;
  assign sides = {3{idle}} & {due_valid && told_free, wait_valid_i, slot_valid_i};
  assign {due_ready, wait_ready_o, slot_ready_o} = sides_ready;
  assign takes_due = takes && side == 2'd2;
  tally_rr_arbiter #(.Num(3)) u_sides (
    .clk_i, .rst_ni, .request_valid_i(sides), .request_ready_o(sides_ready),
    .grant_valid_o(takes), .grant_ready_i(1'b1), .grant_o(side)
  );

  // ---- What was taken, and what is known of it ----
  logic [EighthW-1:0] limit_mem_q [Groups];
  logic [RowW-1:0] row_mem_q [Keys];
  logic [EighthW-1:0] limit_q, own_q;
  logic [TimeW-1:0] now_q;
  logic [RowW-1:0] row_read_q;
  logic [KeyW-1:0] key, key_q;
  logic [GroupW-1:0] group, group_q;
  logic [31:0] ms;
  logic has_own_q, opens_q, whole_q, ends_q, due_q;

  assign key = takes_due ? due_key : side == 2'd1 ? request_key : slot_key;
  assign group = side == 2'd1 ? wait_group_i : slot_group_i;
  assign ms = side == 2'd1 ? wait_ms_i : slot_op_i == tally_limits_pkg::SlotPost ? slot_ms_i : '0;
  logic unused;
  assign unused = ^group_limit_i[2:0];  // less than an eighth
  always_ff @(posedge clk_i) begin
    if (group_write_i) limit_mem_q[group_index_i] <= group_limit_i[TimeW-1:3];
    if (takes) begin
      limit_q <= limit_mem_q[group];
      row_read_q <= row_mem_q[key];
      own_q <= EighthW'(ms) * Millisecond;
      now_q <= now_i;
      key_q <= key;
      group_q <= group;
      has_own_q <= ms != '0;
      opens_q <= side == 2'd1 || slot_op_i == tally_limits_pkg::SlotOpen;
      whole_q <= side == 2'd0 && slot_op_i == tally_limits_pkg::SlotWhole;
      ends_q <= side == 2'd1 ? wait_ends_i : slot_op_i == tally_limits_pkg::SlotEnd;
      due_q <= takes_due;
    end
  end

  // ---- The row as it is now, and the time of its limit ----
  row_t row, row_new;
  logic [EighthW-1:0] known, eighth_q;
  logic [TimeW-1:0] since_q;
  logic row_write, is_whole_q;
  logic [TimeW-1:0] eighth, at, at_q;

  assign row = row_read_q;
  assign known = opens_q ? limit_q : row.eighth;
  always_comb begin
    row_new = row;
    if (opens_q) begin
      row_new.group = group_q;
      row_new.whole = 1'b0;
      row_new.since = now_q;
    end
    if (whole_q) row_new.whole = 1'b1;
    row_new.eighth = has_own_q && own_q < known ? own_q : known;
  end
  assign row_write = state_q == StRow && !due_q;
  assign eighth = TimeW'(eighth_q);
  assign at = ends_q || eighth_q == NoLimit ? Never :
              since_q + (eighth << 2) + (eighth << 1) + (is_whole_q ? eighth : '0);
  always_ff @(posedge clk_i) begin
    if (row_write) row_mem_q[key_q] <= row_new;
    if (state_q == StRow) begin
      since_q <= row_new.since;
      eighth_q <= row_new.eighth;
      is_whole_q <= row_new.whole;
    end
    if (state_q == StSum) at_q <= at;
  end

  // ---- The calendar ----
  logic cal_ready, cal_busy;
  tally_calendar #(.Num(Keys), .TimeW(TimeW)) u_calendar (
    .clk_i, .rst_ni,
    .busy_o(cal_busy),
    .now_i, .deadline_valid_o, .deadline_o,
    .set_valid_i(state_q == StSet),
    .set_ready_o(cal_ready),
    .set_number_i(key_q),
    .set_at_i(at_q),
    .due_valid_o(due_valid),
    .due_ready_i(due_ready),
    .due_number_o(due_key)
  );

  always_comb begin
    unique case (state_q)
      StIdle: state_d = takes ? StRow : StIdle;
      StRow: state_d = due_q ? StIdle : StSum;
      StSum: state_d = StSet;
      default: state_d = cal_ready ? StIdle : StSet;  // StSet
    endcase
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) state_q <= StIdle;
    else state_q <= state_d;
  end

  // ---- What is told: one at a time ----
  logic of_request, ends_asked, answers;
  logic [KeyW-1:0] asked_q;
  logic [GroupW-1:0] told_q;

  assign told_free = !late_valid_o && !exc_valid_o && !(state_q == StRow && due_q);
  assign of_request = key_q >= KeyW'(Slots);
  assign answers = late_valid_o && late_ready_i;
  assign ends_asked = takes && side == 2'd1 && request_key == asked_q;
  always_ff @(posedge clk_i) begin
    if (state_q == StRow && due_q) begin
      told_q <= row.group;
      asked_q <= key_q;
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      late_valid_o <= 1'b0;
      exc_valid_o <= 1'b0;
    end else if (state_q == StRow && due_q) begin
      late_valid_o <= of_request;
      exc_valid_o <= !of_request;
    end else begin
      if (answers || ends_asked) late_valid_o <= 1'b0;
      if (answers && late_i) exc_valid_o <= 1'b1;
      else if (exc_ready_i) exc_valid_o <= 1'b0;
    end
  end
  assign late_group_o = told_q;
  assign exc_group_o = told_q;
  always_comb begin
    exc_o = '0;
    exc_o.cause = 2'(tally_fw_pkg::CauseTimeOut);
  end
  assign busy_o = state_q != StIdle || late_valid_o || exc_valid_o || cal_busy;

`ifdef FORMAL
  `include "limits_proof.svh"
`endif
endmodule
