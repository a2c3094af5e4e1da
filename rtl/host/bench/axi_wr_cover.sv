// SPDX-License-Identifier: BSD-2-Clause
// Points that the benches of tally_axi_wr must reach.
module axi_wr_cover (
  input logic clk_i,
  input logic burst_valid,
  input logic cmd_room,
  input logic order_room,
  input logic awvalid_o,
  input logic awready_i,
  input logic cmd_valid,
  input logic cmd_kept,
  input logic burst,
  input logic w_kept_q,
  input logic a_valid_q,
  input logic needs,
  input logic step,
  input logic in_valid_i,
  input logic a_ready,
  input logic at_end,
  input logic final_word,
  input logic first_q,
  input logic wvalid_o,
  input logic wready_i,
  input logic answer,
  input logic bad,
  input logic error_q,
  input logic order_last,
  input logic done_valid_o,
  input logic done_ready_i
);
  data_lag: cover property (@(posedge clk_i) burst_valid && !cmd_room);
  all_outstanding: cover property (@(posedge clk_i) burst_valid && !order_room);
  address_waits: cover property (@(posedge clk_i) awvalid_o && !awready_i);
  word_waits: cover property (@(posedge clk_i) wvalid_o && !wready_i);
  stream_waits: cover property (@(posedge clk_i) in_valid_i && !a_ready);
  stream_is_late: cover property (@(posedge clk_i) cmd_valid && needs && !in_valid_i);
  no_further_word: cover property (@(posedge clk_i) step && !needs);
  one_word: cover property (@(posedge clk_i) step && first_q && final_word);
  next_burst: cover property (@(posedge clk_i) step && at_end && !final_word);
  early_error: cover property (@(posedge clk_i) answer && bad && !order_last);
  kept_error: cover property (@(posedge clk_i) answer && !bad && error_q && order_last);
  with_its_address: cover property (@(posedge clk_i) step && !cmd_kept);
  burst_with_its_address: cover property (@(posedge clk_i) step && !cmd_kept && at_end);
  burst_behind_another: cover property (@(posedge clk_i) burst && cmd_kept && step && at_end);
  address_first: cover property (@(posedge clk_i) burst && !cmd_kept && !step);
  two_words_wait: cover property (@(posedge clk_i) w_kept_q && a_valid_q);
  end_waits: cover property (@(posedge clk_i) done_valid_o && !done_ready_i);
endmodule

bind tally_axi_wr axi_wr_cover u_cover (.*);
