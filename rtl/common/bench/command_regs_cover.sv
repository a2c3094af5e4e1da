// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_command_regs must reach.
module command_regs_cover (
  input logic clk_i,
  input logic write,
  input logic is_go,
  input logic is_value,
  input logic judge_o,
  input logic good_i,
  input logic give_valid_o,
  input logic give_ready_i,
  input logic axil_awvalid_i,
  input logic axil_wvalid_i,
  input logic axil_bvalid_o,
  input logic axil_bready_i
);
  kept: cover property (@(posedge clk_i) write && is_value);
  no_register: cover property (@(posedge clk_i) write && !is_value && !is_go);
  refused: cover property (@(posedge clk_i) judge_o && !good_i);
  command_waits: cover property (@(posedge clk_i) give_valid_o && !give_ready_i);
  address_first: cover property (@(posedge clk_i) axil_awvalid_i && !axil_wvalid_i);
  data_first: cover property (@(posedge clk_i) !axil_awvalid_i && axil_wvalid_i);
  answer_waits: cover property (@(posedge clk_i) axil_bvalid_o && !axil_bready_i);
endmodule

bind tally_command_regs command_regs_cover u_cover (.*);
