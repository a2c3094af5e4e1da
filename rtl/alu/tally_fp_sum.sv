// SPDX-License-Identifier: BSD-2-Clause
// Sum of two numbers of a binary floating-point format, rounded to nearest, ties to even.
// docs/alu.md has the rules.
//
// The block is a pipeline without valid signal or reset. It takes operands in each clock, and the
// result leaves tally_alu_pkg::FpLatency clocks later. A name ends in the number of the stage whose
// registers hold it; the operands are stage 0.
module tally_fp_sum #(
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
  // Significands are right-aligned, with three bits below the last place: guard, round, sticky.
  // Three bits suffice: a shift left by more than one place, after a cancellation, only follows a
  // shift right by at most one place.
  localparam int unsigned SigW = 1 + FracW + 3;
  localparam int unsigned SumW = SigW + 1;
  // From this difference of the exponents on, all bits of the smaller operand are sticky.
  localparam int unsigned FarAway = SigW;

  localparam logic [ExpW-1:0] ExpOnes = {ExpW{1'b1}};
  localparam logic [W-2:0] Infinity = {ExpOnes, FracW'(0)};
  localparam logic [W-1:0] Nan = {1'b0, ExpOnes, 1'b1, (FracW-1)'(0)};

  // Stage 1: compare the magnitudes, find NaNs and infinities.
  logic [W-1:0] a_q1, b_q1;
  logic swap_q1, nan_q1, signalling_q1, infinite_q1, both_infinite_q1;
  logic a_nan, b_nan, a_infinite, b_infinite;

  assign a_nan = a_i[W-2:0] > Infinity;
  assign b_nan = b_i[W-2:0] > Infinity;
  assign a_infinite = a_i[W-2:0] == Infinity;
  assign b_infinite = b_i[W-2:0] == Infinity;

  always_ff @(posedge clk_i) begin
    a_q1 <= a_i;
    b_q1 <= b_i;
    swap_q1 <= a_i[W-2:0] < b_i[W-2:0];
    nan_q1 <= a_nan || b_nan;
    signalling_q1 <= (a_nan && !a_i[FracW-1]) || (b_nan && !b_i[FracW-1]);
    infinite_q1 <= a_infinite || b_infinite;
    both_infinite_q1 <= a_infinite && b_infinite;
  end

  // Stage 2: sort the operands by magnitude, subtract the exponents. Subnormals have exponent 1.
  logic [W-1:0] large1, small1;
  logic [ExpW-1:0] large_exp1, small_exp1, apart1;
  logic [FracW:0] large_q2, small_q2;
  logic [ExpW-1:0] exp_q2;
  logic [5:0] down_q2;
  logic subtract_q2;

  assign large1 = swap_q1 ? b_q1 : a_q1;
  assign small1 = swap_q1 ? a_q1 : b_q1;
  assign large_exp1 = {large1[W-2:FracW+1], large1[FracW] || large1[W-2:FracW] == '0};
  assign small_exp1 = {small1[W-2:FracW+1], small1[FracW] || small1[W-2:FracW] == '0};
  assign apart1 = large_exp1 - small_exp1;

  always_ff @(posedge clk_i) begin
    large_q2 <= {large1[W-2:FracW] != '0, large1[FracW-1:0]};
    small_q2 <= {small1[W-2:FracW] != '0, small1[FracW-1:0]};
    exp_q2 <= large_exp1;
    down_q2 <= 32'(apart1) < FarAway ? 6'(apart1) : 6'(FarAway);
    subtract_q2 <= large1[W-1] != small1[W-1];
  end

  // Properties that need no arithmetic go through all stages.
  typedef struct packed {
    logic sign;       // sign of the larger operand
    logic zero_sign;  // sign of a zero result
    logic special;    // infinity or NaN
    logic nan;
    logic invalid;
  } side_t;
  localparam int unsigned SideW = 5;  // bits of side_t
  localparam int unsigned SideStages = tally_alu_pkg::FpLatency - 2;  // stages 2 to 10
  side_t side1, side10;
  logic [SideStages-1:0][SideW-1:0] side_q;

  always_comb begin
    logic opposite;
    opposite = both_infinite_q1 && a_q1[W-1] != b_q1[W-1];
    side1.sign = large1[W-1];
    side1.zero_sign = a_q1[W-1] && b_q1[W-1];
    side1.special = nan_q1 || infinite_q1;
    side1.nan = nan_q1 || opposite;
    side1.invalid = signalling_q1 || (opposite && !nan_q1);
  end
  assign side10 = side_q[SideStages-1];

  always_ff @(posedge clk_i) side_q <= {side_q[SideStages-2:0], side1};

  // Stages 3 and 4: align the smaller operand, by eights and by ones.
  logic [SigW-1:0] small_q3, small_q4;
  logic [FracW:0] large_q3, large_q4;
  logic [ExpW-1:0] exp_q3, exp_q4;
  logic [2:0] down_q3;
  logic subtract_q3, subtract_q4;

  always_ff @(posedge clk_i) begin
    small_q3 <= SigW'(tally_alu_pkg::shift_sticky(64'({small_q2, 3'b0}), {down_q2[5:3], 3'b0}));
    down_q3 <= down_q2[2:0];
    large_q3 <= large_q2;
    exp_q3 <= exp_q2;
    subtract_q3 <= subtract_q2;

    small_q4 <= SigW'(tally_alu_pkg::shift_sticky(64'(small_q3), {3'b0, down_q3}));
    large_q4 <= large_q3;
    exp_q4 <= exp_q3;
    subtract_q4 <= subtract_q3;
  end

  // Stage 5: add. Stage 6: find the leading one.
  logic [SumW-1:0] sum_q5, sum_q6;
  logic [ExpW-1:0] exp_q5, exp_q6;
  logic [5:0] up_q6;

  always_ff @(posedge clk_i) begin
    sum_q5 <= {1'b0, large_q4, 3'b0} + ({1'b0, small_q4} ^ {SumW{subtract_q4}}) +
              SumW'(subtract_q4);
    exp_q5 <= exp_q4;

    sum_q6 <= sum_q5;
    exp_q6 <= exp_q5;
    up_q6 <= tally_alu_pkg::leading_zeros({sum_q5, (64-SumW)'(0)});
  end

  // Stage 7: compute the shift of the leading one to the top, which exponent 1 limits. The sum has
  // one bit of room for the carry, so a shift by one place leaves the exponent unchanged. The
  // significand, with its hidden bit, is added to the exponent minus one at the end.
  logic [SumW-1:0] sum_q7, sum_q8, sum_q9;
  logic [ExpW-1:0] exp_q7, exp_q8, exp_q9;
  logic [5:0] up6, up_q7;
  logic [2:0] up_q8;
  logic zero_q7, zero_q8, zero_q9;

  assign up6 = 32'(up_q6) < 32'(exp_q6) ? up_q6 : 6'(exp_q6);

  // Stages 8 and 9: normalize, by eights and by ones.
  always_ff @(posedge clk_i) begin
    sum_q7 <= sum_q6;
    exp_q7 <= exp_q6 - ExpW'(up6);
    up_q7 <= up6;
    zero_q7 <= sum_q6 == '0;

    sum_q8 <= sum_q7 << {up_q7[5:3], 3'b0};
    exp_q8 <= exp_q7;
    up_q8 <= up_q7[2:0];
    zero_q8 <= zero_q7;

    sum_q9 <= sum_q8 << up_q8;
    exp_q9 <= exp_q8;
    zero_q9 <= zero_q8;
  end

  // Stage 10: round. The hidden bit, if any, and a carry out of rounding increment the exponent.
  logic [W-2:0] magnitude_q10;
  logic inexact_q10, zero_q10, round_up9;

  assign round_up9 = sum_q9[3] && (sum_q9[2:0] != '0 || sum_q9[4]);

  always_ff @(posedge clk_i) begin
    magnitude_q10 <= {exp_q9, FracW'(0)} + (W-1)'(sum_q9[SumW-1:4]) + (W-1)'(round_up9);
    inexact_q10 <= sum_q9[3:0] != '0;
    zero_q10 <= zero_q9;
  end

  // Stage 11: select the result.
  logic overflow10;
  assign overflow10 = magnitude_q10[W-2:FracW] == ExpOnes;

  always_ff @(posedge clk_i) begin
    flags_o <= '0;
    if (side10.nan) begin
      result_o <= Nan;
      flags_o[tally_pkg::ErrFpInvalidBit] <= side10.invalid;
    end else if (side10.special || overflow10) begin
      result_o <= {side10.sign, Infinity};
      flags_o[tally_pkg::ErrFpOverflowBit] <= !side10.special;
      flags_o[tally_pkg::ErrFpInexactBit] <= !side10.special;
    end else if (zero_q10) begin
      result_o <= {side10.zero_sign, (W-1)'(0)};
    end else begin
      result_o <= {side10.sign, magnitude_q10};
      flags_o[tally_pkg::ErrFpInexactBit] <= inexact_q10;
    end
  end

`ifdef FORMAL
  `include "fp_sum_proof.svh"
`endif
endmodule
