// SPDX-License-Identifier: BSD-2-Clause
// The rules of the streams of tally_edge_replies.
bind tally_edge_replies stream_rules #(.Width($bits(in_i) + $bits(in_admission_i) + 1)) u_in_rules (
  .clk_i, .rst_ni, .valid_i(out_valid_o), .ready_i(out_ready_i),
  .data_i({in_i, in_admission_i, in_alive_i})
);
bind tally_edge_replies stream_rules #(.Width(1 + 16 + 8 + 32 + Window)) u_reply_rules (
  .clk_i, .rst_ni, .valid_i(reply_valid_o), .ready_i(reply_ready_i),
  .data_i({reply_o, reply_context_o, reply_edge_o, reply_seq_o,
           reply_o == tally_edge_pkg::ReplyAck ? reply_seen_o : '0})
);
