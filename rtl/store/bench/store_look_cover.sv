// SPDX-License-Identifier: BSD-2-Clause
// Points that the benches of tally_store_look must reach.
module store_look_cover (
  input logic                       clk_i,
  input logic                       look_valid_o,
  input logic                       holds_some,
  input logic [7:0]                 state,
  input logic                       waits_parent,
  input logic                       peeked_valid_i,
  input logic                       peeked_ok_i,
  input logic                       checks_q,
  input logic                       same,
  input logic                       last_try,
  input logic                       finds,
  input logic                       takes,
  input logic                       rounds,
  input logic                       busy_q,
  input logic                       opened,
  input logic                       shaped_q,
  input logic                       is_last,
  input logic                       exchange,
  input logic                       first_part,
  input logic                       again,      // an edge of the round before,
  input logic                       earlier,    // of an earlier one
  input logic                       later       // of a later one
);
  no_such_number: cover property (@(posedge clk_i) peeked_valid_i && !peeked_ok_i && !checks_q);
  another_chunk: cover property (@(posedge clk_i) peeked_valid_i && checks_q && !same);
  gives_up: cover property (@(posedge clk_i) peeked_valid_i && checks_q && !same && last_try &&
                            peeked_ok_i);
  not_begun: cover property (@(posedge clk_i) look_valid_o && holds_some &&
                             state == 8'(tally_pkg::SegFree));
  finished: cover property (@(posedge clk_i) look_valid_o &&
                            state == 8'(tally_pkg::SegFinished));
  waits_for_parent: cover property (@(posedge clk_i) look_valid_o && waits_parent);
  first_part_is_closed: cover property (@(posedge clk_i) finds && !busy_q && first_part);
  later_part_is_open: cover property (@(posedge clk_i) finds && busy_q && !first_part);
  closed_part: cover property (@(posedge clk_i) takes && shaped_q && !busy_q && !is_last);
  last_is_closed: cover property (@(posedge clk_i) takes && shaped_q && !busy_q && is_last &&
                                  !exchange);
  last_is_closed_in_exchange: cover property (@(posedge clk_i) takes && !busy_q && is_last &&
                                              exchange);
  part_is_finished: cover property (@(posedge clk_i) takes && busy_q && !opened);
  same_round: cover property (@(posedge clk_i) rounds && again);
  earlier_round: cover property (@(posedge clk_i) rounds && earlier);
  later_round: cover property (@(posedge clk_i) rounds && later);
endmodule

bind tally_store_look store_look_cover u_cover (
  .holds_some(look_o.held != '0), .state(look_o.state), .waits_parent(look_o.waits_parent),
  .last_try(tries_q == '0), .finds(state_q == StFound), .takes(state_q == StTaken),
  .rounds(state_q == StRounded), .first_part(part_q == '0),
  .again(first_q != '0 && round_q == least_q), .earlier(first_q != '0 && round_q < least_q),
  .later(first_q != '0 && round_q > least_q), .*
);
