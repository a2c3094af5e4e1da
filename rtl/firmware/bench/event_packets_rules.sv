// SPDX-License-Identifier: BSD-2-Clause
// The rules of the streams of tally_event_packets.
bind tally_event_packets stream_rules #(.Width($bits(in_i) + $bits(in_admission_i))) u_out_rules (
  .clk_i, .rst_ni, .valid_i(out_valid_o), .ready_i(out_ready_i), .data_i({in_i, in_admission_i})
);
bind tally_event_packets stream_rules #(.Width(16 + 8 + 512 + 512)) u_ev_rules (
  .clk_i, .rst_ni, .valid_i(ev_valid_o), .ready_i(ev_ready_i),
  .data_i({ev_context_o, ev_edge_o, ev_tch_o, ev_data_o})
);
