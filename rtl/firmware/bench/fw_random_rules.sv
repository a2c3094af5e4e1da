// SPDX-License-Identifier: BSD-2-Clause
// The rules of the stream of tally_fw_random.
bind tally_fw_random stream_rules #(.Width(128)) u_out_rules (
  .clk_i, .rst_ni, .valid_i(out_valid_o), .ready_i(out_ready_i),
  .data_i({nonce_o, key_o, first_seq_o})
);
