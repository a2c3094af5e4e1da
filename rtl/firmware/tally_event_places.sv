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
// An event leaves the table in the clock after it was taken. So what is raised in the clock in
// which an event is taken comes before it, and one of its kind is lost with it.
//
// Time: after a reset, Num clocks in which nothing is taken. An event is offered after four to
// eight clocks in which nothing is raised. raise_ready_o depends on drop_valid_i of the same clock.
// first_o falls two clocks after the event was taken. busy_o is low if no clock is needed: nothing
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
  logic take_q;            // it was taken in the last clock
  logic empty_q;           // an object without events was looked at then
  logic [KindW-1:0] kind_q;
  logic [Width-1:0] row_q;

  // ---- What uses the bits in this clock ----
  logic clears, looks, drops, raises, found;
  logic [NumW-1:0] number, at;
  assign clears = clear_q != (NumW + 1)'(Num);
  assign looks = found && !have_q && !take_q && !empty_q;
  assign drop_ready_o = !clears && !looks && !take_q;
  assign raise_ready_o = drop_ready_o && !drop_valid_i;
  assign drops = drop_valid_i && drop_ready_o;
  assign raises = raise_valid_i && raise_ready_o;

  always_comb begin
    at = raise_number_i;
    if (drop_valid_i) at = drop_number_i;
    if (looks || take_q) at = number;
    if (clears) at = clear_q[NumW-1:0];
  end

  // ---- The bits; those of the next object have a port of their own, which waits for no input ----
  logic [Kinds-1:0] old, changed, next, left;
  logic [KindW-1:0] first;
  logic write;
  assign old = bits_q[at];
  assign next = bits_q[number];
  assign left = next & ~(Kinds'(1) << kind_q);
  always_comb begin
    first = '0;
    for (int unsigned i = Kinds; i > 0; i--) if (next[i-1]) first = KindW'(i - 1);
    changed = old | (Kinds'(1) << raise_kind_i);
    if (take_q) changed = left;
    if (clears || drops) changed = '0;
  end
  assign write = clears || take_q || drops || raises;

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
      take_q <= 1'b0;
      empty_q <= 1'b0;
    end else begin
      take_q <= out_valid_o && out_take_i;
      empty_q <= looks && next == '0;
      if (clears) clear_q <= clear_q + 1'b1;
      if (looks) have_q <= next != '0;
      else if (write && at == number) have_q <= 1'b0;
    end
  end

  // ---- How many objects have an event of kind 0 ----
  logic [NumW:0] firsts_q;
  logic first_comes, first_goes;
  assign first_comes = raises && raise_kind_i == '0 && !old[0];
  assign first_goes = old[0] && (drops || (take_q && kind_q == '0));
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) firsts_q <= '0;
    else firsts_q <= firsts_q + (NumW + 1)'(first_comes) - (NumW + 1)'(first_goes);
  end
  assign first_o = firsts_q != '0;

  // ---- Whose turn it is; an object without events is passed ----
  //
  // An object that has events is marked already. Others are marked a clock later: the table and the
  // set would be too much for one.
  logic remains, marks, passes, mark_q, searching, unused_searches;
  logic [NumW-1:0] marked_q;
  assign remains = take_q && left != '0;
  assign marks = (raises && old == '0) || remains;
  assign passes = take_q || empty_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) mark_q <= 1'b0;
    else mark_q <= marks;
  end
  always_ff @(posedge clk_i) marked_q <= at;
  tally_marks #(.Num(Num), .Word(Word)) u_marks (
    .clk_i, .rst_ni, .busy_o(searching),
    .mark_valid_i(mark_q), .mark_i(marked_q), .searches_o(unused_searches),
    .out_valid_o(found), .out_ready_i(passes), .out_o(number)
  );

  assign busy_o = clears || take_q || mark_q || (searching && !have_q);
  assign out_valid_o = have_q && !take_q;
  assign out_number_o = number;
  assign out_kind_o = kind_q;
  assign out_row_o = row_q;

`ifdef FORMAL
  `include "event_places_proof.svh"
`endif
endmodule
