// SPDX-License-Identifier: BSD-2-Clause
// The rules of the streams of tally_limits. A question may be withdrawn.
bind tally_limits stream_rules #(.Width(GroupW)) u_exc_rules (
  .clk_i, .rst_ni, .valid_i(exc_valid_o), .ready_i(exc_ready_i), .data_i(exc_group_o)
);
