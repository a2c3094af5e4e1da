// SPDX-License-Identifier: BSD-2-Clause
// The rules of the stream of operations of tally_head_regs. What an operation does not use is not
// compared.
bind tally_head_regs stream_rules #(.Width(3 + RowW)) u_op_rules (
  .clk_i, .rst_ni, .valid_i(op_valid_o), .ready_i(op_ready_i), .data_i({op_o, op_row_o})
);
