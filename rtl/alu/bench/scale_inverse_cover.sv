// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_scale_inverse must reach.
module scale_inverse_cover #(
  parameter int unsigned DivW = 32,
  parameter int unsigned InverseW = 88,
  parameter int unsigned DownW = 5
) (
  input logic                clk_i,
  input logic                valid_o,
  input logic                ready_i,
  input logic [DownW-1:0]    down_o,
  input logic [InverseW-1:0] inverse_o
);
  waits: cover property (@(posedge clk_i) valid_o && !ready_i);
  one: cover property (@(posedge clk_i) valid_o && down_o == '0);
  longest: cover property (@(posedge clk_i) valid_o && down_o == DownW'(DivW - 1));
  power: cover property (@(posedge clk_i) valid_o && inverse_o[InverseW-1]);
endmodule

bind tally_scale_inverse scale_inverse_cover #(.DivW(DivW), .InverseW(InverseW),
                                               .DownW(DownW)) u_cover (.*);
