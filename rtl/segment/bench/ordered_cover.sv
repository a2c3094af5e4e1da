// SPDX-License-Identifier: BSD-2-Clause
// Points that the benches of tally_ordered must reach.
module ordered_cover (
  input logic clk_i,
  input logic in_valid_i,
  input logic in_ready_o,
  input logic res_valid_o,
  input logic res_ready_i,
  input logic res_absent_o,
  input logic take_done,
  input logic take_in,
  input logic job_push,
  input logic is_right,
  input logic job_pop,
  input logic job_valid,
  input logic rd_fire,
  input logic now_valid_q,
  input logic rd_valid_o,
  input logic free_valid_q,
  input logic free_ready_i,
  input logic clear_valid_i,
  input logic clear_ready_o,
  input logic alu_valid_i,
  input logic open_valid_i
);
  result_waits: cover property (@(posedge clk_i) res_valid_o && !res_ready_i);
  all_absent: cover property (@(posedge clk_i) res_valid_o && res_absent_o);
  input_waits: cover property (@(posedge clk_i) in_valid_i && !in_ready_o);
  left_came_last: cover property (@(posedge clk_i) job_push && !is_right);
  right_came_last: cover property (@(posedge clk_i) job_push && is_right);
  no_gap: cover property (@(posedge clk_i) rd_fire && job_pop && job_valid);
  window_full: cover property (@(posedge clk_i) now_valid_q && !rd_valid_o);
  freed_cell_waits: cover property (@(posedge clk_i) free_valid_q && !free_ready_i);
  clear_meets_result: cover property (@(posedge clk_i) clear_valid_i && res_valid_o);
  clear_meets_combine: cover property (@(posedge clk_i) clear_valid_i && take_done);
  cleared: cover property (@(posedge clk_i) clear_ready_o);
  open_meets_flags: cover property (@(posedge clk_i) open_valid_i && alu_valid_i);
  input_taken: cover property (@(posedge clk_i) take_in);
endmodule

bind tally_ordered ordered_cover u_cover (.*);
