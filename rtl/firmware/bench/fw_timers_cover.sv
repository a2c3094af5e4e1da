// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_fw_timers must reach.
module fw_timers_cover (
  input logic       clk_i,
  input logic [2:0] sides,
  input logic       takes_write,
  input logic       of_edge,
  input logic       of_tomb,
  input logic       is_delay,
  input logic       value_is_0,
  input logic       writes,
  input logic       is_delay_q,
  input logic       takes_stop,
  input logic [1:0] stop_i,
  input logic       stops_tomb,
  input logic       looks,
  input logic       goes_on,
  input logic       of_own,
  input logic       tells,
  input logic       tmr_ready_i,
  input logic       tmr_found_i,
  input logic       write_valid_i,
  input logic       stop_valid_i,
  input logic       sets,
  input logic       cal_ready
);
  all_at_once: cover property (@(posedge clk_i) sides == '1);
  of_group: cover property (@(posedge clk_i) takes_write && !of_edge && !of_tomb);
  of_tombstone: cover property (@(posedge clk_i) takes_write && !of_edge && of_tomb);
  of_edge_of_group: cover property (@(posedge clk_i) takes_write && of_edge && !of_tomb);
  of_edge_of_tombstone: cover property (@(posedge clk_i) takes_write && of_edge && of_tomb);
  delay: cover property (@(posedge clk_i) takes_write && is_delay);
  no_delay: cover property (@(posedge clk_i) writes && is_delay_q && value_is_0);
  stops_own: cover property (@(posedge clk_i) takes_stop && stop_i == 2'd0);
  stops_edge: cover property (@(posedge clk_i) takes_stop && stop_i == 2'd1 && !stops_tomb);
  stops_edge_of_tombstone: cover property (@(posedge clk_i) takes_stop && stop_i == 2'd1 &&
                                           stops_tomb);
  stops_edges: cover property (@(posedge clk_i) takes_stop && stop_i == 2'd2);
  stops_all: cover property (@(posedge clk_i) takes_stop && stop_i == 2'd3);
  forgotten: cover property (@(posedge clk_i) looks && !goes_on);
  expires: cover property (@(posedge clk_i) looks && goes_on && !of_own);
  own_expires: cover property (@(posedge clk_i) looks && goes_on && of_own);
  found: cover property (@(posedge clk_i) tells && tmr_ready_i && tmr_found_i);
  no_place: cover property (@(posedge clk_i) tells && tmr_ready_i && !tmr_found_i);
  event_waits: cover property (@(posedge clk_i) tells && !tmr_ready_i);
  write_waits_for_event: cover property (@(posedge clk_i) tells && write_valid_i);
  stop_waits_for_event: cover property (@(posedge clk_i) tells && stop_valid_i);
  calendar_is_at_work: cover property (@(posedge clk_i) sets && !cal_ready);
endmodule

bind tally_fw_timers fw_timers_cover u_cover (
  .of_tomb(32'(context_of) >= Groups),
  .value_is_0(value_q == '0),
  .writes(state_q == StWrite),
  .stops_tomb(32'(stop_context_i) >= Groups),
  .looks(state_q == StLook),
  .of_own(name.edge_ == None),
  .tells(state_q == StTell),
  .sets(state_q == StSet), .*
);
