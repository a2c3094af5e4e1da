// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_exceptions must reach.
module exceptions_cover #(
  parameter int unsigned Sources = 4
) (
  input logic               clk_i,
  input logic               clears,
  input logic               looks,
  input logic               runs,
  input logic               begins,
  input logic               freezes,
  input logic               stops_q,
  input logic [Sources+2:0] sides,
  input logic               of_begin,
  input logic               of_exception,
  input logic               of_fenced,
  input logic               of_drained,
  input logic               freeze_valid_o,
  input logic               freeze_ready_i,
  input logic               raise_valid_o,
  input logic               raise_ready_i
);
  all_at_once: cover property (@(posedge clk_i) sides == '1);
  after_reset: cover property (@(posedge clk_i) clears && sides != '0);
  begins_anew: cover property (@(posedge clk_i) begins && !runs);
  begins_although_it_runs: cover property (@(posedge clk_i) begins && runs);
  frozen_by_the_firmware: cover property (@(posedge clk_i) looks && stops_q && runs);
  frozen_twice: cover property (@(posedge clk_i) looks && stops_q && !runs);
  exception: cover property (@(posedge clk_i) freezes);
  later_exception: cover property (@(posedge clk_i) looks && of_exception && !runs);
  fenced: cover property (@(posedge clk_i) looks && of_fenced);
  drained: cover property (@(posedge clk_i) looks && of_drained && runs);
  drained_too_late: cover property (@(posedge clk_i) looks && of_drained && !runs);
  freeze_waits: cover property (@(posedge clk_i) freeze_valid_o && !freeze_ready_i);
  event_waits: cover property (@(posedge clk_i) raise_valid_o && !raise_ready_i && of_exception);
  begin_waits: cover property (@(posedge clk_i) raise_valid_o && !raise_ready_i && of_begin);
endmodule

bind tally_exceptions exceptions_cover #(.Sources(Sources)) u_cover (
  .of_begin(kind_q == tally_events_pkg::KindBegin),
  .of_exception(kind_q == tally_events_pkg::KindException),
  .of_fenced(kind_q == tally_events_pkg::KindFenced),
  .of_drained(kind_q == tally_events_pkg::KindDrained), .*
);
