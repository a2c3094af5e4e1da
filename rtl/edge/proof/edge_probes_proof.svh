// SPDX-License-Identifier: BSD-2-Clause
// An arbitrary edge is asked for only while it is open and watched, and its time is over. While the
// block is not busy, the deadline is not later than this time. There is a query or a silence for
// each neighbour that is waited for, by the number of its probes. All offers stay.
`include "tally_proof.svh"

(* anyconst *) logic [RowW-1:0] followed;
logic open_f_q = 1'b0, watched_f_q = 1'b0, known_f_q = 1'b0;
logic [ProbesW-1:0] probes_f_q, limit_f_q;
logic [TimeW-1:0] rto_f_q, cap_f_q, due_f_q, next_f, now_last_q;
logic [GroupW-1:0] group_f_q;
logic waits_held_q = 1'b0, query_held_q = 1'b0, silent_held_q = 1'b0;
logic query_owed_q = 1'b0, silent_owed_q = 1'b0;
logic [RowW-1:0] waits_row_q, told_row_q;
logic op_f, answer_f;
logic [WaitW-1:0] longer_f;
logic [ProbesW:0] tries_f;
assign op_f = op_valid_i && op_ready_o && op_row_i == followed;
assign answer_f = answers && at_q == followed;
assign tries_f = (ProbesW + 1)'(answer_f ? probes_f_q + 1'b1 : '0) + (ProbesW + 1)'(2);
assign longer_f = WaitW'(rto_f_q) << (32'(tries_f) < BackoffMax ? 32'(tries_f) : BackoffMax);
assign next_f = now_i + (longer_f < WaitW'(cap_f_q) ? TimeW'(longer_f) : cap_f_q);

always_ff @(posedge clk_i) begin
  now_last_q <= now_i;
  if (started_q && op_f) begin
    unique case (op_i)
      tally_edge_pkg::ProbeOpen: begin
        known_f_q <= 1'b1;
        open_f_q <= 1'b1;
        watched_f_q <= 1'b0;
        probes_f_q <= '0;
        rto_f_q <= op_rto_i;
        cap_f_q <= op_cap_i;
        limit_f_q <= op_limit_i;
        group_f_q <= op_group_i;
      end
      tally_edge_pkg::ProbeClose: begin
        open_f_q <= 1'b0;
        watched_f_q <= 1'b0;
      end
      tally_edge_pkg::ProbeWatch: if (open_f_q && !watched_f_q) begin
        watched_f_q <= 1'b1;
        due_f_q <= next_f;
      end
      default: begin  // ProbeHeard
        probes_f_q <= '0;
        if (watched_f_q) due_f_q <= next_f;
      end
    endcase
  end
  if (started_q && answer_f) begin
    watched_f_q <= waits_i && probes_f_q < limit_f_q;
    if (waits_i && probes_f_q < limit_f_q) begin
      probes_f_q <= probes_f_q + 1'b1;
      due_f_q <= next_f;
    end
  end
  query_owed_q <= started_q && answer_f && waits_i && probes_f_q < limit_f_q;
  silent_owed_q <= started_q && answer_f && waits_i && probes_f_q >= limit_f_q;
  waits_held_q <= started_q && waits_valid_o && !waits_ready_i;
  query_held_q <= started_q && query_valid_o && !query_ready_i;
  silent_held_q <= started_q && silent_valid_o && !silent_ready_i;
  waits_row_q <= waits_row_o;
  told_row_q <= told_row_o;
end

always_comb begin
  assume (32'(followed) < Rows && 32'(op_row_i) < Rows);
  if (op_f) assume (known_f_q || op_i == tally_edge_pkg::ProbeOpen);
  if (started_q) assume (now_i >= now_last_q);
  // No time wraps.
  assume (now_i < TimeW'(64) && op_cap_i < TimeW'(32) && op_limit_i < 9'd4);
  if (started_q) begin
    if (waits_valid_o && waits_row_o == followed) begin
      assert (open_f_q && watched_f_q && due_f_q <= now_i && waits_group_o == group_f_q);
    end
    if (!busy_o && watched_f_q) assert (deadline_valid_o && deadline_o <= due_f_q);
    if (!busy_o && watched_f_q) assert (due_f_q > now_i);
    if (query_owed_q) assert (query_valid_o && told_row_o == followed);
    if (silent_owed_q) assert (silent_valid_o && told_row_o == followed);
    if (waits_held_q) assert (waits_valid_o && waits_row_o == waits_row_q);
    if (query_held_q) assert (query_valid_o && told_row_o == told_row_q);
    if (silent_held_q) assert (silent_valid_o && told_row_o == told_row_q);
    assert (!(query_valid_o && silent_valid_o));
    if (waits_valid_o) assert (!op_ready_o);
    cover (query_owed_q && probes_f_q == 9'd1);
    cover (silent_owed_q);
    cover (op_f && op_i == tally_edge_pkg::ProbeHeard && query_valid_o);
  end
end
