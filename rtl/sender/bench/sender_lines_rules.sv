// SPDX-License-Identifier: BSD-2-Clause
// The rules of the streams of tally_sender_lines.
bind tally_sender_lines stream_rules #(.Width(512)) u_word_rules (
  .clk_i, .rst_ni, .valid_i(word_valid_o), .ready_i(word_ready_i), .data_i(word_o)
);
bind tally_sender_lines stream_rules #(.Width(1 + EntryW + IndexW)) u_far_sge_rules (
  .clk_i, .rst_ni, .valid_i(far_sge_valid_o), .ready_i(far_sge_ready_i),
  .data_i({far_sge_result_o, far_sge_entry_o, far_sge_index_o})
);
bind tally_sender_lines stream_rules #(.Width(EntryW + 2 * WordW + 3)) u_far_read_rules (
  .clk_i, .rst_ni, .valid_i(far_read_valid_o), .ready_i(far_read_ready_i),
  .data_i({far_read_entry_o, far_read_first_o, far_read_words_o})
);
