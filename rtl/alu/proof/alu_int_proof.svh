// SPDX-License-Identifier: BSD-2-Clause
// The result of an arbitrary word is that of plain arithmetic on its elements, whatever the words
// before and after it. A result depends on the last Latency clocks only, so a longer bound is no
// restriction. Products of more than eight bits are left to the bench.
`include "tally_proof.svh"

(* anyconst *) logic [7:0] followed_op, followed_type;
(* anyconst *) logic [WordW-1:0] followed_a, followed_b;
logic [Latency-1:0] seen_q = '0;
logic [Latency-1:0] entered_q = '0;
logic [3:0][WordW-1:0] golden;  // by log2 of units

always_comb begin
  assume (followed_type[7:4] == 4'(tally_pkg::TypeClassInt) ||
          followed_type[7:4] == 4'(tally_pkg::TypeClassUint));
  assume (followed_type[3:0] < 4'd4);
  assume (UnitW == 1 || followed_op != tally_pkg::OpProd);
end

for (genvar s = 0; s < 4; s++) begin : gen_golden
  localparam int unsigned W = UnitW << s;
  for (genvar e = 0; e < int'(WordW / W); e++) begin : gen_element
    logic [W-1:0] x, y, r;
    logic less;
    assign x = followed_a[e*W+:W];
    assign y = followed_b[e*W+:W];
    assign less = followed_type[7:4] == 4'(tally_pkg::TypeClassInt) ? $signed(x) < $signed(y) :
                  x < y;
    always_comb begin
      case (followed_op)
        tally_pkg::OpSum, tally_pkg::OpAvg: r = x + y;
        tally_pkg::OpProd: r = x * y;
        tally_pkg::OpMin: r = less ? x : y;
        tally_pkg::OpMax: r = less ? y : x;
        tally_pkg::OpLand: r = W'(x != '0 && y != '0);
        tally_pkg::OpLor: r = W'(x != '0 || y != '0);
        tally_pkg::OpLxor: r = W'((x != '0) != (y != '0));
        tally_pkg::OpBand: r = x & y;
        tally_pkg::OpBor: r = x | y;
        tally_pkg::OpBxor: r = x ^ y;
        default: r = '0;
      endcase
    end
    assign golden[s][e*W+:W] = r;
  end
end

always_ff @(posedge clk_i) begin
  seen_q <= {seen_q[Latency-2:0], started_q && valid_i && op_i == followed_op &&
             type_i == followed_type
                                  && a_i == followed_a && b_i == followed_b};
  entered_q <= {entered_q[Latency-2:0], started_q && valid_i};
end

always_comb begin
  if (started_q) begin
    assert (valid_o == entered_q[Latency-1]);
    if (seen_q[Latency-1]) assert (result_o == golden[followed_type[1:0]]);
    cover (seen_q[Latency-1] && followed_op == tally_pkg::OpMin && followed_type[3:0] == 4'd2 &&
           result_o != '0);
  end
end
