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
  input logic                cmd_fresh_q,
  input timer_op_e           cmd_op_q,
  input logic                cmd_running,
  input logic                cmd_order_hit_q,
  input logic                cmd_state_hit_q,
  input logic [1:0]          search_q,
  input logic                scan_order_hit_q,
  input logic                met,
  input logic                starts,
  input logic                cmd_push,
  input logic                leaves,
  input logic                ends,
  input logic                pop,
  input logic                busy_o,
  input logic                deadline_valid_o,
  input logic                running,
  input logic                past,
  input logic                fire,
  input logic                fresh,
  input logic                over,
  input logic                held_up,
  input logic                expired_valid_o,
  input logic [BackoffW-1:0] doublings,
  input logic [TimeW-1:0]    now_i
);
  localparam logic [1:0] Act = 2'd2;
  first_expiry: cover property (@(posedge clk_i) fire && fresh && !over);
  one_shot: cover property (@(posedge clk_i) fire && fresh && over);
  again: cover property (@(posedge clk_i) fire && !fresh && !over);
  given_up: cover property (@(posedge clk_i) fire && !fresh && over);
  longest: cover property (@(posedge clk_i) fire && !over && doublings == BackoffW'(BackoffMax));
  one_after_the_other: cover property (@(posedge clk_i) fire && expired_valid_o);
  waits: cover property (@(posedge clk_i) search_q == Act && held_up && !met && !starts);
  just_in_time: cover property (@(posedge clk_i) search_q == Act && past && met);
  another_starts: cover property (@(posedge clk_i) search_q == Act && starts && !met);
  enters_list: cover property (@(posedge clk_i) cmd_push);
  in_list_already: cover property (@(posedge clk_i) starts && !cmd_push);
  leaves_list: cover property (@(posedge clk_i) leaves && !fire);
  round_ends: cover property (@(posedge clk_i) ends && pop);
  starts_as_round_ends: cover property (@(posedge clk_i) ends && starts);
  may_stop: cover property (@(posedge clk_i) !busy_o && deadline_valid_o);
  nothing_runs: cover property (@(posedge clk_i) !busy_o && !deadline_valid_o);
  back_to_back: cover property (@(posedge clk_i) cmd_valid_q && cmd_order_hit_q);
  after_expiry: cover property (@(posedge clk_i) cmd_valid_q && cmd_state_hit_q);
  scan_after_command: cover property (@(posedge clk_i) search_q == Act && scan_order_hit_q);
  armed: cover property (@(posedge clk_i) cmd_valid_q && cmd_op_q == TimerArm && !cmd_running);
  armed_before: cover property (@(posedge clk_i) cmd_valid_q && cmd_op_q == TimerArm &&
                                cmd_running);
  stopped: cover property (@(posedge clk_i) cmd_valid_q && cmd_op_q == TimerStop && cmd_running);
  first_of_others: cover property (@(posedge clk_i) cmd_valid_q && cmd_fresh_q && deadline_valid_o);
  time_wraps: cover property (@(posedge clk_i) now_i == '1 && search_q == Act && running);
endmodule

bind tally_edge_timers edge_timers_cover #(.TimeW(TimeW), .BackoffMax(BackoffMax)) u_cover (.*);
