// SPDX-License-Identifier: BSD-2-Clause
// The rules of the streams of tally_cqe_writer.
bind tally_cqe_writer stream_rules #(.Width(AddrW)) u_aw_rules (
  .clk_i, .rst_ni, .valid_i(awvalid_o), .ready_i(awready_i), .data_i(awaddr_o)
);
bind tally_cqe_writer stream_rules #(.Width(512)) u_w_rules (
  .clk_i, .rst_ni, .valid_i(wvalid_o), .ready_i(wready_i), .data_i(wdata_o)
);
bind tally_cqe_writer stream_rules #(.Width(EqnW + 8 + CqnW)) u_event_rules (
  .clk_i, .rst_ni, .valid_i(event_valid_o), .ready_i(event_ready_i), .data_i({event_eqn_o,
  event_type_o, event_cqn_o})
);
