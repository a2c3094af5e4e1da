// SPDX-License-Identifier: BSD-2-Clause
// Points that the benches of tally_sender must reach.
module sender_cover #(
  parameter int unsigned QpW = 10
) (
  input logic                     clk_i,
  input logic                     it_q,
  input logic                     hears,
  input logic                     appends,
  input logic                     told_q,
  input logic                     tells,
  input logic                     tell_now,
  input logic                     ends,
  input logic                     left,
  input logic                     any,
  input logic                     fresh_q,
  input logic                     posted_q,
  input logic                     lost_q,
  input logic                     changed_q,
  input logic                     looks,
  input logic                     works_q,
  input logic                     fails_q,
  input logic                     found,
  input logic                     listed,
  input logic                     hit,
  input logic                     refuses,
  input logic                     begins,
  input logic                     commands,
  input logic                     idle,
  input logic                     ready_valid,
  input logic                     room_i,
  input logic                     cmd_valid_i,
  input logic                     pass_q,
  input logic                     mark_q,
  input logic                     marks,
  input logic                     group_ready,
  input logic                     ask_ready,
  input logic                     hand_valid_o,
  input logic                     hand_ready_i,
  input logic                     hand_took_i,
  input logic                     mark_valid_i,
  input logic [QpW-1:0]           mark_qp_i,
  input logic                     state_ask,
  input logic                     state_list,
  input logic                     state_forget,
  input logic                     epoch_ready_o,
  input logic                     verdict_taken,
  input logic                     went,
  input logic                     has_begun,
  input logic                     moved_valid_i,
  input tally_turn_pkg::verdict_e verdict,
  input logic [QpW-1:0]           qp_q,
  input logic [QpW-1:0]           it_qp_q
);
  event_waits: cover property (@(posedge clk_i) it_q && !hears);
  event_after_told: cover property (@(posedge clk_i) it_q && told_q);
  event_at_the_end: cover property (@(posedge clk_i) it_q && tells);
  refused_with_event: cover property (@(posedge clk_i) it_q && refuses);
  fresh_keeps_the_bit: cover property (@(posedge clk_i) ends && fresh_q && !any);
  fresh_of_another: cover property (@(posedge clk_i) appends && it_qp_q != qp_q && !idle);
  emptied: cover property (@(posedge clk_i) tell_now && ends && !left && posted_q);
  lost: cover property (@(posedge clk_i) ends && lost_q && !posted_q);
  lost_after_a_post: cover property (@(posedge clk_i) ends && lost_q && posted_q);
  no_room: cover property (@(posedge clk_i) idle && ready_valid && !room_i);
  not_working: cover property (@(posedge clk_i) state_list && listed && found && !works_q);
  failing: cover property (@(posedge clk_i) state_list && listed && found && works_q && !hit);
  begun_in_a_failing_one: cover property (@(posedge clk_i) hit && fails_q);
  stands: cover property (@(posedge clk_i) looks && !changed_q);
  turn_is_busy: cover property (@(posedge clk_i) state_ask && !ask_ready);
  command_and_visit: cover property (@(posedge clk_i) commands && ready_valid);
  visit_while_passed: cover property (@(posedge clk_i) begins && pass_q && cmd_valid_i);
  forgets_and_hears: cover property (@(posedge clk_i) state_forget && listed && !tell_now);
  mark_waits: cover property (@(posedge clk_i) mark_q && !group_ready && moved_valid_i);
  marks_others: cover property (@(posedge clk_i) marks && ends);
  epoch_ends_amid: cover property (@(posedge clk_i) epoch_ready_o && ready_valid);
  shut_goes_on: cover property (@(posedge clk_i) verdict_taken && has_begun &&
                                verdict == tally_turn_pkg::VerdictShut);
  shut_ends: cover property (@(posedge clk_i) verdict_taken && !has_begun &&
                             verdict == tally_turn_pkg::VerdictShut);
  streams: cover property (@(posedge clk_i) verdict_taken &&
                           verdict == tally_turn_pkg::VerdictStreams);
  is_ahead: cover property (@(posedge clk_i) verdict_taken &&
                            verdict == tally_turn_pkg::VerdictAhead);
  ended: cover property (@(posedge clk_i) verdict_taken &&
                         verdict == tally_turn_pkg::VerdictEnded);
  hand_waits: cover property (@(posedge clk_i) hand_valid_o && !hand_ready_i);
  hand_refused: cover property (@(posedge clk_i) hand_valid_o && hand_ready_i && !hand_took_i);
  refused_after_a_post: cover property (@(posedge clk_i) hand_valid_o && hand_ready_i &&
                                        !hand_took_i && posted_q);
  command_waits_for_hand: cover property (@(posedge clk_i) hand_valid_o && cmd_valid_i);
  marked_while_offered: cover property (@(posedge clk_i) mark_valid_i && hand_valid_o &&
                                        mark_qp_i == qp_q);
  posts_twice: cover property (@(posedge clk_i) went && posted_q);
endmodule

bind tally_sender sender_cover #(.QpW(QpW)) u_cover (
  .state_ask(state_q == StAsk), .state_list(state_q == StList), .state_forget(state_q == StForget),
  .*
);
