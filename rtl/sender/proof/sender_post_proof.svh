// SPDX-License-Identifier: BSD-2-Clause
// The proof follows a rank, in requests of at most two. Each post that the store has taken is told
// once with upd_*, before the next one, and its data are due at most once, after this, or after the
// post if they do not wait for its answer. The rank has
// its reference when the chunk is told; this does not happen if the store has not taken the chunk
// into the slot, or the chunk is away. Each begins once, not after it is told, but one that is away
// right then. Results are held back exactly from the post on until it is told. A post is withdrawn
// exactly if there is no room, and a refusal is told without one.
`include "tally_proof.svh"

(* anyconst *) logic [RankW-1:0] rank_f;
logic [63:0] bit_f, second_f;
assign bit_f = 64'd1 << rank_f;
assign second_f = go_work_i.ranks & (go_work_i.ranks - 1'b1);

// ---- What comes: a request stays, and is there two clocks before ----
localparam int unsigned RequestF = 1 + 8 + 64 + 8 + 3 + 2;
logic [RequestF-1:0] now_f, before_f, earlier_f;
logic waits_f;  // for the answer of the store
assign now_f = {go_away_i, go_work_i.opcode, go_work_i.ranks, go_work_i.root_rank,
                go_work_i.root_here, go_work_i.empty, go_work_i.combined, go_whole_i,
                go_work_i.out == '0};
always_ff @(posedge clk_i) begin
  before_f <= now_f;
  earlier_f <= before_f;
end
always_comb begin
  assume (go_work_i.ranks != '0 && (second_f & (second_f - 1'b1)) == '0);
  if (go_valid_i || state_q != StIdle) assume (now_f == before_f);
  if (go_valid_i && state_q == StIdle) assume (before_f == earlier_f);
  if (state_q != StIdle) assume (go_refuse_i == refuse_q);
  assume (!ans_valid_i || (waits_f && state_q != StWent));
  assume (!upd_flag_i || (upd_valid_o && upd_o.last && upd_o.finished == upd_o.ranks));
end

// ---- What has happened ----
logic posted_f, refused_f, answered_f, stored_f, referred_f, told_f, due_f, takes_f;
logic begun_f, went_f, lost_f, away_told_f;
assign takes_f = post_valid_o && post_ready_i;
always_ff @(posedge clk_i) begin
  if (!started_q) begin
    posted_f <= 1'b0;
    refused_f <= 1'b0;
    waits_f <= 1'b0;
    told_f <= 1'b0;
    begun_f <= 1'b0;
    went_f <= 1'b0;
    lost_f <= 1'b0;
    away_told_f <= 1'b0;
  end else begin
    waits_f <= takes_f || (waits_f && !ans_valid_i);
    went_f <= takes_f || leaves;
    lost_f <= post_valid_o && !post_ready_i && !room_i;
    away_told_f <= upd_valid_o && upd_ready_i && go_away_i && !go_refuse_i;
    if (takes_f || (leaves && !go_refuse_i)) begin
      posted_f <= 1'b1;
      answered_f <= leaves;
      stored_f <= 1'b0;
      referred_f <= 1'b0;
      told_f <= 1'b0;
      due_f <= 1'b0;
    end else if (upd_valid_o && upd_ready_i) begin
      posted_f <= 1'b0;
      refused_f <= 1'b0;
      told_f <= posted_f;
    end
    if (leaves && go_refuse_i) refused_f <= 1'b1;
    if (upd_valid_o && upd_ready_i) begun_f <= 1'b0;
    else if (began_valid_o && !away_told_f) begun_f <= 1'b1;
    if (posted_f && ans_valid_i && !answered_f) begin
      answered_f <= 1'b1;
      stored_f <= stores;
    end
    if (ref_valid_o && ref_rank_o == rank_f) referred_f <= 1'b1;
    if (due_valid_o && due_ready_i) due_f <= 1'b1;
  end
end

logic mine_f;
assign mine_f = (go_work_i.ranks & bit_f) != '0;
always_comb begin
  if (started_q) begin
    assert (hold_o == posted_f);
    assert (!takes_f || !waits_f);
    if (takes_f) assert (!go_away_i && !posted_f && !refused_f);
    assert (went_o == went_f && lost_o == lost_f);
    if (went_o || lost_o) assert (!post_valid_o);
    if (ref_valid_o) assert (posted_f && stored_f && (ref_rank_o != rank_f || !referred_f));
    if (upd_valid_o) begin
      assert (begun_f == !(go_away_i && !go_refuse_i));
      assert (upd_o.refused ? refused_f && !posted_f : posted_f && answered_f);
      if (posted_f) begin
        assert ((referred_f || (ref_valid_o && ref_rank_o == rank_f)) == (stored_f && mine_f));
        assert (upd_o.ranks == (second_f == '0 ? 7'd1 : 7'd2));
      end
    end
    if (away_told_f) assert (began_valid_o && !began_o.here && !began_o.refused);
    else if (began_valid_o) assert (!begun_f && (began_o.refused ? refused_f : posted_f));
    if (due_valid_o) begin
      assert (at_once ? posted_f || told_f : told_f && stored_f);
      assert (!due_f && due_o.ranks == due && due != '0);
    end
    if (flag_valid_o) assert (told_f);
    if (done_o) assert (!hold_o || upd_valid_o);
    cover (due_valid_o && due_ready_i && absent != '0);
    cover (due_valid_o && due_ready_i && posted_f);
    cover (flag_valid_o && flag_ready_i);
    cover (upd_valid_o && upd_o.refused);
    cover (upd_valid_o && posted_f && !stored_f);
    cover (began_valid_o && !began_o.here && !began_o.refused);
  end
end
