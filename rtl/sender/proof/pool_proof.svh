// SPDX-License-Identifier: BSD-2-Clause
// The proof has the map of segments: how many are set aside for each group. A limit rises only if
// there is a segment for it, in an epoch that runs and is not to end; and an epoch begins only
// when the last one has ended. After it has begun, a group has as many as it was granted, at least
// one. A group never has more than it may hold.
`include "tally_proof.svh"

logic [Groups-1:0] exists_f, runs_f, ending_f;
logic [Groups-1:0][OwnW-1:0] aside_f, max_f;
logic [Groups-1:0][NumW-1:0] done_f;
logic [SegW:0] inside_f;
logic [OwnW-1:0] step_f;
logic raised_f, begun_f, answers_f, moved_f;
logic [GroupW-1:0] answer_group_f;

always_comb begin
  inside_f = '0;
  for (int unsigned i = 0; i < Groups; i++) inside_f += (SegW + 1)'(aside_f[i]);
end
assign raised_f = cmd_valid_o && cmd_ready_i && cmd_o == tally_fw_pkg::StoreCmdRaise;
assign begun_f = cmd_valid_o && cmd_ready_i && cmd_o == tally_fw_pkg::StoreCmdBegin;
assign step_f = OwnW'(moved_done_i - done_f[moved_group_i]);

// ---- What comes ----
always_comb begin
  assume (32'(groups_i) == Groups && 32'(segs_i) == Segs);
  assume (op_i >= tally_fw_pkg::PoolJoin && op_i <= tally_fw_pkg::PoolBorrow);
  assume (32'(op_group_i) < Groups && 32'(ask_group_i) < Groups && 32'(moved_group_i) < Groups);
  if (op_valid_i && op_i == tally_fw_pkg::PoolJoin) begin
    assume (!exists_f[op_group_i] && op_num_i != '0 && (op_was_f || SegW'(op_num_i) <= left_o));
    assume (op_max_i >= op_num_i && 32'(op_max_i) <= GroupSegs);
  end
  if (op_valid_i && (op_i == tally_fw_pkg::PoolLeave || op_i == tally_fw_pkg::PoolBegin)) begin
    assume (exists_f[op_group_i] && (op_was_f || !runs_f[op_group_i]));
  end
  if (op_valid_i && op_i == tally_fw_pkg::PoolEnd) begin
    assume (runs_f[op_group_i] && !ending_f[op_group_i]);
  end
  if (moved_valid_i) begin
    assume (!moved_f);
    // The store answers a command before it tells of another one.
    if (answers_f) assume (moved_group_i == answer_group_f);
    if (moved_ended_i) assume (ending_f[moved_group_i]);
    else assume (runs_f[moved_group_i] && step_f <= aside_f[moved_group_i]);
    assume (moved_ended_i || moved_done_i - done_f[moved_group_i] == NumW'(step_f));
  end
  assume (!ask_valid_i || !asked_f);
end

logic asked_f, op_was_f;
logic [GroupW-1:0] op_group_f;
logic [OwnW-1:0] op_num_f, op_max_f;
logic [NumW-1:0] op_top_f;
tally_fw_pkg::pool_code_e op_f;
always_ff @(posedge clk_i) begin
  op_was_f <= started_q && op_valid_i && !op_ready_o;
  op_group_f <= op_group_i;
  op_num_f <= op_num_i;
  op_max_f <= op_max_i;
  op_top_f <= op_top_i;
  op_f <= op_i;
end
always_comb begin
  if (op_was_f) assume (op_valid_i && op_f == op_i && op_group_f == op_group_i &&
                        op_num_f == op_num_i && op_max_f == op_max_i && op_top_f == op_top_i);
end

always_ff @(posedge clk_i) begin
  asked_f <= ask_valid_i || ask_q;
  moved_f <= moved_valid_i;
  if (!started_q) begin
    exists_f <= '0;
    runs_f <= '0;
    ending_f <= '0;
    aside_f <= '0;
    answers_f <= 1'b0;
  end else begin
    if (op_valid_i && op_ready_o) begin
      if (op_i == tally_fw_pkg::PoolJoin) exists_f[op_group_i] <= 1'b1;
      if (op_i == tally_fw_pkg::PoolLeave) exists_f[op_group_i] <= 1'b0;
      if (op_i == tally_fw_pkg::PoolEnd) ending_f[op_group_i] <= 1'b1;
      if (op_i == tally_fw_pkg::PoolJoin) max_f[op_group_i] <= op_max_i;
    end
    if (begun_f) begin
      done_f[cmd_group_o] <= '0;
      runs_f[cmd_group_o] <= 1'b1;
    end
    if (begun_f || raised_f) begin
      answers_f <= 1'b1;
      answer_group_f <= cmd_group_o;
    end else if (moved_valid_i) begin
      answers_f <= 1'b0;
    end
    for (int unsigned i = 0; i < Groups; i++) begin
      aside_f[i] <= aside_f[i] + OwnW'(raised_f && cmd_group_o == GroupW'(i)) -
                    (moved_valid_i && moved_group_i == GroupW'(i) ?
                     (moved_ended_i ? aside_f[i] : step_f) : '0);
    end
    if (moved_valid_i && moved_ended_i) begin
      runs_f[moved_group_i] <= 1'b0;
      ending_f[moved_group_i] <= 1'b0;
    end else if (moved_valid_i) begin
      done_f[moved_group_i] <= moved_done_i;
    end
  end
end

always_comb begin
  if (started_q) begin
    if (raised_f) begin
      assert (32'(inside_f) < Segs);
      assert (runs_f[cmd_group_o] && !ending_f[cmd_group_o]);
      assert (aside_f[cmd_group_o] < max_f[cmd_group_o]);
    end
    if (begun_f) assert (aside_f[cmd_group_o] == '0 && !runs_f[cmd_group_o]);
    if (op_ready_o && op_i == tally_fw_pkg::PoolBegin) assert (aside_f[op_group_i] != '0);
    assert (32'(granted_q) + 32'(lent_q) <= Segs);
    cover (borrows);
    cover (state_q == StGrant);
  end
end
