// SPDX-License-Identifier: BSD-2-Clause
// The rules of the streams of tally_mr_walks; its answers are those of its walkers.
bind tally_mr_walks stream_rules #(.Width(AddrW + WalkW)) u_reads_rules (
  .clk_i, .rst_ni, .valid_i(rd_valid_o), .ready_i(rd_ready_i), .data_i({rd_addr_o, rd_tag_o})
);
bind tally_mr_walks stream_rules #(.Width(16 + PageW + 2 + TagW)) u_answer_rules (
  .clk_i, .rst_ni, .valid_i(out_valid_o), .ready_i(out_ready_i),
  .data_i({out_status_o, out_len_o, out_last_o, out_tag_o})
);
