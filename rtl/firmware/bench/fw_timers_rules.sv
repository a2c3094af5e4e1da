// SPDX-License-Identifier: BSD-2-Clause
// The rules of the streams of tally_fw_timers.
bind tally_fw_timers stream_rules #(.Width(24)) u_tmr_rules (
  .clk_i, .rst_ni, .valid_i(tmr_valid_o), .ready_i(tmr_ready_i),
  .data_i({tmr_context_o, tmr_edge_o})
);
