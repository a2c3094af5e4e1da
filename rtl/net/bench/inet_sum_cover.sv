// SPDX-License-Identifier: BSD-2-Clause
// Points that the benches of tally_inet_sum must reach.
module inet_sum_cover (
  input logic        clk_i,
  input logic        valid_i,
  input logic        first_i,
  input logic [1:0]  valid_q,
  input logic [1:0]  first_q,
  input logic [27:0] total_q,
  input logic [16:0] once
);
  logic unused;
  assign unused = ^{valid_q, first_q, total_q};
  one_word: cover property (@(posedge clk_i) valid_i && first_i && valid_q[0] && first_q[0]);
  gap_inside: cover property (@(posedge clk_i) valid_i && !first_i && !valid_q[0]);
  no_gap: cover property (@(posedge clk_i) valid_i && !first_i && valid_q[0]);
  most_carries: cover property (@(posedge clk_i) total_q[27:24] == 4'hf);
  carry_of_carry: cover property (@(posedge clk_i) once[16]);
  ones: cover property (@(posedge clk_i) once == 17'hffff);
endmodule

bind tally_inet_sum inet_sum_cover u_cover (.*);
