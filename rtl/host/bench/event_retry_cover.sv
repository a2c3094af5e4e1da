// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_event_retry must reach.
module event_retry_cover (
  input logic clk_i,
  input logic refused_i,
  input logic freed_i,
  input logic hold_i,
  input logic forget_i,
  input logic out_valid_o,
  input logic out_ready_i,
  input logic found,
  input logic begins,
  input logic search_q,
  input logic ends,
  input logic more_q,
  input logic second_q,
  input logic read_q,
  input logic offers_q,
  input logic written,
  input logic row_waits,
  input logic has_turn,
  input logic [tally_pkg::MaxEq-1:0] waits_q,
  input logic [tally_pkg::MaxEq-1:0] again_q,
  input logic [tally_pkg::MaxEq-1:0] full_q,
  input logic [$clog2(tally_pkg::MaxEq)-1:0] out_eqn_o
);
  waits: cover property (@(posedge clk_i) out_valid_o && !out_ready_i);
  freed_amid_a_search: cover property (@(posedge clk_i) freed_i && search_q && !ends);
  follows_at_once: cover property (@(posedge clk_i) begins && ends && more_q);
  freed_at_the_end: cover property (@(posedge clk_i) begins && ends && !more_q);
  has_had_its_turn: cover property (@(posedge clk_i) read_q && written && row_waits &&
      !has_turn && !full_q[out_eqn_o]);
  its_queue_is_full: cover property (@(posedge clk_i) read_q && written && row_waits &&
      full_q[out_eqn_o]);
  full_while_offered: cover property (@(posedge clk_i) offers_q && full_q[out_eqn_o]);
  behind_others: cover property (@(posedge clk_i) refused_i && freed_i && search_q);
  behind_at_the_end: cover property (@(posedge clk_i) refused_i && freed_i && ends);
  found_again: cover property (@(posedge clk_i) found && second_q);
  given_back_amid_a_search: cover property (@(posedge clk_i) refused_i && search_q);
  nothing_to_search: cover property (@(posedge clk_i) freed_i && waits_q == '0);
  held: cover property (@(posedge clk_i) hold_i && search_q && !found);
  offered_when_held: cover property (@(posedge clk_i) found && hold_i);
  forgotten_amid_a_search: cover property (@(posedge clk_i) search_q && forget_i);
  all_have_left: cover property (@(posedge clk_i) ends && (waits_q & again_q) == '0);
  some_stay: cover property (@(posedge clk_i) ends && (waits_q & again_q) != '0);
endmodule

bind tally_event_retry event_retry_cover u_cover (.*);
