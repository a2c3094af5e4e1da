// SPDX-License-Identifier: BSD-2-Clause
// Points that the benches of tally_rr_arbiter must reach.
module rr_arbiter_cover #(
  parameter int unsigned Num = 4
) (
  input logic           clk_i,
  input logic [Num-1:0] request_valid_i,
  input logic [Num-1:0] later,
  input logic           waits_q,
  input logic           grant_ready_i
);
  all_ask: cover property (@(posedge clk_i) request_valid_i == '1 && grant_ready_i);
  none_asks: cover property (@(posedge clk_i) request_valid_i == '0);
  goes_on: cover property (@(posedge clk_i) !waits_q && later != '0);
  begins_anew: cover property (@(posedge clk_i) !waits_q && later == '0 && request_valid_i != '0);
  others_come_while_it_waits: cover property (@(posedge clk_i)
      waits_q && (request_valid_i & (request_valid_i - 1'b1)) != '0);
endmodule

bind tally_rr_arbiter rr_arbiter_cover #(.Num(Num)) u_cover (.*);
