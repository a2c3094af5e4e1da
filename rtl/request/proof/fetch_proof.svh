// SPDX-License-Identifier: BSD-2-Clause
// The proof follows an arbitrary queue pair. At most one of its entries is being fetched. Entries
// are taken in, skipped or flushed in their order, each once, and none beyond those that were
// posted. A fetch always finds a place in the queue of fetches, and an operation that waits is
// taken within a bounded time, whatever the taker of fetches does.
`include "tally_proof.svh"

(* anyconst *) logic [QpW-1:0] which;
always_comb assume (32'(which) < Qps);

// ---- The user ----
logic [4:0] offered, was_q, taken;
assign offered = {set_valid_i, res_valid_i, retire_valid_i, told_valid_i, db_valid_i};
assign taken = {set_ready_o, res_ready_o, retire_ready_o, told_ready_o, db_ready_o};
logic [5*QpW-1:0] of_what, of_what_q;
assign of_what = {set_qp_i, res_qp_i, retire_qp_i, told_qp_i, db_qp_i};
logic set_was_create_q;
logic [7:0] set_was_state_q;
always_ff @(posedge clk_i) begin
  was_q <= started_q ? offered & ~taken : '0;
  of_what_q <= of_what;
  set_was_create_q <= set_create_i;
  set_was_state_q <= set_state_i;
end

// Fetches of each queue pair that have left and were not answered, and requests that were taken in
// and have not retired.
logic [Qps-1:0][1:0] owed_q = '0;
logic [CountW-1:0] inside_q = '0;
logic [Qps-1:0] leaves, answered;
logic mine_res, flushes_mine, takes, retires, forgets, skip_mine, passes;
always_comb begin
  for (int unsigned k = 0; k < Qps; k++) begin
    leaves[k] = fetch_valid_o && fetch_ready_i && fetch_qp_o == QpW'(k);
    answered[k] = res_valid_i && res_ready_o && res_qp_i == QpW'(k);
  end
end
assign mine_res = res_valid_i && res_ready_o && res_qp_i == which;
assign flushes_mine = mine_res && res_verdict_o == tally_fw_pkg::VerdictFlush;
assign takes = mine_res && (res_verdict_o == tally_fw_pkg::VerdictTake ||
                            res_verdict_o == tally_fw_pkg::VerdictAsk);
assign skip_mine = skip_valid_o && skip_qp_o == which;
assign passes = skip_mine && flushes;
assign retires = retire_valid_i && retire_ready_o && retire_qp_i == which;
assign forgets = set_valid_i && set_ready_o && set_qp_i == which &&
                 (set_create_i || set_state_i == tally_pkg::QpsReset);

always_ff @(posedge clk_i) begin
  if (started_q) begin
    for (int unsigned k = 0; k < Qps; k++) owed_q[k] <= owed_q[k] + 2'(leaves[k]) - 2'(answered[k]);
    inside_q <= forgets ? '0 : inside_q + CountW'(takes || (skip_mine && !passes)) -
                CountW'(retires);
  end
end

always_comb begin
  if (started_q) begin
    assume ((was_q & ~offered) == '0);
    for (int unsigned k = 0; k < 5; k++) begin
      if (was_q[k]) assume (of_what[k*QpW+:QpW] == of_what_q[k*QpW+:QpW]);
    end
    if (was_q[4]) assume (set_create_i == set_was_create_q && set_state_i == set_was_state_q);
    if (res_valid_i) assume (owed_q[res_qp_i] != '0);
    if (retire_valid_i && retire_qp_i == which) assume (inside_q != '0);
    assume (set_state_i <= tally_pkg::QpsError);
    assume (32'(set_qp_i) < Qps && 32'(res_qp_i) < Qps && 32'(retire_qp_i) < Qps &&
            32'(told_qp_i) < Qps && 32'(db_qp_i) < Qps);
    assume (32'(set_depth_log_i) <= DepthW);
  end
end

// ---- What has left: the next entry that leaves the queue, for good or bad ----
logic [CountW-1:0] turn_q = '0;
always_ff @(posedge clk_i) begin
  if (started_q) begin
    if (forgets) turn_q <= '0;
    else if (takes || flushes_mine || skip_mine) begin
      turn_q <= turn_q + 1'b1;
    end
  end
end

logic [3:0] patience_q = '0;
always_ff @(posedge clk_i) begin
  if (!started_q || taken != '0 || offered == '0 || clearing || skips) patience_q <= '0;
  else patience_q <= patience_q + 1'b1;
end

always_comb begin
  if (started_q) begin
    assert (owed_q[which] <= 2'd1);
    assert (unused_room || !offers);
    if (takes || flushes_mine) assert (res_index_o == turn_q);
    if (skip_mine) assert (skip_index_o == turn_q);
    assert (inside_q <= WindowC);
    assert (patience_q < 4'd12);
    cover (takes && turn_q == CountW'(2));
  end
end
