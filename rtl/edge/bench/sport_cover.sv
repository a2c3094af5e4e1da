// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_sport must reach.
module sport_cover (
  input logic       clk_i,
  input logic       in_valid_i,
  input logic       in_ready_o,
  input logic       out_valid_o,
  input logic       out_ready_i,
  input logic [4:0] left_q
);
  waits: cover property (@(posedge clk_i) out_valid_o && !out_ready_i);
  taken: cover property (@(posedge clk_i) out_valid_o && out_ready_i);
  busy: cover property (@(posedge clk_i) in_valid_i && !in_ready_o && left_q != '0);
endmodule

bind tally_sport sport_cover u_cover (.*);
