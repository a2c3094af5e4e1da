// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_trigger_in must reach.
module trigger_in_cover (
  input logic       clk_i,
  input logic       begins,
  input logic       ends,
  input logic       of_packet,
  input logic       stored_q,
  input logic       refused_q,
  input logic       has_words,
  input logic       moves,
  input logic       last_word,
  input logic       in_valid_o,
  input logic       in_ready_i,
  input logic       end_valid_o,
  input logic       end_ready_i,
  input logic       unsaid_o,
  input logic       dropped_o,
  input logic [2:0] asks
);
  all_ask: cover property (@(posedge clk_i) begins && asks == '1);
  long_one: cover property (@(posedge clk_i) moves && !last_word && stored_q);
  drained: cover property (@(posedge clk_i) moves && !last_word && !stored_q);
  empty_stored: cover property (@(posedge clk_i) ends && stored_q && !has_words);
  refused_empty: cover property (@(posedge clk_i) ends && refused_q && of_packet && !has_words);
  dropped_empty: cover property (@(posedge clk_i) dropped_o && !has_words);
  left_out: cover property (@(posedge clk_i) unsaid_o);
  offer_waits: cover property (@(posedge clk_i) in_valid_o && !in_ready_i);
  end_waits: cover property (@(posedge clk_i) end_valid_o && !end_ready_i);
endmodule

bind tally_trigger_in trigger_in_cover u_cover (.*);
