// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_trigger must reach.
module trigger_cover (
  input logic       clk_i,
  input logic       begin_ready_o,
  input logic       begin_took_o,
  input logic       denied,
  input logic       denied_valid,
  input logic       swaps,
  input logic       gives,
  input logic       in_list,
  input logic       notes_own,
  input logic       arms,
  input logic       gives_up,
  input logic       fires,
  input logic       fire_swaps,
  input logic       begins_sends,
  input logic       lists_result,
  input logic       writes_start,
  input logic       upd_valid_o,
  input logic       end_valid_o,
  input logic       end_ready_i,
  input logic       end_flag_i,
  input logic       flag_valid_o,
  input logic       fault_valid_o,
  input logic       exc_valid_o,
  input logic       exc_lacks_o,
  input logic       starved_q,
  input logic       is_over,
  input logic       waits_leave,
  input logic       own_here,
  input logic       forgets,
  input logic       holds_place,
  input logic       spoilt
);
  begins: cover property (@(posedge clk_i) begin_ready_o && begin_took_o);
  not_now: cover property (@(posedge clk_i) begin_ready_o && !begin_took_o && !denied);
  no_buffer: cover property (@(posedge clk_i) denied);
  called_again: cover property (@(posedge clk_i) denied_valid);
  reads: cover property (@(posedge clk_i) notes_own && in_list && swaps);
  reads_payload: cover property (@(posedge clk_i) notes_own && in_list && !swaps);
  is_inline: cover property (@(posedge clk_i) notes_own && !in_list);
  takes_only: cover property (@(posedge clk_i) arms && swaps && !gives);
  gave_up: cover property (@(posedge clk_i) gives_up);
  fired: cover property (@(posedge clk_i) fires && fire_swaps);
  fired_by_count: cover property (@(posedge clk_i) fires && !fire_swaps);
  writes: cover property (@(posedge clk_i) writes_start);
  no_result: cover property (@(posedge clk_i) begins_sends && !lists_result);
  spoilt_end: cover property (@(posedge clk_i) upd_valid_o && spoilt);
  flag: cover property (@(posedge clk_i) end_valid_o && end_ready_i && end_flag_i);
  flag_waits: cover property (@(posedge clk_i) flag_valid_o);
  fault: cover property (@(posedge clk_i) fault_valid_o);
  late: cover property (@(posedge clk_i) exc_valid_o && exc_lacks_o);
  late_receivers: cover property (@(posedge clk_i) exc_valid_o && is_over && !exc_lacks_o);
  starved: cover property (@(posedge clk_i) exc_valid_o && is_over && starved_q);
  repeated_at_the_end: cover property (@(posedge clk_i) waits_leave);
  command_waits: cover property (@(posedge clk_i) own_here);
  forgotten_with_place: cover property (@(posedge clk_i) forgets && holds_place);
  forgotten_without: cover property (@(posedge clk_i) forgets && !holds_place);
endmodule

bind tally_trigger trigger_cover u_cover (
  .waits_leave(state_q == StRelease && !releases), .is_over(job_q == JobExpired),
  .holds_place(holds_q[scan_q]), .fire_swaps(fire.swaps), .*
);
