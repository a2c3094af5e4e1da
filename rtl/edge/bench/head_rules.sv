// SPDX-License-Identifier: BSD-2-Clause
// The rules of the streams of tally_head.
bind tally_head stream_rules #(.Width(998)) u_out_rules (
  .clk_i, .rst_ni, .valid_i(out_valid_o), .ready_i(out_ready_i), .data_i(out_o)
);
bind tally_head stream_rules #(.Width($bits(ask_o))) u_ask_rules (
  .clk_i, .rst_ni, .valid_i(ask_valid_o), .ready_i(ask_ready_i), .data_i(ask_o)
);
bind tally_head stream_rules #(.Width(35)) u_op_rules (
  .clk_i, .rst_ni, .valid_i(op_valid_o), .ready_i(op_ready_i), .data_i({op_o, op_num_o})
);
