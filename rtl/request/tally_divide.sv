// SPDX-License-Identifier: BSD-2-Clause
// Divides unsigned numbers, two bits of the quotient in each clock.
//
// A division begins with start_i, also if another one runs, which then has no result. done_o is
// high from the end of the division until the next one begins, and the results are valid with it:
// one clock after the start if the dividend is smaller than the divisor, otherwise (DividendW + 1)
// / 2 + 1 clocks after it. The results of a division by zero have no meaning.
module tally_divide #(
  parameter int unsigned DividendW = 32,
  parameter int unsigned DivisorW = 13
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,

  input  logic                 start_i,
  input  logic [DividendW-1:0] dividend_i,
  input  logic [DivisorW-1:0]  divisor_i,

  output logic                 done_o,
  output logic [DividendW-1:0] quotient_o,
  output logic [DivisorW-1:0]  remainder_o
);
  localparam int unsigned Steps = (DividendW + 1) / 2;
  localparam int unsigned StepW = $clog2(Steps + 1);
  localparam int unsigned PaddedW = 2 * Steps;

  // The dividend's bits leave upwards, while those of the quotient enter from below.
  logic [PaddedW-1:0] bits_q;
  logic [DivisorW-1:0] rest_q, divisor_q;
  logic [StepW-1:0] left_q;
  logic done_q;
  logic [DivisorW:0] first, second;
  logic [DivisorW-1:0] first_less, second_less;
  logic first_fits, second_fits, is_short;

  assign done_o = done_q;
  assign quotient_o = bits_q[DividendW-1:0];
  assign remainder_o = rest_q;

  // Two steps of a division by hand.
  assign first = {rest_q, bits_q[PaddedW-1]};
  assign first_less = first[DivisorW-1:0] - divisor_q;
  assign first_fits = first >= {1'b0, divisor_q};
  assign second = {first_fits ? first_less : first[DivisorW-1:0], bits_q[PaddedW-2]};
  assign second_less = second[DivisorW-1:0] - divisor_q;
  assign second_fits = second >= {1'b0, divisor_q};

  assign is_short = {{DivisorW{1'b0}}, dividend_i} < {{DividendW{1'b0}}, divisor_i};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      left_q <= '0;
      done_q <= 1'b0;
    end else if (start_i) begin
      left_q <= is_short ? '0 : StepW'(Steps);
      done_q <= is_short;
    end else if (left_q != '0) begin
      left_q <= left_q - 1'b1;
      done_q <= left_q == StepW'(1);
    end
  end

  always_ff @(posedge clk_i) begin
    if (start_i) begin
      divisor_q <= divisor_i;
      bits_q <= is_short ? '0 : PaddedW'(dividend_i);
      rest_q <= is_short ? DivisorW'(dividend_i) : '0;
    end else if (left_q != '0) begin
      bits_q <= {bits_q[PaddedW-3:0], first_fits, second_fits};
      rest_q <= second_fits ? second_less : second[DivisorW-1:0];
    end
  end

`ifdef FORMAL
  `include "divide_proof.svh"
`endif
endmodule
