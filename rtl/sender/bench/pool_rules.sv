// SPDX-License-Identifier: BSD-2-Clause
// The rules of the stream of tally_pool.
bind tally_pool stream_rules #(.Width(2 + GroupW)) u_cmd_rules (
  .clk_i, .rst_ni, .valid_i(cmd_valid_o), .ready_i(cmd_ready_i), .data_i({cmd_o, cmd_group_o})
);
bind tally_pool stream_rules #(.Width(GroupW)) u_peek_rules (
  .clk_i, .rst_ni, .valid_i(peek_valid_i), .ready_i(peek_ready_o), .data_i(peek_group_i)
);
