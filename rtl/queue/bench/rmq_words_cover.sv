// SPDX-License-Identifier: BSD-2-Clause
// Points that the benches of tally_rmq_words must reach.
module rmq_words_cover (
  input logic clk_i,
  input logic store_valid_i,
  input logic take_valid_i,
  input logic take_ready_o,
  input logic hold_i,
  input logic pend_q,
  input logic data_done,
  input logic data_begins,
  input logic data_busy_q,
  input logic data_valid_i,
  input logic unread,
  input logic fetch,
  input logic taken_valid,
  input logic give_valid_o,
  input logic out_valid_o,
  input logic out_ready_i
);
  next_pends: cover property (@(posedge clk_i) pend_q && data_done);
  begins_at_end: cover property (@(posedge clk_i) data_begins && data_done);
  begins_behind: cover property (@(posedge clk_i) data_begins && data_busy_q && !data_done);
  empty: cover property (@(posedge clk_i) store_valid_i && !data_begins);
  without_pause: cover property (@(posedge clk_i) data_busy_q && data_valid_i && fetch);
  still_coming: cover property (@(posedge clk_i) taken_valid && unread && !out_valid_o);
  out_stalled: cover property (@(posedge clk_i) out_valid_o && !out_ready_i && taken_valid);
  held: cover property (@(posedge clk_i) hold_i && taken_valid && !unread && !out_valid_o);
  given_and_stored: cover property (@(posedge clk_i) give_valid_o && data_begins);
  full_of_taken: cover property (@(posedge clk_i) take_valid_i && !take_ready_o);
endmodule

bind tally_rmq_words rmq_words_cover u_cover (.*);
