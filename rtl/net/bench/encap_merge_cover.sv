// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_encap_merge must reach.
module encap_merge_cover (
  input logic clk_i,
  input logic first_valid_i,
  input logic first_ready_o,
  input logic second_valid_i,
  input logic second_ready_o,
  input logic out_valid_o,
  input logic out_ready_i,
  input logic passes_q,
  input logic second_q,
  input logic ends
);
  first_of_two: cover property (@(posedge clk_i) first_ready_o && second_valid_i);
  second_of_two: cover property (@(posedge clk_i) second_ready_o && first_valid_i);
  waits: cover property (@(posedge clk_i) out_valid_o && !out_ready_i);
  waits_for_payload: cover property (@(posedge clk_i) passes_q && !second_q && second_valid_i);
  first_ends: cover property (@(posedge clk_i) ends && !second_q);
  second_ends: cover property (@(posedge clk_i) ends && second_q);
endmodule

bind tally_encap_merge encap_merge_cover u_cover (.*);
