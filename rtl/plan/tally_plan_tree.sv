// SPDX-License-Identifier: BSD-2-Clause
// Moves of a chunk in TREE, of ALLREDUCE, REDUCE, BCAST and BARRIER: plan() of the model's tree.c.
// Sums go up to the root of the tree, results come down. The data of BCAST go along the path from
// the root of the message to that of the tree, the result of REDUCE along the same path back. The
// plan comes one clock after its chunk.
module tally_plan_tree (
  input  logic                   clk_i,
  // verilator lint_off UNUSEDSIGNAL
  input  logic                   rst_ni,  // for the proof: the block has no state
  // verilator lint_on UNUSEDSIGNAL
  // verilator lint_off UNUSEDSIGNAL
  input  tally_plan_pkg::group_t group_i,
  input  tally_plan_pkg::chunk_t chunk_i,
  // verilator lint_on UNUSEDSIGNAL
  output tally_plan_pkg::plan_t  plan_o
);
  localparam int unsigned Contributors = tally_plan_pkg::Contributors;
  localparam int unsigned Ranks = tally_plan_pkg::Ranks;

  tally_plan_pkg::plan_t plan;
  logic here, bcast, reduce, on_path;
  logic [Ranks-1:0] root;          // the root of the message, if it is here
  logic [Contributors-1:0] route;  // the contributor that leads to it

  assign here = chunk_i.root_node == group_i.node;
  assign root = here ? Ranks'(1) << chunk_i.root_rank[$clog2(Ranks)-1:0] : '0;
  assign route = chunk_i.routed ? Contributors'(1) << chunk_i.route : '0;
  assign on_path = here || chunk_i.routed;
  assign bcast = chunk_i.opcode == tally_pkg::OpcodeBcast;
  assign reduce = chunk_i.opcode == tally_pkg::OpcodeReduce;

  always_comb begin
    plan.up_edge = group_i.parent;
    plan.down_edge = group_i.parent;
    plan.up_ranks = bcast ? root : group_i.rank_mask;
    plan.up_contributors = bcast ? route : group_i.children;
    plan.up_send = !group_i.root && (!bcast || on_path);
    plan.deliver = reduce ? root : bcast ? group_i.rank_mask & ~root : group_i.rank_mask;
    plan.down_todo = reduce ? route : group_i.children;
    plan.down_expected = !reduce || on_path;
    plan.turns = group_i.root && plan.down_expected;
  end

  always_ff @(posedge clk_i) plan_o <= plan;

`ifdef FORMAL
  `include "plan_tree_proof.svh"
`endif
endmodule
