// SPDX-License-Identifier: BSD-2-Clause
// The proof follows an arbitrary CQ: its entries go to their places in order, each once, and none
// overwrites an entry that the consumer has not read. An entry is lost only after the record was
// read for it, and raises one error, after which nothing is written. An arm word that is not
// greater than those before changes nothing; each other one raises at most one event, and does so
// as soon as entries of its kind are beyond the consumer's count. The CQ is configured when none of
// its accesses is outstanding, and no event waits. Offers stay until they are taken.
`include "tally_proof.svh"

(* anyconst *) logic [CqnW-1:0] followed;

// ---- Behaviour of the memory and of who configures ----
logic [BusyW:0] owed_q;                       // writes that the memory has not answered
logic [2**(CqnW+1)-1:0] reading_q;            // reads that it has not
logic cfg_waits_q;
logic [RingW+AddrW+LogW+EqnW+CqnW:0] cfg_q, cfg_now;
assign cfg_now = {cfg_ring_i, cfg_first_i, cfg_log_depth_i, cfg_eqn_i, cfg_cqn_i, cfg_enable_i};
always_ff @(posedge clk_i) begin
  cfg_waits_q <= started_q && cfg_valid_i && !cfg_ready_o;
  cfg_q <= cfg_now;
  if (!started_q) begin
    owed_q <= '0;
    reading_q <= '0;
  end else begin
    owed_q <= owed_q + (BusyW + 1)'(wr_valid_o && wr_ready_i) -
        (BusyW + 1)'(done_valid_i && done_ready_o);
    if (rd_valid_o && rd_ready_i) reading_q[rd_tag_o] <= 1'b1;
    if (rsp_valid_i && rsp_ready_o) reading_q[rsp_tag_i] <= 1'b0;
  end
end
always_comb begin
  if (started_q) begin
    assume (!done_valid_i || owed_q != '0);
    assume (!rsp_valid_i || reading_q[rsp_tag_i]);
    if (cfg_valid_i) assume (32'(cfg_log_depth_i) <= $clog2(MaxDepth));
    if (cfg_waits_q) assume (cfg_valid_i && cfg_now == cfg_q);
  end
end

// ---- The followed CQ ----
logic mine, mine_cfg, on_q, over_q, arm_pending_q, tried_q;
logic [1:0] errors_q;
logic [LogW-1:0] log_q;
logic [AddrW-1:0] first_q;
logic [RingW-1:0] ring_q;
logic [CountW-1:0] writes_q, reads_q, ring;
logic [BusyW-1:0] waits_q;                    // its writes without an answer
assign mine = cqn_q == followed;
assign mine_cfg = cfg_ready_o && mine;
assign ring = CountW'(1) << log_q;

logic takes_count;
assign takes_count = exec && mine && ((op_q == OpDoorbell && op_counts_q) ||
                                      (op_q == OpRecord && !op_error_q)) &&
    op_count_q - reads_q <= writes_q - reads_q;

always_ff @(posedge clk_i) begin
  if (!started_q) begin
    on_q <= 1'b0;
    over_q <= 1'b0;
    errors_q <= '0;
    arm_pending_q <= 1'b0;
    waits_q <= '0;
  end else if (mine_cfg) begin
    on_q <= cfg_enable_i;
    over_q <= 1'b0;
    errors_q <= '0;
    arm_pending_q <= 1'b0;
    arm_word_q <= '0;
    log_q <= cfg_log_depth_i;
    first_q <= cfg_first_i;
    ring_q <= cfg_ring_i;
    writes_q <= '0;
    reads_q <= '0;
  end else begin
    if (wr_place && mine) writes_q <= writes_q + 1'b1;
    if (exec && mine && op_q == OpDone) waits_q <= waits_q - 1'b1;
    if (wr_place && mine) waits_q <= waits_q + 1'b1;
    if (takes_count) reads_q <= op_count_q;
    if (mine && (lost || (exec && op_q == OpDone && op_error_q))) over_q <= 1'b1;
    if (mine && judge && fails_q) errors_q <= errors_q + 1'b1;
    if (mine && judge && is_due) arm_pending_q <= 1'b0;
    if (mine && exec && new_arm) begin
      arm_pending_q <= 1'b1;
      arm_any_q <= (arm_any_q && arm_pending_q) || (op_arm_q & CountW'(1)) == '0;
      arm_word_q <= op_arm_q;
    end
  end
end
logic new_arm, arm_any_q;
logic [CountW-1:0] arm_word_q;
assign new_arm = on_q && op_q == OpDoorbell && op_arms_q && op_arm_q > arm_word_q;
// A record was read for the request that is next.
always_ff @(posedge clk_i) begin
  if (!started_q || in_ready_o) tried_q <= 1'b0;
  else if (rsp_valid_i && rsp_ready_o && rsp_tag_i[CqnW]) tried_q <= 1'b1;
end

always_comb begin
  if (started_q) begin
    if (wr_place && mine) begin
      assert (on_q && !over_q);
      assert (writes_q - reads_q < ring);
      assert (start_of == first_q + AddrW'({writes_q & (ring - 1'b1), 6'b0}) && row_ring == ring_q);
      assert (filled.owner == ((writes_q & ring) == '0 ? tally_pkg::OwnerPhase : 8'h0));
    end
    if (lost && mine) assert (on_q && (over_q || (tried_q && writes_q - reads_q >= ring)));
    if (mine_cfg) begin
      assert (waits_q == '0 && !reading_q[{1'b0, followed}] && !reading_q[{1'b1, followed}]);
      assert (!event_valid_o);
    end
    assert (errors_q <= 2'(over_q));
    if (mine && judge && is_due) assert (on_q && arm_pending_q);
    if (mine && judge && on_q) begin
      assert (next_q.armed == arm_pending_q && (!arm_pending_q || next_q.armed_any == arm_any_q));
      if (arm_pending_q && !fails_q && ahead != '0 && !ahead[CountW-1]) assert (is_due);
    end
    assert (!(exec && op_q == OpDone) || order_used <= BusyW'(Outstanding));
    cover (errors_q == 2'd1 && writes_q != '0);
    cover (judge && mine && is_due);
  end
end

// ---- Offers ----
logic wr_waits_q, rd_waits_q, event_waits_q;
logic [AddrW+7:0] wr_was_q;
logic [AddrW+CqnW:0] rd_was_q;
logic [EqnW+CqnW+7:0] event_was_q;
always_ff @(posedge clk_i) begin
  wr_waits_q <= started_q && wr_valid_o && !wr_ready_i;
  rd_waits_q <= started_q && rd_valid_o && !rd_ready_i;
  event_waits_q <= started_q && event_valid_o && !event_ready_i;
  wr_was_q <= {wr_start_o, wr_data_o[511:504]};
  rd_was_q <= {rd_start_o, rd_tag_o};
  event_was_q <= {event_eqn_o, event_cqn_o, event_type_o};
end
always_comb begin
  if (started_q) begin
    if (wr_waits_q) assert (wr_valid_o && {wr_start_o, wr_data_o[511:504]} == wr_was_q);
    if (rd_waits_q) assert (rd_valid_o && {rd_start_o, rd_tag_o} == rd_was_q);
    if (event_waits_q) begin
      assert (event_valid_o && {event_eqn_o, event_cqn_o, event_type_o} == event_was_q);
    end
  end
end
