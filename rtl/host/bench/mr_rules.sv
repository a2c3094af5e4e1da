// SPDX-License-Identifier: BSD-2-Clause
// The rules of the answers of tally_mr.
bind tally_mr stream_rules #(.Width(16 + PageW + 2 + TagW)) u_mr_rules (
  .clk_i, .rst_ni, .valid_i(out_valid_o), .ready_i(out_ready_i),
  .data_i({out_status_o, out_len_o, out_last_o, out_tag_o})
);
