// SPDX-License-Identifier: BSD-2-Clause
// The rules of the streams of tally_edge_timers.
bind tally_edge_timers stream_rules #(.Width(EdgeW + TriesW + 1)) u_expired_rules (
  .clk_i, .rst_ni, .valid_i(expired_valid_o), .ready_i(expired_ready_i),
  .data_i({expired_edge_o, expired_tries_o, expired_over_o})
);
