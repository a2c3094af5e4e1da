// SPDX-License-Identifier: BSD-2-Clause
// The result of a lane of bytes, for a few divisors, is the quotient. The block has no feedback, so
// runs slightly longer than the pipeline cover all behaviour. Floats are left to the bench.
localparam int unsigned Depth = tally_alu_pkg::ScaleLatency - 1;
localparam int unsigned ValueW = DivW + InverseW + 1;

logic [Depth-1:0][W+DivW:0] before_q;
logic [7:0] age_q = '0;
logic [W-1:0] a_then, size, quotient;
logic [DivW-1:0] n_then;
logic signed_then, negative;
(* anyseq *) logic [DivW-1:0] divisor;
logic [DivW-1:0] normalized;
logic [ValueW-1:0] dividend;

// Assumes that the inputs are the inverse that tally_scale_inverse computes of a divisor.
always_comb begin
  normalized = divisor << (DownW'(DivW - 1) - down_i);
  dividend = ValueW'(1) << (DivW + InverseW - 2);
  assume (divisor != '0 && down_i < DownW'(DivW));
  assume (normalized[DivW-1] && normalized >> (DownW'(DivW - 1) - down_i) == divisor);
  assume (ValueW'(normalized) * ValueW'(inverse_i) <= dividend);
  assume (ValueW'(normalized) * (ValueW'(inverse_i) + 1'b1) > dividend);
  assume (type_i == tally_pkg::TypeInt8 || type_i == tally_pkg::TypeUint8);
end

always_ff @(posedge clk_i) begin
  before_q <= {before_q[Depth-2:0], type_i == tally_pkg::TypeInt8, divisor, a_i};
  if (age_q < 8'(Depth)) age_q <= age_q + 1'b1;
end

always_comb begin
  {signed_then, n_then, a_then} = before_q[Depth-1];
  negative = signed_then && a_then[W-1];
  size = negative ? -a_then : a_then;
  quotient = negative ? -result_o : result_o;
  if (age_q == 8'(Depth)) begin
    assert ((W + DivW)'(quotient) * (W + DivW)'(n_then) <= (W + DivW)'(size));
    assert (((W + DivW)'(quotient) + 1'b1) * (W + DivW)'(n_then) > (W + DivW)'(size));
    assert (flags_o == '0);
    cover (negative && n_then == '1 && result_o != '0);
    cover (!signed_then && n_then == DivW'(1) && a_then == '1);
  end
end
