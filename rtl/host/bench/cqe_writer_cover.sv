// SPDX-License-Identifier: BSD-2-Clause
// Points that the benches of tally_cqe_writer must reach.
module cqe_writer_cover (
  input logic clk_i,
  input logic choose,
  input logic exec,
  input logic judge,
  input logic request,
  input logic wr_place,
  input logic lost,
  input logic fails,
  input logic has_room,
  input logic must_read,
  input logic reads_ahead,
  input logic req_valid_q,
  input logic req_tried_q,
  input logic req_forgotten,
  input logic order_room,
  input logic event_room,
  input logic wr_valid_o,
  input logic wr_ready_i,
  input logic rd_valid_o,
  input logic rd_ready_i,
  input logic rsp_valid_i,
  input logic rsp_error_i,
  input logic rsp_ready_o,
  input logic db_valid_i,
  input logic db_ready_o,
  input logic db_counts_i,
  input logic db_arms_i,
  input logic done_valid_i,
  input logic done_ready_o,
  input logic dma_error_o,
  input logic counts,
  input logic is_due,
  input logic fails_q,
  input logic event_valid_o,
  input logic event_ready_i,
  input logic cfg_valid_i,
  input logic cfg_ready_o
);
  write_waits: cover property (@(posedge clk_i) wr_valid_o && !wr_ready_i && req_valid_q);
  read_waits: cover property (@(posedge clk_i) rd_valid_o && !rd_ready_i && req_valid_q);
  read_in_advance: cover property (@(posedge clk_i) reads_ahead);
  read_for_room: cover property (@(posedge clk_i) must_read);
  room_found: cover property (@(posedge clk_i) wr_place && req_tried_q);
  overrun: cover property (@(posedge clk_i) request && lost && !has_room && fails);
  lost_later: cover property (@(posedge clk_i) lost && !fails);
  record_unreadable: cover property (@(posedge clk_i) rsp_valid_i && rsp_ready_o && rsp_error_i);
  write_failed: cover property (@(posedge clk_i) dma_error_o && fails);
  answered_behind_failure: cover property (@(posedge clk_i) dma_error_o && !counts && !fails);
  all_outstanding: cover property (@(posedge clk_i) req_valid_q && !order_room);
  events_full: cover property (@(posedge clk_i) choose && !event_room);
  event_waits: cover property (@(posedge clk_i) event_valid_o && !event_ready_i && exec);
  cq_event: cover property (@(posedge clk_i) judge && is_due);
  error_event: cover property (@(posedge clk_i) judge && fails_q);
  all_ask: cover property (@(posedge clk_i) choose && db_valid_i && done_valid_i && cfg_valid_i &&
                           rsp_valid_i);
  doorbell_waits: cover property (@(posedge clk_i) db_valid_i && !db_ready_o);
  count_alone: cover property (@(posedge clk_i) db_ready_o && !db_arms_i);
  arm_word_alone: cover property (@(posedge clk_i) db_ready_o && !db_counts_i);
  cfg_waits_for_events: cover property (@(posedge clk_i) choose && cfg_valid_i && event_valid_o);
  done_waits: cover property (@(posedge clk_i) done_valid_i && !done_ready_o);
  cfg_waits: cover property (@(posedge clk_i) exec && cfg_valid_i && !cfg_ready_o);
  request_forgotten: cover property (@(posedge clk_i) req_forgotten && req_tried_q);
endmodule

bind tally_cqe_writer cqe_writer_cover u_cover (.*);
