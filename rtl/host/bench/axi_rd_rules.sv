// SPDX-License-Identifier: BSD-2-Clause
// The rules of the streams of tally_axi_rd. The tag does not change within a request, so it is a
// part of each word.
bind tally_axi_rd axi_address_rules #(
  .AddrW(AddrW), .IdW(SlotW), .Bytes(Bytes), .Boundary(Boundary)
) u_ar_rules (
  .clk_i, .rst_ni, .valid_i(arvalid_o), .ready_i(arready_i), .id_i(arid_o), .addr_i(araddr_o),
  .len_i(arlen_o), .size_i(arsize_o), .burst_i(arburst_o)
);
bind tally_axi_rd axis_rules #(.Bytes(Bytes)) u_out_rules (
  .clk_i, .rst_ni, .tvalid_i(out_valid_o), .tready_i(out_ready_i), .tdata_i(out_data_o),
  .tkeep_i(out_keep_o), .tlast_i(out_last_o)
);
bind tally_axi_rd stream_rules #(.Width(TagW + 1)) u_tag_rules (
  .clk_i, .rst_ni, .valid_i(out_valid_o), .ready_i(out_ready_i), .data_i({out_tag_o, out_error_o})
);
