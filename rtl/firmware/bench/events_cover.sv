// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_events must reach.
module events_cover #(
  parameter int unsigned Groups = 11
) (
  input logic        clk_i,
  input logic        lost_o,
  input logic        pkt_valid_i,
  input logic        pkt_ready_o,
  input logic        tmr_valid_i,
  input logic        tmr_ready_o,
  input logic        tmr_found_o,
  input logic        drop_valid_i,
  input logic        drop_ready_o,
  input logic [15:0] drop_context_i,
  input logic        forget_valid_i,
  input logic        take_valid,
  input logic        take_ready,
  input logic [2:0]  waits,
  input logic        queue_waits,
  input logic        groups_wait,
  input logic        begin_waits,
  input logic [2:0]  takes
);
  logic gives;
  assign gives = take_valid && take_ready;

  all_wait: cover property (@(posedge clk_i) gives && waits == '1);
  nothing_waits: cover property (@(posedge clk_i) gives && waits == '0);
  looked_for: cover property (@(posedge clk_i) take_valid && !take_ready && !drop_valid_i &&
                              !forget_valid_i);
  waits_for_drop: cover property (@(posedge clk_i) take_valid && waits != '0 && drop_valid_i);
  waits_for_forget: cover property (@(posedge clk_i) take_valid && waits != '0 && forget_valid_i);
  of_queue: cover property (@(posedge clk_i) takes[0] && waits == 3'b111);
  of_group: cover property (@(posedge clk_i) takes[1] && waits == 3'b111);
  of_qp: cover property (@(posedge clk_i) takes[2] && waits == 3'b111);
  begin_is_first: cover property (@(posedge clk_i) gives && queue_waits && begin_waits);
  begin_is_looked_for: cover property (@(posedge clk_i) take_valid && queue_waits && begin_waits &&
                                       !groups_wait);
  packet_lost: cover property (@(posedge clk_i) lost_o);
  timer_lost: cover property (@(posedge clk_i) tmr_valid_i && tmr_ready_o && !tmr_found_o);
  both_enter: cover property (@(posedge clk_i) pkt_valid_i && tmr_valid_i && pkt_ready_o);
  both_enter_timer: cover property (@(posedge clk_i) pkt_valid_i && tmr_valid_i && tmr_ready_o);
  drops_group: cover property (@(posedge clk_i) drop_ready_o && 32'(drop_context_i) < Groups);
  drops_tombstone: cover property (@(posedge clk_i) drop_ready_o && 32'(drop_context_i) >= Groups);
endmodule

bind tally_events events_cover #(.Groups(Groups)) u_cover (.*);
