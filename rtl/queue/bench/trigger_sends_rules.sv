// SPDX-License-Identifier: BSD-2-Clause
// The rules of the streams of tally_trigger_sends.
bind tally_trigger_sends stream_rules #(.Width(DescW + ReceiverW + 33)) u_out_rules (
  .clk_i, .rst_ni, .valid_i(out_valid_o), .ready_i(out_ready_i),
  .data_i({out_desc_o, out_receiver_o, out_again_o, out_again_o ? out_seq_o : 32'd0})
);
