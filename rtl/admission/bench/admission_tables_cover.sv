// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_admission_tables must reach.
module admission_tables_cover (
  input logic clk_i,
  input logic [2:0] state_q,
  input logic want,
  input logic grant_i,
  input logic release_q,
  input logic first_is_op,
  input logic next_is_op,
  input logic fail,
  input logic axil_bvalid_o,
  input logic axil_bready_i
);
  localparam logic [2:0] Link = 3'd5, Check = 3'd7;
  waits_for_grant: cover property (@(posedge clk_i) want && !grant_i);
  first_of_list: cover property (@(posedge clk_i) state_q == Link && release_q && first_is_op);
  second_of_list: cover property (@(posedge clk_i) state_q == Check && next_is_op);
  further_in_list: cover property (@(posedge clk_i) state_q == Check && !next_is_op && !fail);
  not_in_list: cover property (@(posedge clk_i) state_q == Check && fail);
  empty_list: cover property (@(posedge clk_i) state_q == Link && fail);
  answer_waits: cover property (@(posedge clk_i) axil_bvalid_o && !axil_bready_i);
endmodule

bind tally_admission_tables admission_tables_cover u_cover (.*);
