// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_sender_regs must reach.
module sender_regs_cover (
  input logic        clk_i,
  input logic        unused_judge,
  input logic        good,
  input logic        value_ok,
  input logic        of_epoch,
  input logic        of_tab,
  input logic        of_link,
  input logic        give_valid,
  input logic        give_ready,
  input logic        link_valid_o,
  input logic        link_end_o
);
  no_segments: cover property (@(posedge clk_i) unused_judge && of_epoch && !value_ok);
  no_flags: cover property (@(posedge clk_i) unused_judge && of_tab && !value_ok);
  no_next: cover property (@(posedge clk_i) unused_judge && of_link && !value_ok);
  unknown: cover property (@(posedge clk_i) unused_judge && value_ok && !good);
  command_waits: cover property (@(posedge clk_i) give_valid && !give_ready);
  last: cover property (@(posedge clk_i) link_valid_o && link_end_o);
endmodule

bind tally_sender_regs sender_regs_cover u_cover (.*);
