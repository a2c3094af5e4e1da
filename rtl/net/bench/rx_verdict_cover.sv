// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_rx_verdict must reach. The bench itself checks that it meets every
// verdict.
module rx_verdict_cover (
  input logic            clk_i,
  input tally_pkg::rx_e  early,
  // verilator lint_off UNUSEDSIGNAL
  input tally_pkg::tch_t tch,  // two of its fields
  // verilator lint_on UNUSEDSIGNAL
  input logic [7:0]      early_q,
  input logic            to_group,
  input logic            known,
  input logic            pair,
  input logic            is_data,
  input logic            fixed_known,
  input logic            tch_wrong_q,
  input logic            length_wrong_q,
  input logic            elem_wrong_q,
  input logic            is_data_q,
  input logic            blocked_q,
  input logic            too_many,
  input logic            uneven,
  input logic [15:0]     body_q2,
  input logic [15:0]     bytes
);
  logic good, data;
  assign good = early_q == tally_pkg::RxOk && !tch_wrong_q;
  assign data = good && is_data_q && !elem_wrong_q;

  to_itself: cover property (@(posedge clk_i) early == tally_pkg::RxOk &&
                             tch.contributor == 8'(tally_pkg::ContribSelf));
  no_opcode: cover property (@(posedge clk_i) early == tally_pkg::RxOk && is_data && known &&
                             tch.opcode >= 8'd32 &&
                             tally_pkg::OpcodesBlocks[tch.opcode[4:0]]);
  group: cover property (@(posedge clk_i) to_group);
  unknown_type: cover property (@(posedge clk_i) is_data && !known);
  pairs: cover property (@(posedge clk_i) is_data && known && pair);
  unknown_kind: cover property (@(posedge clk_i) !is_data && !fixed_known);
  short_tch: cover property (@(posedge clk_i) early_q == tally_pkg::RxOk && body_q2 >= 16'hffc0);
  wrong_tch: cover property (@(posedge clk_i) early_q == tally_pkg::RxOk && tch_wrong_q);
  wrong_length: cover property (@(posedge clk_i) good && length_wrong_q);
  wrong_element: cover property (@(posedge clk_i) good && is_data_q && elem_wrong_q);
  exact: cover property (@(posedge clk_i) data && !blocked_q && !too_many && body_q2 == bytes &&
                         bytes != '0);
  inexact: cover property (@(posedge clk_i) data && !blocked_q && !too_many && body_q2 != bytes);
  part: cover property (@(posedge clk_i) data && blocked_q && !too_many && !uneven &&
                        body_q2 < bytes);
  part_too_long: cover property (@(posedge clk_i) data && blocked_q && !too_many && !uneven &&
                                 body_q2 > bytes);
  part_uneven: cover property (@(posedge clk_i) data && blocked_q && !too_many && uneven);
  too_many_elements: cover property (@(posedge clk_i) data && too_many);
endmodule

bind tally_rx_verdict rx_verdict_cover u_cover (.*);
