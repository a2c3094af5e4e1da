// SPDX-License-Identifier: BSD-2-Clause
// Points that the benches of tally_sender_ready must reach.
module sender_ready_cover #(
  parameter int unsigned QpW = 10
) (
  input logic           clk_i,
  input logic           busy_o,
  input logic           list_valid_i,
  input logic           list_any_i,
  input logic [QpW-1:0] list_qp_i,
  input logic           moved_valid_i,
  input logic           group_valid_i,
  input logic           linked,
  input logic           out_valid_o,
  input logic           out_ready_i,
  input logic [QpW-1:0] out_qp_o,
  input logic           group_valid,
  input logic           group_ready,
  input logic           group_mark,
  input logic           at_end,
  input logic           walking,
  input logic           walks,
  input logic           names,
  input logic           named_valid,
  input logic           step_any,
  input logic [QpW-1:0] step_qp,
  input logic           lists,
  input logic           searches
);
  logic taken, steps, ends, between;
  assign taken = out_valid_o && out_ready_i;
  assign steps = walking && !at_end;
  assign between = !walking && !busy_o;
  assign ends = walking && at_end;

  moved_first: cover property (@(posedge clk_i) moved_valid_i && group_valid_i);
  group_waits: cover property (@(posedge clk_i) group_valid && !group_ready);
  marked_amid_a_walk: cover property (@(posedge clk_i) group_mark && walks);
  linked_amid_a_walk: cover property (@(posedge clk_i) linked && walks);
  linked_at_the_end: cover property (@(posedge clk_i) linked && ends);
  linked_at_the_begin: cover property (@(posedge clk_i) linked && group_valid && group_ready);
  named_amid_a_walk: cover property (@(posedge clk_i) named_valid && walking);
  named_before_a_walk: cover property (@(posedge clk_i) names && step_any && group_valid);
  named_without_requests: cover property (@(posedge clk_i) names && !step_any);
  name_waits: cover property (@(posedge clk_i) named_valid && between && !names);
  named_as_it_is_taken: cover property (@(posedge clk_i) taken && names && step_any &&
                                        step_qp == out_qp_o);
  walk_waits_for_a_list: cover property (@(posedge clk_i) steps && step_any && lists);
  walk_waits_for_the_search: cover property (@(posedge clk_i) steps && step_any && searches);
  walk_passes: cover property (@(posedge clk_i) walks && !step_any && searches);
  emptied_at_the_walk: cover property (@(posedge clk_i) walks && step_any && list_valid_i &&
                                       !list_any_i && list_qp_i == step_qp);
  listed_as_it_is_taken: cover property (@(posedge clk_i) taken && lists && list_qp_i == out_qp_o);
  walked_as_it_is_taken: cover property (@(posedge clk_i) taken && walks && step_any &&
                                         step_qp == out_qp_o);
  emptied_while_offered: cover property (@(posedge clk_i) out_valid_o && list_valid_i &&
                                         !list_any_i && list_qp_i == out_qp_o);
endmodule

bind tally_sender_ready sender_ready_cover #(.QpW(QpW)) u_cover (
  .walking(state_q == StFirst || state_q == StStep), .*
);
