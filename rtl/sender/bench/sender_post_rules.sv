// SPDX-License-Identifier: BSD-2-Clause
// The rules of the streams of tally_sender_post. A Post may be withdrawn, so post_* has none.
bind tally_sender_post stream_rules #(.Width(QpW + EntryW + 144)) u_upd_rules (
  .clk_i, .rst_ni, .valid_i(upd_valid_o), .ready_i(upd_ready_i),
  .data_i({upd_qp_o, upd_entry_o, upd_o})
);
bind tally_sender_post stream_rules #(.Width(QpW + EntryW)) u_flag_rules (
  .clk_i, .rst_ni, .valid_i(flag_valid_o), .ready_i(flag_ready_i),
  .data_i({upd_qp_o, upd_entry_o})
);
bind tally_sender_post stream_rules #(.Width(QpW + EntryW + 328)) u_due_rules (
  .clk_i, .rst_ni, .valid_i(due_valid_o), .ready_i(due_ready_i),
  .data_i({upd_qp_o, upd_entry_o, due_o})
);
