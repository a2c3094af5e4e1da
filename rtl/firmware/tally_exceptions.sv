// SPDX-License-Identifier: BSD-2-Clause
// What ends an epoch: exceptions of the units of the hardware (sim/engine/exception.c). The first
// one of a group freezes it, and becomes an event for the firmware; others of a group whose epoch
// does not run follow from that one, or come late, and are dropped, as in the model. The other
// events of groups pass here, too, so they enter tally_events in the order in which they arise.
//
// set_*: commands of the firmware. With set_begins_i an epoch begins (CREATE, BEGIN), which raises
// BEGIN; otherwise it runs no more (FREEZE, RELEASE). Before BEGIN, the events of the group have
// been dropped. exc_*: exceptions of Sources units. fenced_*: FENCE is carried out. drained_*: a
// group that is destroyed has finished all its chunks; this is dropped if its epoch does not run.
//
// freeze_*: the units begin nothing for the group any more, before the event is raised. raise_*: an
// event (tally_events); the row counts for KindException. Its group keeps it until the firmware has
// taken it, so no row is kept here.
//
// Who takes freeze_* or raise_* may not wait for a source, so each is taken in the end. A unit has
// told the exceptions of an epoch before it answers the command that ends it. All offers stay until
// they are taken.
//
// Time: after a reset a clock for each 64 groups. What is taken takes two clocks if it is dropped,
// else one more for each offer. busy_o is low if nothing happens without an input.
module tally_exceptions #(
  parameter int unsigned Groups = tally_pkg::MaxGroup,
  parameter int unsigned Sources = 8,
  localparam int unsigned GroupW = Groups > 1 ? $clog2(Groups) : 1,
  localparam int unsigned RowW = 210  // of exception_t; yosys knows no arrays of structures
) (
  input  logic                                        clk_i,
  input  logic                                        rst_ni,
  output logic                                        busy_o,

  input  logic                                        set_valid_i,
  output logic                                        set_ready_o,
  input  logic                                        set_begins_i,
  input  logic [GroupW-1:0]                           set_group_i,
  input  logic [Sources-1:0]                          exc_valid_i,
  output logic [Sources-1:0]                          exc_ready_o,
  input  logic [Sources-1:0][GroupW-1:0]              exc_group_i,
  input  logic [Sources-1:0][RowW-1:0]                exc_i,  // exception_t of each
  input  logic                                        fenced_valid_i,
  output logic                                        fenced_ready_o,
  input  logic [GroupW-1:0]                           fenced_group_i,
  input  logic                                        drained_valid_i,
  output logic                                        drained_ready_o,
  input  logic [GroupW-1:0]                           drained_group_i,

  output logic                                        freeze_valid_o,
  input  logic                                        freeze_ready_i,
  output logic [GroupW-1:0]                           freeze_group_o,

  output logic                                        raise_valid_o,
  input  logic                                        raise_ready_i,
  output tally_events_pkg::group_kind_e               raise_kind_o,
  output logic [GroupW-1:0]                           raise_group_o,
  output tally_events_pkg::exception_t                raise_exception_o
);
  localparam int unsigned BitW = GroupW < 6 ? GroupW : 6;
  localparam int unsigned Bits = 2 ** BitW;
  localparam int unsigned Words = (Groups + Bits - 1) / Bits;
  localparam int unsigned WordW = Words > 1 ? $clog2(Words) : 1;

  // ---- Whose turn it is ----
  localparam int unsigned Sides = Sources + 3;  // sources, then these
  localparam int unsigned OfSet = Sources;
  localparam int unsigned OfFenced = Sources + 1;
  localparam int unsigned OfDrained = Sources + 2;
  localparam int unsigned SideW = $clog2(Sides);

  typedef enum logic [1:0] {
    StIdle,
    StLook,    // whether the epoch of the group runs
    StFreeze,
    StRaise
  } state_e;
  state_e state_q, state_d;

  logic [Sides-1:0] sides, sides_ready;
  logic offered, takes, clears;
  logic [SideW-1:0] side;
  assign sides = {drained_valid_i, fenced_valid_i, set_valid_i, exc_valid_i};
  assign {drained_ready_o, fenced_ready_o, set_ready_o, exc_ready_o} = sides_ready;
  assign takes = state_q == StIdle && !clears;
  tally_rr_arbiter #(.Num(Sides)) u_sides (
    .clk_i, .rst_ni, .request_valid_i(sides), .request_ready_o(sides_ready),
    .grant_valid_o(offered), .grant_ready_i(takes), .grant_o(side)
  );

  // ---- What was taken ----
  tally_events_pkg::group_kind_e kind_q;
  tally_events_pkg::exception_t row_q;
  logic [GroupW-1:0] group_q;
  logic stops_q;  // a command after which the epoch does not run
  always_ff @(posedge clk_i) begin
    if (takes) begin
      group_q <= set_group_i;
      kind_q <= tally_events_pkg::KindBegin;
      stops_q <= side == SideW'(OfSet) && !set_begins_i;
      row_q <= '0;
      if (side == SideW'(OfFenced)) begin
        group_q <= fenced_group_i;
        kind_q <= tally_events_pkg::KindFenced;
      end
      if (side == SideW'(OfDrained)) begin
        group_q <= drained_group_i;
        kind_q <= tally_events_pkg::KindDrained;
      end
      for (int unsigned i = 0; i < Sources; i++) begin
        if (side == SideW'(i)) begin
          group_q <= exc_group_i[i];
          kind_q <= tally_events_pkg::KindException;
          row_q <= exc_i[i];
        end
      end
    end
  end

  // ---- Whether the epochs of groups run: a bit of each, in words ----
  logic [Bits-1:0] runs_q [Words];
  logic [Bits-1:0] word, bit_of, changed;
  logic [WordW:0] clear_q;  // words that have been cleared
  logic [WordW-1:0] at;
  logic runs, looks, begins, freezes, write;

  assign clears = clear_q != (WordW + 1)'(Words);
  assign at = clears ? clear_q[WordW-1:0] : WordW'(group_q >> BitW);
  assign word = runs_q[at];
  assign bit_of = Bits'(1) << group_q[BitW-1:0];
  assign runs = (word & bit_of) != '0;
  assign looks = state_q == StLook;
  assign begins = looks && kind_q == tally_events_pkg::KindBegin && !stops_q;
  assign freezes = looks && kind_q == tally_events_pkg::KindException && runs;
  always_comb begin
    changed = word & ~bit_of;
    if (begins) changed = word | bit_of;
    if (clears) changed = '0;
  end
  assign write = clears || begins || freezes || (looks && stops_q);
  always_ff @(posedge clk_i) if (write) runs_q[at] <= changed;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) clear_q <= '0;
    else if (clears) clear_q <= clear_q + 1'b1;
  end

  // ---- Order of the steps ----
  always_comb begin
    state_d = state_q;
    unique case (state_q)
      StIdle: if (offered && takes) state_d = StLook;
      StLook: begin
        unique case (kind_q)
          tally_events_pkg::KindBegin: state_d = stops_q ? StIdle : StRaise;
          tally_events_pkg::KindException: state_d = runs ? StFreeze : StIdle;
          tally_events_pkg::KindDrained: state_d = runs ? StRaise : StIdle;
          default: state_d = StRaise;  // KindFenced
        endcase
      end
      StFreeze: if (freeze_ready_i) state_d = StRaise;
      default: if (raise_ready_i) state_d = StIdle;  // StRaise
    endcase
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) state_q <= StIdle;
    else state_q <= state_d;
  end

  assign freeze_valid_o = state_q == StFreeze;
  assign freeze_group_o = group_q;
  assign raise_valid_o = state_q == StRaise;
  assign raise_kind_o = kind_q;
  assign raise_group_o = group_q;
  assign raise_exception_o = row_q;
  assign busy_o = clears || state_q != StIdle;

`ifdef FORMAL
  `include "exceptions_proof.svh"
`endif
endmodule
