// SPDX-License-Identifier: BSD-2-Clause
// Points that the benches of tally_eqe_writer must reach.
module eqe_writer_cover (
  input logic clk_i,
  input logic exec,
  input logic place,
  input logic overrun,
  input logic refused_o,
  input logic freed_o,
  input logic asked_q,
  input logic behind_q,
  input logic has_room,
  input logic failed,
  input logic stopped,
  input logic good,
  input logic in_valid_i,
  input logic cfg_valid_i,
  input logic db_valid_i,
  input logic order_room,
  input logic order_valid,
  input logic irq_room,
  input logic irq_valid_o,
  input logic irq_ready_i,
  input logic done_valid_i,
  input logic wr_valid_o,
  input logic wr_ready_i,
  input logic row_enabled
);
  write_waits: cover property (@(posedge clk_i) wr_valid_o && !wr_ready_i && in_valid_i);
  all_outstanding: cover property (@(posedge clk_i) in_valid_i && !order_room);
  interrupt_waits: cover property (@(posedge clk_i) irq_valid_o && !irq_ready_i);
  answer_waits: cover property (@(posedge clk_i) done_valid_i && !irq_room);
  queue_full: cover property (@(posedge clk_i) overrun && !stopped);
  given_back: cover property (@(posedge clk_i) refused_o && !behind_q);
  behind_others: cover property (@(posedge clk_i) refused_o && has_room);
  behind_without_room: cover property (@(posedge clk_i) refused_o && behind_q && !has_room);
  asked_for: cover property (@(posedge clk_i) place && asked_q);
  freed: cover property (@(posedge clk_i) freed_o && !refused_o);
  write_failed: cover property (@(posedge clk_i) failed && !stopped);
  failed_again: cover property (@(posedge clk_i) failed && stopped);
  full_while_stopped: cover property (@(posedge clk_i) overrun && stopped);
  told_when_stopped: cover property (@(posedge clk_i) place && stopped);
  no_queue: cover property (@(posedge clk_i) exec && !row_enabled);
  bad_count: cover property (@(posedge clk_i) exec && !good);
  cfg_waits: cover property (@(posedge clk_i) cfg_valid_i && order_valid);
  all_ask: cover property (@(posedge clk_i) in_valid_i && cfg_valid_i && db_valid_i);
endmodule

bind tally_eqe_writer eqe_writer_cover u_cover (.*);
