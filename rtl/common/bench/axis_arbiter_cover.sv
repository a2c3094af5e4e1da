// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_axis_arbiter must reach.
module axis_arbiter_cover #(
  parameter int unsigned Num = 4
) (
  input logic           clk_i,
  input logic           within_q,
  input logic           taken,
  input logic           valid,
  input logic           last,
  input logic           out_ready,
  input logic [Num-1:0] in_tvalid_i
);
  logic taken_q, last_q;
  always_ff @(posedge clk_i) begin
    taken_q <= taken;
    last_q <= last;
  end

  one_word: cover property (@(posedge clk_i) taken && !within_q && last);
  pause: cover property (@(posedge clk_i) within_q && !valid && in_tvalid_i != '0);
  next_at_once: cover property (@(posedge clk_i) taken_q && last_q && taken);
  all_wait: cover property (@(posedge clk_i) in_tvalid_i == '1 && !out_ready);
endmodule

bind tally_axis_arbiter axis_arbiter_cover #(.Num(Num)) u_cover (.*);
