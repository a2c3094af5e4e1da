// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_divide must reach.
module divide_cover (
  input logic clk_i,
  input logic start_i,
  input logic [4:0] left_q,
  input logic done_o,
  input logic is_short,
  input logic first_fits,
  input logic second_fits
);
  short_dividend: cover property (@(posedge clk_i) start_i && is_short);
  restarted: cover property (@(posedge clk_i) start_i && left_q != '0);
  at_once: cover property (@(posedge clk_i) start_i && done_o);
  three: cover property (@(posedge clk_i) left_q != '0 && first_fits && second_fits);
  one: cover property (@(posedge clk_i) left_q != '0 && !first_fits && second_fits);
endmodule

bind tally_divide divide_cover u_cover (.*);
