// SPDX-License-Identifier: BSD-2-Clause
// Points that the benches of tally_segment_hold must reach.
module segment_hold_cover #(
  parameter int unsigned Contributors = 64,
  parameter int unsigned Ranks = 64
) (
  input logic                    clk_i,
  input logic                    valid_q2,
  input logic                    busy,
  input logic                    open_q1,
  input logic                    read_busy,
  input logic                    valid_q1,
  input logic                    taken,
  input logic                    parent,
  input logic                    rank,
  input logic                    had,
  input logic                    has,
  input logic                    ok,
  input logic                    expected,
  input logic                    finished,
  input logic [Contributors-1:0] due_contributors,
  input logic [Ranks-1:0]        due_ranks,
  input logic                    out_valid_o,
  input logic                    out_up_o,
  input logic                    in_valid_i,
  input logic                    deciding,
  input logic                    clear,
  input logic                    peek_valid_i,
  input logic                    peek_ready_o,
  input logic                    peeked_valid_o,
  input logic                    peeked_busy_o,
  input logic                    peeked_awaits_o,
  input logic                    read_expected,
  input logic                    read_have
);
  logic here;
  assign here = valid_q2 && busy;

  opened: cover property (@(posedge clk_i) valid_q1 && open_q1 && !read_busy);
  opened_twice: cover property (@(posedge clk_i) valid_q1 && open_q1 && read_busy);
  sum_due: cover property (@(posedge clk_i) out_valid_o && out_up_o);
  copies_due: cover property (@(posedge clk_i) here && due_contributors != '0);
  ranks_due_with_the_result: cover property (@(posedge clk_i) here && !had && due_ranks != '0);
  ranks_due_when_they_post: cover property (@(posedge clk_i) here && had && due_ranks != '0);
  sum_taken: cover property (@(posedge clk_i) here && taken && parent && ok);
  copy_taken: cover property (@(posedge clk_i) here && taken && !parent && !rank && ok);
  result_in_memory: cover property (@(posedge clk_i) here && taken && !parent && rank && ok);
  nothing_was_due: cover property (@(posedge clk_i) here && taken && !ok && !parent);
  no_sum_was_due: cover property (@(posedge clk_i) here && taken && !ok && parent);
  finished_by_receiver: cover property (@(posedge clk_i) here && finished && taken);
  finished_by_post: cover property (@(posedge clk_i) here && finished && !taken && had);
  finished_without_result: cover property (@(posedge clk_i) here && finished && !expected);
  not_open: cover property (@(posedge clk_i) valid_q2 && !busy && taken);
  cleared: cover property (@(posedge clk_i) here && clear);
  waits: cover property (@(posedge clk_i) in_valid_i && deciding);
  peek_waits: cover property (@(posedge clk_i) peek_valid_i && !peek_ready_o);
  peeked: cover property (@(posedge clk_i) peeked_valid_o && peeked_busy_o && peeked_awaits_o);
  peeked_not_open: cover property (@(posedge clk_i) peeked_valid_o && !peeked_busy_o);
  result_is_for_nobody: cover property (@(posedge clk_i) peeked_valid_o && peeked_busy_o &&
                                        read_expected && !read_have && !peeked_awaits_o);
  no_result_yet: cover property (@(posedge clk_i) here && expected && !has);
endmodule

bind tally_segment_hold segment_hold_cover #(.Contributors(Contributors), .Ranks(Ranks)) u_cover (
  .busy(before_q2.busy), .read_busy(read_q1.busy), .taken(event_q2.taken), .parent(event_q2.parent),
  .rank(event_q2.rank), .has(next.have), .expected(before_q2.expected), .clear(event_q2.clear),
  .read_expected(read_q1.expected), .read_have(read_q1.have), .*);
