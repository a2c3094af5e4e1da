// SPDX-License-Identifier: BSD-2-Clause
// The rules of the streams of tally_fw_send; those of its packets are those of tally_fw_packet.
bind tally_fw_send stream_rules #(.Width(GroupW + EdgeW)) u_look_rules (
  .clk_i, .rst_ni, .valid_i(look_valid_o), .ready_i(look_ready_i),
  .data_i({look_group_o, look_edge_o})
);
