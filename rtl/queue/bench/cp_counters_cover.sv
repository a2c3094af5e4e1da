// SPDX-License-Identifier: BSD-2-Clause
// Points that the benches of tally_cp_counters must reach.
module cp_counters_cover #(
  parameter int unsigned CountW = 1,
  parameter int unsigned ContribW = 1,
  parameter int unsigned ExtraW = 1
) (
  input logic clk_i,
  input logic busy_q,
  input logic [1:0] op_q,
  input logic keep_i,
  input logic has_q,
  input logic fire,
  input logic armed,
  input logic look_busy_q,
  input logic [1:0] look_op_q,
  input logic same_q,
  input logic near_q,
  input logic near_extra_q,
  input logic write_extra,
  input logic op_valid_i,
  input logic op_ready_o,
  input logic [1:0] op_i,
  input logic room_o,
  input logic [CountW-1:0] count,
  input logic [CountW-1:0] cpcnt,
  input logic [CountW-1:0] cpcnt_q,
  input logic [CountW-1:0] lacks_o,
  input logic [ContribW-1:0] contributor_q,
  input logic [ExtraW-1:0] extra_at_q,
  input logic fire_valid_o
);
  counted: cover property (@(posedge clk_i) busy_q && op_q == tally_queue_pkg::CpMessage && keep_i && !has_q);
  behind: cover property (@(posedge clk_i) busy_q && op_q == tally_queue_pkg::CpMessage && keep_i && has_q);
  busy_answer: cover property (@(posedge clk_i) busy_q && op_q == tally_queue_pkg::CpMessage && !keep_i && armed);
  fired_by_message: cover property (@(posedge clk_i) fire && op_q == tally_queue_pkg::CpMessage);
  fired_by_arm: cover property (@(posedge clk_i) fire && op_q == tally_queue_pkg::CpArm && cpcnt_q != '0);
  fired_by_none: cover property (@(posedge clk_i) fire && op_q == tally_queue_pkg::CpArm && cpcnt_q == '0);
  more_than_enough: cover property (@(posedge clk_i) fire && op_q == tally_queue_pkg::CpArm && count > cpcnt_q);
  refused: cover property (@(posedge clk_i) busy_q && op_q == tally_queue_pkg::CpArm && !keep_i && lacks_o != '0);
  many: cover property (@(posedge clk_i) fire && armed && cpcnt > CountW'(40));
  next_counted: cover property (@(posedge clk_i) busy_q && op_q == tally_queue_pkg::CpRelease && extra_at_q != '0);
  last_released: cover property (@(posedge clk_i) busy_q && op_q == tally_queue_pkg::CpRelease && extra_at_q == '0);
  released_at_once: cover property (@(posedge clk_i) look_busy_q && look_op_q == tally_queue_pkg::CpRelease && near_q && busy_q);
  released_after_two: cover property (@(posedge clk_i) look_busy_q && look_op_q == tally_queue_pkg::CpRelease && same_q);
  looked_at_once: cover property (@(posedge clk_i) look_busy_q && look_op_q == tally_queue_pkg::CpMessage && same_q);
  released_as_it_comes: cover property (@(posedge clk_i)
    look_busy_q && near_extra_q && write_extra && op_q == tally_queue_pkg::CpMessage);
  cleared_armed: cover property (@(posedge clk_i) busy_q && op_q == tally_queue_pkg::CpClear && armed);
  full_of_fires: cover property (@(posedge clk_i) op_valid_i && !op_ready_o && fire_valid_o);
  released_when_full: cover property (@(posedge clk_i) op_valid_i && op_ready_o && !room_o && op_i == tally_queue_pkg::CpRelease);
  myself: cover property (@(posedge clk_i) busy_q && contributor_q == ContribW'(tally_pkg::ContribSelf) && has_q);
  many_behind: cover property (@(posedge clk_i)
    busy_q && extra_at_q >= ExtraW'(70) && op_q == tally_queue_pkg::CpMessage && has_q);
endmodule

bind tally_cp_counters cp_counters_cover #(.CountW(CountW), .ContribW(ContribW), .ExtraW(ExtraW)) u_cover (.*);
