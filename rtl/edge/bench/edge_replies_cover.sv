// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_edge_replies must reach.
module edge_replies_cover (
  input logic       clk_i,
  input logic [1:0] state_q,
  input logic       in_valid_i,
  input logic       in_alive_i,
  input logic       take,
  input logic       is_ack,
  input logic       is_busy,
  input logic       holds,
  input logic       first_word,
  input logic       reply_valid_o,
  input logic       reply_ready_i,
  input logic       out_valid_o,
  input logic       pay_tvalid_i
);
  localparam logic [1:0] Seen = 2'd1, Offer = 2'd2;
  ack: cover property (@(posedge clk_i) take && is_ack);
  busy: cover property (@(posedge clk_i) take && is_busy);
  ended: cover property (@(posedge clk_i) in_valid_i && !in_alive_i);
  waits_for_payload: cover property (@(posedge clk_i) state_q == Seen && !pay_tvalid_i);
  seen: cover property (@(posedge clk_i) first_word);
  reply_waits: cover property (@(posedge clk_i) reply_valid_o && !reply_ready_i);
  held: cover property (@(posedge clk_i) holds && in_valid_i);
  others_pass: cover property (@(posedge clk_i) state_q == Offer && out_valid_o);
  others_pass_payload: cover property (@(posedge clk_i) state_q == Seen && out_valid_o);
endmodule

bind tally_edge_replies edge_replies_cover u_cover (.*);
