// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_icrc must reach.
module icrc_cover (
  input logic clk_i,
  input logic valid_i,
  input logic first_i,
  input logic last_i,
  input logic second_q,
  input logic ip6
);
  ip4_one_word: cover property (@(posedge clk_i) valid_i && first_i && last_i && !ip6);
  ip4_second: cover property (@(posedge clk_i) valid_i && !first_i && second_q && !ip6);
  ip6_second: cover property (@(posedge clk_i) valid_i && !first_i && second_q && ip6);
  third: cover property (@(posedge clk_i) valid_i && !first_i && !second_q);
  gap_before_second: cover property (@(posedge clk_i) !valid_i && second_q);
endmodule

bind tally_icrc icrc_cover u_cover (.*);
