// SPDX-License-Identifier: BSD-2-Clause
// Points that the benches of tally_segment must reach.
module segment_cover (
  input logic                        clk_i,
  input logic                        in_tvalid_i,
  input logic                        in_tready_o,
  input logic                        decide,
  input logic                        opens,
  input logic [2:0]                  kind,
  input tally_segment_pkg::verdict_e verdict,
  input logic [15:0]                 status_q2,
  input logic                        missing_q2,
  input logic                        posts,
  input logic                        posted,
  input logic                        leaves_q2,
  input logic                        others,  // contributors are left out that the plan lacks
  input logic                        gone,
  input logic                        mask_wrong_q2,
  input logic                        empty_q2,
  input logic                        finished,
  input logic                        same_q2,
  input logic                        fits_q2,
  input logic                        turns,
  input logic                        expected,
  input logic                        got,
  input logic                        complete,
  input logic                        err_ignored,
  input logic                        hazard,
  input logic                        deciding,
  input logic                        clearing,
  input logic                        alone,
  input logic                        end_valid,
  input logic                        bypass_q,
  input logic                        reducing_q,
  input logic                        outcome_valid_o,
  input logic                        outcome_ready_i,
  input logic                        scale_valid,
  input logic                        scale_here,
  input logic                        scale_take,
  input logic                        scale_last,
  input logic                        read_valid_i,
  input logic                        read_ready_o,
  input logic                        reading_q,
  input logic                        out_tvalid_o,
  input logic                        out_tready_i,
  input logic                        peek_valid_i,
  input logic                        peek_ready_o,
  input logic                        peeked_valid_o,
  input logic                        peeked_busy_o
);
  logic disagrees, stored, duplicate, closed, dropped;
  assign disagrees = decide && verdict == tally_segment_pkg::VerdictDisagrees;
  assign stored = decide && verdict == tally_segment_pkg::VerdictStored;
  assign duplicate = decide && verdict == tally_segment_pkg::VerdictDuplicate;
  assign closed = decide && verdict == tally_segment_pkg::VerdictClosed;
  assign dropped = decide && verdict == tally_segment_pkg::VerdictDropped;

  opened_by_contribution: cover property (@(posedge clk_i) decide && opens &&
                                          kind == tally_segment_pkg::KindReduce);
  opened_by_result: cover property (@(posedge clk_i) decide && opens &&
                                    kind == tally_segment_pkg::KindResult);
  opened_by_post: cover property (@(posedge clk_i) decide && opens &&
                                  kind == tally_segment_pkg::KindPost);
  opened_but_not_stored: cover property (@(posedge clk_i) dropped && opens);
  opened_complete: cover property (@(posedge clk_i) decide && opens && complete && empty_q2);
  opened_complete_and_turns: cover property (@(posedge clk_i) decide && opens && complete && turns);
  stored_contribution: cover property (@(posedge clk_i) stored && !opens &&
                                       kind == tally_segment_pkg::KindReduce);
  stored_result: cover property (@(posedge clk_i) stored && !opens &&
                                 kind == tally_segment_pkg::KindResult);
  left_out: cover property (@(posedge clk_i) decide && posts && !opens && gone);
  masks_differ: cover property (@(posedge clk_i) decide && mask_wrong_q2 && posted &&
                                status_q2 == tally_pkg::CollOk && !finished);
  left_out_too_late: cover property (@(posedge clk_i) decide && mask_wrong_q2 &&
                                     !posted && !opens);
  completed_by_part: cover property (@(posedge clk_i) decide && leaves_q2 && !posts && complete &&
                                     !opens);
  out_of_other_parts: cover property (@(posedge clk_i) others);
  completed_by_post: cover property (@(posedge clk_i) decide && posts && complete && !opens);
  duplicate_contribution: cover property (@(posedge clk_i) duplicate &&
                                          kind == tally_segment_pkg::KindReduce);
  duplicate_result: cover property (@(posedge clk_i) duplicate &&
                                    kind == tally_segment_pkg::KindResult);
  duplicate_of_finished: cover property (@(posedge clk_i) duplicate && finished);
  posted_twice: cover property (@(posedge clk_i) duplicate && kind == tally_segment_pkg::KindPost);
  asked: cover property (@(posedge clk_i) stored && kind == tally_segment_pkg::KindQuery &&
                         !empty_q2);
  asked_for_nothing: cover property (@(posedge clk_i) closed &&
                                     kind == tally_segment_pkg::KindQuery);
  released_for_nothing: cover property (@(posedge clk_i) closed &&
                                        kind == tally_segment_pkg::KindRelease);
  released: cover property (@(posedge clk_i) stored && kind == tally_segment_pkg::KindRelease);
  released_too_early: cover property (@(posedge clk_i) dropped &&
                                      kind == tally_segment_pkg::KindRelease && same_q2 &&
                                      !empty_q2);
  released_without_result: cover property (@(posedge clk_i) stored &&
                                           kind == tally_segment_pkg::KindRelease && !turns &&
                                           expected && !got);
  another_chunk: cover property (@(posedge clk_i) dropped && !opens && !same_q2);
  another_length: cover property (@(posedge clk_i) dropped && same_q2 && missing_q2 && !fits_q2 &&
                                  kind == tally_segment_pkg::KindReduce);
  unexpected_result: cover property (@(posedge clk_i) dropped && same_q2 && fits_q2 && !turns &&
                                     kind == tally_segment_pkg::KindResult);
  result_where_it_turns: cover property (@(posedge clk_i) dropped && same_q2 && turns &&
                                         kind == tally_segment_pkg::KindResult);
  errors_of_what_is_not_stored: cover property (@(posedge clk_i) err_ignored);
  opcode_differs: cover property (@(posedge clk_i) disagrees &&
                                  status_q2 == tally_pkg::CollOpcodeMismatch);
  op_differs: cover property (@(posedge clk_i) disagrees && status_q2 == tally_pkg::CollOpMismatch);
  type_differs: cover property (@(posedge clk_i) disagrees &&
                                status_q2 == tally_pkg::CollTypeMismatch);
  count_differs: cover property (@(posedge clk_i) disagrees &&
                                 status_q2 == tally_pkg::CollCountMismatch);
  root_differs: cover property (@(posedge clk_i) disagrees &&
                                status_q2 == tally_pkg::CollRootMismatch);
  mode_differs: cover property (@(posedge clk_i) disagrees &&
                                status_q2 == tally_pkg::CollModeMismatch);
  place_differs: cover property (@(posedge clk_i) disagrees &&
                                 status_q2 == tally_pkg::CollChunkMismatch);
  waits_for_the_alu: cover property (@(posedge clk_i) in_tvalid_i && hazard && !deciding);
  waits_for_a_decision: cover property (@(posedge clk_i) in_tvalid_i && deciding && !hazard);
  waits_after_a_reset: cover property (@(posedge clk_i) in_tvalid_i && clearing);
  handed_over: cover property (@(posedge clk_i) reducing_q && bypass_q);
  goes_alone: cover property (@(posedge clk_i) alone);
  old_one_ends: cover property (@(posedge clk_i) end_valid && !alone);
  outcomes_not_taken: cover property (@(posedge clk_i) in_tvalid_i && !hazard && !deciding &&
                                      !scale_here &&
                                      !in_tready_o);
  outcome_waits: cover property (@(posedge clk_i) outcome_valid_o && !outcome_ready_i);
  divided: cover property (@(posedge clk_i) scale_take && scale_last);
  division_waits_for_a_packet: cover property (@(posedge clk_i) scale_valid && !scale_here);
  packet_waits_for_a_division: cover property (@(posedge clk_i) scale_here && in_tvalid_i);
  reads_follow_each_other: cover property (@(posedge clk_i) reading_q && read_valid_i &&
                                           read_ready_o);
  peek_waits: cover property (@(posedge clk_i) peek_valid_i && !peek_ready_o);
  peek_waits_for_a_division: cover property (@(posedge clk_i) peek_valid_i && scale_here &&
                                             !in_tvalid_i);
  peeked: cover property (@(posedge clk_i) peeked_valid_o && peeked_busy_o);
  peeked_not_open: cover property (@(posedge clk_i) peeked_valid_o && !peeked_busy_o);
  reader_waits: cover property (@(posedge clk_i) out_tvalid_o && !out_tready_i);
endmodule

bind tally_segment segment_cover u_cover (
  .kind(op_q2.kind), .finished(!opens && state_q2.finished),
  .posted(state_q2.posted), .gone((left_q2 & gone_q2) != '0),
  .others(valid_q1 && op_q1.first && posts_q1 && reduces1 && state_q1.busy && !state_q1.posted &&
          (named_out_q1 & ~left1[Contributors-1:0]) != '0 && too_late1 == '0),
  .err_ignored(valid_q2 && op_q2.last && op_q2.err_vector != '0 && !decision.stored), .*
);
