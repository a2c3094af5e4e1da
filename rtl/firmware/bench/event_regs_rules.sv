// SPDX-License-Identifier: BSD-2-Clause
// The rules of the streams of tally_event_regs.
bind tally_event_regs stream_rules #(.Width(34)) u_r_rules (
  .clk_i, .rst_ni, .valid_i(axil_rvalid_o), .ready_i(axil_rready_i), .data_i({axil_rresp_o,
  axil_rdata_o})
);
bind tally_event_regs stream_rules #(.Width($bits(event_o))) u_open_rules (
  .clk_i, .rst_ni, .valid_i(open_valid_o), .ready_i(open_ready_i), .data_i(event_o)
);
bind tally_event_regs stream_rules #(.Width(1)) u_take_rules (
  .clk_i, .rst_ni, .valid_i(take_valid_o), .ready_i(take_ready_i), .data_i(1'b0)
);
