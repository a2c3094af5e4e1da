// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_wqe must reach. The bench itself checks that it meets every
// status.
module wqe_cover (
  input logic        clk_i,
  input logic        in_valid_i,
  input logic        in_ready_o,
  input logic        in_last_i,
  input logic        in_error_i,
  input logic        last_q,
  input logic        error_q,
  input logic        divided,
  input logic        is_bare,
  input logic        checked,
  input logic        req_valid_o,
  input logic        req_ready_i,
  input logic [15:0] status_q,
  input logic [2:0]  state_q
);
  waits: cover property (@(posedge clk_i) req_valid_o && !req_ready_i);
  next_waits: cover property (@(posedge clk_i) req_valid_o && in_valid_i && !in_ready_o);
  one_word: cover property (@(posedge clk_i) state_q == '0 && in_valid_i && in_last_i &&
                            !in_error_i);
  late_error: cover property (@(posedge clk_i) in_valid_i && in_ready_o && in_error_i &&
                              in_last_i && checked);
  waits_for_division: cover property (@(posedge clk_i) last_q && !req_valid_o && !divided &&
                                      status_q == '0 && checked);
  bare: cover property (@(posedge clk_i) req_valid_o && is_bare && !error_q);
endmodule

bind tally_wqe wqe_cover u_cover (.*);
