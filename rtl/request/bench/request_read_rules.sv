// SPDX-License-Identifier: BSD-2-Clause
// The rules of the streams of tally_request_read.
bind tally_request_read stream_rules #(.Width(QpW + IndexW + 2 + 512)) u_out_rules (
  .clk_i, .rst_ni, .valid_i(out_valid_o), .ready_i(out_ready_i),
  .data_i({out_qp_o, out_index_o, out_last_o, out_error_o, out_data_o})
);
