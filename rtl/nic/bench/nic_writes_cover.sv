// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_nic_writes must reach.
module nic_writes_cover (
  input logic                              clk_i,
  input logic                              hold_i,
  input logic                              taken_o,
  input logic                              tables_o,
  input logic [2:0]                        state_q,
  input logic                              put_o,
  input logic                              put_bvalid_o,
  input logic                              heard_q,
  input logic                              axil_awvalid_i,
  input logic                              axil_wvalid_i,
  input logic                              axil_bvalid_o,
  input logic                              axil_bready_i,
  input logic [1:0]                        bresp,
  input logic [tally_nic_pkg::Targets-1:0] write_valid_o,
  input logic [tally_nic_pkg::Targets-1:0] write_ready_i
);
  localparam logic [2:0] Offer = 3'd2, Answer = 3'd4;
  for (genvar k = 0; k < tally_nic_pkg::Targets; k++) begin : gen_target
    taken: cover property (@(posedge clk_i) write_valid_o[k] && write_ready_i[k]);
    waits: cover property (@(posedge clk_i) write_valid_o[k] && !write_ready_i[k]);
    unasked: cover property (@(posedge clk_i) !write_valid_o[k] && write_ready_i[k]);
  end
  held: cover property (@(posedge clk_i) hold_i && state_q == Offer);
  behind: cover property (@(posedge clk_i) state_q == Answer && axil_awvalid_i && axil_wvalid_i);
  address_first: cover property (@(posedge clk_i) axil_awvalid_i && !axil_wvalid_i);
  data_first: cover property (@(posedge clk_i) !axil_awvalid_i && axil_wvalid_i);
  answer_waits: cover property (@(posedge clk_i) axil_bvalid_o && !axil_bready_i);
  refused: cover property (@(posedge clk_i) axil_bvalid_o && bresp != 2'b00 && !heard_q);
  heard: cover property (@(posedge clk_i) axil_bvalid_o && bresp != 2'b00 && heard_q);
  others: cover property (@(posedge clk_i) taken_o && !tables_o);
  none_ready: cover property (@(posedge clk_i) write_valid_o != '0 && write_ready_i == '0);
  put_refused: cover property (@(posedge clk_i) put_bvalid_o && bresp != 2'b00);
  put_held: cover property (@(posedge clk_i) put_o && hold_i && state_q == Offer);
endmodule

bind tally_nic_writes nic_writes_cover u_cover (.*);
