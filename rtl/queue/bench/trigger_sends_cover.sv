// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_trigger_sends must reach.
module trigger_sends_cover (
  input logic clk_i,
  input logic is_idle,
  input logic visits,
  input logic repeats,
  input logic repeat_wanted,
  input logic does_read,
  input logic does_sent,
  input logic does_acked,
  input logic does_begin,
  input logic does_forget,
  input logic again_q,
  input logic any,
  input logic leaves,
  input logic starved_d,
  input logic dep_keeps,
  input logic dep_leaves,
  input logic done_valid_o,
  input logic wakes,
  input logic acked_valid_i,
  input logic acked_ready_o,
  input logic forget_valid_i,
  input logic out_valid_o,
  input logic out_ready_i
);
  nothing_to_send: cover property (@(posedge clk_i) does_begin && done_valid_o);
  ends_by_ack: cover property (@(posedge clk_i) does_acked && done_valid_o);
  ends_by_self: cover property (@(posedge clk_i) does_sent && done_valid_o);
  acked_before: cover property (@(posedge clk_i) does_read && again_q && !repeat_wanted);
  repeated: cover property (@(posedge clk_i) repeats);
  waits: cover property (@(posedge clk_i) does_sent && !leaves);
  is_starved: cover property (@(posedge clk_i) does_sent && starved_d);
  keeps: cover property (@(posedge clk_i) dep_keeps);
  all_left: cover property (@(posedge clk_i) dep_leaves);
  nothing_left: cover property (@(posedge clk_i) does_read && !again_q && !any);
  woken_in_visit: cover property (@(posedge clk_i) wakes && !is_idle);
  visited: cover property (@(posedge clk_i) visits);
  acked_in_offer: cover property (@(posedge clk_i) does_acked && out_valid_o && !out_ready_i);
  ack_waits: cover property (@(posedge clk_i) acked_valid_i && !acked_ready_o && does_sent);
  forget_waits: cover property (@(posedge clk_i) forget_valid_i && out_valid_o);
  forgets: cover property (@(posedge clk_i) does_forget);
endmodule

bind tally_trigger_sends trigger_sends_cover u_cover (.*);
