// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_request_read must reach.
module request_read_cover (
  input logic       clk_i,
  input logic       take,
  input logic       push_q,
  input logic       take_valid_o,
  input logic       take_ready_i,
  input logic       fetch_valid_i,
  input logic       fetch_pushed_i,
  input logic       walk,
  input logic       walk_ready,
  input logic       place_valid,
  input logic       place_take,
  input logic       place_ok,
  input logic       place_last,
  input logic       lost_q,
  input logic       entry_valid,
  input logic       word_error,
  input logic       of_entry,
  input logic       read_valid,
  input logic       read_take,
  input logic [2:0] offers,
  input logic [2:0] takes,
  input logic       open_q,
  input logic [1:0] source_q,
  input logic       failed_q,
  input logic       pick_valid,
  input logic       pick_ready,
  input logic       last,
  input logic       error,
  input logic       busy_o
);
  take_waits: cover property (@(posedge clk_i) take_valid_o && !take_ready_i);
  second_push_waits: cover property (@(posedge clk_i) fetch_valid_i && fetch_pushed_i && push_q);
  walkers_used_up: cover property (@(posedge clk_i) walk && !walk_ready);
  two_pieces: cover property (@(posedge clk_i) place_valid && place_ok && !place_last);
  place_waits: cover property (@(posedge clk_i) place_valid && place_ok && !place_take);
  lost_waits: cover property (@(posedge clk_i) place_valid && !place_ok && lost_q);
  list_fails: cover property (@(posedge clk_i) entry_valid && word_error);
  list_read: cover property (@(posedge clk_i) read_valid && read_take && !of_entry);
  entry_read: cover property (@(posedge clk_i) read_valid && read_take && of_entry);
  push_while_memory: cover property (@(posedge clk_i) open_q && source_q == 0 && offers[1]);
  memory_while_push: cover property (@(posedge clk_i) open_q && source_q == 1 && offers[0]);
  lost_while_open: cover property (@(posedge clk_i) open_q && offers[2]);
  all_at_once: cover property (@(posedge clk_i) !open_q && offers == 3'b111);
  lost_leaves: cover property (@(posedge clk_i) takes[2]);
  fails_before_end: cover property (@(posedge clk_i) takes != 0 && error && !last);
  fails_at_end: cover property (@(posedge clk_i) takes[0] && error && last);
  failed_before: cover property (@(posedge clk_i) takes[0] && failed_q && last &&
                                 !error);
  stalled: cover property (@(posedge clk_i) pick_valid && !pick_ready);
  taken: cover property (@(posedge clk_i) take);
  waits_for_memory: cover property (@(posedge clk_i) !busy_o && !fetch_valid_i);
endmodule

bind tally_request_read request_read_cover u_cover (.*);
