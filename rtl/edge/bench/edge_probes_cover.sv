// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_edge_probes must reach.
module edge_probes_cover (
  input logic       clk_i,
  input logic [1:0] sides,
  input logic       due_valid,
  input logic       op_now,
  input logic [1:0] op,
  input logic       is_open,
  input logic       is_watched,
  input logic       has_probed,
  input logic       answers,
  input logic       waits_i,
  input logic       over,
  input logic       sends,
  input logic       waits_valid_o,
  input logic       waits_ready_i,
  input logic       op_valid_i,
  input logic       query_valid_o,
  input logic       query_ready_i,
  input logic       silent_valid_o,
  input logic       silent_ready_i,
  input logic       computes,
  input logic       capped,
  input logic       is_last_doubling,
  input logic       sets,
  input logic       cal_ready
);
  both_at_once: cover property (@(posedge clk_i) sides == '1);
  opens: cover property (@(posedge clk_i) op_now && op == 2'd0);
  closes: cover property (@(posedge clk_i) op_now && op == 2'd1 && is_watched);
  watched: cover property (@(posedge clk_i) op_now && op == 2'd2 && is_open && !is_watched);
  watched_again: cover property (@(posedge clk_i) op_now && op == 2'd2 && is_watched);
  watched_after_probes: cover property (@(posedge clk_i) op_now && op == 2'd2 && is_open &&
                                        !is_watched && has_probed);
  watched_closed: cover property (@(posedge clk_i) op_now && op == 2'd2 && !is_open);
  heard: cover property (@(posedge clk_i) op_now && op == 2'd3 && is_watched && has_probed);
  heard_unwatched: cover property (@(posedge clk_i) op_now && op == 2'd3 && is_open && !is_watched);
  waits_no_more: cover property (@(posedge clk_i) answers && !waits_i);
  probed: cover property (@(posedge clk_i) sends && !has_probed);
  probed_again: cover property (@(posedge clk_i) sends && has_probed);
  silent: cover property (@(posedge clk_i) answers && waits_i && over);
  silent_without_probe: cover property (@(posedge clk_i) answers && waits_i && over && !has_probed);
  question_waits: cover property (@(posedge clk_i) waits_valid_o && !waits_ready_i);
  op_waits_for_answer: cover property (@(posedge clk_i) waits_valid_o && op_valid_i);
  due_waits_for_query: cover property (@(posedge clk_i) due_valid && query_valid_o);
  due_waits_for_silence: cover property (@(posedge clk_i) due_valid && silent_valid_o);
  query_waits: cover property (@(posedge clk_i) query_valid_o && !query_ready_i);
  silence_waits: cover property (@(posedge clk_i) silent_valid_o && !silent_ready_i);
  op_while_told: cover property (@(posedge clk_i) op_now && query_valid_o);
  shorter_than_the_longest: cover property (@(posedge clk_i) computes && !capped);
  longest: cover property (@(posedge clk_i) computes && capped);
  last_doubling: cover property (@(posedge clk_i) computes && is_last_doubling && !capped);
  calendar_is_at_work: cover property (@(posedge clk_i) sets && !cal_ready);
endmodule

bind tally_edge_probes edge_probes_cover u_cover (
  .op_now(state_q == StRow && !due_q),
  .op(op_q),
  .is_open(row.open),
  .is_watched(row.watched),
  .has_probed(row.probes != '0),
  .computes(state_q == StWait),
  .capped(longer >= WaitW'(row.cap)),
  .is_last_doubling(tries_q == TriesW'(BackoffMax)),
  .sets(state_q == StSet), .*
);
