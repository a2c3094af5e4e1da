// SPDX-License-Identifier: BSD-2-Clause
// The rules of the streams of tally_local_inline.
bind tally_local_inline stream_rules #(.Width(EntryW + 2 * WordW + 1)) u_read_rules (
  .clk_i, .rst_ni, .valid_i(read_valid_o), .ready_i(read_ready_i),
  .data_i({read_entry_o, read_first_o, read_words_o})
);
bind tally_local_inline stream_rules #(.Width(WordBits)) u_inl_rules (
  .clk_i, .rst_ni, .valid_i(inl_valid_o), .ready_i(inl_ready_i), .data_i(inl_data_o)
);
