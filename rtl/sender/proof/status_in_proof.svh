// SPDX-License-Identifier: BSD-2-Clause
// The proof follows an arbitrary queue pair. What tally_requests has of it leaves in the order of
// its indices, each once and as what it is: a request, or one that was answered ahead of its turn.
`include "tally_proof.svh"

(* anyconst *) logic [QpW-1:0] which;
(* anyconst *) logic passes;
always_comb assume (32'(which) < Qps);

localparam int unsigned Most = 8;  // that have not left
localparam int unsigned Indices = 2 ** IndexW;

// ---- What tally_requests does ----
logic begins, req_held_q = 1'b0, cmd_held_q = 1'b0, resets;
logic [Indices-1:0] skips_q;             // by index: answered ahead
logic [IndexW-1:0] told_q, left_q, req_index_q;
logic [QpW-1:0] req_qp_q, last_qp_q, cmd_qp_q;
logic req_ahead_q, cmd_forgets_q, leaves;
logic [2:0] since_q;                     // clocks since the last skip
assign begins = req_valid_i && !req_held_q && !req_ahead_i && req_qp_i == which;
assign resets = cmd_valid_i && cmd_forgets_i && cmd_qp_i == which;
assign leaves = in_valid_o && in_ready_i && in_qp_o == which && (in_skip_o || !req_ahead_i);
always_ff @(posedge clk_i) begin
  req_held_q <= started_q && req_valid_i && !req_ready_o;
  req_index_q <= req_index_i;
  req_qp_q <= req_qp_i;
  req_ahead_q <= req_ahead_i;
  cmd_held_q <= started_q && cmd_valid_i && !cmd_ready_o;
  cmd_qp_q <= cmd_qp_i;
  cmd_forgets_q <= cmd_forgets_i;
  if (skip_valid_i) last_qp_q <= skip_qp_i;
  if (!started_q) since_q <= '1;
  else if (skip_valid_i) since_q <= 3'd1;
  else if (since_q != '1) since_q <= since_q + 3'd1;
  if (!started_q || (resets && cmd_ready_o)) begin
    told_q <= '0;
    left_q <= '0;
  end else begin
    if (begins || (skip_valid_i && skip_qp_i == which)) told_q <= told_q + 1'b1;
    if (leaves) left_q <= left_q + 1'b1;
  end
  if (begins) skips_q[told_q] <= 1'b0;
  if (skip_valid_i && skip_qp_i == which) skips_q[told_q] <= 1'b1;
end

logic [IndexW-1:0] inside;
assign inside = told_q - left_q;
always_comb begin
  if (started_q) begin
    assume (32'(req_qp_i) < Qps && 32'(skip_qp_i) < Qps && 32'(cmd_qp_i) < Qps);
    assume (!wiping || (!req_valid_i && !skip_valid_i && !cmd_valid_i));
    if (req_held_q) begin
      assume (req_valid_i && req_index_i == req_index_q && req_qp_i == req_qp_q &&
              req_ahead_i == req_ahead_q);
    end
    if (cmd_held_q) begin
      assume (cmd_valid_i && cmd_qp_i == cmd_qp_q && cmd_forgets_i == cmd_forgets_q);
    end
    if (skip_valid_i) assume (since_q >= (skip_qp_i == last_qp_q ? 3'd2 : 3'd6));
    if (begins) assume (req_index_i == told_q);
    if (skip_valid_i && skip_qp_i == which) begin
      assume (skip_index_i == told_q && skip_passes_i == passes && !begins);
    end
    if (begins || (skip_valid_i && skip_qp_i == which)) assume (32'(inside) < Most);
    // Nothing comes of a queue pair that is being reset.
    if (resets) begin
      assume (!(req_valid_i && req_qp_i == which) && !(skip_valid_i && skip_qp_i == which));
    end
  end
end

// ---- What leaves ----
always_comb begin
  if (started_q) begin
    // A request may leave in the clock in which it comes, with nothing in front of it.
    if (leaves && begins && !in_skip_o) begin
      assert (inside == '0 && req_index_i == left_q);
    end else if (leaves) begin
      assert (inside != '0);
      assert (in_skip_o == skips_q[left_q]);
      assert (!in_skip_o || in_passes_o == passes);
      assert (in_skip_o || req_index_i == left_q);
    end
    if (in_valid_o && !in_skip_o) assert (req_valid_i && req_qp_i == in_qp_o);
    if (cmd_valid_o && resets) assert (!(in_valid_o && in_qp_o == which));
    // Whatever is inside is seen.
    if (inside != '0) assert (busy_o || resets || (req_valid_i && req_qp_i == which));
    cover (leaves && begins && !in_skip_o && left_q == IndexW'(2));
    cover (leaves && in_skip_o && left_q == IndexW'(2));
    cover (leaves && !in_skip_o && left_q == IndexW'(2) && skips_q[1:0] == 2'b11);
    cover (resets && cmd_ready_o && inside == IndexW'(2));
  end
end
