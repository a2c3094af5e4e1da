// SPDX-License-Identifier: BSD-2-Clause
// The hold side of tally_segment's slots: who must still get the sum or the result of a chunk, and
// which local ranks have not posted it. It tells when something is due, and when a chunk is
// finished: hand_down(), send_up() and finished() of the model's segment.c.
//
// An event of a slot may enter in each clock. It may open the slot, say that the sum is complete,
// that the result is here, that ranks have posted, and that one receiver has taken its copy: an
// acknowledgement, or a result that is in memory. Its answer comes three clocks later. An event
// waits while one of the same slot is in the first two stages. The block is not ready in the first
// clocks after a reset (tally_written).
//
// A chunk of which nobody here gets a result is finished without one: all who take part are
// elsewhere.
//
// peek_*: what the firmware reads of a slot, when no event enters: the answer, a pulse, comes a
// clock later. It is that of the events that entered three clocks before or earlier.
//
// What is due is told once. The payload stays in tally_segment, so a copy can be read and sent
// again until the receiver has taken it.
module tally_segment_hold #(
  parameter int unsigned Slots = 256,
  parameter int unsigned Contributors = tally_pkg::MaxContributors,
  parameter int unsigned Ranks = tally_pkg::MaxRanks,
  localparam int unsigned SlotW = $clog2(Slots),
  localparam int unsigned IndexW = $clog2(Contributors > Ranks ? Contributors : Ranks)
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,

  input  logic                    in_valid_i,
  output logic                    in_ready_o,
  input  logic [SlotW-1:0]        in_slot_i,
  input  logic                    in_clear_i,     // the epoch has ended
  input  logic                    in_open_i,      // the plan counts
  input  logic                    in_complete_i,  // the sum is complete
  input  logic                    in_have_i,      // the result is here
  input  logic                    in_nothing_i,   // nobody has given data to the sum
  // contributors that are left out: they get no copy, unless it was due before
  input  logic [Contributors-1:0] in_out_i,
  input  logic [Ranks-1:0]        in_posted_i,    // local ranks that have posted the chunk
  input  logic [Ranks-1:0]        in_quits_i,     // of these, those that get nothing
  input  logic                    in_taken_i,     // a receiver has its copy:
  input  logic                    in_parent_i,    // the neighbour that gets the sum, or
  input  logic                    in_rank_i,      // a local rank, or a contributor
  input  logic [IndexW-1:0]       in_index_i,
  // The plan of the chunk.
  input  logic                    in_plan_up_i,        // the sum is sent on
  input  logic                    in_plan_expected_i,  // this node receives or makes a result
  input  logic [Contributors-1:0] in_plan_contributors_i,  // that get a copy of the result
  input  logic [Ranks-1:0]        in_plan_ranks_i,         // that get their part of it
  input  logic [Ranks-1:0]        in_plan_local_i,         // all local ranks, which must post

  output logic                    out_valid_o,
  output logic [SlotW-1:0]        out_slot_o,
  // 0: the slot is not open, or nothing was due to this receiver
  output logic                    out_ok_o,
  output logic                    out_finished_o,  // the chunk can be released
  output logic                    out_up_o,  // from now on due: the sum,
  output logic [Contributors-1:0] out_contributors_o,  // the result
  output logic [Ranks-1:0]        out_ranks_o,

  input  logic                    peek_valid_i,
  output logic                    peek_ready_o,
  input  logic [SlotW-1:0]        peek_slot_i,
  output logic                    peeked_valid_o,
  output logic                    peeked_busy_o,    // open, and not finished; then
  output logic                    peeked_up_o,      // the sum is to be sent on, or was not taken
  output logic                    peeked_have_o,    // the result is here,
  output logic                    peeked_awaits_o,  // or is waited for
  output logic [Contributors-1:0] peeked_contributors_o,  // that have not taken their copies,
  output logic [Ranks-1:0]        peeked_ranks_o,         // and local ranks
  output logic [Ranks-1:0]        peeked_unposted_o
);
  typedef struct packed {
    logic busy;
    logic complete;
    logic have;
    logic expected;
    logic up;
    logic [Contributors-1:0] contributors;  // that have not taken their copies
    logic [Ranks-1:0] ranks;
    logic [Ranks-1:0] unposted;
  } state_t;
  localparam int unsigned StateW = 5 + Contributors + 2 * Ranks;

  typedef struct packed {
    logic [SlotW-1:0] slot;
    logic clear;
    logic complete;
    logic have;
    logic nothing;
    logic taken;
    logic parent;
    logic rank;
  } event_t;

  logic [StateW-1:0] state_mem_q [Slots];
  logic clearing, deciding, take;

  // ---- First stage: the slot is read, or gets its plan ----
  event_t entering, event_q1, event_q2;
  logic [StateW-1:0] row_q1;
  state_t plan_q1, read_q1, before1, before_q2;
  logic valid_q1, valid_q2, open_q1, written_q1;
  logic [Ranks-1:0] posted_q1, posted_q2, quits_q1, quits_q2;
  logic [IndexW-1:0] index_q1;
  logic [Contributors-1:0] out_q1, out_q2;
  logic [Contributors-1:0] contributor_q2;  // the receiver
  logic [Ranks-1:0] rank_q2;

  assign entering = {in_slot_i, in_clear_i, in_complete_i, in_have_i, in_nothing_i,
                     in_taken_i, in_parent_i, in_rank_i};
  assign deciding = (valid_q1 && event_q1.slot == in_slot_i) ||
                    (valid_q2 && event_q2.slot == in_slot_i);
  assign in_ready_o = !clearing && !deciding;
  assign take = in_valid_i && in_ready_o;

  logic [SlotW-1:0] read_slot;
  assign peek_ready_o = !in_valid_i && !clearing;
  assign read_slot = in_valid_i ? in_slot_i : peek_slot_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q1 <= 1'b0;
      valid_q2 <= 1'b0;
      out_valid_o <= 1'b0;
      peeked_valid_o <= 1'b0;
    end else begin
      valid_q1 <= take;
      valid_q2 <= valid_q1;
      out_valid_o <= valid_q2;
      peeked_valid_o <= peek_valid_i && peek_ready_o;
    end
  end

  tally_written #(.Rows(Slots)) u_written (
    .clk_i, .rst_ni, .busy_o(clearing), .write_i(valid_q2), .write_at_i(event_q2.slot),
    .read_i(1'b1), .read_at_i(read_slot), .written_o(written_q1)
  );
  assign read_q1 = written_q1 ? row_q1 : '0;
  assign peeked_busy_o = read_q1.busy;
  assign peeked_up_o = read_q1.up;
  assign peeked_have_o = read_q1.have;
  // A chunk of which nobody here gets a result waits for none.
  assign peeked_awaits_o = read_q1.expected && !read_q1.have &&
                           (read_q1.contributors != '0 || read_q1.ranks != '0);
  assign peeked_contributors_o = read_q1.contributors;
  assign peeked_ranks_o = read_q1.ranks;
  assign peeked_unposted_o = read_q1.unposted;

  // A slot is opened only if it is not busy.
  assign before1 = open_q1 && !read_q1.busy ? plan_q1 : read_q1;

  always_ff @(posedge clk_i) begin
    event_q1 <= entering;
    open_q1 <= in_open_i;
    plan_q1 <= {1'b1, 1'b0, 1'b0, in_plan_expected_i, in_plan_up_i, in_plan_contributors_i,
                in_plan_ranks_i,
                in_plan_local_i};
    row_q1 <= state_mem_q[read_slot];
    posted_q1 <= in_posted_i;
    quits_q1 <= in_quits_i;
    quits_q2 <= quits_q1 & posted_q1 & before1.unposted;
    out_q1 <= in_out_i;
    out_q2 <= out_q1;
    index_q1 <= in_index_i;
    event_q2 <= event_q1;
    before_q2 <= before1;
    posted_q2 <= posted_q1 & before1.unposted;
    contributor_q2 <= event_q1.rank || event_q1.parent ? '0 : Contributors'(1) << index_q1;
    rank_q2 <= event_q1.rank && !event_q1.parent ? Ranks'(1) << index_q1 : '0;
  end

  // ---- Second stage: what changes, and what is due ----
  state_t next;
  logic ok, had, finished;
  logic [Contributors-1:0] due_contributors;
  logic [Ranks-1:0] due_ranks;

  assign had = before_q2.have;

  always_comb begin
    next = before_q2;
    next.complete = before_q2.complete || event_q2.complete;
    next.have = had || (event_q2.have && before_q2.expected);
    next.unposted = before_q2.unposted & ~posted_q2;
    // A receiver can only have what was due to it before.
    if (event_q2.parent) ok = before_q2.complete && before_q2.up;
    else if (event_q2.rank) ok = had && (before_q2.ranks & ~before_q2.unposted & rank_q2) != '0;
    else ok = had && (before_q2.contributors & contributor_q2) != '0;
    if (event_q2.nothing && !before_q2.complete) next.up = 1'b0;
    if (!had) next.contributors = before_q2.contributors & ~out_q2;
    next.ranks = before_q2.ranks & ~quits_q2;
    if (event_q2.taken && ok) begin
      if (event_q2.parent) next.up = 1'b0;
      next.contributors = before_q2.contributors & ~contributor_q2;
      next.ranks = before_q2.ranks & ~(quits_q2 | rank_q2);
    end
    finished = before_q2.busy && next.complete && next.unposted == '0 && !next.up &&
               (!next.expected || (next.contributors == '0 && next.ranks == '0));
    due_contributors = next.have && !had ? next.contributors : '0;
    due_ranks = !next.have ? '0 : before_q2.ranks & ~quits_q2 &
                                  (had ? posted_q2 : ~next.unposted);
    if (finished || event_q2.clear) next.busy = 1'b0;
  end

  always_ff @(posedge clk_i) begin
    if (valid_q2) state_mem_q[event_q2.slot] <= next;
    out_slot_o <= event_q2.slot;
    out_ok_o <= before_q2.busy && (ok || !event_q2.taken);
    out_finished_o <= finished && !event_q2.clear;
    out_up_o <= before_q2.busy && event_q2.complete && !before_q2.complete && next.up;
    out_contributors_o <= before_q2.busy ? due_contributors : '0;
    out_ranks_o <= before_q2.busy ? due_ranks : '0;
  end

`ifdef FORMAL
  `include "segment_hold_proof.svh"
`endif
endmodule
