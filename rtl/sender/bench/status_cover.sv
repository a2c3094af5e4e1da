// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_status must reach.
module status_cover (
  input logic clk_i,
  input logic cmd_valid_i,
  input logic end_valid_i,
  input logic upd_valid_i,
  input logic in_valid_i,
  input logic end_flag_o,
  input logic upd_flag_o,
  input logic cpl_valid_o,
  input logic cpl_ready_i,
  input logic tell_valid_o,
  input logic tell_ready_i,
  input logic fail_valid_o,
  input logic fail_ready_i,
  input logic row_valid_o,
  input logic row_ready_i,
  input logic looks_ahead,
  input logic completes_head,
  input logic is_head_q,
  input logic finishes,
  input logic divides_still,
  input logic in_row_o,
  input logic in_skip_i,
  input logic in_ready_o,
  input logic in_passes_i,
  input logic judged,
  input logic asks,
  input logic is_query,
  input logic retires,
  input logic by_epoch,
  input logic head_flushes,
  input logic head_skips,
  input logic leaves,
  input logic applies,
  input logic aborts,
  input logic creates,
  input logic formed,
  input logic wanted,
  input logic other,
  input logic peek_ends,
  input logic peek_may,
  input logic peek_waits,
  input logic peek_moves,
  input logic peek_skips,
  input logic reads_next,
  input logic peeked_valid_o,
  input logic [63:0] peeked_ranks_o,
  input logic peeked_more_o
);
  holds_some: cover property (@(posedge clk_i) peeked_valid_o && peeked_ranks_o != '0);
  may_hold_others: cover property (@(posedge clk_i) peeked_valid_o && peeked_more_o);
  behind_a_later_one: cover property (@(posedge clk_i) peek_ends);
  queue_pair_is_off: cover property (@(posedge clk_i) reads_next && !peek_may);
  peek_waits_for_an_operation: cover property (@(posedge clk_i) peek_waits);
  head_moves_amid_a_peek: cover property (@(posedge clk_i) reads_next && peek_moves);
  passes_over_one: cover property (@(posedge clk_i) peek_skips);
  all_wait: cover property (@(posedge clk_i) cmd_valid_i && end_valid_i && upd_valid_i &&
                            in_valid_i);
  flag_at_end: cover property (@(posedge clk_i) end_flag_o);
  flag_at_post: cover property (@(posedge clk_i) upd_flag_o);
  completion_waits: cover property (@(posedge clk_i) cpl_valid_o && !cpl_ready_i);
  tell_waits: cover property (@(posedge clk_i) tell_valid_o && !tell_ready_i);
  failure_waits: cover property (@(posedge clk_i) fail_valid_o && !fail_ready_i);
  row_waits: cover property (@(posedge clk_i) row_valid_o && !row_ready_i);
  end_waits_for_row: cover property (@(posedge clk_i) looks_ahead && !row_ready_i);
  completes_at_once: cover property (@(posedge clk_i) completes_head);
  finishes_out_of_turn: cover property (@(posedge clk_i) applies && finishes && !is_head_q);
  division_is_late: cover property (@(posedge clk_i) divides_still);
  not_judged: cover property (@(posedge clk_i) in_row_o && !judged);
  query: cover property (@(posedge clk_i) in_ready_o && asks && is_query);
  abort_ahead: cover property (@(posedge clk_i) in_ready_o && asks && !is_query && !in_row_o);
  skipped: cover property (@(posedge clk_i) in_ready_o && in_skip_i && !in_passes_i);
  passed: cover property (@(posedge clk_i) in_ready_o && in_skip_i && in_passes_i);
  ended: cover property (@(posedge clk_i) retires && by_epoch);
  flushed: cover property (@(posedge clk_i) retires && head_flushes);
  answered: cover property (@(posedge clk_i) retires && head_skips);
  epoch_ends: cover property (@(posedge clk_i) applies && leaves);
  aborted: cover property (@(posedge clk_i) aborts);
  created: cover property (@(posedge clk_i) creates);
  silent: cover property (@(posedge clk_i) formed && !wanted);
  others_fault: cover property (@(posedge clk_i) formed && other);
endmodule

bind tally_status status_cover u_cover (
  .divides_still(state_q == StGot && got_q && !divided),
  .peek_waits(peeking_q && state_q == StIdle && any),
  .peek_moves(!peek_first_q && CountW'(peek_index_q - read.head) >
              CountW'(read.admit - read.head)),
  .peek_skips(state_q == StPeekRow && !peek_opens),
  .reads_next(state_q == StPeek), .*);
