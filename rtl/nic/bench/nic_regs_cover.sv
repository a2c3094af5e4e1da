// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_nic_regs must reach.
module nic_regs_cover (
  input logic clk_i,
  input logic write,
  input logic write_ok,
  input logic read,
  input logic read_ok,
  input logic read_high,
  input logic axil_awvalid_i,
  input logic axil_wvalid_i,
  input logic axil_bvalid_o,
  input logic axil_bready_i,
  input logic axil_rvalid_o,
  input logic axil_rready_i
);
  written: cover property (@(posedge clk_i) write && write_ok);
  write_refused: cover property (@(posedge clk_i) write && !write_ok);
  address_first: cover property (@(posedge clk_i) axil_awvalid_i && !axil_wvalid_i);
  data_first: cover property (@(posedge clk_i) !axil_awvalid_i && axil_wvalid_i);
  write_behind: cover property (@(posedge clk_i) write && axil_bvalid_o);
  write_waits: cover property (@(posedge clk_i) axil_bvalid_o && !axil_bready_i && axil_awvalid_i &&
                               axil_wvalid_i);
  read_refused: cover property (@(posedge clk_i) read && !read_ok);
  high: cover property (@(posedge clk_i) read && read_ok && read_high);
  read_behind: cover property (@(posedge clk_i) read && axil_rvalid_o);
  read_waits: cover property (@(posedge clk_i) axil_rvalid_o && !axil_rready_i);
endmodule

bind tally_nic_regs nic_regs_cover u_cover (.*);
