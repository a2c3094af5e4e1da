// SPDX-License-Identifier: BSD-2-Clause
// Points that the benches of tally_fp_sum must reach.
module fp_sum_cover #(
  parameter int unsigned ExpW = 8,
  parameter int unsigned SumW = 28
) (
  input logic            clk_i,
  input logic [ExpW-1:0] exp_q7,
  input logic [5:0]      up_q7,
  input logic [SumW-1:0] sum_q9,
  input logic            round_up9
);
  tie_up: cover property (@(posedge clk_i) round_up9 && sum_q9[2:0] == '0);
  tie_down: cover property (@(posedge clk_i) !round_up9 && sum_q9[3:0] == 4'b1000);
  carry: cover property (@(posedge clk_i) round_up9 && sum_q9[SumW-1:4] == '1);
  cancelled_far: cover property (@(posedge clk_i) up_q7 > 6'd8);
  held_at_exponent_1: cover property (@(posedge clk_i) up_q7 > 6'd1 && exp_q7 == '0);
endmodule

bind tally_fp_sum fp_sum_cover #(.ExpW(ExpW), .SumW(SumW)) u_cover (.*);
