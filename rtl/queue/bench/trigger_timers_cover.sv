// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_trigger_timers must reach.
module trigger_timers_cover (
  input logic clk_i,
  input logic starts_q,
  input logic never,
  input logic has_own_q,
  input logic is_due,
  input logic told_ends,
  input logic offered_ends,
  input logic expired_valid_o,
  input logic expired_ready_i,
  input logic expired_lacks_o,
  input logic again,
  input logic busy_o,
  input logic deadline_valid_o,
  input logic written
);
  no_limit: cover property (@(posedge clk_i) starts_q && never);
  own_limit: cover property (@(posedge clk_i) starts_q && has_own_q);
  withdrawn: cover property (@(posedge clk_i) expired_valid_o && !expired_ready_i && offered_ends);
  not_told: cover property (@(posedge clk_i) is_due && told_ends);
  over: cover property (@(posedge clk_i) expired_valid_o && !expired_lacks_o);
  lacking: cover property (@(posedge clk_i) expired_valid_o && expired_lacks_o);
  deadline_passes: cover property (@(posedge clk_i) again);
  sleeps: cover property (@(posedge clk_i) !busy_o && deadline_valid_o);
  row_is_written: cover property (@(posedge clk_i) written);
endmodule

bind tally_trigger_timers trigger_timers_cover u_cover (
  .written(starts_q && moves && desc_q == next_q), .*
);
