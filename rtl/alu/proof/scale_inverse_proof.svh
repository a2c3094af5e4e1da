// SPDX-License-Identifier: BSD-2-Clause
// Each divisor that is taken gives one result, within a bounded time, which is the inverse of this
// divisor. A result stays until it is taken.
`include "tally_proof.svh"

localparam int unsigned Most = InverseW + DivW + 1;  // most clocks for one divisor
localparam int unsigned ValueW = DivW + InverseW + 1;
localparam logic [ValueW-1:0] Dividend = ValueW'(1) << (DivW + InverseW - 2);
logic [DivW-1:0] taken_q, normalized;
logic inside_q = 1'b0, waited_q = 1'b0;
logic [7:0] age_q = '0;
logic [InverseW-1:0] inverse_then;
logic [DownW-1:0] down_then;
assign normalized = taken_q << (DownW'(DivW - 1) - down_o);

always_comb begin
  if (valid_i && started_q) assume (divisor_i != '0);
end

always_ff @(posedge clk_i) begin
  if (started_q) begin
    if (valid_i && ready_o) begin
      taken_q <= divisor_i;
      inside_q <= 1'b1;
      age_q <= '0;
    end else begin
      if (valid_o && ready_i) inside_q <= 1'b0;
      if (inside_q) age_q <= age_q + 8'd1;
    end
    waited_q <= valid_o && !ready_i;
  end
  inverse_then <= inverse_o;
  down_then <= down_o;
end

always_comb begin
  if (started_q) begin
    assert (ready_o == !inside_q);
    assert (!valid_o || inside_q);
    assert (valid_o || age_q < 8'(Most) || !inside_q);
    if (waited_q) assert (valid_o && inverse_o == inverse_then && down_o == down_then);
    if (valid_o) begin
      assert (normalized[DivW-1] && normalized >> (DownW'(DivW - 1) - down_o) == taken_q);
      assert (ValueW'(normalized) * ValueW'(inverse_o) <= Dividend);
      assert (ValueW'(normalized) * (ValueW'(inverse_o) + 1'b1) > Dividend);
    end
    cover (valid_o && taken_q == DivW'(1));
    cover (valid_o && taken_q == '1);
    cover (waited_q && valid_o && ready_i);
  end
end
