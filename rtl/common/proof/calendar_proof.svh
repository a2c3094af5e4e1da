// SPDX-License-Identifier: BSD-2-Clause
// Each node above the leaf of an arbitrary number is at most as late as the one below it, but for
// those above the node that is being carried up; so the root is never later than the time of the
// number. The number is offered only when its time is over, and has none after that. An offer stays
// until it is taken or the number is set.
`include "tally_proof.svh"

(* anyconst *) logic [NumW-1:0] followed;
logic [TimeW-1:0] time_f_q, now_last_q;  // its time
logic seen_q;  // it has been set since the reset
logic offered_q;
logic [NumW-1:0] offered_number_q;
logic sets_f, offers_f, clears, climbs;
assign sets_f = takes && set_number_i == followed;
assign offers_f = state_q == StTrue && is_due && number_q == followed;
assign clears = state_q == StClear;
assign climbs = state_q == StClimb;

always_ff @(posedge clk_i) begin
  if (!started_q || clears) time_f_q <= Never;
  else if (sets_f) time_f_q <= set_at_i;
  else if (offers_f) time_f_q <= Never;
  if (!started_q) seen_q <= 1'b0;
  else if (sets_f) seen_q <= 1'b1;
  now_last_q <= now_i;
  offered_q <= started_q && due_valid_o && !due_ready_i && !(takes && set_number_i == due_number_o);
  offered_number_q <= due_number_o;
end

// Its leaf and the nodes above, and where the climb is.
logic [NumW:0][TimeW-1:0] path_f;
logic [NumW:0][NodeW-1:0] node_f;
logic [NumW:0] above_f, is_node_f;  // the path of a number may be shorter
logic [Nodes-1:0] names_f;  // nodes that have its number, and a time
logic names_read, leaf_f_changes;
always_comb begin
  for (int unsigned l = 0; l <= NumW; l++) begin
    node_f[l] = leaf_of(followed) >> l;
    is_node_f[l] = node_f[l] != '0;
    path_f[l] = nodes_q[node_f[l]][NodeBits-1:NumW];
    above_f[l] = 1'b0;
    for (int unsigned k = 1; k <= NumW; k++) begin
      if (climbs && node_q >> k == node_f[l]) above_f[l] = 1'b1;
    end
  end
  for (int unsigned n = 0; n < Nodes; n++) begin
    names_f[n] = nodes_q[n][NumW-1:0] == followed && nodes_q[n][NodeBits-1:NumW] != Never;
  end
end
assign names_read = node_number == followed && node_at != Never;
assign leaf_f_changes = state_q == StLeaf && number_q == followed;

always_comb begin
  assume (32'(followed) < Num && 32'(set_number_i) < Num);
  assume (now_i != Never);
  if (started_q) assume (now_i >= now_last_q);
  if (started_q && clears) begin
    assert (first_at_q == Never && !due_valid_o && !seen_q);
    for (int unsigned l = 0; l <= NumW; l++) begin
      if (is_node_f[l] && node_f[l] < node_q) assert (path_f[l] == Never);
    end
    for (int unsigned n = 1; n < Nodes; n++) begin
      if (NodeW'(n) < node_q) assert (!names_f[n]);
    end
  end
  if (started_q && !clears) begin
    for (int unsigned l = 1; l <= NumW; l++) begin
      if (is_node_f[l] && !above_f[l]) assert (path_f[l] <= path_f[l-1]);
    end
    for (int unsigned n = 1; n < Nodes; n++) assert (!names_f[n] || seen_q);
    if (!climbs) assert (first_at_q == nodes_q[1][NodeBits-1:NumW]);
    if (first_valid && first_number_q == followed) assert (seen_q);
    if (climbs) begin
      assert (node_q >= NodeW'(2) && 32'(node_q) < Nodes);
      assert (at_q == nodes_q[node_q][NodeBits-1:NumW]);
      assert (node_read_q == nodes_q[node_q ^ NodeW'(1)]);
      if (number_q == followed && at_q != Never) assert (seen_q);
    end
    if (state_q == StLeaf) assert (node_read_q == nodes_q[leaf_of(number_q)]);
    if (leaf_f_changes) assert (at_q == time_f_q && seen_q);
    if (state_q == StTrue) begin
      assert (number_q == first_number_q && first_valid && !due_valid_o);
      assert (time_read_q == times_q[number_q]);
    end
    // The leaf is never later than its time.
    if (!leaf_f_changes) assert (path_f[0] <= time_f_q);
    if (path_f[0] != Never || leaf_f_changes) assert (times_q[followed] == time_f_q);
    else assert (time_f_q == Never);
    if (!seen_q) assert (path_f[0] == Never);
    if (offers_f) assert (time_f_q <= now_i && time_f_q != Never);
    if (!busy_o && time_f_q != Never) assert (deadline_valid_o && deadline_o <= time_f_q);
    if (!busy_o) assert (time_f_q == Never || time_f_q > now_i);
    if (due_valid_o && due_number_o == followed) assert (time_f_q == Never);
    if (offered_q) assert (due_valid_o && due_number_o == offered_number_q);
    cover (names_read && climbs);
    cover (due_valid_o && due_ready_i && due_number_o == followed);
    cover (state_q == StTrue && !is_due && time_read_q != Never);
    cover (state_q == StTrue && !is_due && time_read_q == Never);
    cover (climbs && swaps && at_root);
    cover (due_valid_o && takes && set_number_i == due_number_o && !due_ready_i);
    cover (!busy_o && time_f_q != Never && deadline_o < time_f_q);
  end
end
