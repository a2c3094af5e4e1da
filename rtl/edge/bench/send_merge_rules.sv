// SPDX-License-Identifier: BSD-2-Clause
// The rules of the streams of tally_send_merge.
bind tally_send_merge stream_rules #(.Width($bits(out_o))) u_out_rules (
  .clk_i, .rst_ni, .valid_i(out_valid_o), .ready_i(out_ready_i), .data_i(out_o)
);
