// SPDX-License-Identifier: BSD-2-Clause
// The rules of the streams of tally_rr_arbiter.
bind tally_rr_arbiter stream_rules #(.Width(IndexW)) u_grant_rules (
  .clk_i, .rst_ni, .valid_i(grant_valid_o), .ready_i(grant_ready_i), .data_i(grant_o)
);
