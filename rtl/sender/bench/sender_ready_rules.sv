// SPDX-License-Identifier: BSD-2-Clause
// The rules of the stream of tally_sender_ready.
bind tally_sender_ready stream_rules #(.Width(QpW)) u_out_rules (
  .clk_i, .rst_ni, .valid_i(out_valid_o), .ready_i(out_ready_i), .data_i(out_qp_o)
);
