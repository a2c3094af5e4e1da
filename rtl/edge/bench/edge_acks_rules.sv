// SPDX-License-Identifier: BSD-2-Clause
// The rules of tally_edge_acks: an edge is armed only if a place is free.
module edge_acks_rules (
  input logic clk_i,
  input logic rst_ni,
  input logic arm_valid_i,
  input logic full
);
  fits: assert property (@(posedge clk_i) disable iff (!rst_ni) arm_valid_i |-> !full)
    else $error("an edge is armed without a place");
endmodule
bind tally_edge_acks edge_acks_rules u_rules (
  .clk_i, .rst_ni, .arm_valid_i, .full(count_q == (PlaceW + 1)'(Depth))
);
