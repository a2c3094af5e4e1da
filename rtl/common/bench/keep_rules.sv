// SPDX-License-Identifier: BSD-2-Clause
// The rules of the streams of tally_keep.
bind tally_keep stream_rules #(.Width(Width)) u_out_rules (
  .clk_i, .rst_ni, .valid_i(out_valid_o), .ready_i(out_ready_i), .data_i(out_o)
);
