// SPDX-License-Identifier: BSD-2-Clause
// The proof follows a rank of a group, with counters of its own of what is posted for it. Its
// messages begin in order, each once, and not while chunks of the one before are left; none is
// posted without an epoch. A chunk has the next number of its lowest rank, is within the window
// that was told, and within seg_count. A request of one rank is refused or waits for the reason
// that the counters give. Each request is answered once.
`include "tally_proof.svh"

(* anyconst *) logic [GroupW-1:0] group_f;
(* anyconst *) logic [RankW-1:0] rank_f;

// The request inside.
logic [GroupW-1:0] of_group_f;
logic [NumW-1:0] mid_f, chunks_f, begun_f;
logic [Ranks-1:0] ranks_f, sole_f;
logic [SegsW-1:0] seg_count_f;
logic inside_f;

// The rank and its group.
logic [NumW-1:0] next_mid_f, next_num_f, done_f, limit_f, seen_done_f, seen_limit_f;
logic runs_f, streams_f, mine_f, lowest_f, takes_f;
assign mine_f = inside_f && of_group_f == group_f && ranks_f[rank_f];
assign lowest_f = (ranks_f & ((Ranks'(1) << rank_f) - 1'b1)) == '0;
assign takes_f = verdict_valid_o && verdict_ready_i;

always_comb begin
  assume (32'(group_f) < Groups && 32'(rank_f) < Ranks);
  assume (32'(ask_group_i) < Groups && 32'(cmd_group_i) < Groups && 32'(moved_group_i) < Groups);
  assume (ask_ranks_i != '0);
  assume (ask_begun_i < ask_chunks_i && !ask_chunks_i[NumW-1]);
  assume (moved_limit_i - moved_done_i <= NumW'({SegsW{1'b1}}));
end

always_ff @(posedge clk_i) begin
  if (!started_q) begin
    inside_f <= 1'b0;
    runs_f <= 1'b0;
  end else begin
    if (asks) begin
      inside_f <= 1'b1;
      of_group_f <= ask_group_i;
      mid_f <= ask_mid_i;
      chunks_f <= ask_chunks_i;
      begun_f <= ask_begun_i;
      ranks_f <= ask_ranks_i;
      sole_f <= ask_sole_i;
      seg_count_f <= ask_seg_count_i;
    end else if (takes_f) begin
      inside_f <= 1'b0;
    end
    if (cmd_valid_i && cmd_ready_o && cmd_group_i == group_f) begin
      runs_f <= cmd_begin_i;
      if (cmd_begin_i) begin
        next_mid_f <= '0;
        next_num_f <= '0;
        streams_f <= 1'b0;
      end
    end else if (takes_f && mine_f && verdict_posted_i &&
                 verdict_o == tally_turn_pkg::VerdictPost) begin
      next_mid_f <= next_mid_f + NumW'(begun_f == '0);
      next_num_f <= next_num_f + 1'b1;
      streams_f <= begun_f + 1'b1 != chunks_f;
    end
    if (moved_valid_i && moved_group_i == group_f) begin
      done_f <= moved_done_i;
      limit_f <= moved_limit_i;
    end
    if (state_q == StGroup) begin
      seen_done_f <= done_f;
      seen_limit_f <= limit_f;
    end
  end
end

// Its row, but while the block changes it.
logic of_other_f;
row_t row_f;
assign of_other_f = group_q != group_f;
assign row_f = rank_mem_q[{group_f, rank_f}];

logic [NumW-1:0] first_f, begin_f;
assign first_f = num_o - begun_f;
assign begin_f = is_before(seen_done_f, first_f) ? first_f : seen_done_f;

always_comb begin
  if (started_q) begin
    assert (!asks || !inside_f);
    assert (verdict_valid_o ? inside_f : 1'b1);
    if (verdict_valid_o && of_group_f == group_f) begin
      assert ((verdict_o == tally_turn_pkg::VerdictEnded) == !runs_f);
    end
    if (verdict_valid_o && mine_f && verdict_o == tally_turn_pkg::VerdictPost) begin
      if (begun_f == '0) assert (mid_f == next_mid_f && !streams_f);
      if (lowest_f) assert (num_o == next_num_f);
      assert (last_o == (begun_f + 1'b1 == chunks_f));
    end
    if (verdict_valid_o && mine_f && begun_f == '0 && ranks_f == Ranks'(1) << rank_f) begin
      if (verdict_o == tally_turn_pkg::VerdictStreams) assert (mid_f == next_mid_f && streams_f);
      if (verdict_o == tally_turn_pkg::VerdictAhead) begin
        assert (is_before(next_mid_f, mid_f) && !sole_f[rank_f]);
      end
      if (verdict_o == tally_turn_pkg::VerdictRefuse) begin
        assert (status_o == 16'(tally_pkg::CollMidSkipped) ?
                is_before(next_mid_f, mid_f) && sole_f[rank_f] : is_before(mid_f, next_mid_f));
      end
    end
    if (inside_f) begin
      assert (of_group_f == group_q && mid_f == mid_q && ranks_f == ranks_q && begun_f == begun_q);
      assert (chunks_f == chunks_q && sole_f == sole_q && seg_count_f == seg_count_q);
    end
    if (runs_f && (of_other_f || (state_q != StBegin && state_q != StWrite))) begin
      assert (row_f == {next_mid_f, next_num_f, streams_f});
    end
    cover (posts && last_o && begun_f != '0);
    cover (verdict_valid_o && verdict_o == tally_turn_pkg::VerdictRefuse);
  end
end

// The window that was told; the memory of a group that has not been told is arbitrary.
logic told_f;
always_ff @(posedge clk_i) begin
  if (!started_q) told_f <= 1'b0;
  else if (moved_valid_i && moved_group_i == group_f) told_f <= 1'b1;
end
always_comb begin
  if (cmd_valid_i && cmd_begin_i && !told_f) assume (cmd_group_i != group_f);
  if (started_q && verdict_valid_o && mine_f && verdict_o == tally_turn_pkg::VerdictPost) begin
    assert (num_o - seen_done_f < seen_limit_f - seen_done_f);
    assert (seg_count_f == '0 || num_o - begin_f < NumW'(seg_count_f));
  end
end
