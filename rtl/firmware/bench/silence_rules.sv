// SPDX-License-Identifier: BSD-2-Clause
// The rules of the streams of tally_silence.
bind tally_silence stream_rules #(.Width(GroupW + 64)) u_exc_rules (
  .clk_i, .rst_ni, .valid_i(exc_valid_o), .ready_i(exc_ready_i),
  .data_i({exc_group_o, exc_o.contributors})
);
bind tally_silence stream_rules #(.Width($bits(tally_edge_pkg::expired_t))) u_passed_rules (
  .clk_i, .rst_ni, .valid_i(passed_valid_o), .ready_i(passed_ready_i), .data_i(passed_o)
);
