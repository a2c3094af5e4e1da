// SPDX-License-Identifier: BSD-2-Clause
// Points that the benches of tally_cqe_dma must reach.
module cqe_dma_cover (
  input logic clk_i,
  input logic wr_valid,
  input logic rd_valid,
  input logic walk_ready,
  input logic place_valid,
  input logic place_take,
  input logic place_ok,
  input logic place_read,
  input logic fate_valid,
  input logic fate_ok,
  input logic order_valid,
  input logic order_ok,
  input logic done_valid,
  input logic done_ready,
  input logic b_valid,
  input logic b_error,
  input logic record,
  input logic record_ready,
  input logic list_valid,
  input logic answered,
  input logic lost,
  input logic word_valid,
  input logic is_record,
  input logic word_error,
  input logic rsp_valid
);
  record_goes_first: cover property (@(posedge clk_i) wr_valid && rd_valid && walk_ready);
  walkers_busy: cover property (@(posedge clk_i) wr_valid && !walk_ready);
  entry_without_place: cover property (@(posedge clk_i) place_valid && place_take && !place_ok &&
                                       !place_read);
  entry_dropped: cover property (@(posedge clk_i) fate_valid && !fate_ok);
  place_waits: cover property (@(posedge clk_i) place_valid && !place_take && !place_read);
  failed_waits_for_others: cover property (@(posedge clk_i) place_valid && !place_ok &&
                                           order_valid && order_ok);
  failed_in_its_turn: cover property (@(posedge clk_i) answered && !order_ok);
  no_memory: cover property (@(posedge clk_i) b_valid && b_error);
  answer_waits: cover property (@(posedge clk_i) done_valid && !done_ready && order_valid &&
                                b_valid);
  lost_record_waits: cover property (@(posedge clk_i) lost && rsp_valid);
  lost_record_and_another: cover property (@(posedge clk_i) lost && word_valid && is_record);
  record_and_list: cover property (@(posedge clk_i) record && list_valid);
  record_waits: cover property (@(posedge clk_i) record && !record_ready);
  record_unreadable: cover property (@(posedge clk_i) word_valid && is_record && word_error);
  list_unreadable: cover property (@(posedge clk_i) word_valid && !is_record && word_error);
endmodule

bind tally_cqe_dma cqe_dma_cover u_cover (.*);
