// SPDX-License-Identifier: BSD-2-Clause
// Points that the benches of tally_edge_timers must reach.
module edge_timers_cover
  import tally_edge_pkg::*;
#(
  parameter int unsigned TimeW = 40,
  parameter int unsigned BackoffMax = 10,
  localparam int unsigned BackoffW = $clog2(BackoffMax + 1)
) (
  input logic                clk_i,
  input logic                cmd_valid_q,
  input timer_op_e           cmd_op_q,
  input logic                cmd_running,
  input logic                cmd_order_hit_q,
  input logic                cmd_state_hit_q,
  input logic                order_write,
  input logic                scan_valid_q,
  input logic                scan_order_hit_q,
  input logic                starting_q,
  input logic                running,
  input logic                past,
  input logic                fire,
  input logic                fresh,
  input logic                over,
  input logic                held_up,
  input logic                expired_valid_o,
  input logic [BackoffW-1:0] doublings,
  input logic [TimeW-1:0]    now_q
);
  first_expiry: cover property (@(posedge clk_i) fire && fresh && !over);
  one_shot: cover property (@(posedge clk_i) fire && fresh && over);
  again: cover property (@(posedge clk_i) fire && !fresh && !over);
  given_up: cover property (@(posedge clk_i) fire && !fresh && over);
  longest: cover property (@(posedge clk_i) fire && !over && doublings == BackoffW'(BackoffMax));
  one_after_the_other: cover property (@(posedge clk_i) fire && expired_valid_o);
  waits: cover property (@(posedge clk_i) held_up);
  just_in_time: cover property (@(posedge clk_i)
      scan_valid_q && !starting_q && running && past && order_write && !fire && !held_up);
  back_to_back: cover property (@(posedge clk_i) cmd_valid_q && cmd_order_hit_q);
  after_expiry: cover property (@(posedge clk_i) cmd_valid_q && cmd_state_hit_q);
  scan_after_command: cover property (@(posedge clk_i) scan_valid_q && scan_order_hit_q);
  armed: cover property (@(posedge clk_i) cmd_valid_q && cmd_op_q == TimerArm && !cmd_running);
  armed_before: cover property (@(posedge clk_i) cmd_valid_q && cmd_op_q == TimerArm && cmd_running);
  stopped: cover property (@(posedge clk_i) cmd_valid_q && cmd_op_q == TimerStop && cmd_running);
  time_wraps: cover property (@(posedge clk_i) now_q == '1 && running);
endmodule

bind tally_edge_timers edge_timers_cover #(.TimeW(TimeW), .BackoffMax(BackoffMax)) u_cover (.*);
