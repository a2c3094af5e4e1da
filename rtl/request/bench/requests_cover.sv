// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_requests must reach.
module requests_cover (
  input logic       clk_i,
  input logic [1:0] state_q,
  input logic       set_valid,
  input logic       set_passes,
  input logic       set_create,
  input logic       starts,
  input logic       drained_q,
  input logic [2:0] left_q,
  input logic       bind_valid,
  input logic       bind_ready,
  input logic       db_valid,
  input logic       db_ready,
  input logic       db_cq,
  input logic       db_pushed,
  input logic       free_valid,
  input logic       in_valid,
  input logic       in_last,
  input logic       in_error,
  input logic       begins,
  input logic       ended_q,
  input logic       res_valid,
  input logic       res_ready,
  input logic       wanted,
  input logic       req_valid_o,
  input logic       req_ready_i,
  input logic       chk_valid_o,
  input logic       chk_ready_i,
  input logic       skip_valid_o,
  input logic       over_valid_o,
  input logic       full_o,
  input logic       dma_error_o,
  input logic       busy_o
);
  localparam logic [1:0] StRest = 2'd1;
  command_waits: cover property (@(posedge clk_i) set_valid && !set_passes);
  start_waits: cover property (@(posedge clk_i) starts && !drained_q && left_q == 3'd3);
  created: cover property (@(posedge clk_i) set_passes && set_create);
  bound: cover property (@(posedge clk_i) bind_valid && bind_ready);
  rings_cq: cover property (@(posedge clk_i) db_valid && db_ready && db_cq);
  cq_waits: cover property (@(posedge clk_i) db_valid && !db_ready && db_cq);
  rings_qp: cover property (@(posedge clk_i) db_valid && db_ready && !db_cq && db_pushed);
  freed: cover property (@(posedge clk_i) free_valid);
  one_word: cover property (@(posedge clk_i) begins && in_last && in_error);
  later_error: cover property (@(posedge clk_i) in_valid && in_error && state_q == StRest);
  next_waits: cover property (@(posedge clk_i) in_valid && state_q == StRest && ended_q);
  result_waits: cover property (@(posedge clk_i) res_valid && !res_ready);
  unwanted: cover property (@(posedge clk_i) res_valid && res_ready && !wanted);
  request_waits: cover property (@(posedge clk_i) req_valid_o && !req_ready_i);
  access_waits: cover property (@(posedge clk_i) chk_valid_o && !chk_ready_i);
  skipped: cover property (@(posedge clk_i) skip_valid_o);
  overrun: cover property (@(posedge clk_i) over_valid_o);
  no_buffer: cover property (@(posedge clk_i) full_o);
  unread: cover property (@(posedge clk_i) dma_error_o);
  waits_for_memory: cover property (@(posedge clk_i) !busy_o);
endmodule

bind tally_requests requests_cover u_cover (.*);
