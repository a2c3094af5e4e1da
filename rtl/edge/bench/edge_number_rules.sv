// SPDX-License-Identifier: BSD-2-Clause
// The rules of the streams of tally_edge_number.
bind tally_edge_number stream_rules #(.Width($bits(in_i) + $bits(in_name_i))) u_in_rules (
  .clk_i, .rst_ni, .valid_i(in_valid_i), .ready_i(in_ready_o), .data_i({in_i, in_name_i})
);
bind tally_edge_number stream_rules #(.Width($bits(out_o))) u_out_rules (
  .clk_i, .rst_ni, .valid_i(out_valid_o), .ready_i(out_ready_i), .data_i(out_o)
);
bind tally_edge_number stream_rules #(.Width($bits(ask_o))) u_ask_rules (
  .clk_i, .rst_ni, .valid_i(ask_valid_o), .ready_i(ask_ready_i), .data_i(ask_o)
);
