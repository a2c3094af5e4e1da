// SPDX-License-Identifier: BSD-2-Clause
// The proof follows an arbitrary queue pair. Its requests retire in their order, each once, after
// it was taken in, and a completion is that of the oldest one, which has at most one. A request
// that was taken in ready to begin does not retire before an end, an update, an end of the epoch or
// ERROR gives it its outcome; the rows of requests and the answers to reads are arbitrary.
`include "tally_proof.svh"

(* anyconst *) logic [QpW-1:0] which;
always_comb assume (32'(which) < Qps);

// ---- The user ----
logic [3:0] offered, taken, was_q;
logic [4*QpW-1:0] of_what, of_what_q;
assign offered = {cmd_valid_i, end_valid_i, upd_valid_i, in_valid_i};
assign taken = {cmd_ready_o, end_ready_o, upd_ready_o, in_ready_o};
assign of_what = {cmd_qp_i, end_qp_i, upd_qp_i, in_qp_i};
logic [1:0] kind_q;
logic [7:0] kind_state_q;
logic reading_q = 1'b0;
always_ff @(posedge clk_i) begin
  was_q <= started_q ? offered & ~taken : '0;
  of_what_q <= of_what;
  kind_q <= cmd_i;
  kind_state_q <= cmd_state_i;
  reading_q <= started_q && row_valid_o && row_ready_i;
end

// Requests of the queue pair that were taken in and have not retired, and those that have.
logic [CountW-1:0] inside_q = '0, head_now_q = '0;
logic mine, enters, leaves_mine, passes_mine, resets;
assign mine = at_q == which && started_q;
assign enters = mine && in_ready_o && (takes || (in_skip_i && !in_passes_i));
assign passes_mine = mine && in_ready_o && passes_head;
assign leaves_mine = mine && retires;
assign resets = mine && cmd_ready_o && forgets;
always_ff @(posedge clk_i) begin
  if (started_q) begin
    inside_q <= resets ? '0 : inside_q + CountW'(enters) - CountW'(leaves_mine);
    head_now_q <= resets ? '0 : head_now_q + CountW'(leaves_mine) + CountW'(passes_mine);
  end
end

always_comb begin
  if (started_q) begin
    assume ((was_q & ~offered) == '0);
    for (int unsigned k = 0; k < 4; k++) begin
      if (was_q[k]) assume (of_what[k*QpW+:QpW] == of_what_q[k*QpW+:QpW]);
    end
    if (was_q[3]) assume (cmd_i == kind_q && cmd_state_i == kind_state_q);
    assume (32'(cmd_qp_i) < Qps && 32'(end_qp_i) < Qps && 32'(upd_qp_i) < Qps &&
            32'(in_qp_i) < Qps);
    assume (got_valid_i == reading_q);
    // The fetcher takes in as many as there are entries, and flushes what is left behind them.
    if (in_valid_i && in_qp_i == which && in_ready_o) begin
      if (takes || (in_skip_i && !in_passes_i)) assume (inside_q < 8);
      if (passes_head) assume (inside_q == '0);
    end
    if (end_ready_o) assume (out_q.is == IsActive);
    if (upd_ready_o) assume (out_q.is == IsReady || out_q.is == IsActive);
    assume (cmd_state_i <= tally_pkg::QpsError);
  end
end

// ---- Completions: of the oldest request, at most one for each ----
logic shown_q = 1'b0, shows;
assign shows = mine && cpl_valid_o && cpl_ready_i && !cpl_o.flags[tally_pkg::CqeFNoRetireBit];
always_ff @(posedge clk_i) begin
  if (resets || leaves_mine) shown_q <= 1'b0;
  else if (shows && of_entry_q) shown_q <= 1'b1;
end

always_comb begin
  if (started_q) begin
    if (leaves_mine) assert (inside_q != '0);
    if (mine && state_q == StLook) begin
      assert (cur_q.head == head_now_q);
      assert (CountW'(cur_q.admit - cur_q.head) == inside_q);
    end
    if (shows && of_entry_q) begin
      assert (cpl_o.wqe_index == 32'(head_now_q));
      assert (!shown_q && inside_q != '0);
    end
    if (shows && !of_entry_q) assert (cpl_o.wqe_index == 32'(CountW'(head_now_q - 1'b1)));
    // What has neither its outcome nor a reason to be flushed stays.
    if (leaves_mine) begin
      assert (ahead_q || out_q.is == IsDone || out_q.is == IsSkip ||
              (out_q.is == IsActive && cur_q.left && !out_q.flag) ||
              (out_q.is == IsReady && cur_q.state == tally_pkg::QpsError));
    end
    // What completes at once with its end is the oldest one, and has its outcome by this end.
    if (completes_head && mine) begin
      assert (out_d.is == IsDone && out_write && index_entry == entry_q);
    end
    // Bytes do not wrap.
    if (end_ready_o && out_write) assert (out_d.bytes >= out_q.bytes);
    cover (leaves_mine && head_now_q == CountW'(1));
    cover (shows && of_entry_q);
    cover (shows && ahead_q);
  end
end
