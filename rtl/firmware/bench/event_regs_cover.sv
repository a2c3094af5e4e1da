// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_event_regs must reach.
module event_regs_cover (
  input logic clk_i,
  input logic read,
  input logic whole,
  input logic of_next,
  input logic of_open,
  input logic take_valid_o,
  input logic take_ready_i,
  input logic open_valid_o,
  input logic open_ready_i,
  input logic axil_rvalid_o,
  input logic axil_rready_i
);
  takes: cover property (@(posedge clk_i) read && of_next);
  take_waits: cover property (@(posedge clk_i) take_valid_o && !take_ready_i);
  compares: cover property (@(posedge clk_i) read && of_open);
  compare_waits: cover property (@(posedge clk_i) open_valid_o && !open_ready_i);
  refuses: cover property (@(posedge clk_i) read && !whole);
  answer_waits: cover property (@(posedge clk_i) axil_rvalid_o && !axil_rready_i);
endmodule

bind tally_event_regs event_regs_cover u_cover (.*);
