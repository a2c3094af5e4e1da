// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_status_unit must reach.
module status_unit_cover (
  input logic clk_i,
  input logic tell_valid,
  input logic is_retired,
  input logic is_error,
  input logic retire_ready_i,
  input logic told_ready_i,
  input logic told_valid_o,
  input logic told_fails_o,
  input logic took_valid_o,
  input logic took_skip_o,
  input logic took_begin_o,
  input logic took_ask_o,
  input logic got_valid,
  input logic cmd_valid_o,
  input logic cmd_forgets,
  input logic next_valid
);
  retire_waits: cover property (@(posedge clk_i) tell_valid && is_retired && !retire_ready_i);
  told_waits: cover property (@(posedge clk_i) told_valid_o && !told_ready_i);
  fails: cover property (@(posedge clk_i) tell_valid && is_error);
  answered: cover property (@(posedge clk_i) told_valid_o && !told_fails_o);
  begins: cover property (@(posedge clk_i) took_valid_o && took_begin_o);
  asks: cover property (@(posedge clk_i) took_valid_o && took_ask_o);
  skipped: cover property (@(posedge clk_i) took_valid_o && took_skip_o);
  row: cover property (@(posedge clk_i) got_valid);
  forgets: cover property (@(posedge clk_i) cmd_valid_o && cmd_forgets && !next_valid);
endmodule

bind tally_status_unit status_unit_cover u_cover (.*);
