// SPDX-License-Identifier: BSD-2-Clause
// In a format so small that any number is a few units of the smallest one, products are what exact arithmetic gives and
// the nearest number of all. Nothing is fed back, so runs a bit longer than the pipeline are all there is.
localparam int unsigned Depth = tally_alu_pkg::FpLatency;
// The square of the smallest subnormal is the unit of a product: 2^-Below smallest subnormals.
localparam int unsigned Below = (1 << (ExpW - 1)) - 1 + FracW - 1;
localparam int unsigned ValueW = 2 * (FracW + (1 << ExpW));

// A magnitude in units of the smallest subnormal; infinity is the power of two that would follow.
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

// Below the smallest normal number numbers of its precision are half as far apart, and half of that rounds up to it.
localparam logic [ValueW-1:0] TinyBelow = (ValueW'(1) << (FracW + Below)) - (ValueW'(1) << (Below - 2));

// The nearest magnitude, the even one of two: bit m tells that it is m or more, as the middle between m and the one before
// has been passed or, if m is even, reached.
// Yosys reads this with the block's own parameters, too, for which it would be too much.
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
    cover (inexact && !underflow && nearest[W-2:FracW] == 1 && exact < (ValueW'(1) << (FracW + Below)));
    cover (invalid && !signalling);
  end
end
