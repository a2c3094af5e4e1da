// SPDX-License-Identifier: BSD-2-Clause
// Points that the benches of tally_crc32_512 must reach.
module crc32_512_cover #(
  parameter int unsigned CountBits = 6
) (
  input logic       clk_i,
  input logic       valid_i,
  input logic       first_i,
  input logic       last_i,
  input logic       word_valid_q,
  input logic       word_last_q,
  input logic [CountBits-1:0] word_zeros_q
);
  one_word: cover property (@(posedge clk_i) valid_i && first_i && last_i);
  no_gap: cover property (@(posedge clk_i) valid_i && first_i && word_valid_q && word_last_q);
  gap_inside: cover property (@(posedge clk_i) !valid_i && word_valid_q && !word_last_q);
  never_finished: cover property (@(posedge clk_i) valid_i && first_i && word_valid_q &&
                                  !word_last_q);
  full_last: cover property (@(posedge clk_i) word_valid_q && word_last_q && word_zeros_q == '0);
  all_steps: cover property (@(posedge clk_i) word_valid_q && word_last_q &&
                             word_zeros_q == '1);
endmodule

bind tally_crc32_512 crc32_512_cover #(.CountBits(CountBits)) u_cover (.*);
