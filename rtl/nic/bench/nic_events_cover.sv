// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_nic_events must reach.
module nic_events_cover (
  input logic clk_i,
  input logic packets_busy,
  input logic drops,
  input logic drops_q,
  input logic of_begin_q,
  input logic rel_bvalid_i,
  input logic drop_valid,
  input logic begins,
  input logic exists,
  input logic releases,
  input logic in_valid_i,
  input logic in_ready_o,
  input logic ev_valid,
  input logic ev_arvalid,
  input logic ev_rvalid,
  input logic next_arvalid_o,
  input logic next_arready_i,
  input logic next_rvalid_i,
  input logic read_due_q,
  input logic axil_arvalid_i,
  input logic lost_o,
  input logic wait_o,
  input logic busy_o,
  input logic needed
);
  drop_waits_for_packet: cover property (@(posedge clk_i) drops && packets_busy);
  drop_waits_for_tables: cover property (@(posedge clk_i) drops_q && !of_begin_q && !rel_bvalid_i);
  packet_before_the_answer: cover property (@(posedge clk_i) drops_q && !drops && in_valid_i &&
                                            in_ready_o);
  packet_waits_for_drop: cover property (@(posedge clk_i) drop_valid && in_valid_i && !in_ready_o);
  read_waits_for_drop: cover property (@(posedge clk_i) drop_valid && read_due_q);
  begins_no_group: cover property (@(posedge clk_i) begins && !exists);
  releases_with_packet: cover property (@(posedge clk_i) releases && packets_busy);
  reads_event: cover property (@(posedge clk_i) ev_arvalid && !wait_o);
  reads_other: cover property (@(posedge clk_i) next_arvalid_o && !next_arready_i);
  read_follows: cover property (@(posedge clk_i) axil_arvalid_i && read_due_q);
  answers: cover property (@(posedge clk_i) ev_rvalid && ev_valid);
  other_answers: cover property (@(posedge clk_i) next_rvalid_i);
  lost: cover property (@(posedge clk_i) lost_o);
  no_clock_with_an_event: cover property (@(posedge clk_i) wait_o && !busy_o && !needed);
  no_clock_with_a_packet: cover property (@(posedge clk_i) packets_busy && !needed);
endmodule

bind tally_nic_events nic_events_cover u_cover (.*);
