// SPDX-License-Identifier: BSD-2-Clause
// The rules of the streams of tally_parser.
bind tally_parser axis_rules #(.Bytes(tally_net_pkg::WordBytes)) u_in_rules (
  .clk_i, .rst_ni, .tvalid_i(in_tvalid_i), .tready_i(in_tready_o), .tdata_i(in_tdata_i),
  .tkeep_i(in_tkeep_i), .tlast_i(in_tlast_i)
);
bind tally_parser stream_rules #(.Width($bits(hdr_o))) u_hdr_rules (
  .clk_i, .rst_ni, .valid_i(hdr_valid_o), .ready_i(hdr_ready_i), .data_i(hdr_o)
);
bind tally_parser axis_rules #(.Bytes(tally_net_pkg::WordBytes)) u_out_rules (
  .clk_i, .rst_ni, .tvalid_i(out_tvalid_o), .tready_i(out_tready_i), .tdata_i(out_tdata_o),
  .tkeep_i(out_tkeep_o), .tlast_i(out_tlast_o)
);
