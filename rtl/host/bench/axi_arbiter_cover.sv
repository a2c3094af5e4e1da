// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_axi_arbiter must reach.
module axi_arbiter_cover (
  input logic clk_i,
  input logic aw_valid,
  input logic order_room,
  input logic order_valid,
  input logic wvalid_o,
  input logic wready_i,
  input logic wlast_o,
  input logic awvalid_o,
  input logic awready_i,
  input logic bvalid_i,
  input logic bready_o,
  input logic rvalid_i,
  input logic rready_o
);
  no_room: cover property (@(posedge clk_i) aw_valid && !order_room);
  data_are_late: cover property (@(posedge clk_i) order_valid && !wvalid_o);
  data_wait: cover property (@(posedge clk_i) wvalid_o && !wready_i);
  amid_a_burst: cover property (@(posedge clk_i) wvalid_o && wready_i && !wlast_o);
  address_waits: cover property (@(posedge clk_i) awvalid_o && !awready_i);
  answer_waits: cover property (@(posedge clk_i) bvalid_i && !bready_o);
  word_waits: cover property (@(posedge clk_i) rvalid_i && !rready_o);
endmodule

bind tally_axi_arbiter axi_arbiter_cover u_cover (.*);
