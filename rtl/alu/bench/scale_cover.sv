// SPDX-License-Identifier: BSD-2-Clause
// Points that the benches of tally_scale must reach.
module scale_cover #(
  parameter int unsigned Latency = 13
) (
  input logic               clk_i,
  input logic [Latency-1:0] valid_q,
  input logic               valid_o,
  input logic [3:0]         size_end,
  input logic [15:0]        flags_o
);
  full: cover property (@(posedge clk_i) valid_q == '1);
  alone: cover property (@(posedge clk_i) valid_o && valid_q[Latency-2:0] == '0);
  of_8_bits: cover property (@(posedge clk_i) valid_q[Latency-2] && size_end[0]);
  of_16_bits: cover property (@(posedge clk_i) valid_q[Latency-2] && size_end[1]);
  of_32_bits: cover property (@(posedge clk_i) valid_q[Latency-2] && size_end[2]);
  of_64_bits: cover property (@(posedge clk_i) valid_q[Latency-2] && size_end[3]);
  all_but_overflow: cover property (@(posedge clk_i) valid_o && flags_o == 16'b1101);
  no_flag: cover property (@(posedge clk_i) valid_o && flags_o == '0);
endmodule

bind tally_scale scale_cover #(.Latency(Latency)) u_cover (.*);
