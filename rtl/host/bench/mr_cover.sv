// SPDX-License-Identifier: BSD-2-Clause
// Points that the benches of tally_mr must reach.
module mr_cover (
  input logic             clk_i,
  input logic             take,
  input logic             step,
  input logic             write,
  input logic             ready,
  input logic             idle,
  input logic             in_valid_i,
  input logic             cfg_valid_i,
  input logic             cfg_ready_o,
  input logic             cfg_bad_o,
  input logic             cfg_enable_i,
  input logic             c_valid_q,
  input logic             b_below_q,
  input logic             b_beyond,
  input logic             c_outside_q
);
  request_in_reset: cover property (@(posedge clk_i) in_valid_i && !ready);
  entered_and_used: cover property (@(posedge clk_i) take && ready && write);
  removal_waits: cover property (@(posedge clk_i) cfg_valid_i && ready && !cfg_enable_i && !idle);
  refused: cover property (@(posedge clk_i) cfg_valid_i && cfg_ready_o && cfg_bad_o);
  below: cover property (@(posedge clk_i) c_valid_q && b_below_q && !b_beyond);
  beyond: cover property (@(posedge clk_i) c_valid_q && !b_below_q && b_beyond);
  outside: cover property (@(posedge clk_i) c_valid_q && c_outside_q);
  walkers_busy: cover property (@(posedge clk_i) !step);
endmodule

bind tally_mr mr_cover u_cover (.*);
