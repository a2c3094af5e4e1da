// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_local_fence must reach.
module local_fence_cover (
  input logic clk_i,
  input logic clears,
  input logic takes,
  input logic cmd_valid_i,
  input logic cmd_begins_i,
  input logic look_i,
  input logic same_group,
  input logic same_word,
  input logic waits,
  input logic quiet_i,
  input logic fenced_valid_o,
  input logic fenced_ready_i
);
  command_after_reset: cover property (@(posedge clk_i) cmd_valid_i && clears);
  look_after_reset: cover property (@(posedge clk_i) look_i && clears);
  command_behind_another: cover property (@(posedge clk_i) cmd_valid_i && waits);
  fence_waits: cover property (@(posedge clk_i) waits && !quiet_i);
  answer_waits: cover property (@(posedge clk_i) fenced_valid_o && !fenced_ready_i);
  look_beside_fence: cover property (@(posedge clk_i) look_i && takes && same_group &&
                                     !cmd_begins_i);
  look_beside_begin: cover property (@(posedge clk_i) look_i && takes && same_group &&
                                     cmd_begins_i);
  look_beside_another: cover property (@(posedge clk_i) look_i && takes && same_word &&
                                       !same_group);
endmodule

bind tally_local_fence local_fence_cover u_cover (
  .same_group(cmd_group_i == look_group_i), .same_word(write_word == look_word),
  .waits(state_q == StWait), .*
);
