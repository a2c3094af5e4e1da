// SPDX-License-Identifier: BSD-2-Clause
// Timers of the firmware: the registers `timer` of groups and tombstones, and `timer` and `delay`
// of their edges (sim/engine/registers.c, events_timer() of events.c).
//
// write_*: a register of 32 bits is written; row_i is the row of its edge (tally_edge_rows), if it
// is of an edge of a group. mine_o: it is one of those that are kept here; it depends on the
// address alone, and no other one is offered. A register has 64 bits and counts when its high word
// is written; the low word comes right before. `timer` is a time in picoseconds, all ones for none,
// `delay` a number of nanoseconds from now on, 0 for none.
//
// stop_*: timers of a context are stopped, tally_fw_timers_pkg::stop_e; stop_edge_i and stop_row_i
// are of StopEdge. None of them expires after this has been taken; it is to be taken before
// tally_events drops the events of the context.
//
// tmr_*: a timer has expired, of an edge or, with NoEdge, of its context; see tally_events. If it
// finds no place there, it expires again 1 us later. Writes and stops wait meanwhile; who takes
// tmr_* may not wait for them.
//
// now_i: the time in picoseconds. deadline_*, busy_o: see tally_calendar.
//
// The edges of a context are many, so StopEdges and StopAll count how often this has been; a timer
// that was set before is forgotten when it expires.
module tally_fw_timers #(
  parameter int unsigned Groups = tally_pkg::MaxGroup,
  parameter int unsigned Tombs = tally_pkg::MaxTombstones,
  parameter int unsigned EdgesOf = tally_pkg::MaxContributors + 1,
  parameter int unsigned Rows = tally_pkg::MaxEdges,
  parameter int unsigned LifeW = 32,  // 2^LifeW stops of a context make an old timer run again
  parameter int unsigned TimeW = 64,
  localparam int unsigned Contexts = Groups + Tombs,
  localparam int unsigned ContextW = $clog2(Contexts),
  localparam int unsigned EdgeW = $clog2(EdgesOf + 1),  // an edge, or none
  localparam int unsigned RowW = $clog2(Rows)
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,
  output logic                       busy_o,
  input  logic [TimeW-1:0]           now_i,
  output logic                       deadline_valid_o,
  output logic [TimeW-1:0]           deadline_o,

  input  logic                       write_valid_i,
  output logic                       write_ready_o,
  input  logic [31:0]                addr_i,
  input  logic [31:0]                data_i,
  input  logic [RowW-1:0]            row_i,
  output logic                       mine_o,

  input  logic                       stop_valid_i,
  output logic                       stop_ready_o,
  input  tally_fw_timers_pkg::stop_e stop_i,
  input  logic [ContextW-1:0]        stop_context_i,
  input  logic [EdgeW-1:0]           stop_edge_i,
  input  logic [RowW-1:0]            stop_row_i,

  output logic                       tmr_valid_o,
  input  logic                       tmr_ready_i,
  output logic [15:0]                tmr_context_o,
  output logic [7:0]                 tmr_edge_o,
  input  logic                       tmr_found_i
);
  localparam int unsigned GroupShift = $clog2(tally_fw_pkg::GroupStride);
  localparam int unsigned EdgeShift = $clog2(tally_fw_pkg::EdgeStride);
  localparam int unsigned FirstPage = tally_fw_pkg::EdgeOffset / tally_fw_pkg::EdgeStride;
  localparam int unsigned Timer = tally_fw_pkg::EdgeTimerOffset;
  localparam int unsigned Delay = tally_fw_pkg::EdgeDelayOffset;
  // Contexts, then rows of edges of groups, then edges of tombstones.
  localparam int unsigned Keys = Contexts + Rows + Tombs * EdgesOf;
  localparam int unsigned KeyW = $clog2(Keys);
  localparam logic [TimeW-1:0] Never = {TimeW{1'b1}};
  localparam logic [TimeW-1:0] Again = TimeW'(64'd1_000_000);  // 1 us
  localparam logic [TimeW-1:0] Nanosecond = TimeW'(1000);
  localparam logic [EdgeW-1:0] None = {EdgeW{1'b1}};

  typedef struct packed {  // of a timer
    logic [ContextW-1:0] context_;
    logic [EdgeW-1:0]    edge_;
    logic [LifeW-1:0]    life;
  } name_t;
  localparam int unsigned NameW = ContextW + EdgeW + LifeW;

  typedef enum logic [2:0] {
    StIdle,
    StWrite,  // the life of the context has been read, and its name is written
    StSet,    // the calendar gets the time
    StLife,   // all timers of edges are stopped
    StDue,    // the name of a timer that is due has been read
    StLook,   // and whether that life goes on
    StTell
  } state_e;
  state_e state_q, state_d;

  // ---- Which timer a register is ----
  logic [31:0] in_groups;
  logic [GroupShift-1:3] at;
  logic [GroupShift-EdgeShift-1:0] page;
  logic [31:0] in_edge, in_context;
  logic of_context, of_edge, is_delay, is_high, is_timer;

  assign in_groups = addr_i - tally_fw_pkg::GroupBase;
  assign at = in_groups[GroupShift-1:3];
  assign page = at[GroupShift-1:EdgeShift];
  assign in_edge = 32'({at[EdgeShift-1:3], 3'b0});
  assign in_context = 32'({at[GroupShift-1:3], 3'b0});
  assign of_context = addr_i >= tally_fw_pkg::GroupBase && in_groups >> GroupShift < Contexts;
  assign of_edge = 32'(page) >= FirstPage && 32'(page) < FirstPage + EdgesOf;
  assign is_delay = of_edge && in_edge == Delay;
  assign is_timer = of_edge ? in_edge == Timer : in_context == tally_fw_pkg::GroupTimerOffset;
  assign is_high = addr_i[2];
  assign mine_o = of_context && (is_delay || is_timer) && addr_i[1:0] == '0;
  // ---- Whose turn it is ----
  logic due_valid, due_ready, takes_write, takes_stop;
  logic [KeyW-1:0] due_key;
  logic [2:0] sides, sides_ready;
  logic [1:0] side;
  logic takes;

  // A key that is due may be withdrawn, so sides are looked at only when one is taken.
  assign sides = {3{state_q == StIdle}} & {due_valid, stop_valid_i, write_valid_i};
  assign {due_ready, stop_ready_o, write_ready_o} = sides_ready;
  assign takes_write = takes && side == 2'd0 && is_high;
  assign takes_stop = takes && side == 2'd1;
  tally_rr_arbiter #(.Num(3)) u_sides (
    .clk_i, .rst_ni, .request_valid_i(sides), .request_ready_o(sides_ready),
    .grant_valid_o(takes), .grant_ready_i(1'b1), .grant_o(side)
  );

  // ---- Which timer is meant ----
  logic [ContextW-1:0] context_of, context_q;
  logic [EdgeW-1:0] edge_of, edge_q;
  logic [RowW-1:0] row_of;
  logic [KeyW-1:0] key_of, key_q;
  tally_fw_timers_pkg::stop_e stop_q;
  always_comb begin
    context_of = ContextW'(in_groups >> GroupShift);
    edge_of = of_edge ? EdgeW'(32'(page) - FirstPage) : None;
    row_of = row_i;
    if (side == 2'd1) begin
      context_of = stop_context_i;
      edge_of = stop_i == tally_fw_timers_pkg::StopEdge ? stop_edge_i : None;
      row_of = stop_row_i;
    end
    key_of = KeyW'(context_of);
    if (edge_of != None && 32'(context_of) >= Groups) begin
      key_of = KeyW'(Contexts + Rows) + KeyW'(32'(context_of) - Groups) * KeyW'(EdgesOf) +
               KeyW'(edge_of);
    end else if (edge_of != None) begin
      key_of = KeyW'(Contexts) + KeyW'(row_of);
    end
  end

  // ---- The time that is written ----
  logic [31:0] low_q;
  logic [63:0] value_q;
  logic [TimeW-1:0] now_q, time_new, at_q;
  logic is_delay_q;
  assign time_new = !is_delay_q ? TimeW'(value_q) :
                    value_q == '0 ? Never : now_q + TimeW'(value_q) * Nanosecond;
  always_ff @(posedge clk_i) begin
    if (takes && side == 2'd0) begin
      if (!is_high) low_q <= data_i;
      value_q <= {data_i, low_q};
      is_delay_q <= is_delay;
      now_q <= now_i;
    end
    if (takes_stop) at_q <= Never;
    else if (state_q == StWrite) at_q <= time_new;
    else if (state_q == StTell) at_q <= now_i + Again;
  end

  // ---- Names of timers, and lives of contexts ----
  logic [NameW-1:0] names_q [Keys];
  logic [LifeW-1:0] lives_q [Contexts];
  logic [NameW-1:0] name_read_q;
  logic [LifeW-1:0] life_read_q;
  logic [ContextW-1:0] life_at;
  name_t name, name_new;
  logic goes_on;

  assign name = name_read_q;
  assign life_at = state_q == StDue ? name.context_ : context_of;
  assign name_new.context_ = context_q;
  assign name_new.edge_ = edge_q;
  assign name_new.life = life_read_q;
  assign goes_on = name.edge_ == None || name.life == life_read_q;
  always_ff @(posedge clk_i) begin
    if (takes) begin
      key_q <= side == 2'd2 ? due_key : key_of;
      context_q <= context_of;
      edge_q <= edge_of;
      stop_q <= stop_i;
    end
    if (state_q == StWrite) names_q[key_q] <= name_new;
    if (takes) name_read_q <= names_q[due_key];
    if (state_q == StLife) lives_q[context_q] <= life_read_q + 1'b1;
    life_read_q <= lives_q[life_at];
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
    state_d = state_q;
    unique case (state_q)
      StIdle: begin
        if (takes_write) state_d = StWrite;
        else if (takes_stop) state_d = stop_i == tally_fw_timers_pkg::StopOwn ||
                                       stop_i == tally_fw_timers_pkg::StopEdge ? StSet : StLife;
        else if (takes && side == 2'd2) state_d = StDue;
      end
      StWrite: state_d = StSet;
      StSet: if (cal_ready) state_d = StIdle;
      StLife: state_d = stop_q == tally_fw_timers_pkg::StopAll ? StSet : StIdle;
      StDue: state_d = StLook;
      StLook: state_d = goes_on ? StTell : StIdle;
      default: if (tmr_ready_i) state_d = tmr_found_i ? StIdle : StSet;  // StTell
    endcase
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) state_q <= StIdle;
    else state_q <= state_d;
  end

  assign tmr_valid_o = state_q == StTell;
  assign tmr_context_o = 16'(name.context_);
  assign tmr_edge_o = name.edge_ == None ? 8'(tally_fw_pkg::NoEdge) : 8'(name.edge_);
  assign busy_o = state_q != StIdle || cal_busy;

`ifdef FORMAL
  `include "fw_timers_proof.svh"
`endif
endmodule
