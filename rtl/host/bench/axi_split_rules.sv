// SPDX-License-Identifier: BSD-2-Clause
// The rules of the bursts of tally_axi_split.
bind tally_axi_split stream_rules #(.Width(AddrW + BeatW + 1 + TagW)) u_rules (
  .clk_i, .rst_ni, .valid_i(out_valid_o), .ready_i(out_ready_i),
  .data_i({out_addr_o, out_beats_o, out_last_o, out_tag_o})
);
