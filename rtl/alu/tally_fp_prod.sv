// SPDX-License-Identifier: BSD-2-Clause
// Product of two numbers of a binary floating-point format, rounded to nearest, ties to even.
// docs/alu.md has the rules.
//
// The block is a pipeline without valid signal or reset. It takes operands in each clock, and the
// result leaves tally_alu_pkg::FpLatency clocks later. A name ends in the number of the stage whose
// registers hold it; the operands are stage 0.
module tally_fp_prod #(
  parameter int unsigned ExpW = 8,    // 3 to 11
  parameter int unsigned FracW = 23,  // 2 to 52
  localparam int unsigned W = 1 + ExpW + FracW
) (
  input  logic                  clk_i,
  input  logic [W-1:0]          a_i,
  input  logic [W-1:0]          b_i,
  output logic [W-1:0]          result_o,
  output tally_alu_pkg::flags_t flags_o
);
  localparam int unsigned SigW = 1 + FracW;
  localparam int unsigned ProdW = 2 * SigW;
  // Bits of a product before rounding: guard and sticky bit below the last place.
  localparam int unsigned RestW = SigW + 2;
  // Bits of a signed exponent before it is limited.
  localparam int unsigned WideW = (ExpW > 6 ? ExpW : 6) + 3;
  localparam logic signed [WideW-1:0] Bias = WideW'((1 << (ExpW - 1)) - 1);
  // At this distance below exponent 1, all bits are sticky.
  localparam int unsigned FarAway = RestW;

  // The significands are multiplied in parts that fit the unsigned multiplier of a DSP block.
  localparam int unsigned DspA = 26;
  localparam int unsigned DspB = 17;
  localparam int unsigned PartsA = (SigW + DspA - 1) / DspA;
  localparam int unsigned PartsB = (SigW + DspB - 1) / DspB;
  localparam int unsigned PartA = (SigW + PartsA - 1) / PartsA;
  localparam int unsigned PartB = (SigW + PartsB - 1) / PartsB;

  localparam logic [ExpW-1:0] ExpOnes = {ExpW{1'b1}};
  localparam logic [W-2:0] Infinity = {ExpOnes, FracW'(0)};
  localparam logic [W-1:0] Nan = {1'b0, ExpOnes, 1'b1, (FracW-1)'(0)};

  // Stage 1: find the significands, the exponents (1 for subnormals), NaNs and infinities.
  logic [SigW-1:0] a_sig_q1, b_sig_q1, a_sig_q2, b_sig_q2, a_sig_q3, b_sig_q3;
  logic [ExpW-1:0] a_exp_q1, b_exp_q1, a_exp_q2, b_exp_q2;
  logic a_nan, b_nan, a_infinite, b_infinite, a_zero, b_zero, a_normal, b_normal;

  assign a_nan = a_i[W-2:0] > Infinity;
  assign b_nan = b_i[W-2:0] > Infinity;
  assign a_infinite = a_i[W-2:0] == Infinity;
  assign b_infinite = b_i[W-2:0] == Infinity;
  assign a_zero = a_i[W-2:0] == '0;
  assign b_zero = b_i[W-2:0] == '0;
  assign a_normal = a_i[W-2:FracW] != '0;
  assign b_normal = b_i[W-2:FracW] != '0;

  // Properties that need no arithmetic go through all stages.
  typedef struct packed {
    logic sign;
    logic nan;
    logic invalid;
    logic infinite;
    logic zero;
  } side_t;
  localparam int unsigned SideW = 5;  // bits of side_t
  localparam int unsigned SideStages = tally_alu_pkg::FpLatency - 1;  // stages 1 to 10
  side_t side0, side10;
  logic [SideStages-1:0][SideW-1:0] side_q;

  always_comb begin
    logic nan, undefined;
    nan = a_nan || b_nan;
    undefined = (a_infinite && b_zero) || (a_zero && b_infinite);
    side0.sign = a_i[W-1] != b_i[W-1];
    side0.nan = nan || undefined;
    side0.invalid = undefined || (a_nan && !a_i[FracW-1]) || (b_nan && !b_i[FracW-1]);
    side0.infinite = a_infinite || b_infinite;
    side0.zero = a_zero || b_zero;
  end
  assign side10 = side_q[SideStages-1];

  always_ff @(posedge clk_i) begin
    side_q <= {side_q[SideStages-2:0], side0};
    a_sig_q1 <= {a_normal, a_i[FracW-1:0]};
    b_sig_q1 <= {b_normal, b_i[FracW-1:0]};
    a_exp_q1 <= {a_i[W-2:FracW+1], a_i[FracW] || !a_normal};
    b_exp_q1 <= {b_i[W-2:FracW+1], b_i[FracW] || !b_normal};
  end

  // Stages 2 and 3: shift the leading ones to the top, including those of subnormals.
  logic [5:0] a_up_q2, b_up_q2;
  logic signed [WideW-1:0] a_exp_q3, b_exp_q3;

  always_ff @(posedge clk_i) begin
    a_up_q2 <= tally_alu_pkg::leading_zeros({a_sig_q1, (64-SigW)'(0)});
    b_up_q2 <= tally_alu_pkg::leading_zeros({b_sig_q1, (64-SigW)'(0)});
    a_sig_q2 <= a_sig_q1;
    b_sig_q2 <= b_sig_q1;
    a_exp_q2 <= a_exp_q1;
    b_exp_q2 <= b_exp_q1;

    a_sig_q3 <= a_sig_q2 << a_up_q2;
    b_sig_q3 <= b_sig_q2 << b_up_q2;
    a_exp_q3 <= WideW'(a_exp_q2) - WideW'(a_up_q2);
    b_exp_q3 <= WideW'(b_exp_q2) - WideW'(b_up_q2);
  end

  // Stages 4 to 6: multiply the parts, add the products of each part of a, add these sums.
  logic [PartsA*PartA-1:0] a_parts3;
  logic [PartsB*PartB-1:0] b_parts3;
  logic [PartsA-1:0][PartsB-1:0][PartA+PartB-1:0] part_q4;
  logic [PartsA-1:0][ProdW-1:0] row4, row_q5;
  logic [ProdW-1:0] prod5, prod_q6;

  assign a_parts3 = (PartsA * PartA)'(a_sig_q3);
  assign b_parts3 = (PartsB * PartB)'(b_sig_q3);

  always_comb begin
    row4 = '0;
    prod5 = '0;
    for (int i = 0; i < PartsA; i++) begin
      for (int k = 0; k < PartsB; k++) row4[i] = row4[i] + (ProdW'(part_q4[i][k]) << (k * PartB));
      prod5 = prod5 + (row_q5[i] << (i * PartA));
    end
  end

  always_ff @(posedge clk_i) begin
    for (int i = 0; i < PartsA; i++) begin
      for (int k = 0; k < PartsB; k++) begin
        part_q4[i][k] <= (PartA + PartB)'(a_parts3[i*PartA +: PartA]) *
                         (PartA + PartB)'(b_parts3[k*PartB +: PartB]);
      end
    end
    row_q5 <= row4;
    prod_q6 <= prod5;
  end

  // The exponent at the same time. It is that of a product between one and two, whose leading one
  // is the second bit (low). If the leading one is the first bit (high), the exponent is one more.
  // The distance below exponent 1 is computed for both cases.
  logic signed [WideW-1:0] exp_q4, exp_q5, exp_q6;
  logic signed [WideW-1:0] below_low4, below_high4;
  logic [5:0] down_low_q5, down_high_q5, down_low_q6, down_high_q6;

  assign below_low4 = WideW'(1) - exp_q4;
  assign below_high4 = -exp_q4;

  always_ff @(posedge clk_i) begin
    exp_q4 <= a_exp_q3 + b_exp_q3 - Bias;

    exp_q5 <= exp_q4;
    down_low_q5 <= below_low4 < 0 ? '0 : below_low4 > WideW'(FarAway) ? 6'(FarAway) :
                   6'(below_low4);
    down_high_q5 <= below_high4 < 0 ? '0 : below_high4 > WideW'(FarAway) ? 6'(FarAway) :
                    6'(below_high4);

    exp_q6 <= exp_q5;
    down_low_q6 <= down_low_q5;
    down_high_q6 <= down_high_q5;
  end

  // Stage 7: shift the leading one to the top.
  logic [RestW-1:0] rest_q7, rest_q8, rest_q9;
  logic signed [WideW-1:0] exp_q7, exp_q8, exp_q9;
  logic [5:0] down_q7;
  logic [2:0] down_q8;
  logic high6;

  assign high6 = prod_q6[ProdW-1];

  always_ff @(posedge clk_i) begin
    rest_q7 <= high6 ? {prod_q6[ProdW-1 -: RestW-1], prod_q6[ProdW-RestW:0] != '0}
                     : {prod_q6[ProdW-2 -: RestW-1], prod_q6[ProdW-RestW-1:0] != '0};
    exp_q7 <= exp_q6 + WideW'(high6);
    down_q7 <= high6 ? down_high_q6 : down_low_q6;
  end

  // Stages 8 and 9: shift right up to exponent 1, by eights and by ones. A result is tiny if it
  // lies below exponent 1 even with an unbounded exponent, unless rounding with that exponent
  // carries to the smallest normal number.
  logic tiny_q8, tiny_q9;

  always_ff @(posedge clk_i) begin
    rest_q8 <= RestW'(tally_alu_pkg::shift_sticky(64'(rest_q7), {down_q7[5:3], 3'b0}));
    down_q8 <= down_q7[2:0];
    exp_q8 <= exp_q7 < 1 ? WideW'(1) : exp_q7;
    tiny_q8 <= exp_q7 < 0 || (exp_q7 == 0 && !(&rest_q7[RestW-1:1]));

    rest_q9 <= RestW'(tally_alu_pkg::shift_sticky(64'(rest_q8), {3'b0, down_q8}));
    exp_q9 <= exp_q8;
    tiny_q9 <= tiny_q8;
  end

  // Stage 10: round. The hidden bit, if any, and a carry out of rounding increment the exponent.
  localparam int unsigned MagnitudeW = WideW + FracW;
  logic [MagnitudeW-1:0] magnitude_q10;
  logic inexact_q10, tiny_q10, round_up9;

  assign round_up9 = rest_q9[1] && (rest_q9[0] || rest_q9[2]);

  always_ff @(posedge clk_i) begin
    magnitude_q10 <= {exp_q9 - WideW'(1), FracW'(0)} + MagnitudeW'(rest_q9[RestW-1:2]) +
                     MagnitudeW'(round_up9);
    inexact_q10 <= rest_q9[1:0] != '0;
    tiny_q10 <= tiny_q9;
  end

  // Stage 11: select the result.
  logic overflow10;
  assign overflow10 = magnitude_q10[MagnitudeW-1:FracW] >= WideW'(ExpOnes);

  always_ff @(posedge clk_i) begin
    flags_o <= '0;
    if (side10.nan) begin
      result_o <= Nan;
      flags_o[tally_pkg::ErrFpInvalidBit] <= side10.invalid;
    end else if (side10.zero) begin
      result_o <= {side10.sign, (W-1)'(0)};
    end else if (side10.infinite || overflow10) begin
      result_o <= {side10.sign, Infinity};
      flags_o[tally_pkg::ErrFpOverflowBit] <= !side10.infinite;
      flags_o[tally_pkg::ErrFpInexactBit] <= !side10.infinite;
    end else begin
      result_o <= {side10.sign, magnitude_q10[W-2:0]};
      flags_o[tally_pkg::ErrFpInexactBit] <= inexact_q10;
      flags_o[tally_pkg::ErrFpUnderflowBit] <= inexact_q10 && tiny_q10;
    end
  end

`ifdef FORMAL
  `include "fp_prod_proof.svh"
`endif
endmodule
