// SPDX-License-Identifier: BSD-2-Clause
// The rules of the streams of tally_store_wait.
bind tally_store_wait stream_rules #(.Width(SlotW + 1 + Contributors)) u_due_rules (
  .clk_i, .rst_ni, .valid_i(due_valid_o), .ready_i(due_ready_i),
  .data_i({due_slot_o, due_sum_o, due_contributors_o})
);
