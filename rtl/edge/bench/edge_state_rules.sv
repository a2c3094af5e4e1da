// SPDX-License-Identifier: BSD-2-Clause
// The rules of the streams of tally_edge_state.
bind tally_edge_state stream_rules #(.Width(GroupW + EdgeW)) u_look_rules (
  .clk_i, .rst_ni, .valid_i(look_valid_o), .ready_i(look_ready_i),
  .data_i({look_group_o, look_edge_o})
);
bind tally_edge_state stream_rules #(.Width(GroupW + EdgeW + RowW)) u_tell_rules (
  .clk_i, .rst_ni, .valid_i(tell_valid_o), .ready_i(tell_ready_i),
  .data_i({tell_group_o, tell_edge_o, tell_row_o})
);
