// SPDX-License-Identifier: BSD-2-Clause
// The proof uses a small format, in which every number is a small multiple of the smallest
// subnormal. The result is that of comparing these multiples. The block has no feedback, so runs
// slightly longer than the pipeline cover all behaviour.
localparam int unsigned ValueW = FracW + (1 << ExpW) + 2;
localparam int unsigned Depth = tally_alu_pkg::FpLatency;

// Returns a number in units of the smallest subnormal. Infinity is the next power of two above the
// largest number.
function automatic logic signed [ValueW-1:0] value_of(input logic [W-1:0] x);
  if (x[W-2:FracW] == '0) value_of = ValueW'(x[FracW-1:0]);
  else value_of = ValueW'({1'b1, x[FracW-1:0]}) << (x[W-2:FracW] - 1'b1);
  if (x[W-1]) value_of = -value_of;
endfunction

logic [Depth-1:0][2*W:0] pair_q;
logic [7:0] age_q = '0;
logic max_then;
logic [W-1:0] a_then, b_then;
assign {max_then, a_then, b_then} = pair_q[Depth-1];
always_ff @(posedge clk_i) begin
  pair_q <= {pair_q[Depth-2:0], max_i, a_i, b_i};
  if (age_q < 8'(Depth)) age_q <= age_q + 1'b1;
end

logic a_nan_then, b_nan_then, signalling, a_less;
always_comb begin
  a_nan_then = a_then[W-2:0] > Infinity;
  b_nan_then = b_then[W-2:0] > Infinity;
  signalling = (a_nan_then && !a_then[FracW-1]) || (b_nan_then && !b_then[FracW-1]);
  a_less = value_of(a_then) < value_of(b_then) ||
           // zeros of opposite sign, or equal operands
           (value_of(a_then) == value_of(b_then) && a_then[W-1]);

  if (age_q == 8'(Depth)) begin
    if (a_nan_then || b_nan_then) assert (result_o == Nan);
    else assert (result_o == (a_less != max_then ? a_then : b_then));
    assert (flags_o[tally_pkg::ErrFpInvalidBit] == signalling);
    assert (!flags_o[tally_pkg::ErrFpOverflowBit]);
    assert (!flags_o[tally_pkg::ErrFpUnderflowBit]);
    assert (!flags_o[tally_pkg::ErrFpInexactBit]);
    cover (signalling && max_then);
    cover (value_of(a_then) == value_of(b_then) && a_then != b_then && !max_then);
  end
end
