// SPDX-License-Identifier: BSD-2-Clause
// The rules of the streams of tally_edge_send.
bind tally_edge_send stream_rules #(.Width(2 + GroupW + EdgeW + 32)) u_set_rules (
  .clk_i, .rst_ni, .valid_i(set_valid_i), .ready_i(set_ready_o),
  .data_i({set_op_i, set_group_i, set_edge_i, set_seq_i})
);
bind tally_edge_send stream_rules #(.Width(1 + GroupW + EdgeW + 32 + Window)) u_reply_rules (
  .clk_i, .rst_ni, .valid_i(reply_valid_i), .ready_i(reply_ready_o),
  .data_i({reply_i, reply_group_i, reply_edge_i, reply_seq_i, reply_seen_i})
);
bind tally_edge_send stream_rules #(.Width($bits(ask_i))) u_ask_rules (
  .clk_i, .rst_ni, .valid_i(ask_valid_i), .ready_i(ask_ready_o), .data_i(ask_i)
);
bind tally_edge_send stream_rules #(.Width($bits(acked_o))) u_acked_rules (
  .clk_i, .rst_ni, .valid_i(acked_valid_o), .ready_i(acked_ready_i), .data_i(acked_o)
);
bind tally_edge_send stream_rules #(.Width($bits(again_o))) u_again_rules (
  .clk_i, .rst_ni, .valid_i(again_valid_o), .ready_i(again_ready_i), .data_i(again_o)
);
bind tally_edge_send stream_rules #(.Width($bits(expired_o))) u_expired_rules (
  .clk_i, .rst_ni, .valid_i(expired_valid_o), .ready_i(expired_ready_i), .data_i(expired_o)
);

// A look is taken only while the rows are free for it.
module edge_send_rules (
  input logic clk_i,
  input logic rst_ni,
  input logic ready_i,
  input logic free_i
);
  free: assert property (@(posedge clk_i) disable iff (!rst_ni) ready_i |-> free_i)
    else $error("a look is taken while a row is looked for");
endmodule
bind tally_edge_send edge_send_rules u_look_rules (
  .clk_i, .rst_ni, .ready_i(look_ready_o), .free_i(unused_look_ready)
);
