// SPDX-License-Identifier: BSD-2-Clause
// Which queue pairs the sender has to visit, in turn. What may be done with the requests of a queue
// pair changes with a request, with the window of its group, with what other queue pairs of the
// group post, and with what others carry out. The window and other queue pairs mark the group; a
// walk over its queue pairs sets their ready bits.
// docs/rtl-sender.md has its user.
//
// list_*: the list of a queue pair has requests (list_any_i), and it is to be visited; or it has
// none any more, so events of its group do not concern it. It is always taken, and must not come
// while the block is busy.
// moved_*, group_*: queue pairs of a group are to be visited, if they have requests. moved_* is
// always taken. Both may come while the block is busy, when no queue pair has requests.
// mark_*: a queue pair is to be visited, if it has requests; always taken.
// link_*: the firmware says which queue pairs a group has. link_qp_i, or none (link_end_i), is the
// first one of group link_index_i (link_first_i), or the next one after queue pair link_index_i.
// At no moment is a list of queue pairs without an end, or without one that must not miss an event.
// With each link_* the walk begins its group anew, as the queue pair where it is may have left.
// out_*: a queue pair to be visited. What is told before the clock in which it is taken counts for
// this visit, and what is told in that clock or later leads to another one. An offer stays although
// the list has become empty.
//
// Time: the offer comes in the clock after list_* if there is no other one. A walk takes
// two clocks for a group and one for each queue pair, and more if it waits for list_* or for the
// search for the next offer. What mark_* names has its turn before the next walk; walks wait for as
// long as there is something named. list_* and moved_* must not come in two clocks in succession.
// After a reset the block is busy for as many clocks as there are groups or queue pairs.
// group_ready_o depends on moved_valid_i.
module tally_sender_ready #(
  parameter int unsigned Groups = tally_pkg::MaxGroup,
  parameter int unsigned Qps = tally_pkg::MaxQp,
  parameter int unsigned Word = 32,  // bits of a word, a power of two
  localparam int unsigned GroupW = Groups > 1 ? $clog2(Groups) : 1,
  localparam int unsigned QpW = Qps > 1 ? $clog2(Qps) : 1,
  localparam int unsigned IndexW = GroupW > QpW ? GroupW : QpW
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  output logic              busy_o,
  output logic              active_o,  // it needs its clock

  input  logic              list_valid_i,
  input  logic              list_any_i,
  input  logic [QpW-1:0]    list_qp_i,

  input  logic              moved_valid_i,
  input  logic [GroupW-1:0] moved_group_i,
  input  logic              group_valid_i,
  output logic              group_ready_o,
  input  logic [GroupW-1:0] group_i,
  input  logic              mark_valid_i,
  input  logic [QpW-1:0]    mark_qp_i,

  input  logic              link_valid_i,
  output logic              link_ready_o,
  input  logic              link_first_i,
  input  logic [IndexW-1:0] link_index_i,
  input  logic              link_end_i,
  input  logic [QpW-1:0]    link_qp_i,

  output logic              out_valid_o,
  input  logic              out_ready_i,
  output logic [QpW-1:0]    out_qp_o
);
  typedef enum logic [1:0] {
    StInit,   // after a reset: no group has queue pairs, and none of these has requests
    StIdle,
    StFirst,  // the first queue pair of the group is read
    StStep    // one after the other
  } state_e;
  state_e state_d, state_q;

  logic [QpW:0] link_mem_q [2**(IndexW+1)];  // end, queue pair; of groups, then of queue pairs
  logic any_mem_q [2**QpW];                  // the list of the queue pair has requests

  // ---- A queue pair by its name, before the next walk ----
  logic named_valid, names, named_busy, unused_name_searches, step_ready;
  logic [QpW-1:0] named_qp;

  assign names = state_q == StIdle && named_valid && step_ready;
  tally_marks #(.Num(Qps), .Word(Word)) u_names (
    .clk_i, .rst_ni, .busy_o(named_busy),
    .mark_valid_i, .mark_i(mark_qp_i), .searches_o(unused_name_searches),
    .out_valid_o(named_valid), .out_ready_i(names), .out_o(named_qp)
  );

  // ---- The group ----
  logic group_valid, group_ready, linked;
  logic [GroupW-1:0] next_group, group_q, marked_group;

  assign busy_o = state_q == StInit;
  assign group_ready_o = !moved_valid_i;
  assign marked_group = moved_valid_i ? moved_group_i : group_i;
  assign group_ready = state_q == StIdle && !named_valid;
  assign link_ready_o = !busy_o;
  assign linked = link_valid_i && link_ready_o;

  logic group_mark, groups_busy, unused_group_searches;
  assign group_mark = moved_valid_i || group_valid_i;
  tally_marks #(.Num(Groups), .Word(Word)) u_groups (
    .clk_i, .rst_ni, .busy_o(groups_busy),
    .mark_valid_i(group_mark), .mark_i(marked_group), .searches_o(unused_group_searches),
    .out_valid_o(group_valid), .out_ready_i(group_ready), .out_o(next_group)
  );

  // ---- The walk ----
  logic [QpW:0] link_q;
  logic [IndexW:0] read_at;
  logic [QpW-1:0] walk_qp, step_qp;
  logic at_end, step_any, walks;

  assign {at_end, walk_qp} = link_q;
  assign step_qp = state_q == StIdle ? named_qp : walk_qp;
  assign step_any = any_mem_q[step_qp];
  assign walks = state_q == StStep && !at_end && (step_ready || !step_any);
  assign read_at = state_q == StStep ? {1'b1, IndexW'(walk_qp)} : {1'b0, IndexW'(group_q)};

  always_ff @(posedge clk_i) begin
    if (state_q == StIdle) group_q <= next_group;
    if (state_q == StFirst || walks) link_q <= link_mem_q[read_at];
  end

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      StInit: if (init_done) state_d = StIdle;
      StIdle: if (group_valid && group_ready) state_d = StFirst;
      StFirst: state_d = StStep;  // what was the first one until now leads to the same ones
      default: begin  // StStep
        if (linked) state_d = StFirst;
        else if (at_end) state_d = StIdle;
      end
    endcase
  end

  logic [IndexW-1:0] init_q;
  logic init_done;
  assign init_done = init_q == {IndexW{1'b1}};
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= StInit;
      init_q <= '0;
    end else begin
      state_q <= state_d;
      if (busy_o) init_q <= init_q + 1'b1;
    end
  end

  // ---- Ready bits ----
  logic lists, qp_mark, qps_busy, searches;
  logic [QpW-1:0] marked_qp;

  assign lists = list_valid_i && list_any_i;
  assign step_ready = !lists && !searches;
  assign qp_mark = lists || ((walks || names) && step_any);
  assign marked_qp = lists ? list_qp_i : step_qp;
  tally_marks #(.Num(Qps), .Word(Word)) u_qps (
    .clk_i, .rst_ni, .busy_o(qps_busy),
    .mark_valid_i(qp_mark), .mark_i(marked_qp), .searches_o(searches),
    .out_valid_o, .out_ready_i, .out_o(out_qp_o)
  );

  assign active_o = state_q != StIdle || groups_busy || named_busy || qps_busy;

  // ---- Memories ----
  logic [IndexW:0] write_at;
  logic [QpW:0] write_link;
  logic write_any;

  assign write_at = busy_o ? {1'b0, init_q} : {!link_first_i, link_index_i};
  assign write_link = busy_o ? {1'b1, {QpW{1'b0}}} : {link_end_i, link_qp_i};
  assign write_any = busy_o || list_valid_i;
  always_ff @(posedge clk_i) begin
    if (busy_o || linked) link_mem_q[write_at] <= write_link;
    if (write_any) any_mem_q[busy_o ? QpW'(init_q) : list_qp_i] <= list_any_i && !busy_o;
  end

`ifdef FORMAL
  `include "sender_ready_proof.svh"
`endif
endmodule
