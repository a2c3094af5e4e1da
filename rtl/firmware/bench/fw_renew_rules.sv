// SPDX-License-Identifier: BSD-2-Clause
// The rules of the streams of tally_fw_renew.
bind tally_fw_renew stream_rules #(.Width(64)) u_put_rules (
  .clk_i, .rst_ni, .valid_i(put_valid_o), .ready_i(put_ready_i), .data_i({put_addr_o, put_data_o})
);
bind tally_fw_renew stream_rules #(.Width(2)) u_answer_rules (
  .clk_i, .rst_ni, .valid_i(axil_bvalid_o), .ready_i(axil_bready_i), .data_i(axil_bresp_o)
);
