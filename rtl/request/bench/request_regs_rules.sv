// SPDX-License-Identifier: BSD-2-Clause
// The rules of the streams of tally_request_regs.
bind tally_request_regs stream_rules #(.Width(2)) u_b_rules (
  .clk_i, .rst_ni, .valid_i(axil_bvalid_o), .ready_i(axil_bready_i), .data_i(axil_bresp_o)
);
bind tally_request_regs stream_rules #(.Width(RingW + AddrW + QpW + 9 + 2 * LogW)) u_set_rules (
  .clk_i, .rst_ni, .valid_i(set_valid_o), .ready_i(set_ready_i),
  .data_i({set_ring_o, set_base_o, set_qp_o, set_state_o, set_create_o, set_depth_log_o,
           set_stride_log_o})
);
bind tally_request_regs stream_rules #(.Width(UarW + SlotW + 3 + ObjectW + StrideW)) u_bind_rules (
  .clk_i, .rst_ni, .valid_i(bind_valid_o), .ready_i(bind_ready_i),
  .data_i({bind_uar_o, bind_slot_o, bind_bound_o, bind_cq_o, bind_object_o, bind_push_o,
           bind_stride_o})
);
