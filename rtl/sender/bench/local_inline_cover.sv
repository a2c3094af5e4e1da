// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_local_inline must reach.
module local_inline_cover (
  input logic        clk_i,
  input logic        read_valid_o,
  input logic        read_ready_i,
  input logic        inl_valid_o,
  input logic        inl_ready_i,
  input logic        word_valid_i,
  input logic        word_ready_o,
  input logic [5:0]  lane,
  input logic [12:0] len_q,
  input logic [7:0]  ins_left_q,
  input logic [7:0]  outs_left_q,
  input logic [7:0]  ins,
  input logic [7:0]  outs,
  input logic        emits,
  input logic        passes,
  input logic        more
);
  logic asks;
  assign asks = read_valid_o && read_ready_i;

  read_waits: cover property (@(posedge clk_i) read_valid_o && !read_ready_i);
  word_waits: cover property (@(posedge clk_i) word_valid_i && !word_ready_o);
  out_waits: cover property (@(posedge clk_i) inl_valid_o && !inl_ready_i);
  whole_line: cover property (@(posedge clk_i) asks && len_q == 13'(tally_pkg::MaxInline));
  aligned: cover property (@(posedge clk_i) asks && lane == '0 && outs > 8'd1);
  one_of_two: cover property (@(posedge clk_i) asks && outs == 8'd1 && ins == 8'd2);
  within_one: cover property (@(posedge clk_i) asks && lane != '0 && ins == 8'd1);
  single: cover property (@(posedge clk_i) passes);
  last_two: cover property (@(posedge clk_i) emits && outs_left_q == 8'd1 && more);
  last_one: cover property (@(posedge clk_i) emits && outs_left_q == 8'd1 && !more);
  next_before_the_end: cover property (@(posedge clk_i) inl_valid_o && ins_left_q == '0);
endmodule

bind tally_local_inline local_inline_cover u_cover (.*);
