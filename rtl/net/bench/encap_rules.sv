// SPDX-License-Identifier: BSD-2-Clause
// The rules of the streams of tally_encap.
bind tally_encap stream_rules #(.Width($bits(hdr_i))) u_hdr_rules (
  .clk_i, .rst_ni, .valid_i(hdr_valid_i), .ready_i(hdr_ready_o), .data_i(hdr_i)
);
// A payload with a wrong tkeep is refused.
bind tally_encap stream_rules #(.Width(9 * tally_net_pkg::WordBytes + 1)) u_pay_rules (
  .clk_i, .rst_ni, .valid_i(pay_tvalid_i), .ready_i(pay_tready_o),
  .data_i({pay_tlast_i, pay_tkeep_i, pay_tdata_i})
);
bind tally_encap axis_rules #(.Bytes(tally_net_pkg::WordBytes)) u_frame_rules (
  .clk_i, .rst_ni, .tvalid_i(frame_tvalid_o), .tready_i(frame_tready_i),
  .tdata_i(frame_tdata_o), .tkeep_i(frame_tkeep_o), .tlast_i(frame_tlast_o)
);
