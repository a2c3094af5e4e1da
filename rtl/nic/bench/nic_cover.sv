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
  header_as_frame_leaves: cover property (@(posedge clk_i) hdr_taken && tx_end);
endmodule

bind tally_nic nic_cover u_cover (.*);
