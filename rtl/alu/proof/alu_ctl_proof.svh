// SPDX-License-Identifier: BSD-2-Clause
// A word leaves Latency clocks after it entered, with its tag and error, and no other word leaves.
// At most one unit starts.
`include "tally_proof.svh"

(* anyconst *) logic [TagW-1:0] followed;
logic [Latency-1:0] seen_q = '0;       // a word with the followed tag
logic [Latency-1:0] entered_q = '0;    // any word
logic [Latency-1:0] refused_q;
logic known;
logic [5:0] start;
assign start = {start_bf16_o, start_fp64_o, start_fp32_o, start_fp16_o, start_loc_o, start_int_o};
logic [31:0] ops;

// The ALU's table, decoded from class and size, unlike in the block.
always_comb begin
  known = 1'b0;
  ops = '0;
  case (type_i[7:4])
    4'(tally_pkg::TypeClassInt): begin known = type_i[3:0] <= 4'd3; ops = tally_pkg::OpsInt; end
    4'(tally_pkg::TypeClassUint): begin known = type_i[3:0] <= 4'd3; ops = tally_pkg::OpsUint; end
    4'(tally_pkg::TypeClassFp): begin known = type_i[3:0] >= 4'd1 &&
                                              type_i[3:0] <= 4'd3; ops = tally_pkg::OpsFp; end
    4'(tally_pkg::TypeClassBf): begin known = type_i[3:0] == 4'd1; ops = tally_pkg::OpsBf; end
    default: ;
  endcase
  if (op_i >= 8'd32 || !ops[op_i[4:0]]) known = 1'b0;
end

always_ff @(posedge clk_i) begin
  seen_q <= {seen_q[Latency-2:0], started_q && valid_i && tag_i == followed};
  entered_q <= {entered_q[Latency-2:0], started_q && valid_i};
  refused_q <= {refused_q[Latency-2:0], !known};
end

always_comb begin
  if (started_q) begin
    assert (valid_o == entered_q[Latency-1]);
    assert ((valid_o && tag_o == followed) == seen_q[Latency-1]);
    if (valid_o) begin
      assert (error_o == refused_q[Latency-1]);
    end
    assert ((start & (start - 1'b1)) == '0);
    assert ((start != '0) == (valid_i && known));
    assert (start[1] == (valid_i && known &&
                         (op_i == tally_pkg::OpMinloc || op_i == tally_pkg::OpMaxloc)));
    cover (valid_o && error_o && tag_o == followed);
    cover (valid_o && !error_o && tag_o == followed && start_bf16_o);
  end
end
