// SPDX-License-Identifier: BSD-2-Clause
// The rules of the questions of tally_edge_look.
bind tally_edge_look stream_rules #(.Width(GroupW + EdgeW)) u_look_rules (
  .clk_i, .rst_ni, .valid_i(look_valid_o), .ready_i(look_ready_i),
  .data_i({look_group_o, look_edge_o})
);
