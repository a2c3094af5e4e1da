// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_rx_verdict must reach. The bench itself checks that it meets every verdict.
module rx_verdict_cover (
  input logic          clk_i,
  input logic [7:0]    early_q,
  input logic          to_group,
  input logic          known,
  input logic          pair,
  input logic          is_data,
  input logic          fixed_known,
  input logic          tch_wrong_q,
  input logic          length_wrong_q,
  input logic          elem_wrong_q,
  input logic          is_data_q,
  input logic          blocked_q,
  input logic          too_many,
  input logic          uneven,
  input logic [15:0]   body_2_q,
  input logic [15:0]   bytes
);
  logic good, data;
  assign good = early_q == tally_pkg::RxOk && !tch_wrong_q;
  assign data = good && is_data_q && !elem_wrong_q;

  group: cover property (@(posedge clk_i) to_group);
  unknown_type: cover property (@(posedge clk_i) is_data && !known);
  pairs: cover property (@(posedge clk_i) is_data && known && pair);
  unknown_kind: cover property (@(posedge clk_i) !is_data && !fixed_known);
  short_tch: cover property (@(posedge clk_i) early_q == tally_pkg::RxOk && body_2_q >= 16'hffc0);
  wrong_tch: cover property (@(posedge clk_i) early_q == tally_pkg::RxOk && tch_wrong_q);
  wrong_length: cover property (@(posedge clk_i) good && length_wrong_q);
  wrong_element: cover property (@(posedge clk_i) good && is_data_q && elem_wrong_q);
  exact: cover property (@(posedge clk_i) data && !blocked_q && !too_many && body_2_q == bytes && bytes != '0);
  inexact: cover property (@(posedge clk_i) data && !blocked_q && !too_many && body_2_q != bytes);
  part: cover property (@(posedge clk_i) data && blocked_q && !too_many && !uneven && body_2_q < bytes);
  part_too_long: cover property (@(posedge clk_i) data && blocked_q && !too_many && !uneven && body_2_q > bytes);
  part_uneven: cover property (@(posedge clk_i) data && blocked_q && !too_many && uneven);
  too_many_elements: cover property (@(posedge clk_i) data && too_many);
endmodule

bind tally_rx_verdict rx_verdict_cover u_cover (.*);
