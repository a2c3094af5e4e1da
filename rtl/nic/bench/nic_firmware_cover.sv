// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_nic_firmware must reach.
module nic_firmware_cover (
  input logic clk_i,
  input logic busy_o,
  input logic keeps,
  input logic part,
  input logic moved_valid_i,
  input logic head_valid_i,
  input logic head_ready_o,
  input logic head_look_valid_i,
  input logic look_valid,
  input logic send_valid,
  input logic send_ready,
  input logic merge_busy,
  input logic open_valid_i,
  input logic open_ready_o,
  input logic still
);
  part_of_a_word: cover property (@(posedge clk_i) part);
  write_wakes: cover property (@(posedge clk_i) keeps && still);
  move_wakes: cover property (@(posedge clk_i) moved_valid_i && still);
  header_wakes: cover property (@(posedge clk_i) head_valid_i && still);
  open_wakes: cover property (@(posedge clk_i) open_valid_i && still);
  open_found: cover property (@(posedge clk_i) open_valid_i && open_ready_o && head_valid_i);
  rests: cover property (@(posedge clk_i) still && !head_valid_i);
  both_have_packets: cover property (@(posedge clk_i) head_valid_i && send_valid);
  firmware_waits: cover property (@(posedge clk_i) send_valid && !send_ready && head_ready_o);
  both_ask_for_rows: cover property (@(posedge clk_i) head_look_valid_i && look_valid);
  payload_of_others: cover property (@(posedge clk_i) merge_busy && !busy_o);
endmodule

bind tally_nic_firmware nic_firmware_cover u_cover (
  .part(written_i && axil_wstrb_i != 4'b1111), .still(!busy_o && !merge_busy), .*
);
