// SPDX-License-Identifier: BSD-2-Clause
// Lists of the receive message queue (the list of bench/model.c, one for each counter of each port). The block holds
// the cells in order of arrival, walks through them for firings, and flushes them. It also stores the contributor and a
// note of each cell's message.
//
//   append  Appends a cell to the list of port_i and counter_i. The cell is linked in the next clock.
//   take    Starts a walk, which removes the first message of each contributor from that list, in order of arrival,
//           until it has cpcnt_i messages. The walk needs two clocks for each message that it examines, and more if
//           taken_ready_i is low, a release has not been taken, or a cell is appended. Each message of the walk is
//           handed over (taken_...) and released to the counters (release_...). Only one walk is in progress
//           (walking_o). The list must hold messages of at least cpcnt_i contributors.
//   flush   Empties all lists of port_i. clear_... names each counter once, and gone_valid_o reports each cell that
//           leaves its list, one per clock. flush_done_o comes last. A flush must not come during a walk, and no
//           other operation may come during a flush.
//
// taken_... and gone_valid_o refer to the cell, contributor and note in cell_o, contributor_o and note_o.
//
// port_i and counter_i must be those of an operation in its clock and the clock before and, for an append, in the clock
// after. At most one operation may come in three clocks. init_... empties a list after reset.
module tally_rmq_lists #(
  parameter int unsigned Ports = tally_pkg::MaxQp,
  parameter int unsigned Counters = tally_pkg::NumCpCounters,
  parameter int unsigned Contributors = tally_pkg::ContribSelf + 1,
  parameter int unsigned Cells = tally_pkg::RmqCells,
  parameter int unsigned NoteW = 20,
  localparam int unsigned PortW = Ports > 1 ? $clog2(Ports) : 1,
  localparam int unsigned CounterW = Counters > 1 ? $clog2(Counters) : 1,
  localparam int unsigned ContribW = Contributors > 1 ? $clog2(Contributors) : 1,
  localparam int unsigned CountW = $clog2(Contributors + 1),
  localparam int unsigned CellW = Cells > 1 ? $clog2(Cells) : 1,
  localparam int unsigned ListW = PortW + CounterW
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                init_valid_i,
  input  logic [ListW-1:0]    init_list_i,

  input  logic [PortW-1:0]    port_i,
  input  logic [CounterW-1:0] counter_i,
  input  logic                append_valid_i,
  input  logic [CellW-1:0]    append_cell_i,
  input  logic [ContribW-1:0] append_contributor_i,
  input  logic [NoteW-1:0]    append_note_i,
  input  logic                take_valid_i,
  input  logic [CountW-1:0]   take_cpcnt_i,
  output logic                walking_o,
  input  logic                flush_valid_i,
  output logic                flush_done_o,

  output logic                taken_valid_o,
  input  logic                taken_ready_i,
  output logic                taken_end_o,   // last message of the walk
  output logic                gone_valid_o,
  output logic [CellW-1:0]    cell_o,
  output logic [ContribW-1:0] contributor_o,
  output logic [NoteW-1:0]    note_o,

  output logic                release_valid_o,
  input  logic                release_ready_i,
  output logic [PortW-1:0]    release_port_o,
  output logic [CounterW-1:0] release_counter_o,
  output logic [ContribW-1:0] release_contributor_o,
  output logic                clear_valid_o,
  output logic [CounterW-1:0] clear_counter_o
);
  localparam int unsigned Lists = 2 ** ListW;
  localparam int unsigned ListWordW = 1 + 2 * CellW;
  localparam int unsigned MetaW = ContribW + NoteW;
  localparam logic [CounterW-1:0] CounterLast = CounterW'(Counters - 1);

  logic [ListWordW-1:0] list_q [Lists];  // not empty, first, last
  logic [CellW-1:0] link_q [Cells];
  logic [MetaW-1:0] meta_q [Cells];

  logic append_q;
  logic [CellW-1:0] append_cell_q;
  logic walk_busy_q, looked_q, step, first_q, walk_has_before_q, release_q;
  logic flushing_q, flush_wait_q, flush_load_q, flush_step, flush_end, flush_over_q, clear;
  logic [PortW-1:0] walk_port_q;
  logic [CounterW-1:0] walk_counter_q, clear_q;
  logic [CellW-1:0] cell_q, before_q, after_cell, link_at;
  logic [CountW-1:0] left_q;
  logic [Contributors-1:0] seen_q, bit_of;
  logic [2**ContribW-1:0] all_seen;
  logic [ContribW-1:0] contributor, release_contributor_q;
  logic list_write, link_write;

  // ---- Two lists are read in each clock: that of the operation or flush, and that of the walk. The word read in the
  // clock before is current, unless it was written at the same time ----
  logic [ListW-1:0] list_read, walk_read, list_at;
  logic [ListWordW-1:0] list_d, list_read_q, walk_read_q, list_wrote_q;
  logic list_any, list_hit_q, at_last, walk_hit_q, walk_any, walk_at_last;
  logic [CellW-1:0] list_first, list_last, walk_first, walk_last;

  assign list_read = {port_i, flushing_q ? clear_q : counter_i};
  assign walk_read = {walk_port_q, walk_counter_q};
  assign list_at = step ? walk_read : list_read;
  always_ff @(posedge clk_i) begin
    list_read_q <= list_q[list_read];
    walk_read_q <= list_q[walk_read];
    list_wrote_q <= list_d;
    list_hit_q <= list_write && list_at == list_read;
    walk_hit_q <= list_write && list_at == walk_read;
  end
  assign {list_any, list_first, list_last} = list_hit_q ? list_wrote_q : list_read_q;
  assign {walk_any, walk_first, walk_last} = walk_hit_q ? list_wrote_q : walk_read_q;
  assign at_last = cell_q == list_last;
  assign walk_at_last = cell_q == walk_last;

  always_comb begin
    list_write = append_q || taken_valid_o || clear;
    link_write = (append_q && list_any) || (taken_valid_o && walk_has_before_q);
    link_at = append_q ? list_last : before_q;
    list_d = {1'b1, list_any ? list_first : append_cell_q, append_cell_q};
    if (clear) list_d = {1'b0, list_first, list_last};
    else if (!append_q)
      list_d = {walk_has_before_q || !walk_at_last, walk_has_before_q ? walk_first : after_cell,
                walk_at_last ? before_q : walk_last};
  end
  always_ff @(posedge clk_i) begin
    if (init_valid_i) list_q[init_list_i] <= '0;
    else if (list_write) list_q[list_at] <= list_d;
  end
  always_ff @(posedge clk_i) if (link_write) link_q[link_at] <= append_q ? append_cell_q : after_cell;
  always_ff @(posedge clk_i) begin
    append_cell_q <= append_cell_i;
    if (append_valid_i) meta_q[append_cell_i] <= {append_contributor_i, append_note_i};
  end

  // ---- Walks: one clock computes first_q, whether the cell is its contributor's first; a later one uses it ----
  assign after_cell = link_q[cell_q];
  assign {contributor, note_o} = meta_q[cell_q];
  assign step = walk_busy_q && looked_q && !append_q && !release_q && taken_ready_i;
  assign bit_of = Contributors'(1) << contributor;
  assign all_seen = (2 ** ContribW)'(seen_q);
  assign walking_o = walk_busy_q;
  assign taken_valid_o = step && first_q;
  assign taken_end_o = left_q == CountW'(1);
  assign cell_o = cell_q;
  assign contributor_o = contributor;
  assign release_valid_o = release_q;
  assign release_port_o = walk_port_q;
  assign release_counter_o = walk_counter_q;
  assign release_contributor_o = release_contributor_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      append_q <= 1'b0;
      looked_q <= 1'b0;
      walk_busy_q <= 1'b0;
      release_q <= 1'b0;
    end else begin
      append_q <= append_valid_i;
      looked_q <= walk_busy_q && !step;
      if (take_valid_i) walk_busy_q <= take_cpcnt_i != '0;
      else if (taken_valid_o && taken_end_o) walk_busy_q <= 1'b0;
      release_q <= taken_valid_o || (release_q && !release_ready_i);
    end
  end
  always_ff @(posedge clk_i) begin
    first_q <= !all_seen[contributor];
    if (take_valid_i) begin
      walk_port_q <= port_i;
      walk_counter_q <= counter_i;
      walk_has_before_q <= 1'b0;
      seen_q <= '0;
      left_q <= take_cpcnt_i;
      cell_q <= list_first;
    end else if (step) begin
      release_contributor_q <= contributor;
      seen_q <= seen_q | bit_of;
      left_q <= left_q - CountW'(first_q);
      cell_q <= after_cell;
      if (!first_q) begin
        walk_has_before_q <= 1'b1;
        before_q <= cell_q;
      end
    end else if (clear) begin
      cell_q <= list_first;
    end else if (flush_step) begin
      cell_q <= after_cell;
    end
  end

  // ---- Flushes: list by list ----
  assign clear = flushing_q && flush_load_q && !flush_wait_q && !flush_over_q;
  assign flush_step = flushing_q && !flush_load_q;
  assign flush_end = clear_q == CounterLast && ((flush_step && at_last) || (clear && !list_any));
  assign gone_valid_o = flush_step;
  assign clear_valid_o = clear;
  assign clear_counter_o = clear_q;
  assign flush_done_o = flush_over_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      flushing_q <= 1'b0;
      flush_over_q <= 1'b0;
    end else begin
      flushing_q <= flush_valid_i || (flushing_q && !flush_over_q);
      flush_over_q <= flush_end;
    end
  end
  always_ff @(posedge clk_i) begin
    flush_wait_q <= 1'b0;
    if (flush_valid_i) begin
      clear_q <= '0;
      flush_load_q <= 1'b1;
      flush_wait_q <= 1'b1;  // until the list has been read
    end else if (clear && list_any) begin
      flush_load_q <= 1'b0;
    end else if (clear || (flush_step && at_last)) begin
      clear_q <= clear_q + 1'b1;
      flush_load_q <= 1'b1;
      flush_wait_q <= 1'b1;
    end
  end

  logic unused;
  assign unused = walk_any;  // a walk ends by its own count

`ifdef FORMAL
  `include "rmq_lists_proof.svh"
`endif
endmodule
