// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_nic_memory must reach.
module nic_memory_cover (
  input logic       clk_i,
  input logic       busy_o,
  input logic       acc_valid_i,
  input logic       own_valid,
  input logic       loc_valid_i,
  input logic       desc_valid_i,
  input logic       chk_valid_i,
  input logic       acr_valid_o,
  input logic       acr_ready_i,
  input logic       out_own,
  input logic       ace_valid_o,
  input logic       ace_ready_i,
  input logic       done_own,
  input logic       by_model,
  input logic       model_q,
  input logic       done_valid_i,
  input logic       done_go_i,
  input logic       queues_busy,
  input logic       regions_busy,
  input logic       queues_write,
  input logic       regions_write,
  input logic       irq_valid_o,
  input logic       irq_ready_i,
  input logic [2:0] m_arvalid
);
  all_access: cover property (@(posedge clk_i) acc_valid_i && loc_valid_i && desc_valid_i);
  users_wait_for_each_other: cover property (@(posedge clk_i) acc_valid_i && own_valid);
  word_of_the_engine_waits:
    cover property (@(posedge clk_i) acr_valid_o && !out_own && !acr_ready_i);
  word_of_others_passes: cover property (@(posedge clk_i) acr_valid_o && out_own && !acr_ready_i);
  end_of_the_engine_waits:
    cover property (@(posedge clk_i) ace_valid_o && !done_own && !ace_ready_i);
  end_of_others_passes: cover property (@(posedge clk_i) ace_valid_o && done_own && !ace_ready_i);
  check_wakes_regions: cover property (@(posedge clk_i) chk_valid_i && !regions_busy);
  completion_may_not_enter:
    cover property (@(posedge clk_i) done_valid_i && !done_go_i && !by_model);
  completion_stays_on_offer: cover property (@(posedge clk_i) model_q && done_valid_i && done_go_i);
  register_wakes_queues: cover property (@(posedge clk_i) queues_write && !queues_busy);
  register_wakes_regions: cover property (@(posedge clk_i) regions_write && !regions_busy);
  interrupt_waits: cover property (@(posedge clk_i) irq_valid_o && !irq_ready_i);
  all_read: cover property (@(posedge clk_i) m_arvalid == 3'b111);
  one_rests: cover property (@(posedge clk_i) queues_busy && !regions_busy);
  other_rests: cover property (@(posedge clk_i) !queues_busy && regions_busy);
  both_rest: cover property (@(posedge clk_i) !busy_o);
endmodule

bind tally_nic_memory nic_memory_cover u_cover (.*);
