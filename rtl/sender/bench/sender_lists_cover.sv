// SPDX-License-Identifier: BSD-2-Clause
// Points that the benches of tally_sender_lists must reach.
module sender_lists_cover #(
  parameter int unsigned QpW = 10
) (
  input logic                       clk_i,
  input logic                       append_valid_i,
  input logic                       op_valid_i,
  input logic                       op_ready_o,
  input logic                       begins,
  input logic                       takes,
  input logic                       acts,
  input logic                       op_acts,
  input logic                       appends_q,
  input tally_sender_pkg::list_op_e op_q,
  input logic [QpW-1:0]             qp_q,
  input logic [QpW-1:0]             at_qp_q,
  input logic                       found_q,
  input logic                       is_last,
  input logic                       is_second_q,
  input logic                       any_q,
  input logic                       next_found
);
  logic drops, appends;
  assign drops = op_acts && op_q == tally_sender_pkg::ListDrop;
  assign appends = acts && appends_q;

  append_first: cover property (@(posedge clk_i) op_valid_i && !op_ready_o && begins);
  append_with_an_operation: cover property (@(posedge clk_i) append_valid_i && takes);
  append_amid_an_operation: cover property (@(posedge clk_i) append_valid_i && op_acts);
  append_to_the_visited: cover property (@(posedge clk_i) appends && at_qp_q == qp_q && found_q &&
                                         is_last);
  append_to_an_empty_one: cover property (@(posedge clk_i) appends && at_qp_q == qp_q && !any_q);
  drop_the_only_one: cover property (@(posedge clk_i) drops && is_last && !is_second_q);
  drop_the_first: cover property (@(posedge clk_i) drops && !is_last && !is_second_q);
  drop_one_amid: cover property (@(posedge clk_i) drops && !is_last && is_second_q);
  drop_the_last: cover property (@(posedge clk_i) drops && is_last && is_second_q);
  clear_amid_a_visit: cover property (@(posedge clk_i) op_acts && found_q &&
                                      op_q == tally_sender_pkg::ListClear);
  visit_of_none: cover property (@(posedge clk_i) op_acts && !next_found &&
                                 op_q == tally_sender_pkg::ListFirst);
endmodule

bind tally_sender_lists sender_lists_cover #(.QpW(QpW)) u_cover (.*);
