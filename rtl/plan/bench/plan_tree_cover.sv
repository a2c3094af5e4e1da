// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_plan_tree must reach.
module plan_tree_cover (
  input logic here,
  input logic routed,
  input logic bcast,
  input logic reduce,
  input logic is_root,
  input logic leaf,
  input logic local_root,
  input logic clk
);
  logic elsewhere;
  assign elsewhere = !here && !routed;

  bcast_from_here: cover property (@(posedge clk) bcast && here);
  bcast_from_the_subtree: cover property (@(posedge clk) bcast && routed && !is_root);
  bcast_from_elsewhere: cover property (@(posedge clk) bcast && elsewhere && !leaf);
  bcast_turns: cover property (@(posedge clk) bcast && is_root && routed);
  bcast_at_both_roots: cover property (@(posedge clk) bcast && is_root && here);
  reduce_to_here: cover property (@(posedge clk) reduce && here && !is_root && local_root);
  reduce_to_the_subtree: cover property (@(posedge clk) reduce && routed && !is_root);
  reduce_to_elsewhere: cover property (@(posedge clk) reduce && elsewhere);
  reduce_turns: cover property (@(posedge clk) reduce && is_root && routed);
  all_at_the_root: cover property (@(posedge clk) !bcast && !reduce && is_root && !leaf);
  all_at_a_leaf: cover property (@(posedge clk) !bcast && !reduce && !is_root && leaf);
endmodule

bind tally_plan_tree plan_tree_cover u_cover (
  .clk(clk_i), .routed(chunk_i.routed),
  .is_root(group_i.root), .leaf(group_i.children == '0),
  .local_root((root & group_i.rank_mask) != '0), .*);
