// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_fetch must reach. The bench itself checks that it meets every
// verdict.
module fetch_cover (
  input logic clk_i,
  input logic fetch_valid_o,
  input logic fetch_ready_i,
  input logic fetch_pushed_o,
  input logic skip_valid_o,
  input logic free_valid_o,
  input logic over_valid_o,
  input logic posted_valid_o,
  input logic db_ready_o,
  input logic res_ready_o,
  input logic res_query_i,
  input logic res_abort_i,
  input logic set_ready_o,
  input logic set_create_i,
  input logic told_ready_o,
  input logic told_fails_i,
  input logic flushes,
  input logic in_room,
  input logic do_fetch,
  input logic set_valid_i,
  input logic res_valid_i,
  input logic retire_valid_i,
  input logic told_valid_i,
  input logic db_valid_i,
  input logic [2:0] verdict
);
  fetch_waits: cover property (@(posedge clk_i) fetch_valid_o && !fetch_ready_i);
  from_buffer: cover property (@(posedge clk_i) fetch_valid_o && fetch_ready_i && fetch_pushed_o);
  skipped: cover property (@(posedge clk_i) skip_valid_o && !flushes);
  passed: cover property (@(posedge clk_i) skip_valid_o && flushes);
  replaced: cover property (@(posedge clk_i) free_valid_o && db_ready_o);
  forgotten: cover property (@(posedge clk_i) free_valid_o && set_ready_o);
  moved: cover property (@(posedge clk_i) posted_valid_o);
  overrun: cover property (@(posedge clk_i) over_valid_o);
  query_ahead: cover property (@(posedge clk_i) res_ready_o && res_query_i && verdict == 3'd2);
  abort_ahead: cover property (@(posedge clk_i) res_ready_o && res_abort_i && verdict == 3'd2);
  looks_ahead: cover property (@(posedge clk_i) do_fetch && !in_room && !flushes);
  flush: cover property (@(posedge clk_i) do_fetch && flushes);
  created: cover property (@(posedge clk_i) set_ready_o && set_create_i);
  fails: cover property (@(posedge clk_i) told_ready_o && told_fails_i);
  several_wait: cover property (@(posedge clk_i) set_valid_i && res_valid_i && retire_valid_i);
  others_wait: cover property (@(posedge clk_i) told_valid_i && db_valid_i && retire_valid_i);
endmodule

bind tally_fetch fetch_cover u_cover (.*);
