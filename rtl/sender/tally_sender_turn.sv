// SPDX-License-Identifier: BSD-2-Clause
// What may be done with a request by now: its_turn(), window_open() and chunk_begun() of
// sim/engine/sender.c. The block has the next message and number of each rank, and done and limit
// of each group. docs/rtl-sender.md has its user.
//
// cmd_*: an epoch begins (cmd_begin_i), or ends. Messages and numbers of its ranks begin with 0;
// moved_* has told done and limit of the new epoch before. moved_*: done or limit of a group has
// changed; it is always taken.
//
// ask_*: a request. ask_begun_i of its chunks have been posted, ask_chunks_i is their number, more
// than that, and ask_ranks_i is not empty. ask_sole_i: ranks for which no other queue pair may
// post. The answer is verdict_*: what may be done, and with
//   VerdictPost and VerdictShut   the number of the next chunk, whether it is the last one, and
//                                 borrow_o: segments below top_o would be of use, limit is less;
//   VerdictRefuse                 a tally_pkg::coll_status_e.
// verdict_posted_i, with the clock in which a VerdictPost is taken: the chunk is posted, so the
// message of its ranks has begun. Without it nothing changes.
//
// peek_*: what the firmware reads: which ranks of a group have begun message peek_mid_i (bits of
// `late` and `begun` of struct group). It is taken when nothing else is offered, and keeps the
// block for a clock for each rank; the answer, a pulse, comes two clocks after that, and the bits
// stay until the next read.
//
// look_runs_o: whether the epoch of look_group_i runs, as it was in the clock before.
//
// Time: the verdict is valid five clocks and one for each rank after the request was taken, or
// less; the ranks of a request that has begun count as one. A post keeps the block for one clock
// and one for each rank. The begin of an epoch takes as many clocks as there are ranks, and after
// a reset the block takes nothing for as many clocks as there are groups. ask_ready_o depends on
// cmd_valid_i.
module tally_sender_turn #(
  parameter int unsigned Groups = tally_pkg::MaxGroup,
  parameter int unsigned Ranks = tally_pkg::MaxRanks,
  parameter int unsigned NumW = 32,  // bits of messages and numbers
  parameter int unsigned SegsW = $clog2(tally_pkg::MaxGroupSegs + 1),
  localparam int unsigned GroupW = Groups > 1 ? $clog2(Groups) : 1,
  localparam int unsigned RankW = Ranks > 1 ? $clog2(Ranks) : 1
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,
  output logic                     busy_o,

  input  logic                     cmd_valid_i,
  output logic                     cmd_ready_o,
  input  logic                     cmd_begin_i,
  input  logic [GroupW-1:0]        cmd_group_i,
  input  logic [SegsW-1:0]         cmd_max_segs_i,  // segments that the group may hold at once

  input  logic                     moved_valid_i,
  input  logic [GroupW-1:0]        moved_group_i,
  input  logic [NumW-1:0]          moved_done_i,
  input  logic [NumW-1:0]          moved_limit_i,

  input  logic [GroupW-1:0]        look_group_i,
  output logic                     look_runs_o,

  input  logic                     ask_valid_i,
  output logic                     ask_ready_o,
  input  logic [GroupW-1:0]        ask_group_i,
  input  logic [NumW-1:0]          ask_mid_i,
  input  logic [Ranks-1:0]         ask_ranks_i,
  input  logic [Ranks-1:0]         ask_sole_i,
  input  logic [NumW-1:0]          ask_chunks_i,
  input  logic [NumW-1:0]          ask_begun_i,
  input  logic [SegsW-1:0]         ask_seg_count_i,  // chunks in flight at most; 0: any number

  output logic                     verdict_valid_o,
  input  logic                     verdict_ready_i,
  input  logic                     verdict_posted_i,
  output tally_turn_pkg::verdict_e verdict_o,
  output logic [15:0]              status_o,
  output logic [NumW-1:0]          num_o,
  output logic                     last_o,
  output logic                     borrow_o,
  output logic [NumW-1:0]          top_o,

  input  logic                     peek_valid_i,
  output logic                     peek_ready_o,
  input  logic [GroupW-1:0]        peek_group_i,
  input  logic [NumW-1:0]          peek_mid_i,
  output logic                     peeked_valid_o,
  output logic [Ranks-1:0]         peeked_begun_o
);
  localparam int unsigned RowW = 2 * NumW + 1;
  localparam int unsigned InitW = GroupW + 1;

  typedef enum logic [3:0] {
    StInit,    // after a reset: no group has an epoch
    StIdle,
    StBegin,   // rows of the ranks are cleared
    StGroup,   // the row of the group is read, and that of the first rank
    StScan,    // the ranks are looked at, one after the other
    StFirst,   // where the chunks in flight begin and end
    StEnd,     // seg_count, if there is one
    StWindow,  // whether the chunk is within the window
    StVerdict,
    StPeek,    // the firmware reads the ranks
    StWrite    // the message of the ranks has begun
  } state_e;
  state_e state_d, state_q;

  typedef struct packed {
    logic [NumW-1:0] mid;   // next message
    logic [NumW-1:0] num;   // next number
    logic            streams;
  } row_t;

  function automatic logic is_before(input logic [NumW-1:0] a, input logic [NumW-1:0] b);
    logic [NumW-1:0] distance;
    distance = a - b;
    is_before = distance[NumW-1];
  endfunction

  logic [2*NumW-1:0] window_mem_q [Groups];
  logic [SegsW:0] epoch_mem_q [Groups];
  logic [RowW-1:0] rank_mem_q [2**(GroupW+RankW)];

  // ---- The request ----
  logic [GroupW-1:0] group_q;
  logic [NumW-1:0] mid_q, chunks_q, begun_q, num_q, done_q, limit_q;
  logic [Ranks-1:0] ranks_q, sole_q;
  logic [SegsW-1:0] seg_count_q, max_segs_q;
  logic runs_q, asks, commands, peeks, posts, has_begun;

  assign cmd_ready_o = state_q == StIdle;
  assign commands = cmd_valid_i && cmd_ready_o;
  assign ask_ready_o = state_q == StIdle && !cmd_valid_i;
  assign asks = ask_valid_i && ask_ready_o;
  assign peek_ready_o = state_q == StIdle && !cmd_valid_i && !ask_valid_i;
  assign peeks = peek_valid_i && peek_ready_o;
  assign posts = verdict_valid_o && verdict_ready_i && verdict_posted_i &&
                 verdict_o == tally_turn_pkg::VerdictPost;
  assign has_begun = begun_q != '0;

  always_ff @(posedge clk_i) begin
    if (asks) begin
      group_q <= ask_group_i;
      mid_q <= ask_mid_i;
      ranks_q <= ask_ranks_i;
      sole_q <= ask_sole_i;
      chunks_q <= ask_chunks_i;
      begun_q <= ask_begun_i;
      seg_count_q <= ask_seg_count_i;
    end else if (commands) begin
      group_q <= cmd_group_i;
    end else if (peeks) begin
      group_q <= peek_group_i;
      mid_q <= peek_mid_i;
    end
    if (state_q == StGroup) begin
      {done_q, limit_q} <= window_mem_q[group_q];
      {runs_q, max_segs_q} <= epoch_mem_q[group_q];
    end
  end

  // ---- The ranks, from the lowest on: a row is read in a clock, and used in the next ----
  logic [Ranks-1:0] left_q;
  logic [RankW-1:0] rank, rank_q, count_q;
  logic [RowW-1:0] raw_q;
  logic scans, seen_q, ends, first_q;
  row_t row, begun_row;

  always_comb begin
    rank = '0;
    for (int unsigned i = Ranks; i > 0; i--) if (left_q[i-1]) rank = RankW'(i - 1);
    if (state_q == StPeek) rank = count_q;
  end
  assign scans = state_q == StGroup || state_q == StScan || state_q == StWrite;
  assign ends = seen_q && left_q == '0;
  assign row = raw_q;

  always_ff @(posedge clk_i) begin
    raw_q <= rank_mem_q[{group_q, rank}];
    rank_q <= rank;
    if (scans) left_q <= left_q & (left_q - 1'b1);
    else left_q <= asks ? ask_ranks_i : ranks_q;
    first_q <= !scans || (first_q && !seen_q);
    count_q <= state_q == StBegin || state_q == StPeek ? count_q + 1'b1 : '0;
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) seen_q <= 1'b0;
    else seen_q <= state_q == StGroup || (scans && state_d == state_q);
  end

  // ---- Whose turn it is ----
  logic is_behind, is_current, is_ahead, ahead_q, ahead, streams_q, streams, skipped, refuses;
  logic [NumW-1:0] newest, first_num;

  assign newest = row.num - 1'b1;
  assign first_num = row.num - begun_q;
  assign is_behind = is_before(mid_q, row.mid);
  // A message of the rank that is not below done.
  assign is_current = mid_q == row.mid - 1'b1 &&
                      (row.streams || newest - done_q < limit_q - done_q);
  assign is_ahead = !is_behind && mid_q != row.mid;
  assign ahead = ahead_q || is_ahead;
  assign streams = streams_q || row.streams;
  assign skipped = ahead && sole_q[rank_q] && is_before(row.mid, mid_q);
  assign refuses = state_q == StScan && seen_q && !has_begun &&
                   ((is_behind && !ahead_q) || skipped);

  always_ff @(posedge clk_i) begin
    ahead_q <= state_q == StScan && (seen_q ? ahead : ahead_q);
    streams_q <= state_q == StScan && (seen_q ? streams : streams_q);
    if (state_q == StScan && first_q) num_q <= first_num;
  end

  // ---- What the firmware reads ----
  logic peeked_q, peek_ends_q;  // the row of a rank has been read; that of the last one
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      peeked_q <= 1'b0;
      peek_ends_q <= 1'b0;
      peeked_valid_o <= 1'b0;
    end else begin
      peeked_q <= state_q == StPeek;
      peek_ends_q <= state_q == StPeek && state_d != StPeek;
      peeked_valid_o <= peek_ends_q;
    end
  end
  always_ff @(posedge clk_i) if (peeked_q) peeked_begun_o[rank_q] <= is_behind;

  // ---- The window: end_of(), has_slot() ----
  logic [NumW-1:0] start_q, end_q, at_q, most_q, in_flight;
  logic open;

  assign in_flight = end_q - start_q;
  assign open = at_q - done_q < limit_q - done_q && is_before(at_q, end_q);

  always_ff @(posedge clk_i) begin
    if (state_q == StFirst) begin
      start_q <= is_before(done_q, num_q) ? num_q : done_q;
      end_q <= num_q + chunks_q;
      at_q <= num_q + begun_q;
      most_q <= done_q + NumW'(max_segs_q);
    end
    if (state_q == StEnd && NumW'(seg_count_q) < in_flight) begin
      end_q <= start_q + NumW'(seg_count_q);
    end
  end

  // ---- The verdict ----
  tally_turn_pkg::verdict_e verdict_q;
  logic [15:0] status_q;
  logic [NumW-1:0] top_q, begun_next;

  assign begun_next = begun_q + 1'b1;
  assign verdict_valid_o = state_q == StVerdict;
  assign verdict_o = verdict_q;
  assign status_o = status_q;
  assign num_o = at_q;
  assign last_o = begun_next == chunks_q;
  assign borrow_o = is_before(limit_q, top_q) && (verdict_q == tally_turn_pkg::VerdictPost ||
                                               verdict_q == tally_turn_pkg::VerdictShut);
  assign top_o = top_q;

  always_ff @(posedge clk_i) begin
    unique case (state_q)
      StScan: begin
        if (!runs_q) verdict_q <= tally_turn_pkg::VerdictEnded;
        else if (refuses) verdict_q <= tally_turn_pkg::VerdictRefuse;
        else if (ahead) verdict_q <= tally_turn_pkg::VerdictAhead;
        else verdict_q <= tally_turn_pkg::VerdictStreams;
        if (ahead) status_q <= tally_pkg::CollMidSkipped;
        else if (is_current) status_q <= tally_pkg::CollRankTwice;
        else status_q <= tally_pkg::CollMidBehind;
      end
      StWindow: begin
        verdict_q <= open ? tally_turn_pkg::VerdictPost : tally_turn_pkg::VerdictShut;
        top_q <= is_before(most_q, end_q) ? most_q : end_q;
      end
      default: ;  // they stay
    endcase
  end

  // ---- Order of the steps ----
  logic init_done;
  logic [InitW-1:0] init_q;
  assign init_done = 32'(init_q) == Groups - 1;

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      StInit: if (init_done) state_d = StIdle;
      StIdle: begin
        if (commands && cmd_begin_i) state_d = StBegin;
        else if (asks) state_d = StGroup;
        else if (peeks) state_d = StPeek;
      end
      StBegin, StPeek: if (32'(count_q) == Ranks - 1) state_d = StIdle;
      StGroup: state_d = StScan;
      StScan: begin
        if (!runs_q || refuses) state_d = StVerdict;
        else if (seen_q && has_begun) state_d = StFirst;
        else if (ends) state_d = ahead || streams ? StVerdict : StFirst;
      end
      StFirst: state_d = seg_count_q == '0 ? StWindow : StEnd;
      StEnd: state_d = StWindow;
      StWindow: state_d = StVerdict;
      StVerdict: if (verdict_ready_i) state_d = posts ? StWrite : StIdle;
      default: if (ends) state_d = StIdle;  // StWrite
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= StInit;
      init_q <= '0;
    end else begin
      state_q <= state_d;
      if (state_q == StInit) init_q <= init_q + 1'b1;
    end
  end
  assign busy_o = state_q != StIdle || peek_ends_q || peeked_valid_o;

  // ---- Memories ----
  logic [RankW-1:0] write_rank;
  logic write_row;

  always_comb begin
    begun_row.mid = row.mid + NumW'(!has_begun);
    begun_row.num = row.num + 1'b1;
    begun_row.streams = !last_o;
  end
  assign write_row = state_q == StBegin || (state_q == StWrite && seen_q);
  assign write_rank = state_q == StBegin ? count_q : rank_q;

  always_ff @(posedge clk_i) begin
    if (moved_valid_i) window_mem_q[moved_group_i] <= {moved_done_i, moved_limit_i};
    if (state_q == StInit) epoch_mem_q[init_q[GroupW-1:0]] <= '0;
    else if (commands) epoch_mem_q[cmd_group_i] <= {cmd_begin_i, cmd_max_segs_i};
    look_runs_o <= epoch_mem_q[look_group_i][SegsW];
    if (write_row) rank_mem_q[{group_q, write_rank}] <= state_q == StBegin ? '0 : begun_row;
  end

`ifdef FORMAL
  `include "sender_turn_proof.svh"
`endif
endmodule
