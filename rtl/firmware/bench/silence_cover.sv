// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_silence must reach.
module silence_cover (
  input logic clk_i,
  input logic over,
  input logic expired_valid_i,
  input logic silent_valid_i,
  input logic passed_valid_o,
  input logic passed_ready_i,
  input logic takes_over,
  input logic takes_silent,
  input logic exc_valid_o,
  input logic exc_ready_i
);
  last: cover property (@(posedge clk_i) takes_over);
  not_the_last: cover property (@(posedge clk_i) passed_valid_o && passed_ready_i && !over);
  silent: cover property (@(posedge clk_i) takes_silent);
  both: cover property (@(posedge clk_i) over && silent_valid_i);
  silent_with_another_time_out: cover property (@(posedge clk_i) takes_silent && expired_valid_i);
  passes_an_exception: cover property (@(posedge clk_i) passed_valid_o && exc_valid_o);
  last_waits: cover property (@(posedge clk_i) over && exc_valid_o);
  last_waits_for_who_counts: cover property (@(posedge clk_i) over && !exc_valid_o &&
                                             !passed_ready_i && silent_valid_i);
  exception_waits: cover property (@(posedge clk_i) exc_valid_o && !exc_ready_i);
endmodule

bind tally_silence silence_cover u_cover (.*);
