// SPDX-License-Identifier: BSD-2-Clause
// The rules of the streams of tally_edge_ops.
bind tally_edge_ops stream_rules #(.Width(3 + RowW + NumW)) u_op_rules (
  .clk_i, .rst_ni, .valid_i(op_valid_o), .ready_i(op_ready_i), .data_i({op_o, op_row_o, op_done_o})
);
