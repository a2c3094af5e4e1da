// SPDX-License-Identifier: BSD-2-Clause
// Follows an arbitrary range of an arbitrary group. A request is answered once, with its tag,
// within the clocks that its contributors take; the edge that is found is one of them. If the
// followed range has the node, an edge is found, and none behind it; if it is the one found, it has
// the node.
`include "tally_proof.svh"

(* anyconst *) logic [GroupW-1:0] group_f;
(* anyconst *) logic [EdgeW-1:0] edge_f;
logic [NodeW-1:0] first_f, count_f;
logic written_q = 1'b0;

logic pending_q = 1'b0, mine_q;
logic [NodeW-1:0] node_then;
logic [EdgeW:0] edges_then;
logic [TagW-1:0] tag_then;
logic [StepW+1:0] waits_q;
logic holds, counts;
logic [NodeW-1:0] ahead_f;

always_ff @(posedge clk_i) begin
  if (write_i && write_group_i == group_f && write_edge_i == edge_f) begin
    first_f <= write_first_i;
    count_f <= write_count_i;
    written_q <= started_q;
  end
  if (take) begin
    pending_q <= started_q;
    mine_q <= in_group_i == group_f;
    node_then <= in_node_i;
    edges_then <= in_edges_i;
    tag_then <= in_tag_i;
    waits_q <= '0;
  end else if (done) begin
    pending_q <= 1'b0;
  end else begin
    waits_q <= waits_q + 1'b1;
  end
end

// The table of a group is written while no request of it is inside.
always_comb begin
  assume (in_edges_i <= (EdgeW+1)'(Contributors));
  assume (!write_i || !((searching_q && group_q == write_group_i) ||
                        (in_valid_i && in_group_i == write_group_i)));
end

assign counts = written_q && pending_q && mine_q && (EdgeW+1)'(edge_f) < edges_then;
assign ahead_f = node_then - first_f;
assign holds = counts && node_then >= first_f && ahead_f < count_f;

always_comb begin
  if (started_q) begin
    assert (searching_q == pending_q);
    if (searching_q) begin
      assert (tag_q == tag_then && node_q == node_then);
      // Requests that find room are answered after one clock for each step.
      if (!out_valid_o || out_ready_i) begin
        assert (done || waits_q < (StepW+2)'(2**StepW) || waits_q[StepW+1]);
      end
    end
    if (done) begin
      if (found) assert ((EdgeW+1)'({step_q, lane}) < edges_then);
      if (holds) assert (found && {step_q, lane} <= edge_f);
      if (counts && found && {step_q, lane} == edge_f) assert (holds);
    end
    cover (done && holds && {step_q, lane} == edge_f && step_q != '0);
    cover (done && !found && edges_then == (EdgeW+1)'(Contributors));
    cover (done && take);
  end
end
