// SPDX-License-Identifier: BSD-2-Clause
// Points that the benches of tally_fp_prod must reach.
module fp_prod_cover #(
  parameter int unsigned RestW = 26
) (
  input logic             clk_i,
  input logic             high6,
  input logic [5:0]       a_up_q2,
  input logic [5:0]       down_q7,
  input logic [RestW-1:0] rest_q9,
  input logic             round_up9
);
  high: cover property (@(posedge clk_i) high6);
  low: cover property (@(posedge clk_i) !high6);
  subnormal_operand: cover property (@(posedge clk_i) a_up_q2 > 6'd1);
  one_below: cover property (@(posedge clk_i) down_q7 == 6'd1);
  far_below: cover property (@(posedge clk_i) down_q7 == 6'(RestW));
  tie_up: cover property (@(posedge clk_i) round_up9 && !rest_q9[0]);
  tie_down: cover property (@(posedge clk_i) !round_up9 && rest_q9[1:0] == 2'b10);
  carry: cover property (@(posedge clk_i) round_up9 && rest_q9[RestW-1:2] == '1);
endmodule

bind tally_fp_prod fp_prod_cover #(.RestW(RestW)) u_cover (.*);
