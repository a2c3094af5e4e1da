// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_queues must reach.
module queues_cover (
  input logic       clk_i,
  input logic       event_valid,
  input logic       event_ready,
  input logic       evt_valid_i,
  input logic       old_valid,
  input logic       old_ready,
  input logic       refused,
  input logic       bell_valid_i,
  input logic       bell_ready_o,
  input logic       cq_bvalid,
  input logic       cq_bready,
  input logic [1:0] m_awvalid,
  input logic [1:0] m_arvalid,
  input logic [1:0] m_bvalid,
  input logic       cq_cfg_valid,
  input logic       cq_cfg_ready,
  input logic       enable,
  input logic       waits_o,
  input logic       busy_o
);
  event_waits: cover property (@(posedge clk_i) event_valid && !event_ready);
  events_of_both: cover property (@(posedge clk_i) event_valid && evt_valid_i);
  event_given_back: cover property (@(posedge clk_i) refused);
  old_event: cover property (@(posedge clk_i) old_valid && old_ready);
  events_of_all: cover property (@(posedge clk_i) event_valid && evt_valid_i && old_valid);
  old_event_when_destroyed: cover property (@(posedge clk_i) cq_cfg_valid && waits_o);
  doorbell_waits: cover property (@(posedge clk_i) bell_valid_i && !bell_ready_o);
  answer_waits: cover property (@(posedge clk_i) cq_bvalid && !cq_bready);
  answer_passes: cover property (@(posedge clk_i) cq_bvalid && !cq_bready && m_bvalid[1]);
  answers_queue: cover property (@(posedge clk_i) cq_bvalid && m_bvalid[0]);
  both_write: cover property (@(posedge clk_i) m_awvalid == 2'b11);
  both_read: cover property (@(posedge clk_i) m_arvalid == 2'b11);
  destruction_waits: cover property (@(posedge clk_i) cq_cfg_valid && !cq_cfg_ready && !enable);
  quiet: cover property (@(posedge clk_i) !busy_o);
endmodule

bind tally_queues queues_cover u_cover (.*);
