// SPDX-License-Identifier: BSD-2-Clause
// The rules of the streams of tally_exceptions: commands, and what freezes a group, stay until they
// are taken.
bind tally_exceptions stream_rules #(.Width(1 + GroupW)) u_set_rules (
  .clk_i, .rst_ni, .valid_i(set_valid_i), .ready_i(set_ready_o), .data_i({set_begins_i,
  set_group_i})
);
bind tally_exceptions stream_rules #(.Width(GroupW)) u_freeze_rules (
  .clk_i, .rst_ni, .valid_i(freeze_valid_o), .ready_i(freeze_ready_i), .data_i(freeze_group_o)
);
