// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_local_pairs must reach.
module local_pairs_cover (
  input logic        clk_i,
  input logic        start_i,
  input logic        values_i,
  input logic [1:0]  size_log_i,
  input logic        in_valid_i,
  input logic        in_ready_o,
  input logic        out_ready_i,
  input logic        out_last_i,
  input logic [2:0]  part_q,
  input logic [2:0]  last_part,
  input logic [31:0] index,
  input logic        is_first_q,
  input logic        moves
);
  one_byte: cover property (@(posedge clk_i) moves && values_i && size_log_i == 2'd0 &&
                            part_q == last_part);
  two_bytes: cover property (@(posedge clk_i) moves && values_i && size_log_i == 2'd1 &&
                             part_q == last_part);
  four_bytes: cover property (@(posedge clk_i) moves && values_i && size_log_i == 2'd2 &&
                              part_q == last_part);
  eight_bytes: cover property (@(posedge clk_i) moves && values_i && size_log_i == 2'd3 &&
                               part_q == last_part);
  unchanged: cover property (@(posedge clk_i) moves && !values_i && !out_last_i);
  part_is_left_out: cover property (@(posedge clk_i) moves && values_i && out_last_i &&
                                    part_q != last_part && in_ready_o);
  waits_amid_a_word: cover property (@(posedge clk_i) in_valid_i && !out_ready_i && part_q != '0);
  begins_anew: cover property (@(posedge clk_i) start_i && !is_first_q);
  high_index: cover property (@(posedge clk_i) moves && values_i &&
                               index > 32'h7fff_ffff);
endmodule

bind tally_local_pairs local_pairs_cover u_cover (.*);
