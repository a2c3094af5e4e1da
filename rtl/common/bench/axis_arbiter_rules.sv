// SPDX-License-Identifier: BSD-2-Clause
// The rules of the streams of tally_axis_arbiter.
bind tally_axis_arbiter axis_rules #(.Bytes(Bytes)) u_out_rules (
  .clk_i, .rst_ni, .tvalid_i(out_tvalid_o), .tready_i(out_tready_i), .tdata_i(out_tdata_o),
  .tkeep_i(out_tkeep_o), .tlast_i(out_tlast_o)
);
bind tally_axis_arbiter stream_rules #(.Width(IndexW)) u_from_rules (
  .clk_i, .rst_ni, .valid_i(out_tvalid_o), .ready_i(out_tready_i), .data_i(out_from_o)
);
