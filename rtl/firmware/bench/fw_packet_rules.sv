// SPDX-License-Identifier: BSD-2-Clause
// The rules of the streams of tally_fw_packet.
bind tally_fw_packet stream_rules #(.Width(998)) u_out_rules (
  .clk_i, .rst_ni, .valid_i(out_valid_o), .ready_i(out_ready_i), .data_i(out_o)
);
bind tally_fw_packet axis_rules #(.Bytes(64)) u_dat_rules (
  .clk_i, .rst_ni, .tvalid_i(dat_tvalid_o), .tready_i(dat_tready_i), .tdata_i(dat_tdata_o),
  .tkeep_i(dat_tkeep_o), .tlast_i(dat_tlast_o)
);
