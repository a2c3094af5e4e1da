// SPDX-License-Identifier: BSD-2-Clause
// Points that the benches of tally_axi_split must reach.
module axi_split_cover #(
  parameter int unsigned BeatW = 6
) (
  input logic             clk_i,
  input logic             take,
  input logic             give,
  input logic             out_valid_o,
  input logic             out_ready_i,
  input logic             out_last_o,
  input logic [BeatW-1:0] out_beats_o,
  input logic [BeatW-1:0] word_q
);
  one_word: cover property (@(posedge clk_i) give && out_beats_o == '0);
  whole_page: cover property (@(posedge clk_i) give && &out_beats_o);
  ends_at_boundary: cover property (@(posedge clk_i) give && out_last_o && out_beats_o == ~word_q);
  goes_on: cover property (@(posedge clk_i) give && !out_last_o);
  last_and_next: cover property (@(posedge clk_i) give && take);
  waits: cover property (@(posedge clk_i) out_valid_o && !out_ready_i);
endmodule

bind tally_axi_split axi_split_cover #(.BeatW(BeatW)) u_cover (.*);
