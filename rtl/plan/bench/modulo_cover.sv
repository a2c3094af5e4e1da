// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_modulo must reach.
module modulo_cover (
  input logic        clk_i,
  input logic        valid_i,
  input logic        valid_o,
  input logic [31:0] value_i,
  input logic [31:0] divisor_i,
  input logic [5:0]  shift_i,
  input logic [6:0]  valid_q,
  input logic        carry,
  input logic [31:0] remainder_o
);
  by_one: cover property (@(posedge clk_i) valid_i && divisor_i == 32'd1);
  by_the_largest: cover property (@(posedge clk_i) valid_i && divisor_i == '1);
  power_of_two: cover property (@(posedge clk_i) valid_i && divisor_i == 32'd1 << shift_i &&
                                shift_i != '0);
  beside_a_power: cover property (@(posedge clk_i) valid_i &&
                                  divisor_i == (32'd1 << shift_i) - 1'b1 && shift_i > 6'd1);
  largest_shift: cover property (@(posedge clk_i) valid_i && shift_i == 6'd32);
  largest_value: cover property (@(posedge clk_i) valid_i && value_i == '1);
  carry_of_the_sum: cover property (@(posedge clk_i) valid_q[3] && carry);
  nothing_left: cover property (@(posedge clk_i) valid_o && remainder_o == '0);
  full: cover property (@(posedge clk_i) &valid_q);
endmodule

bind tally_modulo modulo_cover u_cover (.carry(sum_q4[32]), .*);
