// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_encap_sums must reach.
module encap_sums_cover (
  input logic        clk_i,
  input logic        valid_i,
  input logic        first_i,
  input logic        last_i,
  input logic        ip6_i,
  input logic        counted_valid_q,
  input logic        valid_o,
  input logic        icrc_valid,
  input logic [17:0] added,
  input logic [15:0] udp_o,
  input logic        folded_valid_q,
  input logic [16:0] folded_q
);
  logic unused;
  assign unused = ^{added, folded_q};
  ip4_first: cover property (@(posedge clk_i) valid_i && first_i && !ip6_i);
  ip6_first: cover property (@(posedge clk_i) valid_i && first_i && ip6_i);
  behind_last: cover property (@(posedge clk_i) valid_i && !first_i && !last_i && counted_valid_q);
  gap: cover property (@(posedge clk_i) !valid_i && counted_valid_q);
  carries: cover property (@(posedge clk_i) icrc_valid && added[17]);
  carry_of_carry: cover property (@(posedge clk_i) folded_valid_q && folded_q[16]);
  zero_checksum: cover property (@(posedge clk_i) valid_o && &udp_o);
endmodule

bind tally_encap_sums encap_sums_cover u_cover (.*);
