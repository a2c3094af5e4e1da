// SPDX-License-Identifier: BSD-2-Clause
// Points that the benches of tally_rmq_lists must reach.
module rmq_lists_cover #(
  parameter int unsigned CountW = 1
) (
  input logic clk_i,
  input logic step,
  input logic first_q,
  input logic looked_q,
  input logic append_q,
  input logic release_q,
  input logic taken_ready_i,
  input logic walk_busy_q,
  input logic walk_has_before_q,
  input logic walk_at_last,
  input logic walk_hit_q,
  input logic list_hit_q,
  input logic list_any,
  input logic flush_step,
  input logic clear,
  input logic at_last,
  input logic [CountW-1:0] left_q
);
  passed_over: cover property (@(posedge clk_i) step && !first_q);
  taken_behind: cover property (@(posedge clk_i) step && first_q && walk_has_before_q && !walk_at_last);
  taken_at_end: cover property (@(posedge clk_i) step && first_q && walk_has_before_q && walk_at_last);
  taken_alone: cover property (@(posedge clk_i) step && first_q && !walk_has_before_q && walk_at_last);
  all_contributors: cover property (@(posedge clk_i) step && left_q == CountW'(5));
  appended_in_walk: cover property (@(posedge clk_i) walk_busy_q && append_q && list_any);
  appended_at_once: cover property (@(posedge clk_i) append_q && list_hit_q);
  walked_at_once: cover property (@(posedge clk_i) step && walk_hit_q);
  walk_waits: cover property (@(posedge clk_i) walk_busy_q && !taken_ready_i);
  step_waits: cover property (@(posedge clk_i) walk_busy_q && looked_q && release_q && taken_ready_i);
  gone: cover property (@(posedge clk_i) flush_step && !at_last);
  flushed_empty: cover property (@(posedge clk_i) clear && !list_any);
endmodule

bind tally_rmq_lists rmq_lists_cover #(.CountW(CountW)) u_cover (.*);
