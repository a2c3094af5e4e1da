// SPDX-License-Identifier: BSD-2-Clause
// The rules of the streams of tally_sender_turn.
bind tally_sender_turn stream_rules #(.Width(3 + 16 + 2 * NumW + 2)) u_verdict_rules (
  .clk_i, .rst_ni, .valid_i(verdict_valid_o), .ready_i(verdict_ready_i),
  .data_i({verdict_o, status_o, num_o, top_o, last_o, borrow_o})
);
bind tally_sender_turn stream_rules #(.Width(GroupW + NumW)) u_peek_rules (
  .clk_i, .rst_ni, .valid_i(peek_valid_i), .ready_i(peek_ready_o), .data_i({peek_group_i,
  peek_mid_i})
);
