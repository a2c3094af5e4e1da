// SPDX-License-Identifier: BSD-2-Clause
// The rules of the streams of tally_segment_map.
bind tally_segment_map stream_rules #(.Width($bits(cmd_i) + GroupW + 32)) u_cmd_rules (
  .clk_i, .rst_ni, .valid_i(cmd_valid_i), .ready_i(cmd_ready_o), .data_i({cmd_i, cmd_group_i,
  cmd_num_i})
);
bind tally_segment_map stream_rules #(.Width(65)) u_answer_rules (
  .clk_i, .rst_ni, .valid_i(answer_valid_o), .ready_i(answer_ready_i), .data_i({answer_ok_o,
  answer_done_o, answer_limit_o})
);
bind tally_segment_map stream_rules #(.Width(SlotW)) u_freed_rules (
  .clk_i, .rst_ni, .valid_i(freed_valid_o), .ready_i(freed_ready_i), .data_i(freed_slot_o)
);
bind tally_segment_map stream_rules #(.Width(GroupW + 32)) u_peek_rules (
  .clk_i, .rst_ni, .valid_i(peek_valid_i), .ready_i(peek_ready_o), .data_i({peek_group_i,
  peek_index_i})
);
