// SPDX-License-Identifier: BSD-2-Clause
// Events for the firmware (sim/engine/events.c, docs/rtl-firmware.md), and the registers of the one
// that it handles (tally_event_regs).
//
// Events of packets and timers share EventDepth places (tally_event_queue). Each group has a place
// for each other event, with a row for its exception, and each queue pair has one for a QUERY
// (tally_event_places). These three sides take turns, but packets and timers wait while any group
// has an event BEGIN: those of its epoch must not be handled before. A read of `next` finds NONE
// only if nothing waits; it waits while an event is looked for, or events are dropped.
//
// pkt_*: a packet OPEN, KILL or its acknowledgement, with its header and its payload, which has the
// first byte in the low bits and is 0 behind its end; with pkt_after_i one for a group that has
// ended. lost_o: it finds no place, for the counter drop_event. tmr_*: a timer of the firmware has
// expired, of an edge or, with NoEdge, of its group. tmr_found_o, with tmr_ready_o: it has found a
// place; otherwise it is to expire again. raise_*: another event of a group; the row counts for
// KindException. query_*: a queue pair asks about a message.
//
// drop_*: the events of a context, a group or a tombstone, are removed when this is taken.
// forget_*: likewise the QUERY of a queue pair. A group that is released has no queue pair any
// more, so nothing looks for the queries of a group.
//
// open_*, event_o: see tally_event_regs. wait_o: an event waits for the firmware. busy_o is low if
// no clock is needed but for an input. In all rows, numbers are within the tables; whoever raises
// an event has looked.
//
// Time: max(Groups, Qps) clocks after a reset in which nothing but packets and timers is taken.
module tally_events #(
  parameter int unsigned Groups = tally_pkg::MaxGroup,
  parameter int unsigned Qps = tally_pkg::MaxQp,
  parameter int unsigned Depth = tally_fw_pkg::EventDepth,
  localparam int unsigned GroupW = Groups > 1 ? $clog2(Groups) : 1,
  localparam int unsigned QpW = Qps > 1 ? $clog2(Qps) : 1
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,
  output logic                           busy_o,
  output logic                           wait_o,

  input  logic                           pkt_valid_i,
  output logic                           pkt_ready_o,
  input  logic                           pkt_after_i,
  input  logic [15:0]                    pkt_context_i,
  input  logic [7:0]                     pkt_edge_i,
  input  tally_pkg::tch_t                pkt_tch_i,
  input  logic [511:0]                   pkt_data_i,
  output logic                           lost_o,

  input  logic                           tmr_valid_i,
  output logic                           tmr_ready_o,
  input  logic [15:0]                    tmr_context_i,
  input  logic [7:0]                     tmr_edge_i,
  output logic                           tmr_found_o,

  input  logic                           raise_valid_i,
  output logic                           raise_ready_o,
  input  tally_events_pkg::group_kind_e  raise_kind_i,
  input  logic [GroupW-1:0]              raise_group_i,
  input  tally_events_pkg::exception_t   raise_exception_i,

  input  logic                           query_valid_i,
  output logic                           query_ready_o,
  input  logic [QpW-1:0]                 query_qp_i,
  input  tally_events_pkg::query_t       query_i,

  input  logic                           drop_valid_i,
  output logic                           drop_ready_o,
  input  logic [15:0]                    drop_context_i,
  input  logic                           forget_valid_i,
  output logic                           forget_ready_o,
  input  logic [QpW-1:0]                 forget_qp_i,

  input  logic                           axil_arvalid_i,
  output logic                           axil_arready_o,
  input  logic [31:0]                    axil_araddr_i,
  output logic                           axil_rvalid_o,
  input  logic                           axil_rready_i,
  output logic [31:0]                    axil_rdata_o,
  output logic [1:0]                     axil_rresp_o,

  output logic                           open_valid_o,
  input  logic                           open_ready_i,
  input  logic [31:0]                    open_i,
  output tally_events_pkg::event_t       event_o
);
  localparam int unsigned GroupKinds = 4;  // of group_kind_e
  localparam int unsigned Sides = 3;

  logic [Sides-1:0] waits, takes, asks;
  logic queue_waits, groups_wait, queries_wait, queue_takes, groups_take, queries_take;
  logic groups_busy, queries_busy, regs_busy, begin_waits, unused_first;

  // ---- Packets and timers ----
  tally_events_pkg::packet_t packet, timer, entering, oldest;
  logic [1:0] enter, enters;
  logic in_valid, in_ready, in_lost, of_timer;
  logic push_valid, push_ready, queue_drop, queue_dropped, queue_done_q;

  always_comb begin
    packet = '0;
    packet.context_ = pkt_context_i;
    packet.edge_ = pkt_edge_i;
    packet.type_ = 8'(tally_fw_pkg::EvAfterEnd);
    if (!pkt_after_i) begin
      packet.flags = pkt_tch_i.flags;
      packet.epoch = pkt_tch_i.epoch;
      packet.mid = pkt_tch_i.mid;
      packet.sid = pkt_tch_i.sid;
      packet.data = pkt_data_i;
      unique case (pkt_tch_i.kind)
        tally_pkg::KindOpen: begin
          packet.type_ = 8'(tally_fw_pkg::EvOpen);
          if (pkt_tch_i.limit != '0) packet.sid = pkt_tch_i.done + 32'(pkt_tch_i.limit);
        end
        tally_pkg::KindKill: packet.type_ = 8'(tally_fw_pkg::EvKill);
        default: packet.type_ = 8'(tally_fw_pkg::EvKillAck);
      endcase
    end
    timer = '0;
    timer.context_ = tmr_context_i;
    timer.type_ = 8'(tally_fw_pkg::EvTimer);
    timer.edge_ = tmr_edge_i;
  end
  assign enter = {tmr_valid_i, pkt_valid_i};
  assign in_ready = push_ready && !drop_valid_i;
  assign push_valid = in_valid && !drop_valid_i;
  tally_rr_arbiter #(.Num(2)) u_enters (
    .clk_i, .rst_ni, .request_valid_i(enter), .request_ready_o(enters), .grant_valid_o(in_valid),
    .grant_ready_i(in_ready), .grant_o(of_timer)
  );
  assign entering = of_timer ? timer : packet;
  assign {tmr_ready_o, pkt_ready_o} = enters;
  assign lost_o = pkt_ready_o && in_lost;
  assign tmr_found_o = !in_lost;

  assign queue_drop = drop_valid_i && !queue_done_q;
  tally_event_queue #(
    .Width($bits(entering)), .ContextW($bits(drop_context_i)), .Depth(Depth)
  ) u_queue (
    .clk_i, .rst_ni, .in_valid_i(push_valid), .in_ready_o(push_ready), .in_i(entering),
    .in_lost_o(in_lost), .out_valid_o(queue_waits), .out_take_i(queue_takes), .out_o(oldest),
    .drop_valid_i(queue_drop), .drop_ready_o(queue_dropped), .drop_context_i
  );

  // ---- Other events of groups ----
  logic [GroupW-1:0] group;
  tally_events_pkg::group_kind_e kind;
  tally_events_pkg::exception_t exception;
  logic groups_drop, groups_dropped;
  logic [GroupW-1:0] drop_group;
  assign drop_group = drop_context_i[GroupW-1:0];
  tally_event_places #(
    .Num(Groups), .Kinds(GroupKinds), .RowKind(32'(tally_events_pkg::KindException)),
    .Width($bits(exception))
  ) u_groups (
    .clk_i, .rst_ni, .busy_o(groups_busy), .first_o(begin_waits), .raise_valid_i, .raise_ready_o,
    .raise_number_i(raise_group_i), .raise_kind_i, .raise_row_i(raise_exception_i),
    .drop_valid_i(groups_drop), .drop_ready_o(groups_dropped), .drop_number_i(drop_group),
    .out_valid_o(groups_wait), .out_take_i(groups_take), .out_number_o(group), .out_kind_o(kind),
    .out_row_o(exception)
  );

  // ---- Queries ----
  logic [QpW-1:0] qp;
  tally_events_pkg::query_t query;
  logic query_kind, unused_kind;
  assign query_kind = 1'b0;
  tally_event_places #(.Num(Qps), .Kinds(1), .RowKind(0), .Width($bits(query))) u_queries (
    .clk_i, .rst_ni, .busy_o(queries_busy), .first_o(unused_first),
    .raise_valid_i(query_valid_i), .raise_ready_o(query_ready_o), .raise_number_i(query_qp_i),
    .raise_kind_i(query_kind), .raise_row_i(query_i), .drop_valid_i(forget_valid_i),
    .drop_ready_o(forget_ready_o), .drop_number_i(forget_qp_i), .out_valid_o(queries_wait),
    .out_take_i(queries_take), .out_number_o(qp), .out_kind_o(unused_kind), .out_row_o(query)
  );

  // ---- A context is dropped in the queue, then among the groups ----
  logic drops_group_q;
  assign groups_drop = queue_done_q && drops_group_q;
  assign drop_ready_o = queue_done_q && (groups_dropped || !drops_group_q);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) queue_done_q <= 1'b0;
    else queue_done_q <= (queue_done_q || queue_dropped) && !drop_ready_o;
  end
  always_ff @(posedge clk_i) drops_group_q <= 32'(drop_context_i) < Groups;

  // ---- Turns ----
  logic take_valid, take_ready, granted, unused_gives;
  logic [1:0] unused_side;
  tally_events_pkg::packet_t of_group, of_query;
  tally_events_pkg::event_t next;
  assign take_ready = !drop_valid_i && !forget_valid_i &&
      (waits != '0 || (!groups_busy && !queries_busy));
  assign waits = {queries_wait, groups_wait, queue_waits && !begin_waits};
  assign asks = take_valid && !drop_valid_i && !forget_valid_i ? waits : '0;
  assign {queries_take, groups_take, queue_takes} = takes;
  assign granted = 1'b1;
  tally_rr_arbiter #(.Num(Sides)) u_turns (
    .clk_i, .rst_ni, .request_valid_i(asks), .request_ready_o(takes), .grant_valid_o(unused_gives),
    .grant_ready_i(granted), .grant_o(unused_side)
  );

  always_comb begin
    of_group = '0;
    of_group.context_ = 16'(group);
    of_group.edge_ = 8'(tally_fw_pkg::NoEdge);
    unique case (kind)
      tally_events_pkg::KindBegin: of_group.type_ = 8'(tally_fw_pkg::EvBegin);
      tally_events_pkg::KindFenced: of_group.type_ = 8'(tally_fw_pkg::EvFenced);
      tally_events_pkg::KindDrained: of_group.type_ = 8'(tally_fw_pkg::EvDrained);
      default: begin  // KindException
        of_group.type_ = 8'(tally_fw_pkg::EvException);
        of_group.mid = exception.mid;
        of_group.sid = exception.sid;
      end
    endcase
    of_query = '0;
    of_query.context_ = query.group;
    of_query.edge_ = 8'(tally_fw_pkg::NoEdge);
    of_query.type_ = 8'(tally_fw_pkg::EvQuery);
    of_query.mid = query.mid;
  end
  always_comb begin
    next = '0;
    if (queue_takes) next.packet = oldest;
    if (groups_take) next.packet = of_group;
    if (groups_take && kind == tally_events_pkg::KindException) begin
      next.cause = exception.cause;
      next.status = exception.status;
      next.contributors = exception.contributors;
      next.ranks = exception.ranks;
    end
    if (queries_take) begin
      next.packet = of_query;
      next.qp = 16'(qp);
    end
  end

  tally_event_regs u_regs (
    .clk_i, .rst_ni, .busy_o(regs_busy), .axil_arvalid_i, .axil_arready_o, .axil_araddr_i,
    .axil_rvalid_o, .axil_rready_i, .axil_rdata_o, .axil_rresp_o, .take_valid_o(take_valid),
    .take_ready_i(take_ready), .take_i(next), .open_valid_o, .open_ready_i, .open_i, .event_o
  );

  assign wait_o = queries_wait || groups_wait || queue_waits;
  assign busy_o = groups_busy || queries_busy || regs_busy;

  logic unused;
  assign unused = ^{pkt_tch_i, unused_kind, unused_gives, unused_side, unused_first};

`ifdef FORMAL
  `include "events_proof.svh"
`endif
endmodule
