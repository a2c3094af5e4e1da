// SPDX-License-Identifier: BSD-2-Clause
// The rules of the streams of tally_cqe_writer.
bind tally_cqe_writer stream_rules #(.Width(RingW + AddrW + 512)) u_wr_rules (
  .clk_i, .rst_ni, .valid_i(wr_valid_o), .ready_i(wr_ready_i),
  .data_i({wr_ring_o, wr_start_o, wr_data_o})
);
bind tally_cqe_writer stream_rules #(.Width(RingW + AddrW + CqnW + 1)) u_rd_rules (
  .clk_i, .rst_ni, .valid_i(rd_valid_o), .ready_i(rd_ready_i),
  .data_i({rd_ring_o, rd_start_o, rd_tag_o})
);
bind tally_cqe_writer stream_rules #(.Width(EqnW + 8 + CqnW)) u_event_rules (
  .clk_i, .rst_ni, .valid_i(event_valid_o), .ready_i(event_ready_i), .data_i({event_eqn_o,
  event_type_o, event_cqn_o})
);
