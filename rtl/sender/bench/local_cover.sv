// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_local must reach.
module local_cover (
  input logic clk_i,
  input logic cmd_valid_i,
  input logic cmd_valid_o,
  input logic cmd_ready_i,
  input logic cmd_ready_o,
  input logic due_busy,
  input logic results_within,
  input logic quiet,
  input logic jobs_busy,
  input logic results_busy,
  input logic due_wants,
  input logic due_new,
  input logic results_wants,
  input logic flag_valid_i,
  input logic flag_ready_o,
  input logic room_reads,
  input logic data_valid,
  input logic take_valid,
  input logic of_data,
  input logic amid_q,
  input logic ends_op,
  input logic due_sge_valid,
  input logic results_sge_valid,
  input logic sge_waits_q,
  input logic fence_valid_i,
  input logic fence_ready_o,
  input logic fence_waits,
  input logic fenced_valid_o,
  input logic fenced_ready_i,
  input logic of_fence,
  input logic jobs_written,
  input logic looks,
  input logic shut
);
  command_waits_for_jobs: cover property (@(posedge clk_i) cmd_valid_i && !quiet && !due_busy &&
                                          !results_within);
  command_waits_for_ranks: cover property (@(posedge clk_i) cmd_valid_i && due_busy);
  command_waits_for_a_result: cover property (@(posedge clk_i) cmd_valid_i && results_within);
  command_holds_a_result: cover property (@(posedge clk_i) cmd_valid_o && results_busy);
  command_waits_for_the_next: cover property (@(posedge clk_i) cmd_valid_o && !cmd_ready_i);
  command_passes_jobs_of_others: cover property (@(posedge clk_i) cmd_ready_o && jobs_busy);
  both_want_jobs: cover property (@(posedge clk_i) due_wants && results_wants);
  reads_are_full: cover property (@(posedge clk_i) due_new && !room_reads && results_wants);
  flag_first: cover property (@(posedge clk_i) flag_ready_o && (due_wants || results_wants));
  flag_waits: cover property (@(posedge clk_i) flag_valid_i && !flag_ready_o);
  both_want_operations: cover property (@(posedge clk_i) data_valid && take_valid);
  taken_waits_for_data: cover property (@(posedge clk_i) of_data && amid_q && take_valid);
  taken_before_data: cover property (@(posedge clk_i) ends_op && !of_data && data_valid);
  both_want_entries: cover property (@(posedge clk_i) due_sge_valid && results_sge_valid);
  entry_waits: cover property (@(posedge clk_i) sge_waits_q && results_sge_valid);
  fence_waits_for_jobs: cover property (@(posedge clk_i) fence_waits && !jobs_written);
  fence_waits_for_a_result: cover property (@(posedge clk_i) fence_waits && jobs_written &&
                                            results_within && of_fence);
  fence_passes_a_result: cover property (@(posedge clk_i) fence_waits && jobs_written &&
                                         results_within && !of_fence);
  fence_beside_a_result: cover property (@(posedge clk_i) fence_valid_i && fence_ready_o && looks);
  fence_beside_a_command: cover property (@(posedge clk_i) fence_waits && cmd_valid_i && !quiet);
  fence_answer_waits: cover property (@(posedge clk_i) fenced_valid_o && !fenced_ready_i);
  result_is_shut_out: cover property (@(posedge clk_i) results_within && shut);
endmodule

bind tally_local local_cover u_cover (
  .fence_waits(u_fence.state_q == 2'd1),  // StWait
  .of_fence(within_group[GroupW-1:0] == fenced_group_o), .*
);
