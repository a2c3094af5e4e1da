// SPDX-License-Identifier: BSD-2-Clause
// The rules of the stream of tally_pool.
bind tally_pool stream_rules #(.Width(2 + GroupW)) u_cmd_rules (
  .clk_i, .rst_ni, .valid_i(cmd_valid_o), .ready_i(cmd_ready_i), .data_i({cmd_o, cmd_group_o})
);
