// SPDX-License-Identifier: BSD-2-Clause
// Division of AVG for one element: integers truncate toward zero, floating point rounds once;
// docs/alu.md "Average".
//
// The block is a pipeline without valid signal or reset. It takes an element in each clock, each
// with its own type and divisor, and the result leaves tally_alu_pkg::ScaleLatency - 1 clocks
// later. The element begins at bit 0 and has at most W bits. For longer types, and for types
// without AVG, the result is undefined and no flag is raised. down_i and inverse_i represent the
// divisor and come from a tally_scale_inverse.
//
// How it divides. v is the inverse, cut to the bits that W needs, plus one. It exceeds 2^K /
// normalized by at most one. The product P = a v exceeds a 2^K / normalized by less than 2^W. A
// quotient by a number of DivW bits that is not exact differs from the next exact one by at least
// 2^-DivW. This is more than the error of P if K is W + DivW for integers, or 2 DivW + 2 plus the
// bits of the fraction for floats. Therefore cutting off the fraction of P gives the exact integer
// quotient, and the bits of P from W up show whether the quotient of a float is exact.
//
// A name ends in the number of the stage whose registers hold it: 1 operand, 2 magnitude, 3 zeros
// above the leading one, 4 leading one at the top, 5 partial products, 6 sums of each row, 7
// product, 8 leading one at the top again, 9 and 10 shift right (integers down to the unit, floats
// up to exponent 1), 11 rounding, 12 result.
module tally_scale_lane #(
  parameter int unsigned W = 64,  // 8, 16, 32 or 64
  parameter int unsigned DivW = tally_alu_pkg::DivisorW,
  parameter int unsigned InverseW = tally_alu_pkg::InverseW,
  localparam int unsigned DownW = $clog2(DivW)
) (
  input  logic                  clk_i,
  input  logic [7:0]            type_i,  // tally_pkg::type_e
  input  logic [W-1:0]          a_i,
  input  logic [DownW-1:0]      down_i,
  // verilator lint_off UNUSEDSIGNAL
  input  logic [InverseW-1:0]   inverse_i,  // short lanes use only its upper bits
  // verilator lint_on UNUSEDSIGNAL
  output logic [W-1:0]          result_o,
  output tally_alu_pkg::flags_t flags_o
);
  // Bits of the inverse: K + 2 - DivW.
  localparam int unsigned SigMost = W == 64 ? 53 : W == 32 ? 24 : W == 16 ? 11 : 0;
  localparam int unsigned ForInt = W + 2, ForFloat = SigMost == 0 ? 0 : SigMost + 3 + DivW;
  localparam int unsigned InvW = ForInt > ForFloat ? ForInt : ForFloat;
  localparam int unsigned ProdW = W + InvW;
  // number of bits of P below its upper W + 1, the first of which is zero
  localparam int unsigned Low = InvW - 1;

  // The factors are multiplied in parts that fit the unsigned multiplier of a DSP block.
  localparam int unsigned DspA = 17;
  localparam int unsigned DspB = 26;
  localparam int unsigned PartsA = (W + DspA - 1) / DspA;
  localparam int unsigned PartsB = (InvW + DspB - 1) / DspB;
  localparam int unsigned PartA = (W + PartsA - 1) / PartsA;
  localparam int unsigned PartB = (InvW + PartsB - 1) / PartsB;

  // Indices of the formats.
  localparam int unsigned Fp16 = 0, Bf16 = 1, Fp32 = 2, Fp64 = 3, Formats = 4;
  // bits of a signed exponent before it is limited
  localparam int unsigned WideW = 13;
  // from this shift on, all bits of a quotient are sticky
  localparam logic signed [WideW-1:0] FarAway = WideW'(W - 1);

  // A lane of bytes has no formats and does not use some of these signals.
  // verilator lint_off UNUSEDSIGNAL

  // Stage 1: decode the element's type.
  logic [63:0] raw_q1;
  logic [3:0] size_q1;  // one-hot
  logic signed_q1;
  logic [Formats-1:0] format_q1;

  always_ff @(posedge clk_i) begin
    raw_q1 <= 64'(a_i);
    for (int unsigned s = 0; s < 4; s++) size_q1[s] <= type_i[3:0] == 4'(s);
    signed_q1 <= {4'b0, type_i[7:4]} == tally_pkg::TypeClassInt;
    format_q1[Fp16] <= W >= 16 && type_i == tally_pkg::TypeFp16;
    format_q1[Bf16] <= W >= 16 && type_i == tally_pkg::TypeBf16;
    format_q1[Fp32] <= W >= 32 && type_i == tally_pkg::TypeFp32;
    format_q1[Fp64] <= W >= 64 && type_i == tally_pkg::TypeFp64;
  end

  // Properties that need no arithmetic go through all stages.
  typedef struct packed {
    logic [Formats-1:0] format;
    logic is_fp;
    logic sign;
    logic nan;
    logic invalid;
    logic infinite;
    logic zero;
  } side_t;
  localparam int unsigned SideW = Formats + 6;  // bits of side_t
  localparam int unsigned SideStages = 10;      // stages 2 to 11
  side_t side1, side2, side5, side7, side8, side10, side11;
  logic [SideStages-1:0][SideW-1:0] side_q;

  always_ff @(posedge clk_i) side_q <= {side_q[SideStages-2:0], side1};
  assign side2 = side_q[0];
  assign side5 = side_q[3];
  assign side7 = side_q[5];
  assign side8 = side_q[6];
  assign side10 = side_q[8];
  assign side11 = side_q[9];

  // Constants of each format, and its part of later stages. Significands are aligned to the top.
  logic [Formats-1:0] sign1, nan1, quiet1, infinite1, zero1, ones8, inexact10;
  logic [Formats-1:0][W-1:0] sig1, magnitude10, nan_of, infinity_of, sign_of;
  logic [Formats-1:0][WideW-1:0] exp1;
  logic [W-1:0] rest_q8, rest_q9, rest_q10;
  logic signed [WideW-1:0] exp_q8, exp_q9, exp_q10;
  logic lost_q8, lost_q9, lost_q10;

  for (genvar f = 0; f < Formats; f++) begin : gen_format
    localparam int unsigned ExpW = f == Fp16 ? 5 : f == Fp64 ? 11 : 8;
    localparam int unsigned FracW = f == Fp16 ? 10 : f == Bf16 ? 7 : f == Fp32 ? 23 : 52;
    localparam int unsigned Bits = 1 + ExpW + FracW;

    if (Bits <= W) begin : gen_here
      localparam logic [Bits-2:0] Infinity = {{ExpW{1'b1}}, FracW'(0)};
      logic normal, round_up;
      assign normal = raw_q1[Bits-2:FracW] != '0;
      assign sign1[f] = raw_q1[Bits-1];
      assign nan1[f] = raw_q1[Bits-2:0] > Infinity;
      assign quiet1[f] = raw_q1[FracW-1];
      assign infinite1[f] = raw_q1[Bits-2:0] == Infinity;
      assign zero1[f] = raw_q1[Bits-2:0] == '0;
      assign sig1[f] = {normal, raw_q1[FracW-1:0], (W-1-FracW)'(0)};
      assign exp1[f] = WideW'({raw_q1[Bits-2:FracW+1], raw_q1[FracW] || !normal});

      // A significand of ones, which rounding up carries to a power of two.
      assign ones8[f] = &rest_q8[W-1 -: FracW+2];

      // The hidden bit, if any, and a carry out of rounding increment the exponent.
      assign inexact10[f] = rest_q10[W-FracW-2:0] != '0 || lost_q10;
      assign round_up = rest_q10[W-FracW-2] &&
                        (rest_q10[W-FracW-3:0] != '0 || lost_q10 || rest_q10[W-FracW-1]);
      assign magnitude10[f] = W'({ExpW'(exp_q10 - WideW'(1)), FracW'(0)}) +
                              W'(rest_q10[W-1 -: FracW+1]) + W'(round_up);

      assign nan_of[f] = W'({Infinity[Bits-2:FracW], 1'b1, (FracW-1)'(0)});
      assign infinity_of[f] = W'(Infinity);
      assign sign_of[f] = W'(1) << (Bits - 1);
    end else begin : gen_none
      assign {sign1[f], nan1[f], quiet1[f], infinite1[f], zero1[f], ones8[f], inexact10[f]} = '0;
      assign {sig1[f], exp1[f], magnitude10[f], nan_of[f], infinity_of[f], sign_of[f]} = '0;
    end
  end

  // Stage 2: magnitudes of integers; significands of floats, aligned to the top, and exponents (1
  // for subnormals).
  logic [W-1:0] sig_chosen1, magnitude1, a_q2, a_q3, a_q4;
  logic signed [WideW-1:0] exp_chosen1, exp_q2, exp_q3, exp_q4, exp_q5, exp_q6, exp_q7;
  logic [63:0] extended1;
  logic negative1;

  always_comb begin
    negative1 = signed_q1 && ({raw_q1[63], raw_q1[31], raw_q1[15], raw_q1[7]} & size_q1) != '0;
    extended1[7:0] = raw_q1[7:0];
    extended1[15:8] = size_q1[0] ? {8{negative1}} : raw_q1[15:8];
    extended1[31:16] = size_q1[0] || size_q1[1] ? {16{negative1}} : raw_q1[31:16];
    extended1[63:32] = size_q1[3] ? raw_q1[63:32] : {32{negative1}};
    magnitude1 = (W'(extended1) ^ {W{negative1}}) + W'(negative1);

    sig_chosen1 = '0;
    exp_chosen1 = '0;
    for (int unsigned f = 0; f < Formats; f++) begin
      sig_chosen1 |= {W{format_q1[f]}} & sig1[f];
      exp_chosen1 |= {WideW{format_q1[f]}} & exp1[f];
    end
    side1.format = format_q1;
    side1.is_fp = format_q1 != '0;
    side1.sign = side1.is_fp ? (format_q1 & sign1) != '0 : negative1;
    side1.nan = (format_q1 & nan1) != '0;
    side1.invalid = (format_q1 & nan1 & ~quiet1) != '0;
    side1.infinite = (format_q1 & infinite1) != '0;
    side1.zero = (format_q1 & zero1) != '0;
  end

  // The divisor goes through the stages before its use.
  logic [3:0][InvW-1:0] inverse_q;  // stages 1 to 4
  logic [4:0][DownW-1:0] down_q;    // stages 1 to 5
  logic [5:0] up_q3;

  always_ff @(posedge clk_i) begin
    inverse_q <= {inverse_q[2] + InvW'(1), inverse_q[1:0], inverse_i[InverseW-1 -: InvW]};
    down_q <= {down_q[3:0], down_i};

    a_q2 <= side1.is_fp ? sig_chosen1 : magnitude1;
    exp_q2 <= exp_chosen1;

    a_q3 <= a_q2;
    exp_q3 <= exp_q2;
    up_q3 <= side2.is_fp ? tally_alu_pkg::leading_zeros(64'(a_q2) << (64 - W)) : '0;

    a_q4 <= a_q3 << up_q3;
    exp_q4 <= exp_q3 - WideW'(up_q3);
  end

  // Stages 5 to 7: multiply the parts, add the products of each part of a, add these sums.
  logic [PartsA*PartA-1:0] a_parts4;
  logic [PartsB*PartB-1:0] inverse_parts4;
  logic [PartsA-1:0][PartsB-1:0][PartA+PartB-1:0] part_q5;
  logic [PartsA-1:0][ProdW-1:0] row5, row_q6;
  logic [ProdW-1:0] prod6;
  logic [W-1:0] prod_q7;
  logic lost_q7;

  assign a_parts4 = (PartsA * PartA)'(a_q4);
  assign inverse_parts4 = (PartsB * PartB)'(inverse_q[3]);

  always_comb begin
    row5 = '0;
    prod6 = '0;
    for (int unsigned i = 0; i < PartsA; i++) begin
      for (int unsigned k = 0; k < PartsB; k++) begin
        row5[i] = row5[i] + (ProdW'(part_q5[i][k]) << (k * PartB));
      end
      prod6 = prod6 + (row_q6[i] << (i * PartA));
    end
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < PartsA; i++) begin
      for (int unsigned k = 0; k < PartsB; k++) begin
        part_q5[i][k] <= (PartA + PartB)'(a_parts4[i*PartA +: PartA])
                         * (PartA + PartB)'(inverse_parts4[k*PartB +: PartB]);
      end
    end
    row_q6 <= row5;
    prod_q7 <= prod6[Low +: W];
    lost_q7 <= prod6[Low-1:W] != '0;
  end

  // The exponent at the same time. It is that of a quotient between one and two, whose leading one
  // is the top bit (high). If the leading one is the bit below (low), the exponent is one less. The
  // shift right is computed for both cases: for floats, it is the distance below exponent 1.
  logic signed [WideW-1:0] below_high5, below_low5;
  logic [5:0] down_high_q6, down_low_q6, down_high_q7, down_low_q7, down_q8;
  logic [2:0] down_q9;

  assign below_high5 = WideW'(1) - exp_q5;
  assign below_low5 = WideW'(2) - exp_q5;

  always_ff @(posedge clk_i) begin
    exp_q5 <= exp_q4 - WideW'(down_q[3]);

    exp_q6 <= exp_q5;
    if (side5.is_fp) begin
      down_high_q6 <= below_high5 < 0 ? '0 : below_high5 > FarAway ? 6'(FarAway) : 6'(below_high5);
      down_low_q6 <= below_low5 < 0 ? '0 : below_low5 > FarAway ? 6'(FarAway) : 6'(below_low5);
    end else begin
      down_high_q6 <= 6'(down_q[4]);
      down_low_q6 <= 6'(down_q[4]);
    end

    exp_q7 <= exp_q6;
    {down_high_q7, down_low_q7} <= {down_high_q6, down_low_q6};
  end

  // Stage 8: shift the leading one to the top. Stages 9 and 10: shift right, by eights and by ones.
  // A float is tiny if it lies below exponent 1 even with an unbounded exponent, unless rounding
  // with that exponent carries to the smallest normal number.
  logic high7, tiny_q9, tiny_q10;
  assign high7 = prod_q7[W-1] || !side7.is_fp;

  always_ff @(posedge clk_i) begin
    rest_q8 <= high7 ? prod_q7 : prod_q7 << 1;
    lost_q8 <= lost_q7;
    exp_q8 <= high7 ? exp_q7 : exp_q7 - WideW'(1);
    down_q8 <= high7 ? down_high_q7 : down_low_q7;

    rest_q9 <= rest_q8 >> {down_q8[5:3], 3'b0};
    lost_q9 <= lost_q8 || falls_out(rest_q8, {down_q8[5:3], 3'b0});
    exp_q9 <= exp_q8 < 1 ? WideW'(1) : exp_q8;
    down_q9 <= down_q8[2:0];
    tiny_q9 <= exp_q8 < 0 || (exp_q8 == 0 && (side8.format & ones8) == '0);

    rest_q10 <= rest_q9 >> down_q9;
    lost_q10 <= lost_q9 || falls_out(rest_q9, {3'b0, down_q9});
    exp_q10 <= exp_q9;
    tiny_q10 <= tiny_q9;
  end

  // Returns whether a shift right by `by` drops a one.
  function automatic logic falls_out(input logic [W-1:0] x, input logic [5:0] by);
    falls_out = (x & ~({W{1'b1}} << by)) != '0;
  endfunction

  // Stage 11: round. The quotient is no larger than the dividend, so it does not overflow.
  logic [W-1:0] magnitude_chosen10, magnitude_q11;
  logic inexact_q11, tiny_q11;

  always_comb begin
    magnitude_chosen10 = {W{!side10.is_fp}} & rest_q10;
    for (int unsigned f = 0; f < Formats; f++) begin
      magnitude_chosen10 |= {W{side10.format[f]}} & magnitude10[f];
    end
  end

  always_ff @(posedge clk_i) begin
    magnitude_q11 <= magnitude_chosen10;
    inexact_q11 <= (side10.format & inexact10) != '0;
    tiny_q11 <= tiny_q10;
  end

  // Stage 12: select the result.
  logic [W-1:0] nan11, infinity11, sign11;

  always_comb begin
    nan11 = '0;
    infinity11 = '0;
    sign11 = '0;
    for (int unsigned f = 0; f < Formats; f++) begin
      nan11 |= {W{side11.format[f]}} & nan_of[f];
      infinity11 |= {W{side11.format[f]}} & infinity_of[f];
      sign11 |= {W{side11.format[f] && side11.sign}} & sign_of[f];
    end
  end

  always_ff @(posedge clk_i) begin
    flags_o <= '0;
    if (!side11.is_fp) begin
      result_o <= (magnitude_q11 ^ {W{side11.sign}}) + W'(side11.sign);
    end else if (side11.nan) begin
      result_o <= nan11;
      flags_o[tally_pkg::ErrFpInvalidBit] <= side11.invalid;
    end else if (side11.zero) begin
      result_o <= sign11;
    end else if (side11.infinite) begin
      result_o <= sign11 | infinity11;
    end else begin
      result_o <= sign11 | magnitude_q11;
      flags_o[tally_pkg::ErrFpInexactBit] <= inexact_q11;
      flags_o[tally_pkg::ErrFpUnderflowBit] <= inexact_q11 && tiny_q11;
    end
  end
  // verilator lint_on UNUSEDSIGNAL

`ifdef FORMAL
  `include "scale_lane_proof.svh"
`endif
endmodule
