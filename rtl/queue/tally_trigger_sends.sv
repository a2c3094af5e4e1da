// SPDX-License-Identifier: BSD-2-Clause
// Receivers of descriptors that have fired: to whom the message must be sent yet, and who has not
// acknowledged it (send_all(), trigger_tx_acked() of sim/engine/trigger.c). A receiver is an edge
// of the group, or this node itself (ContribSelf).
//
// begin_*: a descriptor of a group sends to these receivers. Messages of a group leave on an edge
// in the order of begin_*, so a message waits while an older one does. begin_* waits until what was
// forgotten of the descriptor has left the lists. done_*: a pulse when all of them have the
// message; with none at all, too. out_*: the message shall leave for a receiver; out_again_o:
// again, with number out_seq_o. It is taken when it has come to an end, out_end_i of
// tally_head_pkg: EndSent; EndWaits: it is offered again after the next wake_i, begin_* or
// forget_*; EndDropped: likewise, but this node itself is no receiver any more.
//
// acked_*, again_*: see tally_edge_send, whose reference names the descriptor. What was
// acknowledged is not sent again. wake_i: what waits may leave now, perhaps. look_*: receivers
// without the message, if they are contributors, and whether the descriptor is starved: the last
// message to this node itself found no room. forget_*: a descriptor sends nothing any more; nothing
// of it is acknowledged later. It waits until nothing leaves. While at_valid_o is high with its
// number, a packet of a descriptor may still be leaving again, although all have acknowledged.
//
// Time: acked_*, begin_* and look_* take two clocks each, in this order, and wait for nothing else
// but two clocks of a packet that has left. An offer comes six clocks after begin_*, and five after
// the one before. busy_o is low if nothing happens without an input.
module tally_trigger_sends #(
  parameter int unsigned Descs = 256,
  parameter int unsigned Groups = tally_pkg::MaxGroup,
  parameter int unsigned Contributors = tally_pkg::MaxContributors,
  localparam int unsigned Edges = Contributors + 1,  // with the parent
  localparam int unsigned Receivers = Edges + 1,
  localparam int unsigned DescW = Descs > 1 ? $clog2(Descs) : 1,
  localparam int unsigned GroupW = Groups > 1 ? $clog2(Groups) : 1,
  localparam int unsigned ReceiverW = $clog2(Receivers)
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  output logic                    busy_o,

  input  logic                    begin_valid_i,
  output logic                    begin_ready_o,
  input  logic [DescW-1:0]        begin_desc_i,
  input  logic [GroupW-1:0]       begin_group_i,
  input  logic [Receivers-1:0]    begin_receivers_i,
  output logic                    done_valid_o,
  output logic [DescW-1:0]        done_desc_o,

  output logic                    out_valid_o,
  input  logic                    out_ready_i,
  output logic                    at_valid_o,   // something of out_desc_o is read or leaves
  output logic [DescW-1:0]        out_desc_o,
  output logic [ReceiverW-1:0]    out_receiver_o,
  output logic                    out_again_o,
  output logic [31:0]             out_seq_o,
  input  tally_head_pkg::end_e    out_end_i,

  input  logic                    acked_valid_i,
  output logic                    acked_ready_o,
  input  logic [DescW-1:0]        acked_desc_i,
  input  logic [ReceiverW-1:0]    acked_edge_i,
  input  logic                    again_valid_i,
  output logic                    again_ready_o,
  input  logic [DescW-1:0]        again_desc_i,
  input  logic [ReceiverW-1:0]    again_edge_i,
  input  logic [31:0]             again_seq_i,
  input  logic                    wake_i,

  input  logic                    look_valid_i,
  output logic                    look_ready_o,
  input  logic [DescW-1:0]        look_desc_i,
  output logic [Contributors-1:0] look_missing_o,
  output logic                    look_starved_o,
  input  logic                    forget_valid_i,
  output logic                    forget_ready_o,
  input  logic [DescW-1:0]        forget_desc_i
);
  localparam int unsigned RowW = GroupW + 1 + Receivers + Edges;
  localparam logic [ReceiverW-1:0] Self = ReceiverW'(Edges);
  localparam int unsigned UsedW = $clog2(Descs + 1);

  // ---- Rows: one operation reads a row, and writes it in the next clock ----
  typedef enum logic [2:0] {
    RowSent,    // what has become of an offer, before it can be acknowledged
    RowAcked,
    RowBegin,
    RowLook,
    RowForget,
    RowRead     // of a departure
  } row_op_e;
  row_op_e op, op_q;
  logic [RowW-1:0] row_mem_q [Descs];
  logic [RowW-1:0] row_q, row_new;
  logic takes, works_q, write, dep_reads, dep_sends, begin_may, forget_may, starved, starved_d;
  logic [GroupW-1:0] group, group_d;
  logic [Receivers-1:0] todo, todo_d, bit_q;
  logic [Edges-1:0] waits, waits_d;
  logic [DescW-1:0] desc, desc_q, dep_desc_q;
  logic [ReceiverW-1:0] edge_q;
  logic is_idle, dep_keeps, dep_leaves;

  assign takes = !works_q &&
                 (acked_valid_i || begin_may || look_valid_i || forget_may || dep_sends ||
                  dep_reads);
  always_comb begin
    op = RowRead;
    desc = dep_desc_q;
    if (dep_sends) begin
      op = RowSent;
    end else if (acked_valid_i) begin
      op = RowAcked;
      desc = acked_desc_i;
    end else if (begin_may) begin
      op = RowBegin;
      desc = begin_desc_i;
    end else if (look_valid_i) begin
      op = RowLook;
      desc = look_desc_i;
    end else if (forget_may) begin
      op = RowForget;
      desc = forget_desc_i;
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) works_q <= 1'b0;
    else works_q <= takes;
  end
  always_ff @(posedge clk_i) begin
    op_q <= op;
    desc_q <= desc;
    edge_q <= acked_edge_i;
    row_q <= row_mem_q[desc];
    if (write) row_mem_q[desc_q] <= row_new;
  end

  logic does_acked, does_begin, does_look, does_forget, does_sent, does_read, leaves;
  assign does_acked = works_q && op_q == RowAcked;
  assign does_begin = works_q && op_q == RowBegin;
  assign does_look = works_q && op_q == RowLook;
  assign does_forget = works_q && op_q == RowForget;
  assign does_sent = works_q && op_q == RowSent;
  assign does_read = works_q && op_q == RowRead;
  assign acked_ready_o = does_acked;
  assign begin_ready_o = does_begin;
  assign look_ready_o = does_look;
  assign forget_ready_o = does_forget;

  assign {group, starved, todo, waits} = row_q;
  always_comb begin
    group_d = group;
    starved_d = starved;
    todo_d = todo;
    waits_d = waits;
    unique case (op_q)
      RowAcked: waits_d[edge_q] = 1'b0;
      RowBegin: begin
        group_d = begin_group_i;
        starved_d = 1'b0;
        todo_d = begin_receivers_i;
        waits_d = '0;
      end
      RowForget: begin
        starved_d = 1'b0;
        todo_d = '0;
        waits_d = '0;
      end
      RowSent: begin
        if (leaves) todo_d = todo & ~bit_q;
        if (leaves) waits_d = waits | bit_q[Edges-1:0];
        if (bit_q[Self]) starved_d = !leaves;
      end
      default: ;
    endcase
  end
  assign row_new = {group_d, starved_d, todo_d, waits_d};
  assign write = works_q;
  assign done_valid_o = (does_acked || does_begin || (does_sent && leaves)) && todo_d == '0 &&
                        waits_d == '0;
  assign done_desc_o = desc_q;
  assign look_missing_o = todo[Contributors-1:0] | waits[Contributors-1:0];
  assign look_starved_o = starved;

  // ---- Descriptors with something to send ----
  //
  // A round tries all descriptors of the ring in their order, and those that are left are in the
  // ring again, in the same order. New ones are in a list of their own until they are tried for the
  // first time, between two rounds.
  logic [DescW-1:0] ring_first, new_first;
  logic ring_pop, ring_valid, new_pop, new_valid, unused_room, unused_new_room, wakes, woken_q,
      round_begins, enters;
  logic [UsedW-1:0] ring_used, may_q;
  logic [Descs-1:0] in_ring_q;  // or in the list of new ones
  assign enters = does_begin && todo_d != '0;
  assign begin_may = begin_valid_i && !in_ring_q[begin_desc_i];
  tally_fifo #(.Width(DescW), .Depth(Descs)) u_ring (
    .clk_i, .rst_ni, .in_valid_i(dep_keeps), .in_ready_o(unused_room), .in_i(dep_desc_q),
    .out_valid_o(ring_valid), .out_ready_i(ring_pop), .out_o(ring_first), .used_o(ring_used)
  );
  // verilator lint_off PINCONNECTEMPTY
  tally_fifo #(.Width(DescW), .Depth(Descs)) u_new (
    .clk_i, .rst_ni, .in_valid_i(enters), .in_ready_o(unused_new_room), .in_i(begin_desc_i),
    .out_valid_o(new_valid), .out_ready_i(new_pop), .out_o(new_first), .used_o()
  );
  // verilator lint_on PINCONNECTEMPTY
  assign wakes = wake_i || does_begin || does_forget;
  assign round_begins = woken_q && is_idle && may_q == '0 && !new_valid;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      in_ring_q <= '0;
      may_q <= '0;
      woken_q <= 1'b0;
    end else begin
      if (enters) in_ring_q[begin_desc_i] <= 1'b1;
      if (dep_leaves) in_ring_q[dep_desc_q] <= 1'b0;
      // What becomes due during a round counts for all, also for those that have been tried.
      woken_q <= wakes || (woken_q && !round_begins);
      if (round_begins) may_q <= ring_used;
      else if (ring_pop) may_q <= may_q - 1'b1;
    end
  end

  // ---- Edges for which a message of the group waits, since it was tried ----
  logic [Edges-1:0] held_mem_q [Groups];
  logic [Groups-1:0] holds_q;
  logic [Edges-1:0] held, rest_q;
  logic [GroupW-1:0] rest_group_q;
  assign held = holds_q[group] ? held_mem_q[group] : '0;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) holds_q <= '0;
    else if (round_begins) holds_q <= '0;
    else if (dep_keeps) holds_q[rest_group_q] <= 1'b1;
  end
  always_ff @(posedge clk_i) begin
    if (dep_keeps) held_mem_q[rest_group_q] <= rest_q;
    if (does_read) rest_group_q <= group;
    if (does_read) rest_q <= todo[Edges-1:0] | held;
  end

  // ---- Departures ----
  typedef enum logic [2:0] {
    StIdle,
    StRead,    // the row is wanted
    StOffer,
    StSent,    // the row shall know what has become of it
    StEnd      // of a visit
  } state_e;
  state_e state_q, state_d;
  logic again_q, turn_q, visits, old, repeats, repeat_wanted, any;
  logic [Receivers-1:0] tried_q, left, picks;
  logic [ReceiverW-1:0] receiver_q, pick;
  logic [31:0] seq_q;
  logic sent_q, self_drops_q, keeps_q;

  assign is_idle = state_q == StIdle;
  assign forget_may = forget_valid_i && is_idle;
  assign old = may_q != '0 && ring_valid;
  assign repeats = is_idle && !forget_valid_i && again_valid_i &&
                   !(turn_q && (may_q != '0 || new_valid));
  assign visits = is_idle && !forget_valid_i && !repeats && (old || new_valid);
  assign ring_pop = visits && old;
  assign new_pop = visits && !old;
  assign again_ready_o = repeats;
  assign dep_reads = state_q == StRead;
  assign dep_sends = state_q == StSent;
  assign left = todo & ~tried_q & ~{1'b0, held};
  assign picks = left & (~left + 1'b1);
  always_comb begin
    pick = '0;
    for (int unsigned i = 0; i < Receivers; i++) if (picks[i]) pick |= ReceiverW'(i);
  end
  assign repeat_wanted = waits[receiver_q];
  assign any = left != '0;

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      StIdle: if (repeats || visits) state_d = StRead;
      StRead: if (does_read) state_d = again_q ? (repeat_wanted ? StOffer : StIdle) :
                                                 (any ? StOffer : StEnd);
      StOffer: if (out_ready_i) state_d = again_q ? StIdle : StSent;
      StSent: if (does_sent) state_d = StRead;
      default: state_d = StIdle;  // StEnd
    endcase
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= StIdle;
      turn_q <= 1'b0;
    end else begin
      state_q <= state_d;
      if (is_idle) turn_q <= repeats;
    end
  end
  always_ff @(posedge clk_i) begin
    if (is_idle) begin
      again_q <= repeats;
      dep_desc_q <= repeats ? again_desc_i : old ? ring_first : new_first;
      receiver_q <= again_edge_i;
      seq_q <= again_seq_i;
      tried_q <= '0;
    end else if (dep_reads && does_read && !again_q) begin
      receiver_q <= pick;
      bit_q <= picks;
      keeps_q <= todo != '0;
    end else if (state_q == StOffer && out_ready_i) begin
      sent_q <= out_end_i == tally_head_pkg::EndSent;
      self_drops_q <= bit_q[Self] && out_end_i == tally_head_pkg::EndDropped;
      tried_q <= tried_q | bit_q;
    end
  end
  assign leaves = sent_q || self_drops_q;
  assign dep_keeps = state_q == StEnd && keeps_q;
  assign dep_leaves = state_q == StEnd && !keeps_q;

  assign out_valid_o = state_q == StOffer;
  assign out_desc_o = dep_desc_q;
  assign at_valid_o = !is_idle;
  assign out_receiver_o = receiver_q;
  assign out_again_o = again_q;
  assign out_seq_o = seq_q;

  assign busy_o = works_q || !is_idle || woken_q || may_q != '0 || new_valid;
  logic unused;
  assign unused = unused_room ^ unused_new_room;

`ifdef FORMAL
  `include "trigger_sends_proof.svh"
`endif
endmodule
