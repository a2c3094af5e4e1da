// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_limits must reach.
module limits_cover (
  input logic       clk_i,
  input logic       takes,
  input logic       takes_due,
  input logic [2:0] sides,
  input logic       slot_taken,
  input logic [1:0] slot_op_i,
  input logic       wait_taken,
  input logic       wait_ends_i,
  input logic       row_write,
  input logic       opens_q,
  input logic       whole_q,
  input logic       has_own_q,
  input logic       own_is_less,
  input logic       was_whole,
  input logic       sums,
  input logic       no_limit,
  input logic       ends_q,
  input logic       sets,
  input logic       cal_ready,
  input logic       due_valid,
  input logic       told_free,
  input logic       of_request,
  input logic       tells,
  input logic       answers,
  input logic       late_i,
  input logic       ends_asked,
  input logic       late_valid_o,
  input logic       late_ready_i,
  input logic       exc_valid_o,
  input logic       exc_ready_i
);
  all_at_once: cover property (@(posedge clk_i) sides == '1);
  opens: cover property (@(posedge clk_i) slot_taken && slot_op_i == 2'd0);
  posted: cover property (@(posedge clk_i) slot_taken && slot_op_i == 2'd1);
  whole: cover property (@(posedge clk_i) slot_taken && slot_op_i == 2'd2);
  ends: cover property (@(posedge clk_i) slot_taken && slot_op_i == 2'd3);
  waits: cover property (@(posedge clk_i) wait_taken && !wait_ends_i);
  waits_no_longer: cover property (@(posedge clk_i) wait_taken && wait_ends_i);
  own_limit: cover property (@(posedge clk_i) row_write && has_own_q && own_is_less && !opens_q);
  own_limit_of_request: cover property (@(posedge clk_i) row_write && has_own_q && own_is_less &&
                                        opens_q);
  own_limit_is_longer: cover property (@(posedge clk_i) row_write && has_own_q && !own_is_less);
  posted_when_whole: cover property (@(posedge clk_i) row_write && was_whole && !opens_q &&
                                     !whole_q);
  without_limit: cover property (@(posedge clk_i) sums && no_limit && !ends_q);
  calendar_is_at_work: cover property (@(posedge clk_i) sets && !cal_ready);
  chunk_is_due: cover property (@(posedge clk_i) tells && !of_request);
  request_is_due: cover property (@(posedge clk_i) tells && of_request);
  due_waits: cover property (@(posedge clk_i) due_valid && !told_free);
  taken_while_told: cover property (@(posedge clk_i) takes && !takes_due && exc_valid_o);
  rank_is_late: cover property (@(posedge clk_i) answers && late_i);
  none_is_late: cover property (@(posedge clk_i) answers && !late_i);
  withdrawn: cover property (@(posedge clk_i) late_valid_o && ends_asked && !late_ready_i);
  answered_as_it_ends: cover property (@(posedge clk_i) answers && late_i && ends_asked);
  exception_waits: cover property (@(posedge clk_i) exc_valid_o && !exc_ready_i);
endmodule

bind tally_limits limits_cover u_cover (
  .slot_taken(slot_valid_i && slot_ready_o),
  .wait_taken(wait_valid_i && wait_ready_o),
  .own_is_less(own_q < known),
  .was_whole(row.whole),
  .sums(state_q == StSum),
  .no_limit(eighth_q == NoLimit),
  .sets(state_q == StSet),
  .tells(state_q == StRow && due_q), .*
);
