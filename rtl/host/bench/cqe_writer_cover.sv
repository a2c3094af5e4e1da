// SPDX-License-Identifier: BSD-2-Clause
// Points that the benches of tally_cqe_writer must reach.
module cqe_writer_cover (
  input logic clk_i,
  input logic write,
  input logic lost,
  input logic req_valid_q,
  input logic req_go,
  input logic order_room,
  input logic awvalid_o,
  input logic awready_i,
  input logic wvalid_o,
  input logic wready_i,
  input logic w_waits,
  input logic bvalid_i,
  input logic dma_error_o,
  input logic look,
  input logic event_valid_o,
  input logic event_ready_i,
  input logic db_valid_i,
  input logic db_good,
  input logic cfg_valid_i,
  input logic cfg_ready_o
);
  address_waits: cover property (@(posedge clk_i) awvalid_o && !awready_i);
  data_wait: cover property (@(posedge clk_i) wvalid_o && !wready_i);
  data_wait_for_address: cover property (@(posedge clk_i) w_waits && !wvalid_o);
  all_outstanding: cover property (@(posedge clk_i) req_valid_q && !order_room);
  write_and_answer: cover property (@(posedge clk_i) write && bvalid_i);
  overrun: cover property (@(posedge clk_i) lost);
  overrun_meets_failed_write: cover property (@(posedge clk_i) lost && dma_error_o);
  event_waits: cover property (@(posedge clk_i) event_valid_o && !event_ready_i && req_go);
  looked_at_while_answered: cover property (@(posedge clk_i) look && bvalid_i);
  bad_count: cover property (@(posedge clk_i) db_valid_i && !db_good);
  cfg_waits: cover property (@(posedge clk_i) cfg_valid_i && !cfg_ready_o);
endmodule

bind tally_cqe_writer cqe_writer_cover u_cover (.*);
