// SPDX-License-Identifier: BSD-2-Clause
// Groups whose done or limit has moved, until their edges are walked (edge_announce() and
// announce_at of sim/engine/edge.c). tally_edge_state walks a group twice: at once, for edges that
// must learn the limit at once, and Delay picoseconds after the first move that nobody has walked
// for, for those that have not been told by then.
//
// moved_*: a group has moved. It is always taken, so the segment store never waits. walk_*: the
// group to be walked, and which of the two walks it is; a group that moves from now on is walked
// again. Each group is at most once in either queue, and a queue has a place for each.
//
// now_i: the time in picoseconds, which never falls. deadline_*: when the next group is due; until
// then, the clock may stop if busy_o is low. After a reset, busy_o is high for as many clocks as
// there are groups, and no group must move meanwhile.
module tally_edge_news #(
  parameter int unsigned Groups = tally_pkg::MaxGroup,  // a power of two
  parameter int unsigned TimeW = 64,
  parameter int unsigned Delay = 1000 * tally_fw_pkg::AnnounceDelay,
  localparam int unsigned GroupW = $clog2(Groups)
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  output logic              busy_o,

  input  logic [TimeW-1:0]  now_i,
  output logic              deadline_valid_o,
  output logic [TimeW-1:0]  deadline_o,

  input  logic              moved_valid_i,
  input  logic [GroupW-1:0] moved_group_i,

  output logic              walk_valid_o,
  input  logic              walk_ready_i,
  output logic [GroupW-1:0] walk_group_o,
  output logic              walk_soon_o   // the second walk
);
  // Memories: whether a group is in a queue, and the queues. The flags are cleared after a reset.
  logic [0:0] in_now_q [Groups];
  logic [0:0] in_soon_q [Groups];
  logic [GroupW-1:0] now_groups_q [Groups];
  logic [GroupW-1:0] soon_groups_q [Groups];
  logic [TimeW-1:0] soon_dues_q [Groups];
  logic [GroupW-1:0] now_head_q, now_tail_q, soon_head_q, soon_tail_q, clear_q;
  logic [GroupW:0] now_count_q, soon_count_q;
  logic clearing_q, due, free, push_now, push_soon, pop_now, pop_soon;

  // A queue gives a group only in a clock in which none enters, so each flag has one writer, and
  // only when no walk is offered, so it does not depend on the end of one.
  assign deadline_valid_o = soon_count_q != '0;
  assign deadline_o = soon_dues_q[soon_head_q];
  assign due = deadline_valid_o && now_i >= deadline_o;
  assign free = !moved_valid_i && !clearing_q && !walk_valid_o;
  assign pop_now = free && now_count_q != '0;
  assign pop_soon = free && !pop_now && due;
  assign push_now = moved_valid_i && !in_now_q[moved_group_i];
  assign push_soon = moved_valid_i && !in_soon_q[moved_group_i];
  assign busy_o = clearing_q || walk_valid_o || now_count_q != '0 || due;

  always_ff @(posedge clk_i) begin
    if (clearing_q) in_now_q[clear_q] <= 1'b0;
    else if (push_now) in_now_q[moved_group_i] <= 1'b1;
    else if (pop_now) in_now_q[now_groups_q[now_head_q]] <= 1'b0;
    if (clearing_q) in_soon_q[clear_q] <= 1'b0;
    else if (push_soon) in_soon_q[moved_group_i] <= 1'b1;
    else if (pop_soon) in_soon_q[soon_groups_q[soon_head_q]] <= 1'b0;
    if (push_now) now_groups_q[now_tail_q] <= moved_group_i;
    if (push_soon) begin
      soon_groups_q[soon_tail_q] <= moved_group_i;
      soon_dues_q[soon_tail_q] <= now_i + TimeW'(Delay);
    end
    if (pop_now || pop_soon) begin
      walk_group_o <= pop_now ? now_groups_q[now_head_q] : soon_groups_q[soon_head_q];
      walk_soon_o <= pop_soon;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      clearing_q <= 1'b1;
      clear_q <= '0;
      walk_valid_o <= 1'b0;
      now_head_q <= '0;
      now_tail_q <= '0;
      now_count_q <= '0;
      soon_head_q <= '0;
      soon_tail_q <= '0;
      soon_count_q <= '0;
    end else begin
      clearing_q <= clearing_q && clear_q != GroupW'(Groups - 1);
      clear_q <= clear_q + GroupW'(clearing_q);
      walk_valid_o <= pop_now || pop_soon || (walk_valid_o && !walk_ready_i);
      now_head_q <= now_head_q + GroupW'(pop_now);
      now_tail_q <= now_tail_q + GroupW'(push_now);
      now_count_q <= now_count_q + (GroupW + 1)'(push_now) - (GroupW + 1)'(pop_now);
      soon_head_q <= soon_head_q + GroupW'(pop_soon);
      soon_tail_q <= soon_tail_q + GroupW'(push_soon);
      soon_count_q <= soon_count_q + (GroupW + 1)'(push_soon) - (GroupW + 1)'(pop_soon);
    end
  end

`ifdef FORMAL
  `include "edge_news_proof.svh"
`endif
endmodule
