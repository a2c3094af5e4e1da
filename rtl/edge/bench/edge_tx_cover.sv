// SPDX-License-Identifier: BSD-2-Clause
// Points that the benches of tally_edge_tx must reach.
module edge_tx_cover
  import tally_edge_pkg::*;
#(
  parameter int unsigned Window = 64
) (
  input logic              clk_i,
  input logic              valid_q,
  input logic              hit_q,
  input tx_op_e            op_q,
  input logic              near,
  input logic              far,
  input logic              may_send,
  input logic [Window-1:0] acked,
  input logic [Window-1:0] hurry,
  input logic [Window-1:0] covered,
  input logic [Window-1:0] seen_q
);
  logic ack;
  assign ack = valid_q && op_q == TxAck;

  given: cover property (@(posedge clk_i) valid_q && op_q == TxSend && may_send);
  refused: cover property (@(posedge clk_i) valid_q && op_q == TxSend && !may_send);
  back_to_back: cover property (@(posedge clk_i) valid_q && op_q == TxSend && hit_q && may_send);
  ack_after_send: cover property (@(posedge clk_i) ack && hit_q && acked != '0);
  all_at_once: cover property (@(posedge clk_i) ack && acked == '1);
  acked_and_hurried: cover property (@(posedge clk_i) ack && acked != '0 && hurry != '0);
  hurried_before: cover property (@(posedge clk_i) ack && (covered & ~seen_q) != '0 && hurry == '0);
  from_beyond: cover property (@(posedge clk_i) ack && far && acked != '0);
  from_afar: cover property (@(posedge clk_i) ack && !far && !near);
  busy: cover property (@(posedge clk_i) valid_q && op_q == TxBusy && near && covered != '0);
  busy_of_old: cover property (@(posedge clk_i) valid_q && op_q == TxBusy && near && covered == '0);
  closed: cover property (@(posedge clk_i) valid_q && op_q == TxClose);
endmodule

bind tally_edge_tx edge_tx_cover #(.Window(Window)) u_cover (.*);
