// SPDX-License-Identifier: BSD-2-Clause
// Points that the benches of tally_rmq_words must reach.
module rmq_words_cover (
  input logic clk_i,
  input logic take,
  input logic job_done,
  input logic has_data,
  input logic hazard,
  input logic match,
  input logic [1:0] kind_q,
  input logic [1:0] exit_kind,
  input logic exits,
  input logic next_valid,
  input logic data_valid_i,
  input logic job_valid_i,
  input logic job_ready_o,
  input logic rd_valid_i,
  input logic rd_ready_o,
  input logic wr_valid_i,
  input logic wr_ready_o,
  input logic alu_valid_o,
  input logic done_valid_o,
  input logic fill_valid,
  input logic idle_o
);
  without_pause: cover property (@(posedge clk_i) job_done && next_valid);
  empty_fill: cover property (@(posedge clk_i) take && !has_data &&
                              kind_q == tally_queue_pkg::WdFill);
  empty_combine: cover property (@(posedge clk_i) take && !has_data &&
                                 kind_q == tally_queue_pkg::WdCombine);
  empty_drop: cover property (@(posedge clk_i) take && !has_data &&
                              kind_q == tally_queue_pkg::WdDrop);
  dropped: cover property (@(posedge clk_i) take && has_data && kind_q == tally_queue_pkg::WdDrop);
  waits_for_word: cover property (@(posedge clk_i) hazard && data_valid_i);
  fill_behind_fill: cover property (@(posedge clk_i) take && match &&
                                    kind_q == tally_queue_pkg::WdFill);
  combined_at_exit: cover property (@(posedge clk_i) alu_valid_o && exits &&
                                    exit_kind == tally_queue_pkg::WdFill);
  all_kinds: cover property (@(posedge clk_i) fill_valid && alu_valid_o && done_valid_o);
  full: cover property (@(posedge clk_i) job_valid_i && !job_ready_o);
  read_waits: cover property (@(posedge clk_i) rd_valid_i && !rd_ready_o);
  read_beside: cover property (@(posedge clk_i) rd_valid_i && rd_ready_o && take &&
                               kind_q == tally_queue_pkg::WdCombine);
  write_waits: cover property (@(posedge clk_i) wr_valid_i && !wr_ready_o);
  write_beside: cover property (@(posedge clk_i) wr_valid_i && wr_ready_o && exits);
  idle: cover property (@(posedge clk_i) idle_o);
endmodule

bind tally_rmq_words rmq_words_cover u_cover (.*);
