// SPDX-License-Identifier: BSD-2-Clause
// The rules of the streams of tally_local_due.
bind tally_local_due stream_rules #(.Width(EntryW)) u_row_rules (
  .clk_i, .rst_ni, .valid_i(row_valid_o), .ready_i(row_ready_i), .data_i(row_entry_o)
);
bind tally_local_due stream_rules #(.Width(EntryW + RankW)) u_sge_rules (
  .clk_i, .rst_ni, .valid_i(sge_valid_o), .ready_i(sge_ready_i),
  .data_i({sge_entry_o, sge_index_o})
);
bind tally_local_due stream_rules #(.Width(EntryW + 26)) u_line_rules (
  .clk_i, .rst_ni, .valid_i(line_valid_o), .ready_i(line_ready_i),
  .data_i({new_entry_o, line_from_o, line_len_o})
);
bind tally_local_due stream_rules #(.Width(QpW + EntryW + 86 + 127 + 344)) u_new_rules (
  .clk_i, .rst_ni, .valid_i(new_valid_o), .ready_i(new_ready_i),
  .data_i({new_qp_o, new_entry_o, new_o, access_o, note_o})
);
