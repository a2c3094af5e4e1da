// SPDX-License-Identifier: BSD-2-Clause
// The rules of the streams of tally_queue_regs.
bind tally_queue_regs stream_rules #(.Width(2)) u_b_rules (
  .clk_i, .rst_ni, .valid_i(axil_bvalid_o), .ready_i(axil_bready_i), .data_i(axil_bresp_o)
);
bind tally_queue_regs stream_rules #(.Width(RingW + AddrW + CqnW + 1)) u_cq_cfg_rules (
  .clk_i, .rst_ni, .valid_i(cq_cfg_valid_o), .ready_i(cq_cfg_ready_i),
  .data_i({ring_o, first_o, cqn_o, enable_o})
);
bind tally_queue_regs stream_rules #(.Width(RingW + AddrW + EqnW + 1)) u_eq_cfg_rules (
  .clk_i, .rst_ni, .valid_i(eq_cfg_valid_o), .ready_i(eq_cfg_ready_i),
  .data_i({ring_o, first_o, eqn_o, enable_o})
);
bind tally_queue_regs stream_rules #(.Width(CountW + EqnW)) u_eq_db_rules (
  .clk_i, .rst_ni, .valid_i(eq_db_valid_o), .ready_i(eq_db_ready_i), .data_i({count_o, eqn_o})
);
