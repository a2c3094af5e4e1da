// SPDX-License-Identifier: BSD-2-Clause
// The rules of the streams of tally_status_in.
bind tally_status_in stream_rules #(.Width(QpW + 2)) u_in_rules (
  .clk_i, .rst_ni, .valid_i(in_valid_o), .ready_i(in_ready_i),
  .data_i({in_qp_o, in_skip_o, in_passes_o})
);
