// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_eqe_dma must reach.
module eqe_dma_cover (
  input logic clk_i,
  input logic wr_valid,
  input logic walk_ready,
  input logic place_valid,
  input logic place_take,
  input logic place_ok,
  input logic fate_valid,
  input logic fate_ok,
  input logic order_valid,
  input logic order_ok,
  input logic done_valid,
  input logic done_ready,
  input logic b_valid,
  input logic b_error,
  input logic entry_valid,
  input logic entry_error
);
  walkers_busy: cover property (@(posedge clk_i) wr_valid && !walk_ready);
  event_without_place: cover property (@(posedge clk_i) place_valid && place_take && !place_ok);
  event_dropped: cover property (@(posedge clk_i) fate_valid && !fate_ok);
  place_waits: cover property (@(posedge clk_i) place_valid && !place_take);
  failed_waits_for_others: cover property (@(posedge clk_i) place_valid && !place_ok &&
                                           order_valid && order_ok);
  failed_in_its_turn: cover property (@(posedge clk_i) done_valid && done_ready && !order_ok);
  answer_waits: cover property (@(posedge clk_i) done_valid && !done_ready);
  no_memory: cover property (@(posedge clk_i) b_valid && b_error);
  list_unreadable: cover property (@(posedge clk_i) entry_valid && entry_error);
endmodule

bind tally_eqe_dma eqe_dma_cover u_cover (.*);
