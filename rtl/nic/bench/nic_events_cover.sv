// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_nic_events must reach.
module nic_events_cover (
  input logic clk_i,
  input logic packets_busy,
  input logic holds,
  input logic [3:0] state_q,
  input logic freezes_q,
  input logic begins_q,
  input logic rel_bvalid_i,
  input logic drop_valid,
  input logic takes,
  input logic exists,
  input logic listens,
  input logic set_ready_i,
  input logic fence_ready_i,
  input logic raise_valid_i,
  input logic raise_ready_o,
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
  localparam logic [3:0] StTables = 4'd1;
  localparam logic [3:0] StStop = 4'd2;
  localparam logic [3:0] StEmpty = 4'd3;
  localparam logic [3:0] StSet = 4'd5;
  localparam logic [3:0] StRaise = 4'd6;
  localparam logic [3:0] StFence = 4'd7;

  drop_waits_for_packet: cover property (@(posedge clk_i) state_q == StEmpty && packets_busy);
  command_waits_for_tables: cover property (@(posedge clk_i) state_q == StTables && !rel_bvalid_i);
  packet_before_the_answer: cover property (@(posedge clk_i) state_q == StTables && !rel_bvalid_i &&
                                            in_valid_i && in_ready_o);
  packet_waits_for_drop: cover property (@(posedge clk_i) drop_valid && in_valid_i && !in_ready_o);
  packet_waits_for_begin: cover property (@(posedge clk_i) state_q == StRaise && in_valid_i &&
                                          !in_ready_o);
  packet_waits_for_tables: cover property (@(posedge clk_i) state_q == StTables && holds &&
                                           begins_q && in_valid_i && !in_ready_o);
  stop_waits: cover property (@(posedge clk_i) state_q == StStop && !set_ready_i);
  set_waits: cover property (@(posedge clk_i) state_q == StSet && !set_ready_i);
  fence_waits: cover property (@(posedge clk_i) state_q == StFence && !fence_ready_i);
  packet_while_fence_waits: cover property (@(posedge clk_i) state_q == StFence && in_valid_i &&
                                            in_ready_o);
  raise_waits: cover property (@(posedge clk_i) raise_valid_i && !raise_ready_o);
  read_of_a_begin: cover property (@(posedge clk_i) state_q == StRaise && read_due_q);
  read_waits_for_drop: cover property (@(posedge clk_i) drop_valid && read_due_q);
  takes_no_group: cover property (@(posedge clk_i) takes && !exists);
  listens_with_packet: cover property (@(posedge clk_i) listens && packets_busy);
  releases_tombstone: cover property (@(posedge clk_i) drop_valid && !begins_q);
  freezes: cover property (@(posedge clk_i) state_q == StStop && freezes_q);
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
