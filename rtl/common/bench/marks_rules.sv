// SPDX-License-Identifier: BSD-2-Clause
// The rules of the stream of tally_marks.
bind tally_marks stream_rules #(.Width(NumW)) u_out_rules (
  .clk_i, .rst_ni, .valid_i(out_valid_o), .ready_i(out_ready_i), .data_i(out_o)
);
