// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_store must reach.
module store_cover (
  input logic                              clk_i,
  input logic                              answer_valid_o,
  input tally_fw_pkg::store_answer_e          answer_o,
  input logic                              held,
  input logic                              of_record,
  input tally_fw_pkg::store_op_e              bk_op,
  input logic                              bk_own,
  input logic                              gives,        // a part that enters another one
  input logic                              bk_exchange,
  input logic                              later_step,
  input logic                              own_waits,   // for the list of what is due
  input logic                              own_read_waits,  // for a packet that is read
  input logic                              send_waits,  // for a partial result that is read
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
  input logic                              older_waits,  // a free slot, for a step
  input logic                              drops,
  input logic                              all_busy,
  input logic                              post_ready_o,
  input logic                              hold_waits,
  input logic                              disagree_valid_o
);
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
  write_at_end: cover property (@(posedge clk_i) held && writes_wait && of_record && !bk_own &&
                                bk_op == tally_fw_pkg::StoreOpTaken);

  part_of_nobody: cover property (@(posedge clk_i) held && of_record && bk_own && !gives);
  second_round: cover property (@(posedge clk_i) held && of_record && bk_own && later_step);
  own_is_not_read: cover property (@(posedge clk_i) own_read_waits);
  send_is_not_read: cover property (@(posedge clk_i) send_waits);
  list_is_long: cover property (@(posedge clk_i) !post_ready_o);
  average_of_rounds: cover property (@(posedge clk_i) divided && bk_exchange);
  part_is_finished: cover property (@(posedge clk_i) part_finished && !all_finished);
  chunk_is_finished: cover property (@(posedge clk_i) part_finished && all_finished && bk_exchange);
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
  clear_waits_for_step: cover property (@(posedge clk_i) older_waits);
  rest_of_post_is_dropped: cover property (@(posedge clk_i) drops);
  all_stages: cover property (@(posedge clk_i) all_busy);
  disagrees: cover property (@(posedge clk_i) disagree_valid_o && answer_valid_o &&
                             answer_o == tally_fw_pkg::StoreAnswerDisagrees);
  disagreement_waits: cover property (@(posedge clk_i) hold_waits);
  own_waits_for_list: cover property (@(posedge clk_i) own_waits);
endmodule

bind tally_store store_cover u_cover (
  .held(bk_q == BkHeld && held_valid), .of_record(of_record), .bk_op(bk_op), .bk_own(rec.own),
  .gives(rec_gives), .bk_exchange(bk_message.mode == tally_pkg::ModeExchange),
  .later_step(rec.slot[PartW-1:0] > 1),
  .own_waits(own_valid && !due_ready_q), .own_read_waits(en_q == EnOwn && send_reading),
  .send_waits(due_valid && (en_q == EnOwn || own_words)),
  .part_finished(bk_q == BkHeld && held_valid && held_finished),
  .later_part(slot_q[PartW-1:0] != '0),
  .clears(en_q == EnClear && seg_ready),
  .waits(wait_valid && wait_ready), .waits_with_due(woken && held_due),
  .is_read(finish_valid && out_busy && out_slot[PartW+:SlotW] == finish_slot),
  .sent_again(ask_valid_o && ask_ready_i && ask_again_o),
  .drains_again(ending && u_end.wait_left_q != '0),
  .writes_wait(u_end.looked_q), .drains(ending && u_end.send_left_q != '0),
  .given_up(res_tvalid_o && res_ended_o), .older_waits(en_q == EnIdle && freed_valid && older),
  .drops(step_valid && step_ready && step.drops), .all_busy(!front_idle && en_q == EnEnter &&
                                                           bk_q == BkHeld), .*);
