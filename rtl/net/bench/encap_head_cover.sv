// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_encap_head must reach in addition to all lengths.
module encap_head_cover (
  input logic                  clk_i,
  input logic                  ip6_o,
  input logic                  straddle_o,
  input logic [12:0]           len_o,
  input logic [6:0]            covered_o,
  input logic [18:0]           ip_sum_o,
  input tally_encap_pkg::err_e err_o
);
  logic unused;
  assign unused = ^{len_o, ip_sum_o};
  ip4_straddle: cover property (@(posedge clk_i) straddle_o && !ip6_o);
  ip6_straddle: cover property (@(posedge clk_i) straddle_o && ip6_o);
  nearly_full: cover property (@(posedge clk_i) len_o[5:0] == 6'd62);
  covered_nearly_full: cover property (@(posedge clk_i) straddle_o && covered_o == 7'd62);
  ip_sum_carries: cover property (@(posedge clk_i) ip_sum_o[18]);
  gids: cover property (@(posedge clk_i) err_o == tally_encap_pkg::ErrGids);
  flow: cover property (@(posedge clk_i) err_o == tally_encap_pkg::ErrFlow);
  too_long: cover property (@(posedge clk_i) err_o == tally_encap_pkg::ErrLength);
endmodule

bind encap_head_top encap_head_cover u_cover (.*);
