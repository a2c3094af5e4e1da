// SPDX-License-Identifier: BSD-2-Clause
// The rules of the streams of tally_region_regs.
bind tally_region_regs stream_rules #(.Width(2)) u_b_rules (
  .clk_i, .rst_ni, .valid_i(axil_bvalid_o), .ready_i(axil_bready_i), .data_i(axil_bresp_o)
);
bind tally_region_regs stream_rules #(.Width(3 * AddrW + PdW + 82)) u_cfg_rules (
  .clk_i, .rst_ni, .valid_i(cfg_valid_o), .ready_i(cfg_ready_i),
  .data_i({cfg_enable_o, cfg_lkey_o, cfg_pd_o, cfg_write_o, cfg_iova_o, cfg_addr_o, cfg_length_o,
           cfg_offset_o, cfg_levels_o, cfg_page_shift_o})
);
