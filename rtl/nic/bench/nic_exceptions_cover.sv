// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_nic_exceptions must reach.
module nic_exceptions_cover (
  input logic       clk_i,
  input logic [3:0] valid,
  input logic [3:0] ready,
  input logic [3:0] exc_valid,
  input logic       set_valid_i,
  input logic       set_ready_o,
  input logic       desc_fault_valid_i,
  input logic       desc_late_valid_i,
  input logic       fenced_valid_i,
  input logic       fenced_ready_o,
  input logic       drained_valid_i,
  input logic       drained_ready_o,
  input logic       freeze_valid_o,
  input logic       raise_valid_o,
  input logic       raise_ready_i,
  input logic       exceptions_busy,
  input logic       needed
);
  all_offer: cover property (@(posedge clk_i) valid == '1);
  all_wait: cover property (@(posedge clk_i) exc_valid == '1);
  one_stalls: cover property (@(posedge clk_i) (valid & ~ready) != '0);
  refusal: cover property (@(posedge clk_i) desc_fault_valid_i && ready[2]);
  late: cover property (@(posedge clk_i) desc_late_valid_i && ready[2]);
  set_waits: cover property (@(posedge clk_i) set_valid_i && exc_valid != '0);
  set_goes: cover property (@(posedge clk_i) set_valid_i && set_ready_o && valid != '0);
  fenced: cover property (@(posedge clk_i) fenced_valid_i && fenced_ready_o);
  drained: cover property (@(posedge clk_i) drained_valid_i && drained_ready_o);
  freezes: cover property (@(posedge clk_i) freeze_valid_o && exc_valid != '0);
  raise_waits: cover property (@(posedge clk_i) raise_valid_o && !raise_ready_i);
  rests: cover property (@(posedge clk_i) !exceptions_busy && !needed);
endmodule

bind tally_nic_exceptions nic_exceptions_cover u_cover (.*);
