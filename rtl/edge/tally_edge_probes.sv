// SPDX-License-Identifier: BSD-2-Clause
// Probes of neighbours that are silent while the oldest chunk of a group waits for them
// (sim/engine/probe.c, edge_heard() of edge.c).
//
// op_*: an operation, tally_edge_pkg::probe_op_e, on the row of an edge; the first one of a row is
// ProbeOpen. With it come the group and the edge, and the first and the longest time-out in
// picoseconds and the number of probes. A neighbour that is watched and says nothing for four first
// time-outs is looked at, and so is one that was probed, after twice as long each time, ten times
// at most, and never longer than the longest time-out.
//
// waits_*: whether the oldest chunk of the group still waits for the neighbour of this edge, and
// nothing is on its way to it that is to be acknowledged, as retransmission probes already. If not,
// it is watched no more. Operations wait for the answer, so the answer may wait neither for an
// operation nor for what leaves.
// query_*: a QUERY is to leave on this edge; it describes the oldest chunk. silent_*: the neighbour
// has not answered the last probe: its group ends by SILENCE. Neither is offered while another one
// is; both stay until they are taken. Who closes an edge waits until silent_* is not that of its
// group.
//
// now_i: the time in picoseconds. deadline_*, busy_o: see tally_calendar.
//
// Time: an operation takes four clocks, two if no time follows from it, and more if the calendar is
// at work.
module tally_edge_probes #(
  parameter int unsigned Groups = tally_pkg::MaxGroup,
  parameter int unsigned EdgesOf = tally_pkg::MaxContributors + 1,
  parameter int unsigned Rows = tally_pkg::MaxEdges,
  parameter int unsigned TimeW = 64,
  parameter int unsigned BackoffMax = 10,
  localparam int unsigned GroupW = Groups > 1 ? $clog2(Groups) : 1,
  localparam int unsigned EdgeW = EdgesOf > 1 ? $clog2(EdgesOf) : 1,
  localparam int unsigned RowW = Rows > 1 ? $clog2(Rows) : 1
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,
  output logic                      busy_o,
  input  logic [TimeW-1:0]          now_i,
  output logic                      deadline_valid_o,
  output logic [TimeW-1:0]          deadline_o,

  input  logic                      op_valid_i,
  output logic                      op_ready_o,
  input  tally_edge_pkg::probe_op_e op_i,
  input  logic [RowW-1:0]           op_row_i,
  input  logic [GroupW-1:0]         op_group_i,
  input  logic [EdgeW-1:0]          op_edge_i,
  input  logic [TimeW-1:0]          op_rto_i,
  input  logic [TimeW-1:0]          op_cap_i,
  input  logic [8:0]                op_limit_i,

  output logic                      waits_valid_o,
  input  logic                      waits_ready_i,
  output logic [RowW-1:0]           waits_row_o,
  output logic [GroupW-1:0]         waits_group_o,
  output logic [EdgeW-1:0]          waits_edge_o,
  input  logic                      waits_i,

  output logic                      query_valid_o,
  input  logic                      query_ready_i,
  output logic                      silent_valid_o,
  input  logic                      silent_ready_i,
  output logic [RowW-1:0]           told_row_o,    // of query_* and silent_*
  output logic [GroupW-1:0]         told_group_o,
  output logic [EdgeW-1:0]          told_edge_o
);
  localparam int unsigned ProbesW = 9;
  localparam int unsigned TriesW = $clog2(BackoffMax + 1);
  localparam int unsigned WaitW = TimeW + BackoffMax;
  localparam logic [TimeW-1:0] Never = {TimeW{1'b1}};

  typedef struct packed {
    logic               open;
    logic               watched;
    logic [ProbesW-1:0] probes;
    logic [TimeW-1:0]   rto;
    logic [TimeW-1:0]   cap;
    logic [ProbesW-1:0] limit;
    logic [GroupW-1:0]  group;
    logic [EdgeW-1:0]   edge_;
  } row_t;
  localparam int unsigned RowBits = 2 + 2 * ProbesW + 2 * TimeW + GroupW + EdgeW;

  typedef enum logic [2:0] {
    StIdle,
    StRow,   // the row has been read
    StAsk,   // a neighbour was silent
    StWait,  // how long the next time-out is
    StSet    // the calendar gets its end
  } state_e;
  state_e state_q, state_d;

  // ---- Whose turn it is: an operation, or an edge that is due ----
  logic due_valid, due_ready, idle, takes, side;
  logic [RowW-1:0] due_row, row_at;
  logic [1:0] sides, sides_ready;

  // An edge that is due may be withdrawn, so sides are looked at only when one is taken.
  assign idle = state_q == StIdle;
  assign sides = {2{idle}} & {due_valid && !query_valid_o && !silent_valid_o, op_valid_i};
  assign {due_ready, op_ready_o} = sides_ready;
  assign row_at = side ? due_row : op_row_i;
  tally_rr_arbiter #(.Num(2)) u_sides (
    .clk_i, .rst_ni, .request_valid_i(sides), .request_ready_o(sides_ready),
    .grant_valid_o(takes), .grant_ready_i(1'b1), .grant_o(side)
  );

  // ---- Rows ----
  logic [RowBits-1:0] rows_q [Rows];
  logic [RowBits-1:0] row_read_q;
  row_t row, row_new, opened_q;
  tally_edge_pkg::probe_op_e op_q;
  logic [RowW-1:0] at_q;
  logic [TimeW-1:0] now_q;
  logic due_q, row_write, restarts, stops, answers, over, sends;

  assign row = row_read_q;
  assign answers = state_q == StAsk && waits_ready_i;
  assign over = row.probes >= row.limit;
  assign sends = answers && waits_i && !over;
  always_comb begin
    row_new = row;
    restarts = 1'b0;
    stops = 1'b0;
    if (answers) begin
      row_new.watched = sends;
      if (sends) row_new.probes = row.probes + 1'b1;
      restarts = sends;
    end else begin
      unique case (op_q)
        tally_edge_pkg::ProbeOpen: begin
          row_new = opened_q;
          stops = 1'b1;
        end
        tally_edge_pkg::ProbeClose: begin
          row_new.open = 1'b0;
          row_new.watched = 1'b0;
          stops = 1'b1;
        end
        tally_edge_pkg::ProbeWatch: begin
          row_new.watched = row.open;
          restarts = row.open && !row.watched;
        end
        default: begin  // ProbeHeard
          row_new.probes = '0;
          restarts = row.open && row.watched;
        end
      endcase
    end
  end
  assign row_write = answers || (state_q == StRow && !due_q);
  always_ff @(posedge clk_i) begin
    if (row_write) rows_q[at_q] <= row_new;
    if (takes) begin
      row_read_q <= rows_q[row_at];
      at_q <= row_at;
      due_q <= side;
      op_q <= op_i;
      opened_q.open <= 1'b1;
      opened_q.watched <= 1'b0;
      opened_q.probes <= '0;
      opened_q.rto <= op_rto_i;
      opened_q.cap <= op_cap_i;
      opened_q.limit <= op_limit_i;
      opened_q.group <= op_group_i;
      opened_q.edge_ <= op_edge_i;
    end
    if (takes || answers) now_q <= now_i;
  end

  // ---- The next time-out ----
  logic [TriesW-1:0] tries_q;  // doublings of the first time-out
  logic [ProbesW:0] doublings;
  logic [WaitW-1:0] longer;
  logic [TimeW-1:0] wait_time, until_q;
  assign doublings = (ProbesW + 1)'(2) + (answers ? (ProbesW + 1)'(row_new.probes) : '0);
  assign longer = WaitW'(row.rto) << tries_q;
  assign wait_time = longer < WaitW'(row.cap) ? longer[TimeW-1:0] : row.cap;
  always_ff @(posedge clk_i) begin
    if (row_write) begin
      tries_q <= 32'(doublings) < BackoffMax ? TriesW'(doublings) : TriesW'(BackoffMax);
      until_q <= Never;
    end else if (state_q == StWait) begin
      until_q <= now_q + wait_time;
    end
  end

  logic cal_ready, cal_busy;
  tally_calendar #(.Num(Rows), .TimeW(TimeW)) u_calendar (
    .clk_i, .rst_ni,
    .busy_o(cal_busy),
    .now_i, .deadline_valid_o, .deadline_o,
    .set_valid_i(state_q == StSet),
    .set_ready_o(cal_ready),
    .set_number_i(at_q),
    .set_at_i(until_q),
    .due_valid_o(due_valid),
    .due_ready_i(due_ready),
    .due_number_o(due_row)
  );

  always_comb begin
    unique case (state_q)
      StIdle: state_d = takes ? StRow : StIdle;
      StRow: state_d = due_q ? StAsk : stops ? StSet : restarts ? StWait : StIdle;
      StAsk: state_d = !waits_ready_i ? StAsk : restarts ? StWait : StIdle;
      StWait: state_d = StSet;
      default: state_d = cal_ready ? StIdle : StSet;  // StSet
    endcase
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= StIdle;
      query_valid_o <= 1'b0;
      silent_valid_o <= 1'b0;
    end else begin
      state_q <= state_d;
      query_valid_o <= sends || (query_valid_o && !query_ready_i);
      silent_valid_o <= (answers && waits_i && over) || (silent_valid_o && !silent_ready_i);
    end
  end
  always_ff @(posedge clk_i) begin
    if (answers) begin
      told_row_o <= at_q;
      told_group_o <= row.group;
      told_edge_o <= row.edge_;
    end
  end

  assign waits_valid_o = state_q == StAsk;
  assign waits_row_o = at_q;
  assign waits_group_o = row.group;
  assign waits_edge_o = row.edge_;
  assign busy_o = state_q != StIdle || query_valid_o || silent_valid_o || cal_busy;

`ifdef FORMAL
  `include "edge_probes_proof.svh"
`endif
endmodule
