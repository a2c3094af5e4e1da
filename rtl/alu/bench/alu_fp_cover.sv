// SPDX-License-Identifier: BSD-2-Clause
// Points that the benches of tally_alu_fp must reach.
module alu_fp_cover #(
  parameter int unsigned Stages = 11
) (
  input logic                  clk_i,
  input logic                  valid_i,
  input logic [Stages-1:0]     valid_q,
  input logic [7:0]            op_i,
  input logic                  valid_o,
  input tally_alu_pkg::flags_t flags_o
);
  full: cover property (@(posedge clk_i) valid_q == '1);
  alone: cover property (@(posedge clk_i) valid_o && valid_q == '0);
  average: cover property (@(posedge clk_i) valid_i && op_i == tally_pkg::OpAvg);
  all_flags: cover property (@(posedge clk_i) valid_o && flags_o == '1);
  no_flag: cover property (@(posedge clk_i) valid_o && flags_o == '0);
endmodule

bind tally_alu_fp alu_fp_cover #(.Stages(Stages)) u_cover (.*);
