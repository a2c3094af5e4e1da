// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_store must reach.
module store_cover (
  input logic                              clk_i,
  input logic                              answer_valid_o,
  input tally_fw_pkg::store_answer_e          answer_o,
  input logic                              looked,       // an operation is decided
  input logic                              again,        // it uses the plan of the one before
  input logic                              plan_kept_q,
  input logic                              written,
  input tally_segment_map_pkg::mapped_e    found,
  input tally_fw_pkg::store_op_e              op_q,
  input logic                              exchange,
  input logic                              part_ok_q,
  input logic                              known_q,
  input logic                              stranger,
  input logic                              refused,
  input logic                              held,
  input logic                              own,
  input logic                              own_data_q,
  input logic                              own_waits,   // for the list of what is due
  input logic                              own_read_waits,  // for a packet that is read
  input logic                              send_waits,  // for a partial result that is read
  input logic                              own_dropped,
  input logic                              divided,
  input logic                              all_finished,
  input logic                              part_finished,
  input logic                              later_part,
  input logic                              clear_hold,
  input logic                              clears,
  input logic                              ended,
  input logic                              writes_wait,
  input logic                              drains,
  input logic                              given_up,
  input logic                              acked_ready_o,
  input logic                              waits,
  input logic                              waits_with_due,
  input logic                              is_read,      // a finished chunk is sent once more
  input logic                              sent_again,
  input logic                              drains_again,
  input logic                              post_ready_o
);
  logic packet;
  assign packet = looked && (op_q == tally_fw_pkg::StoreOpReduce ||
                             op_q == tally_fw_pkg::StoreOpResult);

  stored: cover property (@(posedge clk_i) answer_valid_o &&
                          answer_o == tally_fw_pkg::StoreAnswerStored);
  duplicate: cover property (@(posedge clk_i) answer_valid_o &&
                             answer_o == tally_fw_pkg::StoreAnswerDuplicate);
  past: cover property (@(posedge clk_i) answer_valid_o &&
                        answer_o == tally_fw_pkg::StoreAnswerPast);
  window: cover property (@(posedge clk_i) answer_valid_o &&
                          answer_o == tally_fw_pkg::StoreAnswerWindow);
  bad: cover property (@(posedge clk_i) answer_valid_o && answer_o == tally_fw_pkg::StoreAnswerBad);
  refused_at_end: cover property (@(posedge clk_i) answer_valid_o &&
                                  answer_o == tally_fw_pkg::StoreAnswerEnded);
  wrong_round: cover property (@(posedge clk_i) packet && exchange && !part_ok_q);
  round_in_tree: cover property (@(posedge clk_i) packet && !exchange && !part_ok_q);
  wrong_edge: cover property (@(posedge clk_i) packet && part_ok_q && known_q && stranger);
  found_at_end: cover property (@(posedge clk_i) packet && refused &&
                                found == tally_segment_map_pkg::MapSlot);
  write_at_end: cover property (@(posedge clk_i) held && writes_wait &&
                                op_q == tally_fw_pkg::StoreOpTaken && !own);

  plan_again: cover property (@(posedge clk_i) again);
  plan_is_old: cover property (@(posedge clk_i) plan_kept_q && written);
  part_of_nobody: cover property (@(posedge clk_i) held && own && !own_data_q);
  second_round: cover property (@(posedge clk_i) held && own && later_part);
  own_is_not_read: cover property (@(posedge clk_i) own_read_waits);
  send_is_not_read: cover property (@(posedge clk_i) send_waits);
  list_is_long: cover property (@(posedge clk_i) !post_ready_o);
  own_after_end: cover property (@(posedge clk_i) own_dropped);
  average_of_rounds: cover property (@(posedge clk_i) divided && exchange);
  part_is_finished: cover property (@(posedge clk_i) part_finished && !all_finished);
  chunk_is_finished: cover property (@(posedge clk_i) part_finished && all_finished && exchange);
  later_part_is_free: cover property (@(posedge clk_i) clears && later_part && !clear_hold);
  open_part_is_free: cover property (@(posedge clk_i) clears && clear_hold);
  epoch_ends: cover property (@(posedge clk_i) ended);
  list_drains: cover property (@(posedge clk_i) drains);
  result_is_given_up: cover property (@(posedge clk_i) given_up);
  acknowledged: cover property (@(posedge clk_i) acked_ready_o);
  may_not_leave: cover property (@(posedge clk_i) waits);
  woken_waits: cover property (@(posedge clk_i) waits_with_due);
  finished_is_read: cover property (@(posedge clk_i) is_read);
  leaves_again: cover property (@(posedge clk_i) sent_again);
  waited_until_end: cover property (@(posedge clk_i) drains_again);
  own_waits_for_list: cover property (@(posedge clk_i) own_waits);
endmodule

bind tally_store store_cover u_cover (
  .looked(state_q == StLooked), .found(found_q), .again(state_q == StGroup && plan_again && !own),
  .held(state_q == StHeld && held_valid), .own_waits(state_q == StIdle && own_valid && !due_ready),
  .own_read_waits(state_q == StOwn && send_reading),
  .send_waits(due_valid && (state_q == StOwn || own_words)),
  .own_dropped(state_q == StGroup && own && refused),
  .part_finished(state_q == StHeld && held_valid && held_finished),
  .later_part(state_q == StClear ? clear_q != '0 : part_q > 1),
  .clears(state_q == StClear && seg_ready),
  .waits(wait_valid && wait_ready), .waits_with_due(woken && held_due),
  .is_read(finish_valid && out_busy && out_slot[PartW+:SlotW] == finish_slot),
  .sent_again(ask_valid_o && ask_ready_i && ask_again_o),
  .drains_again(ending && u_end.wait_left_q != '0),
  .writes_wait(u_end.looked_q), .drains(ending && u_end.send_left_q != '0),
  .given_up(res_tvalid_o && res_ended_o), .*);
