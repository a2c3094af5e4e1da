// SPDX-License-Identifier: BSD-2-Clause
// The rules of the streams of tally_nic_events.
bind tally_nic_events stream_rules #(.Width(2)) u_b_rules (
  .clk_i, .rst_ni, .valid_i(axil_bvalid_o), .ready_i(axil_bready_i), .data_i(axil_bresp_o)
);
bind tally_nic_events stream_rules #(.Width(34)) u_r_rules (
  .clk_i, .rst_ni, .valid_i(axil_rvalid_o), .ready_i(axil_rready_i), .data_i({axil_rresp_o,
  axil_rdata_o})
);
bind tally_nic_events stream_rules #(.Width(32)) u_next_rules (
  .clk_i, .rst_ni, .valid_i(next_arvalid_o), .ready_i(next_arready_i), .data_i(axil_araddr_i)
);
