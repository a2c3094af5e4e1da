// SPDX-License-Identifier: BSD-2-Clause
// The rules of the streams of tally_sport.
bind tally_sport stream_rules #(.Width(16)) u_out_rules (
  .clk_i, .rst_ni, .valid_i(out_valid_o), .ready_i(out_ready_i), .data_i(port_o)
);
