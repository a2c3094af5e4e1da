// SPDX-License-Identifier: BSD-2-Clause
// An answer comes Latency clocks after its value entered, with its tag, and no other comes. The
// four low bits of value, quotient and remainder agree: the remainder is what is left of the value.
// That the quotient is right is shown by the model for every divisor (docs/engine.md), and by the
// bench.
`include "tally_proof.svh"

(* anyconst *) logic [TagW-1:0] followed;
logic [Latency-1:0] seen_q = '0;
logic [Latency*4-1:0] value_then_q, divisor_then_q;
logic [3:0] value_then, divisor_then;

always_ff @(posedge clk_i) begin
  seen_q <= Latency'({seen_q, started_q && valid_i && tag_i == followed});
  value_then_q <= (Latency*4)'({value_then_q, value_i[3:0]});
  divisor_then_q <= (Latency*4)'({divisor_then_q, divisor_i[3:0]});
end
assign value_then = value_then_q[(Latency-1)*4+:4];
assign divisor_then = divisor_then_q[(Latency-1)*4+:4];

always_comb begin
  if (started_q) begin
    assert ((valid_o && tag_o == followed) == seen_q[Latency-1]);
    if (valid_o) assert (4'(quotient_o[3:0] * divisor_then) + remainder_o[3:0] == value_then);
    cover (valid_o && tag_o == followed);
    cover (&valid_q);
  end
end
