// SPDX-License-Identifier: BSD-2-Clause
// A clock that stops while nobody needs it. An edge of clk_i with en_i is one of clk_o, so what is
// clocked by clk_o and by clk_i has its edges at the same times. What changes en_i while clk_i is
// high has no effect. In an FPGA, a clock buffer with enable takes the place of this block.
module tally_clock_gate (
  input  logic clk_i,
  input  logic en_i,
  output logic clk_o
);
  logic en_q;

  always_latch if (!clk_i) en_q = en_i;
  assign clk_o = clk_i && en_q;
endmodule
