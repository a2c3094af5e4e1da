// SPDX-License-Identifier: BSD-2-Clause
// Points that the benches of tally_edge_gate must reach.
module edge_gate_cover
  import tally_edge_pkg::*;
#(
  parameter int unsigned Flights = 8
) (
  input logic               clk_i,
  input logic [1:0]         state_q,
  input logic [1:0]         payload_q,
  input logic               take,
  input logic               numbered,
  input logic               in_admitted,
  input logic               in_alive_i,
  input logic               query,
  input logic               answered,
  input logic               passes,
  input rx_answer_e         answer,
  input logic               has_payload_q,
  input logic [Flights-1:0] flying_q,
  input logic [Flights-1:0] same_row,
  input logic               arms_duplicate,
  input logic               due_taken,
  input logic               due_valid,
  input logic               arm,
  input logic               ack_valid_o,
  input logic               ack_ready_i,
  input logic               reopened_q,
  input logic               ack_answered,
  input logic               named,
  input logic               first_valid_i,
  input logic               ends,
  input logic               marks,
  input logic               end_valid_i,
  input logic               end_stored_i,
  input logic               out_valid_o,
  input logic               out
);
  localparam logic [1:0] Wait = 2'd1, Out = 2'd3;
  ended_group: cover property (@(posedge clk_i) take && in_admitted && !in_alive_i);
  no_number: cover property (@(posedge clk_i) take && in_admitted && in_alive_i && !numbered);
  duplicate: cover property (@(posedge clk_i) answered && answer == RxDuplicate && has_payload_q);
  outside: cover property (@(posedge clk_i) answered && answer == RxOutside);
  not_in_turn: cover property (@(posedge clk_i) answered && answer == RxNotInTurn);
  waits_for_flight: cover property (@(posedge clk_i) state_q == Wait && same_row != '0);
  waits_for_place: cover property (@(posedge clk_i) state_q == Wait &&
                                   flying_q == {Flights{1'b1}} && same_row == '0);
  end_waits_for_duplicate: cover property (@(posedge clk_i) end_valid_i && arms_duplicate);
  armed_as_due: cover property (@(posedge clk_i) due_taken && arm);
  due_waits: cover property (@(posedge clk_i) due_valid && !due_taken);
  ack_of_nobody: cover property (@(posedge clk_i) ack_answered && !named);
  ack_waits: cover property (@(posedge clk_i) ack_valid_o && !ack_ready_i);
  last_place: cover property (@(posedge clk_i) passes && $countones(flying_q) == Flights - 1);
  ends_as_next_passes: cover property (@(posedge clk_i) passes && ends);
  asks_right_behind: cover property (@(posedge clk_i) query && $past(marks));
  stale: cover property (@(posedge clk_i) ends && end_stored_i && !marks);
  reopened_inside: cover property (@(posedge clk_i) passes && reopened_q);
  end_waits: cover property (@(posedge clk_i) end_valid_i && first_valid_i);
  behind_payload: cover property (@(posedge clk_i) state_q == Out && !out_valid_o);
  past_payload: cover property (@(posedge clk_i) out && payload_q != 2'd0);
endmodule

bind tally_edge_gate edge_gate_cover #(.Flights(Flights)) u_cover (
  .named(name_q[NameW-1]), .*
);
