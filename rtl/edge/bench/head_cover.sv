// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_head must reach.
module head_cover (
  input logic        clk_i,
  input logic        begins,
  input logic        refused_by_limit,
  input logic        refused_by_window,
  input logic        acknowledged,
  input logic        closed,
  input logic        closed_with_number,
  input logic        leaves,
  input logic        again,
  input logic        chunk,
  input logic        exchange,
  input logic        ordered,
  input logic        loc,
  input logic        carries,
  input logic        is_trigger,
  input logic        behind,
  input logic [2:0]  size,
  input logic [12:0] bytes,
  input logic [12:0] bytes_out,
  input logic        op_valid_o,
  input logic        op_ready_i,
  input logic        ask_valid_o,
  input logic        ask_ready_i,
  input logic        out_valid_o,
  input logic        out_ready_i
);
  first: cover property (@(posedge clk_i) begins && carries && !again);
  repeated: cover property (@(posedge clk_i) leaves && carries && again);
  no_number: cover property (@(posedge clk_i) leaves && !carries && !chunk);
  asks_about_a_chunk: cover property (@(posedge clk_i) leaves && !carries && chunk);
  above_the_limit: cover property (@(posedge clk_i) refused_by_limit);
  window_full: cover property (@(posedge clk_i) refused_by_window);
  not_wanted: cover property (@(posedge clk_i) acknowledged);
  edge_closed: cover property (@(posedge clk_i) closed);
  edge_closed_late: cover property (@(posedge clk_i) closed_with_number);
  round: cover property (@(posedge clk_i) leaves && carries && exchange);
  fixed_order: cover property (@(posedge clk_i) leaves && chunk && ordered);
  pair: cover property (@(posedge clk_i) leaves && carries && loc && size == 3'd4);
  longest: cover property (@(posedge clk_i) leaves && carries && bytes == 13'd4096);
  empty: cover property (@(posedge clk_i) leaves && carries && bytes == '0);
  message: cover property (@(posedge clk_i) leaves && is_trigger && bytes_out != '0);
  bare_message: cover property (@(posedge clk_i) leaves && is_trigger && bytes_out == '0);
  behind_another: cover property (@(posedge clk_i) leaves && is_trigger && behind);
  message_again: cover property (@(posedge clk_i) leaves && is_trigger && again);
  state_stalls: cover property (@(posedge clk_i) op_valid_o && !op_ready_i);
  number_stalls: cover property (@(posedge clk_i) ask_valid_o && !ask_ready_i);
  out_stalls: cover property (@(posedge clk_i) out_valid_o && !out_ready_i);
endmodule

bind tally_head head_cover u_cover (
  .begins(state_q == Begin && in_valid_i),
  .refused_by_limit(state_q == MayAnswer && answer_valid_i && !answer_may_i),
  .refused_by_window(ask_valid_o && ask_ready_i && !ask_ok_i && first),
  .acknowledged(ask_valid_o && ask_ready_i && !ask_ok_i && !first),
  .closed(state_q == TellAnswer && answer_valid_i && !answer_open_i && !numbered),
  .closed_with_number(state_q == TellAnswer && answer_valid_i && !answer_open_i && numbered),
  .leaves(out_valid_o && out_ready_i), .again(in_i.again), .chunk(in_i.chunk),
  .ordered(group.ordered), .bytes_out(out_o.payload_len), .behind(before_q != seq_q), .*
);
