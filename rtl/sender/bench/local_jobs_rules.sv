// SPDX-License-Identifier: BSD-2-Clause
// The rules of the streams of tally_local_jobs.
bind tally_local_jobs stream_rules #(.Width(127 + JobW)) u_acc_rules (
  .clk_i, .rst_ni, .valid_i(acc_valid_o), .ready_i(acc_ready_i), .data_i({acc_o, acc_job_o})
);
bind tally_local_jobs stream_rules #(.Width(8 * WordBytes)) u_dat_rules (
  .clk_i, .rst_ni, .valid_i(dat_valid_o), .ready_i(dat_ready_i), .data_i(dat_o)
);
bind tally_local_jobs stream_rules #(.Width(QpW + EntryW + 38)) u_end_rules (
  .clk_i, .rst_ni, .valid_i(end_valid_o), .ready_i(end_ready_i),
  .data_i({end_qp_o, end_entry_o, end_o})
);
bind tally_local_jobs stream_rules #(.Width(54)) u_take_rules (
  .clk_i, .rst_ni, .valid_i(take_valid_o), .ready_i(take_ready_i),
  .data_i({take_group_o, take_num_o, take_rank_o})
);
bind tally_local_jobs stream_rules #(.Width(112)) u_fault_rules (
  .clk_i, .rst_ni, .valid_i(fault_valid_o), .ready_i(fault_ready_i),
  .data_i({fault_group_o, fault_ranks_o, fault_mid_o})
);
bind tally_local_jobs stream_rules #(.Width(EntryW)) u_row_rules (
  .clk_i, .rst_ni, .valid_i(row_valid_o), .ready_i(row_ready_i), .data_i(row_entry_o)
);
