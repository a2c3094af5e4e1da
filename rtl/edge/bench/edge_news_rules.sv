// SPDX-License-Identifier: BSD-2-Clause
// The rules of the streams of tally_edge_news.
bind tally_edge_news stream_rules #(.Width(GroupW + 1)) u_walk_rules (
  .clk_i, .rst_ni, .valid_i(walk_valid_o), .ready_i(walk_ready_i),
  .data_i({walk_group_o, walk_soon_o})
);
