// SPDX-License-Identifier: BSD-2-Clause
// The rules of the streams of tally_segment_hold.
bind tally_segment_hold stream_rules #(.Width(SlotW + 3 + IndexW)) u_in_rules (
  .clk_i, .rst_ni, .valid_i(in_valid_i), .ready_i(in_ready_o), .data_i({in_slot_i, in_clear_i,
  in_open_i, in_taken_i, in_index_i})
);
bind tally_segment_hold stream_rules #(.Width(SlotW)) u_peek_rules (
  .clk_i, .rst_ni, .valid_i(peek_valid_i), .ready_i(peek_ready_o), .data_i(peek_slot_i)
);
