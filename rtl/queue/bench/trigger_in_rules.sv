// SPDX-License-Identifier: BSD-2-Clause
// The rules of the streams of tally_trigger_in.
bind tally_trigger_in stream_rules #(.Width(1 + QpW + GroupW + 7 + MessageW)) u_in_rules (
  .clk_i, .rst_ni, .valid_i(in_valid_o), .ready_i(in_ready_i),
  .data_i({in_own_o, in_qp_o, in_group_o, in_contributor_o, in_o})
);
bind tally_trigger_in stream_rules #(.Width(FlightW + 1)) u_end_rules (
  .clk_i, .rst_ni, .valid_i(end_valid_o), .ready_i(end_ready_i),
  .data_i({end_flight_o, end_stored_o})
);
bind tally_trigger_in stream_rules #(.Width(BusyW)) u_busy_rules (
  .clk_i, .rst_ni, .valid_i(busy_valid_o), .ready_i(busy_ready_i), .data_i(busy_reply_o)
);
bind tally_trigger_in stream_rules #(.Width(GroupW + 16)) u_find_rules (
  .clk_i, .rst_ni, .valid_i(find_valid_o), .ready_i(find_ready_i),
  .data_i({find_group_o, find_port_o})
);
