// SPDX-License-Identifier: BSD-2-Clause
// The rules of the streams of tally_sender.
bind tally_sender stream_rules #(.Width(EntryW)) u_row_rules (
  .clk_i, .rst_ni, .valid_i(row_valid_o), .ready_i(row_ready_i), .data_i(row_entry_o)
);
bind tally_sender stream_rules #(.Width(QpW)) u_look_rules (
  .clk_i, .rst_ni, .valid_i(look_valid_o), .ready_i(look_ready_i), .data_i(look_qp_o)
);
