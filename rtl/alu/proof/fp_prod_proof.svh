// SPDX-License-Identifier: BSD-2-Clause
// The proof uses a small format, in which every number is a small multiple of the smallest
// subnormal. The result is the number nearest to the exact product. The block has no feedback, so
// runs slightly longer than the pipeline cover all behaviour.
localparam int unsigned Depth = tally_alu_pkg::FpLatency;
// The unit of a product is the square of the smallest subnormal, which is 2^-Below times the
// smallest subnormal.
localparam int unsigned Below = (1 << (ExpW - 1)) - 1 + FracW - 1;
localparam int unsigned ValueW = 2 * (FracW + (1 << ExpW));

// Returns a magnitude in units of the smallest subnormal. Infinity is the next power of two above
// the largest number.
function automatic logic [ValueW-1:0] value_of(input logic [W-2:0] m);
  if (m[W-2:FracW] == '0) value_of = ValueW'(m);
  else value_of = ValueW'({1'b1, m[FracW-1:0]}) << (m[W-2:FracW] - 1'b1);
endfunction

logic [Depth-1:0][2*W-1:0] pair_q;
logic [7:0] age_q = '0;
logic [W-1:0] a_then, b_then;
assign {a_then, b_then} = pair_q[Depth-1];
always_ff @(posedge clk_i) begin
  pair_q <= {pair_q[Depth-2:0], a_i, b_i};
  if (age_q < 8'(Depth)) age_q <= age_q + 1'b1;
end

// Lower limit of the products that are not tiny. With the exponent unbounded, the numbers below the
// smallest normal one lie half as far apart, and the upper half of the last interval rounds up to
// the smallest normal number.
localparam logic [ValueW-1:0] TinyBelow = (ValueW'(1) << (FracW + Below)) -
                                          (ValueW'(1) << (Below - 2));

// Magnitude nearest to the exact product; of two equally near ones, the even one. Bit m means that
// the magnitude is at least m: the product is above the middle between m - 1 and m or, if m is
// even, equal to it.
//
// Top is 1 in larger formats: yosys also reads this file with the default parameters, for which the
// loop would be too long.
localparam int unsigned Top = W > 8 ? 1 : ((1 << ExpW) - 1) << FracW;
localparam int unsigned Hidden = 1 << FracW;
logic [ValueW-1:0] exact;
logic [Top:1] passed;
for (genvar m = 1; m <= Top; m++) begin : gen_passed
  localparam int unsigned ThisUp = m < 2 * Hidden ? 0 : m / Hidden - 1;
  localparam int unsigned LastUp = m - 1 < 2 * Hidden ? 0 : (m - 1) / Hidden - 1;
  localparam int unsigned This = (m - ThisUp * Hidden) << ThisUp;
  localparam int unsigned Last = (m - 1 - LastUp * Hidden) << LastUp;
  localparam logic [ValueW:0] Both = (ValueW + 1)'(This + Last) << Below;
  assign passed[m] = {exact, 1'b0} > Both || ({exact, 1'b0} == Both && m % 2 == 0);
end

logic a_nan_then, b_nan_then, signalling, a_inf_then, b_inf_then, undefined, negative;
logic [W-2:0] nearest;
logic [W-1:0] want;
logic invalid, overflow, underflow, inexact;

always_comb begin
  a_nan_then = a_then[W-2:0] > Infinity;
  b_nan_then = b_then[W-2:0] > Infinity;
  a_inf_then = a_then[W-2:0] == Infinity;
  b_inf_then = b_then[W-2:0] == Infinity;
  signalling = (a_nan_then && !a_then[FracW-1]) || (b_nan_then && !b_then[FracW-1]);
  undefined = (a_inf_then && b_then[W-2:0] == '0) || (b_inf_then && a_then[W-2:0] == '0);
  negative = a_then[W-1] ^ b_then[W-1];
  exact = value_of(a_then[W-2:0]) * value_of(b_then[W-2:0]);
  nearest = '0;
  for (int m = 1; m <= Top; m++) if (passed[m]) nearest = (W-1)'(m);
  want = {negative, nearest};
  invalid = 1'b0;
  overflow = nearest == Infinity;
  inexact = overflow || value_of(nearest) << Below != exact;
  underflow = inexact && exact < TinyBelow;
  if (a_nan_then || b_nan_then || undefined) begin
    want = Nan;
    invalid = signalling || undefined;
  end else if (a_inf_then || b_inf_then) begin
    want = {negative, Infinity};
  end
  if (a_nan_then || b_nan_then || a_inf_then || b_inf_then) begin
    overflow = 1'b0;
    underflow = 1'b0;
    inexact = 1'b0;
  end

  if (age_q == 8'(Depth)) begin
    assert (result_o == want);
    assert (flags_o[tally_pkg::ErrFpInvalidBit] == invalid);
    assert (flags_o[tally_pkg::ErrFpOverflowBit] == overflow);
    assert (flags_o[tally_pkg::ErrFpUnderflowBit] == underflow);
    assert (flags_o[tally_pkg::ErrFpInexactBit] == inexact);
    cover (overflow);
    cover (underflow && nearest[W-2:FracW] != '0);
    cover (inexact && !underflow && nearest[W-2:FracW] == 1 &&
           exact < (ValueW'(1) << (FracW + Below)));
    cover (invalid && !signalling);
  end
end
