// SPDX-License-Identifier: BSD-2-Clause
// The rules of the streams of tally_status.
bind tally_status stream_rules #(.Width(CqnW + 513)) u_cpl_rules (
  .clk_i, .rst_ni, .valid_i(cpl_valid_o), .ready_i(cpl_ready_i),
  .data_i({cpl_cqn_o, cpl_o, cpl_solicited_o})
);
bind tally_status stream_rules #(.Width(QpW + 2)) u_tell_rules (
  .clk_i, .rst_ni, .valid_i(tell_valid_o), .ready_i(tell_ready_i), .data_i({tell_qp_o, tell_o})
);
bind tally_status stream_rules #(.Width(QpW + 112)) u_fail_rules (
  .clk_i, .rst_ni, .valid_i(fail_valid_o), .ready_i(fail_ready_i),
  .data_i({fail_qp_o, fail_status_o, fail_ranks_o, fail_mid_o})
);
bind tally_status stream_rules #(.Width(EntryW)) u_row_rules (
  .clk_i, .rst_ni, .valid_i(row_valid_o), .ready_i(row_ready_i), .data_i(row_entry_o)
);
