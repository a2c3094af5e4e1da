// SPDX-License-Identifier: BSD-2-Clause
// Every division ends after the time that the header of the block says, with the quotient and the
// remainder.
`include "tally_proof.svh"

logic begun_q = 1'b0;
logic [DividendW-1:0] dividend_q;
logic [DivisorW-1:0] by_q;
logic [StepW:0] age_q = '0;
always_ff @(posedge clk_i) begin
  if (started_q && start_i) begin
    begun_q <= 1'b1;
    dividend_q <= dividend_i;
    by_q <= divisor_i;
    age_q <= '0;
  end else if (begun_q && !age_q[StepW]) begin
    age_q <= age_q + 1'b1;
  end
end

logic [DividendW+DivisorW-1:0] product;
assign product = {{DivisorW{1'b0}}, quotient_o} * {{DividendW{1'b0}}, by_q} +
                 {{DividendW{1'b0}}, remainder_o};

always_comb begin
  if (started_q) begin
    if (done_o) assert (begun_q);
    if (done_o && by_q != '0) begin
      assert (product == {{DivisorW{1'b0}}, dividend_q});
      assert (remainder_o < by_q);
    end
    if (begun_q && age_q >= (StepW + 1)'(Steps)) assert (done_o);
    cover (done_o && quotient_o != '0 && remainder_o != '0);
    cover (done_o && dividend_q < by_q);
  end
end
