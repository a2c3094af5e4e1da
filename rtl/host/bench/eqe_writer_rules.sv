// SPDX-License-Identifier: BSD-2-Clause
// The rules of the streams of tally_eqe_writer.
bind tally_eqe_writer stream_rules #(.Width(RingW + AddrW + EqeW)) u_wr_rules (
  .clk_i, .rst_ni, .valid_i(wr_valid_o), .ready_i(wr_ready_i),
  .data_i({wr_ring_o, wr_start_o, wr_data_o})
);
bind tally_eqe_writer stream_rules #(.Width(EqnW + VectorW)) u_irq_rules (
  .clk_i, .rst_ni, .valid_i(irq_valid_o), .ready_i(irq_ready_i),
  .data_i({irq_eqn_o, irq_vector_o})
);
