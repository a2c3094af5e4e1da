// SPDX-License-Identifier: BSD-2-Clause
// Points that the benches of tally_fp_minmax must reach.
module fp_minmax_cover #(
  parameter int unsigned W = 32
) (
  input logic         clk_i,
  input logic         max_i,
  input logic [W-1:0] a_i,
  input logic [W-1:0] b_i,
  input logic         nan_q1,
  input logic         signalling_q1
);
  zeros: cover property (@(posedge clk_i) max_i && a_i[W-2:0] == '0 && b_i[W-2:0] == '0 &&
                         a_i[W-1] && !b_i[W-1]);
  equal: cover property (@(posedge clk_i) a_i == b_i);
  quiet: cover property (@(posedge clk_i) nan_q1 && !signalling_q1);
  signalling: cover property (@(posedge clk_i) signalling_q1);
endmodule

bind tally_fp_minmax fp_minmax_cover #(.W(W)) u_cover (.*);
