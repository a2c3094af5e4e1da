// SPDX-License-Identifier: BSD-2-Clause
// The rules of the streams of tally_axi_wr.
bind tally_axi_wr axi_address_rules #(
  .AddrW(AddrW), .IdW(1), .Bytes(Bytes), .Boundary(Boundary)
) u_aw_rules (
  .clk_i, .rst_ni, .valid_i(awvalid_o), .ready_i(awready_i), .id_i(1'b0), .addr_i(awaddr_o),
  .len_i(awlen_o), .size_i(awsize_o), .burst_i(awburst_o)
);
bind tally_axi_wr axi_write_rules #(.Bytes(Bytes)) u_w_rules (
  .clk_i, .rst_ni, .awvalid_i(awvalid_o), .awready_i(awready_i), .awlen_i(awlen_o),
  .wvalid_i(wvalid_o), .wready_i(wready_i), .wdata_i(wdata_o), .wstrb_i(wstrb_o), .wlast_i(wlast_o)
);
bind tally_axi_wr stream_rules #(.Width(TagW + 1)) u_done_rules (
  .clk_i, .rst_ni, .valid_i(done_valid_o), .ready_i(done_ready_i),
  .data_i({done_tag_o, done_error_o})
);
