// SPDX-License-Identifier: BSD-2-Clause
// The rules of the streams of tally_scale_inverse.
bind tally_scale_inverse stream_rules #(.Width(DownW + InverseW)) u_out_rules (
  .clk_i, .rst_ni, .valid_i(valid_o), .ready_i(ready_i), .data_i({down_o, inverse_o})
);
