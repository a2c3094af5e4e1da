// SPDX-License-Identifier: BSD-2-Clause
// The rules of the streams of tally_parser_exit.
bind tally_parser_exit stream_rules #(.Width(RecordW)) u_hdr_rules (
  .clk_i, .rst_ni, .valid_i(hdr_valid_o), .ready_i(hdr_ready_i), .data_i(hdr_o)
);
bind tally_parser_exit axis_rules #(.Bytes(Bytes)) u_out_rules (
  .clk_i, .rst_ni, .tvalid_i(out_tvalid_o), .tready_i(out_tready_i), .tdata_i(out_tdata_o),
  .tkeep_i(out_tkeep_o), .tlast_i(out_tlast_o)
);
