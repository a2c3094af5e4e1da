// SPDX-License-Identifier: BSD-2-Clause
// Points that the benches of tally_scale_lane must reach. Ties and carries are covered only in the
// lane whose floats are binary16.
module scale_lane_cover #(
  parameter int unsigned W = 64
) (
  // Lanes of other widths do not use these.
  // verilator lint_off UNUSEDSIGNAL
  input logic         clk_i,
  input logic         float7,
  input logic         fp16_10,
  input logic         high7,
  input logic [5:0]   up_q3,
  input logic [5:0]   down_q8,
  input logic [W-1:0] rest_q10,
  input logic         lost_q10,
  input logic         tiny_q10
  // verilator lint_on UNUSEDSIGNAL
);
  if (W == 16) begin : gen_floats
    high: cover property (@(posedge clk_i) float7 && high7);
    low: cover property (@(posedge clk_i) !high7);
    subnormal_operand: cover property (@(posedge clk_i) up_q3 > 6'd1);
    far_below: cover property (@(posedge clk_i) down_q8 == 6'(W - 1));
    tie_up: cover property (@(posedge clk_i) fp16_10 && rest_q10[5:0] == 6'b110000 && !lost_q10);
    tie_down: cover property (@(posedge clk_i) fp16_10 && rest_q10[5:0] == 6'b010000 && !lost_q10);
    carry: cover property (@(posedge clk_i) fp16_10 && rest_q10[15:4] == '1);
    tiny_but_carries: cover property (@(posedge clk_i) fp16_10 && rest_q10[15:4] == 12'h7ff &&
                                      tiny_q10);
    exact_subnormal: cover property (@(posedge clk_i) fp16_10 && tiny_q10 && rest_q10[4:0] == '0 &&
                                     !lost_q10);
  end
endmodule

bind tally_scale_lane scale_lane_cover #(.W(W)) u_cover (.float7(side7.is_fp),
                                                         .fp16_10(side10.format[Fp16]), .*);
