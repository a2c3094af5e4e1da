// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_fw_send must reach.
module fw_send_cover (
  input logic clk_i,
  input logic judged,
  input logic good,
  input logic starts,
  input logic is_tomb,
  input logic is_open,
  input logic gone,
  input logic look_valid_o,
  input logic look_ready_i,
  input logic moves,
  input logic open_valid_i,
  input logic open_ready_o,
  input logic tomb_opens,
  input logic waits,
  input logic no_row_to_open
);
  refused: cover property (@(posedge clk_i) judged && !good);
  of_group: cover property (@(posedge clk_i) starts && !is_tomb && is_open);
  kill: cover property (@(posedge clk_i) starts && !is_tomb && !is_open);
  of_tombstone: cover property (@(posedge clk_i) starts && is_tomb);
  no_row: cover property (@(posedge clk_i) gone);
  row_later: cover property (@(posedge clk_i) look_valid_o && !look_ready_i);
  open_of_group: cover property (@(posedge clk_i) open_valid_i && open_ready_o && !tomb_opens);
  open_of_tombstone: cover property (@(posedge clk_i) open_valid_i && open_ready_o && tomb_opens);
  open_waits: cover property (@(posedge clk_i) open_valid_i && waits);
  open_without_row: cover property (@(posedge clk_i) no_row_to_open);
  moves_meanwhile: cover property (@(posedge clk_i) moves);
endmodule

bind tally_fw_send fw_send_cover u_cover (
  .judged(unused_judge), .starts(give_valid && state_q == Idle),
  .moves(moved_valid_i && state_q == Send), .waits(state_q == Send),
  .no_row_to_open(state_q == Gone && of_open_q), .*
);
