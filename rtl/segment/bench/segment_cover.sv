// SPDX-License-Identifier: BSD-2-Clause
// Points that the benches of tally_segment must reach.
module segment_cover #(
  parameter int unsigned Slots = 16
) (
  input logic                        clk_i,
  input logic                        take,
  input logic                        in_tvalid_i,
  input logic                        in_tlast_i,
  input tally_segment_pkg::kind_e    in_kind_i,
  input logic                        first_q,
  input tally_segment_pkg::verdict_e verdict,
  input logic [15:0]                 status,
  input logic                        already,
  input logic                        hazard,
  input logic                        bypass_q,
  input logic                        reducing_q,
  input logic                        outcome_valid_o,
  input logic                        outcome_ready_i,
  input logic                        in_tready_o,
  input logic                        opening,
  input logic                        open_take,
  input logic                        open_complete,
  input logic                        open_turns_i,
  input tally_segment_pkg::verdict_e open_verdict,
  input logic                        releasing,
  input logic                        release_valid_i,
  input logic                        release_ready_o,
  input logic                        freeing,
  input logic [Slots-1:0]            finished_q,
  input logic [$clog2(Slots)-1:0]    done_slot,
  input logic                        out_tvalid_o,
  input logic                        out_tready_i,
  input logic                        clear_i,
  input logic [Slots-1:0]            taken_q
);
  logic judged, disagrees, result, reduce;
  assign judged = take && first_q;
  assign disagrees = judged && verdict == tally_segment_pkg::VerdictDisagrees;
  assign result = in_kind_i == tally_segment_pkg::KindResult;
  assign reduce = in_kind_i == tally_segment_pkg::KindReduce;

  stored_contribution: cover property (@(posedge clk_i) judged && reduce && verdict == tally_segment_pkg::VerdictStored);
  stored_result: cover property (@(posedge clk_i) judged && result && verdict == tally_segment_pkg::VerdictStored);
  stored_nothing: cover property (@(posedge clk_i) judged && !result && !reduce &&
                                  verdict == tally_segment_pkg::VerdictStored);
  duplicate_contribution: cover property (@(posedge clk_i) judged && reduce &&
                                          verdict == tally_segment_pkg::VerdictDuplicate);
  duplicate_result: cover property (@(posedge clk_i) judged && result && verdict == tally_segment_pkg::VerdictDuplicate);
  past: cover property (@(posedge clk_i) judged && verdict == tally_segment_pkg::VerdictPast);
  beyond_window: cover property (@(posedge clk_i) judged && verdict == tally_segment_pkg::VerdictWindow);
  closed: cover property (@(posedge clk_i) judged && verdict == tally_segment_pkg::VerdictClosed);
  another_chunk_or_length: cover property (@(posedge clk_i) judged && reduce &&
                                           verdict == tally_segment_pkg::VerdictDropped);
  unexpected_result: cover property (@(posedge clk_i) judged && result && !already &&
                                     verdict == tally_segment_pkg::VerdictDropped);
  opcode_differs: cover property (@(posedge clk_i) disagrees && status == tally_pkg::CollOpcodeMismatch);
  op_differs: cover property (@(posedge clk_i) disagrees && status == tally_pkg::CollOpMismatch);
  type_differs: cover property (@(posedge clk_i) disagrees && status == tally_pkg::CollTypeMismatch);
  count_differs: cover property (@(posedge clk_i) disagrees && status == tally_pkg::CollCountMismatch);
  root_differs: cover property (@(posedge clk_i) disagrees && status == tally_pkg::CollRootMismatch);
  place_differs: cover property (@(posedge clk_i) disagrees && status == tally_pkg::CollChunkMismatch);
  waits_for_the_alu: cover property (@(posedge clk_i) in_tvalid_i && hazard);
  handed_over: cover property (@(posedge clk_i) reducing_q && bypass_q);
  outcomes_not_taken: cover property (@(posedge clk_i) in_tvalid_i && !hazard && !in_tready_o);
  outcome_waits: cover property (@(posedge clk_i) outcome_valid_o && !outcome_ready_i);
  opened_while_packet_ends: cover property (@(posedge clk_i) opening && take && in_tlast_i);
  opened_complete: cover property (@(posedge clk_i) opening && open_complete);
  opened_complete_and_turns: cover property (@(posedge clk_i) opening && open_complete && open_turns_i);
  opened_twice: cover property (@(posedge clk_i) open_take && open_verdict == tally_segment_pkg::VerdictDuplicate);
  opened_as_another: cover property (@(posedge clk_i) open_take && open_verdict == tally_segment_pkg::VerdictDisagrees);
  opened_past: cover property (@(posedge clk_i) open_take && open_verdict == tally_segment_pkg::VerdictPast);
  opened_beyond: cover property (@(posedge clk_i) open_take && open_verdict == tally_segment_pkg::VerdictWindow);
  release_waits: cover property (@(posedge clk_i) release_valid_i && !release_ready_o);
  released_out_of_order: cover property (@(posedge clk_i) releasing && |finished_q && !freeing);
  freed_and_released: cover property (@(posedge clk_i) releasing && freeing);
  freed_in_a_row: cover property (@(posedge clk_i) freeing && finished_q[done_slot + 1'b1]);
  all_taken: cover property (@(posedge clk_i) &taken_q);
  reader_waits: cover property (@(posedge clk_i) out_tvalid_o && !out_tready_i);
  cleared_with_open_slots: cover property (@(posedge clk_i) clear_i && |taken_q);
endmodule

bind tally_segment segment_cover #(.Slots(Slots)) u_cover (.*);
