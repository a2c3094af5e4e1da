// SPDX-License-Identifier: BSD-2-Clause
// The rules of the streams of tally_ordered.
bind tally_ordered stream_rules #(.Width(SlotW + NumW + 16 + LenW)) u_open_rules (
  .clk_i, .rst_ni, .valid_i(open_valid_i), .ready_i(open_ready_o), .data_i({open_slot_i,
  open_num_i, open_op_i, open_dtype_i, open_len_i})
);
bind tally_ordered stream_rules #(.Width(SlotW + InputW + 1 + CellW)) u_in_rules (
  .clk_i, .rst_ni, .valid_i(in_valid_i), .ready_i(in_ready_o), .data_i({in_slot_i, in_input_i,
  in_absent_i, in_cell_i})
);
bind tally_ordered stream_rules #(.Width(SlotW + 1 + CellW + 16)) u_res_rules (
  .clk_i, .rst_ni, .valid_i(res_valid_o), .ready_i(res_ready_i), .data_i({res_slot_o,
  res_absent_o, res_cell_o, res_err_vector_o})
);
bind tally_ordered stream_rules #(.Width(CellW)) u_free_rules (
  .clk_i, .rst_ni, .valid_i(free_valid_o), .ready_i(free_ready_i), .data_i(free_cell_o)
);
bind tally_ordered stream_rules #(.Width(2 * CellW + WordNumW)) u_rd_rules (
  .clk_i, .rst_ni, .valid_i(rd_valid_o), .ready_i(rd_ready_i), .data_i({rd_left_o, rd_right_o,
  rd_word_o})
);
bind tally_ordered stream_rules #(.Width(CellW + WordNumW + WordW)) u_wr_rules (
  .clk_i, .rst_ni, .valid_i(wr_valid_o), .ready_i(wr_ready_i), .data_i({wr_cell_o, wr_word_o,
  wr_data_o})
);
