// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_nic must reach.
module nic_cover (
  input logic clk_i,
  input logic idle_o,
  input logic rec_taken,
  input logic rec_good,
  input logic rec_pay,
  input logic rx_begin,
  input logic rx_inside_q,
  input logic rx_tvalid_i,
  input logic pay_end,
  input logic hdr_taken,
  input logic tx_end,
  input logic err_valid_o,
  input logic acc_valid_i,
  input logic acc_ready_o,
  input logic acw_valid_i,
  input logic acw_ready_o,
  input logic acr_valid_o,
  input logic ace_valid_o,
  input logic memory_busy,
  input logic answers,  // a write of a register waits for its answer
  input logic fw_wait_o,
  input logic event_lost_o,
  input logic events_drop,
  input logic for_events,
  input logic [15:0] frames_q,
  input logic [15:0] payloads_q,
  input logic [15:0] headers_q
);
  becomes_busy: cover property (@(posedge clk_i) idle_o && rx_begin);
  becomes_busy_sending: cover property (@(posedge clk_i) idle_o && hdr_taken);
  pause_in_frame: cover property (@(posedge clk_i) rx_inside_q && !rx_tvalid_i);
  ends_as_next_begins: cover property (@(posedge clk_i) rx_begin && rec_taken);
  bad_frame: cover property (@(posedge clk_i) rec_taken && !rec_good);
  only_payload_left: cover property (@(posedge clk_i) frames_q == 16'd0 && payloads_q != 16'd0);
  payload_follows: cover property (@(posedge clk_i) rec_pay && pay_end);
  only_header_left: cover property (@(posedge clk_i) frames_q == 16'd0 && payloads_q == 16'd0 &&
                                    headers_q != 16'd0);
  frame_and_refusal: cover property (@(posedge clk_i) tx_end && err_valid_o);
  access: cover property (@(posedge clk_i) idle_o && acc_valid_i && acc_ready_o);
  word_waits_for_its_turn: cover property (@(posedge clk_i) acw_valid_i && !acw_ready_o);
  word_read: cover property (@(posedge clk_i) acr_valid_o);
  access_ends: cover property (@(posedge clk_i) ace_valid_o);
  region_is_removed: cover property (@(posedge clk_i) answers && memory_busy &&
                                     acr_valid_o);
  event_waits_at_rest: cover property (@(posedge clk_i) idle_o && fw_wait_o);
  event_lost: cover property (@(posedge clk_i) event_lost_o);
  release_drops: cover property (@(posedge clk_i) events_drop && answers && fw_wait_o);
  begin_drops: cover property (@(posedge clk_i) for_events && answers && fw_wait_o);
  header_as_frame_leaves: cover property (@(posedge clk_i) hdr_taken && tx_end);
endmodule

bind tally_nic nic_cover u_cover (.answers(u_writes.state_q == 3'd4), .*);
