// SPDX-License-Identifier: BSD-2-Clause
// The rules of the streams of tally_edge_probes.
bind tally_edge_probes stream_rules #(.Width(RowW + GroupW + EdgeW)) u_waits_rules (
  .clk_i, .rst_ni, .valid_i(waits_valid_o), .ready_i(waits_ready_i),
  .data_i({waits_row_o, waits_group_o, waits_edge_o})
);
bind tally_edge_probes stream_rules #(.Width(RowW + GroupW + EdgeW)) u_query_rules (
  .clk_i, .rst_ni, .valid_i(query_valid_o), .ready_i(query_ready_i),
  .data_i({told_row_o, told_group_o, told_edge_o})
);
bind tally_edge_probes stream_rules #(.Width(RowW + GroupW + EdgeW)) u_silent_rules (
  .clk_i, .rst_ni, .valid_i(silent_valid_o), .ready_i(silent_ready_i),
  .data_i({told_row_o, told_group_o, told_edge_o})
);
