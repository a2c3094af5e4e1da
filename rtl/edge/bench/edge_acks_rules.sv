// SPDX-License-Identifier: BSD-2-Clause
// The rules of the streams of tally_edge_acks.
bind tally_edge_acks stream_rules #(.Width(KeyW)) u_due_rules (
  .clk_i, .rst_ni, .valid_i(due_valid_o), .ready_i(due_ready_i), .data_i(due_key_o)
);
