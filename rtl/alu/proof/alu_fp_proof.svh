// SPDX-License-Identifier: BSD-2-Clause
// A word leaves Latency clocks after it entered, and no other word leaves. Its elements and flags
// are those of the unit of its operation. The proofs of the units cover their arithmetic.
`include "tally_proof.svh"

localparam int unsigned Depth = tally_alu_pkg::Latency;
logic [Depth-1:0] entered_q = '0;
logic [Depth-1:0][7:0] ops_q;
logic [Lanes-1:0][W-1:0] sum_then, prod_then, minmax_then;
tally_alu_pkg::flags_t sum_raised, prod_raised, minmax_raised;
logic [7:0] op_then;
assign op_then = ops_q[Depth-1];

always_ff @(posedge clk_i) begin
  entered_q <= {entered_q[Depth-2:0], valid_i && started_q};
  ops_q <= {ops_q[Depth-2:0], op_i};
  sum_then <= sum;
  prod_then <= prod;
  minmax_then <= minmax;
  sum_raised <= sum_flags[0] | sum_flags[1];
  prod_raised <= prod_flags[0] | prod_flags[1];
  minmax_raised <= minmax_flags[0] | minmax_flags[1];
end

always_comb begin
  if (started_q) begin
    assert (valid_o == entered_q[Depth-1]);
    if (valid_o) begin
      if (op_then == tally_pkg::OpSum || op_then == tally_pkg::OpAvg) begin
        assert (result_o == sum_then && flags_o == sum_raised);
      end
      if (op_then == tally_pkg::OpProd) assert (result_o == prod_then && flags_o == prod_raised);
      if (op_then == tally_pkg::OpMin || op_then == tally_pkg::OpMax) begin
        assert (result_o == minmax_then && flags_o == minmax_raised);
      end
    end
    cover (valid_o && op_then == tally_pkg::OpProd && flags_o[tally_pkg::ErrFpUnderflowBit]);
    cover (valid_o && op_then == tally_pkg::OpMax && flags_o[tally_pkg::ErrFpInvalidBit]);
    cover (valid_o && &entered_q);
  end
end
