// SPDX-License-Identifier: BSD-2-Clause
// The proof uses a small format, in which every number is a small multiple of the smallest
// subnormal. The result is the number nearest to the exact sum. The block has no feedback, so runs
// slightly longer than the pipeline cover all behaviour.
localparam int unsigned ValueW = FracW + (1 << ExpW) + 2;
localparam int unsigned Depth = tally_alu_pkg::FpLatency;

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

// Magnitude nearest to the exact sum; of two equally near ones, the even one. Bit m means that the
// magnitude is at least m: the sum is above the middle between m - 1 and m or, if m is even, equal
// to it.
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
  localparam logic [ValueW:0] Both = (ValueW + 1)'(This + Last);
  assign passed[m] = {exact, 1'b0} > Both || ({exact, 1'b0} == Both && m % 2 == 0);
end

logic a_nan_then, b_nan_then, signalling, a_inf_then, b_inf_then, negative;
logic signed [ValueW:0] a_value, b_value, total;
logic [W-2:0] nearest;
logic [W-1:0] want;
logic invalid, overflow, inexact;

always_comb begin
  a_nan_then = a_then[W-2:0] > Infinity;
  b_nan_then = b_then[W-2:0] > Infinity;
  a_inf_then = a_then[W-2:0] == Infinity;
  b_inf_then = b_then[W-2:0] == Infinity;
  signalling = (a_nan_then && !a_then[FracW-1]) || (b_nan_then && !b_then[FracW-1]);
  a_value = {1'b0, value_of(a_then[W-2:0])};
  b_value = {1'b0, value_of(b_then[W-2:0])};
  total = (a_then[W-1] ? -a_value : a_value) + (b_then[W-1] ? -b_value : b_value);
  negative = total == '0 ? a_then[W-1] && b_then[W-1] : total[ValueW];
  exact = total[ValueW] ? ValueW'(-total) : ValueW'(total);
  nearest = '0;
  for (int m = 1; m <= Top; m++) if (passed[m]) nearest = (W-1)'(m);
  want = {negative, nearest};
  invalid = 1'b0;
  overflow = nearest == Infinity;
  inexact = overflow || value_of(nearest) != exact;
  if (a_nan_then || b_nan_then || (a_inf_then && b_inf_then && a_then[W-1] != b_then[W-1])) begin
    want = Nan;
    invalid = signalling || !(a_nan_then || b_nan_then);
    overflow = 1'b0;
    inexact = 1'b0;
  end else if (a_inf_then || b_inf_then) begin
    want = a_inf_then ? a_then : b_then;
    overflow = 1'b0;
    inexact = 1'b0;
  end

  if (age_q == 8'(Depth)) begin
    assert (result_o == want);
    assert (flags_o[tally_pkg::ErrFpInvalidBit] == invalid);
    assert (flags_o[tally_pkg::ErrFpOverflowBit] == overflow);
    assert (flags_o[tally_pkg::ErrFpInexactBit] == inexact);
    assert (!flags_o[tally_pkg::ErrFpUnderflowBit]);
    cover (overflow);
    cover (inexact && !overflow);
    cover (invalid && !signalling);
    cover (result_o[W-2:FracW] == '0 && result_o[FracW-1:0] != '0 && a_then[W-2:FracW] != '0);
  end
end
