// SPDX-License-Identifier: BSD-2-Clause
// Events of which each of Num objects has at most one of each kind, so that none is lost: a bit for
// each. Those of kind RowKind have a row of Width bits. The objects take turns, in a ring; the
// events of one object come in the order of their kinds.
//
// raise_*: an event. If the object has one of this kind that was not taken, it and its row stay.
// drop_*: the events of an object are removed when this is taken. out_*: the next event, until
// out_take_i takes it, or it is dropped; it may change to one of the same object that is raised
// meanwhile. The row is that of kind RowKind. first_o: an object has an event of kind 0.
//
// Time: after a reset, Num clocks in which nothing is taken. An event is offered after three to six
// clocks in which nothing is raised. raise_ready_o and drop_ready_o depend on out_take_i of the
// same clock, and raise_ready_o also on drop_valid_i. busy_o is low if no clock is needed: nothing
// is inside, or the next event is offered.
module tally_event_places #(
  parameter int unsigned Num = 1024,
  parameter int unsigned Kinds = 4,
  parameter int unsigned RowKind = 1,
  parameter int unsigned Width = 210,
  localparam int unsigned NumW = Num > 1 ? $clog2(Num) : 1,
  localparam int unsigned KindW = Kinds > 1 ? $clog2(Kinds) : 1
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  output logic             busy_o,
  output logic             first_o,

  input  logic             raise_valid_i,
  output logic             raise_ready_o,
  input  logic [NumW-1:0]  raise_number_i,
  input  logic [KindW-1:0] raise_kind_i,
  input  logic [Width-1:0] raise_row_i,

  input  logic             drop_valid_i,
  output logic             drop_ready_o,
  input  logic [NumW-1:0]  drop_number_i,

  output logic             out_valid_o,
  input  logic             out_take_i,
  output logic [NumW-1:0]  out_number_o,
  output logic [KindW-1:0] out_kind_o,
  output logic [Width-1:0] out_row_o
);
  localparam int unsigned Word = 32;

  logic [Kinds-1:0] bits_q [Num];
  logic [Width-1:0] rows_q [Num];
  logic [NumW:0] clear_q;  // objects whose bits have been cleared
  logic have_q;            // the next event is known
  logic [KindW-1:0] kind_q;
  logic [Width-1:0] row_q;

  // ---- What uses the bits in this clock ----
  logic clears, looks, takes, drops, raises, found;
  logic [NumW-1:0] number, at;
  assign clears = clear_q != (NumW + 1)'(Num);
  assign looks = found && !have_q;
  assign takes = have_q && out_take_i;
  assign drop_ready_o = !clears && !looks && !takes;
  assign raise_ready_o = drop_ready_o && !drop_valid_i;
  assign drops = drop_valid_i && drop_ready_o;
  assign raises = raise_valid_i && raise_ready_o;

  always_comb begin
    at = raise_number_i;
    if (drop_valid_i) at = drop_number_i;
    if (looks || takes) at = number;
    if (clears) at = clear_q[NumW-1:0];
  end

  // ---- The bits ----
  logic [Kinds-1:0] old, changed;
  logic [KindW-1:0] first;
  logic write;
  assign old = bits_q[at];
  always_comb begin
    first = '0;
    for (int unsigned i = Kinds; i > 0; i--) if (old[i-1]) first = KindW'(i - 1);
    changed = old | (Kinds'(1) << raise_kind_i);
    if (takes) changed = old & ~(Kinds'(1) << kind_q);
    if (clears || drops) changed = '0;
  end
  assign write = clears || takes || drops || raises;

  always_ff @(posedge clk_i) begin
    if (write) bits_q[at] <= changed;
    if (raises && raise_kind_i == KindW'(RowKind) && !old[RowKind]) rows_q[at] <= raise_row_i;
    if (looks) begin
      kind_q <= first;
      row_q <= rows_q[number];
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      clear_q <= '0;
      have_q <= 1'b0;
    end else begin
      if (clears) clear_q <= clear_q + 1'b1;
      if (looks) have_q <= old != '0;
      else if (write && at == number) have_q <= 1'b0;
    end
  end

  // ---- How many objects have an event of kind 0 ----
  logic [NumW:0] firsts_q;
  logic first_comes, first_goes;
  assign first_comes = raises && raise_kind_i == '0 && !old[0];
  assign first_goes = old[0] && (drops || (takes && kind_q == '0));
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) firsts_q <= '0;
    else firsts_q <= firsts_q + (NumW + 1)'(first_comes) - (NumW + 1)'(first_goes);
  end
  assign first_o = firsts_q != '0;

  // ---- Whose turn it is; an object without events is passed ----
  logic remains, marks, passes, searching, unused_searches;
  assign remains = takes && changed != '0;
  assign marks = raises || remains;
  assign passes = takes || (looks && old == '0);
  tally_marks #(.Num(Num), .Word(Word)) u_marks (
    .clk_i, .rst_ni, .busy_o(searching),
    .mark_valid_i(marks), .mark_i(at), .searches_o(unused_searches),
    .out_valid_o(found), .out_ready_i(passes), .out_o(number)
  );

  assign busy_o = clears || (searching && !have_q);
  assign out_valid_o = have_q;
  assign out_number_o = number;
  assign out_kind_o = kind_q;
  assign out_row_o = row_q;

`ifdef FORMAL
  `include "event_places_proof.svh"
`endif
endmodule
