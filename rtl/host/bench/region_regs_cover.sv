// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_region_regs must reach.
module region_regs_cover (
  input logic clk_i,
  input logic judges,
  input logic enters,
  input logic removes,
  input logic in_range,
  input logic given,
  input logic cfg_valid_o,
  input logic cfg_bad_i,
  input logic drained_i,
  input logic busy_o,
  input logic axil_bvalid_o,
  input logic axil_bready_i
);
  unknown: cover property (@(posedge clk_i) judges && !enters && !removes);
  out_of_range: cover property (@(posedge clk_i) judges && enters && !in_range);
  refused: cover property (@(posedge clk_i) given && enters && cfg_bad_i);
  no_index: cover property (@(posedge clk_i) given && !enters && cfg_bad_i);
  waits: cover property (@(posedge clk_i) cfg_valid_o && !given);
  drains: cover property (@(posedge clk_i) busy_o && !cfg_valid_o && !axil_bvalid_o &&
                          !drained_i);
  answer_waits: cover property (@(posedge clk_i) axil_bvalid_o && !axil_bready_i);
endmodule

bind tally_region_regs region_regs_cover u_cover (.*);
