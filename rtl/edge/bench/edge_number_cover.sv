// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_edge_number must reach.
module edge_number_cover (
  input logic                   clk_i,
  input logic [1:0]             state_q,
  input logic [1:0]             payload_q,
  input logic                   in_valid_i,
  input logic                   taken,
  input logic                   free,
  input logic                   ask_valid_o,
  input logic                   ask_ready_i,
  input logic                   ask_ok_i,
  input logic                   ask_full_i,
  input logic                   is_trigger,
  input logic                   out_valid_o,
  input logic                   out_ready_i,
  input logic                   pay_end
);
  localparam logic [1:0] Give = 2'd1, Drop = 2'd2, NoPayload = 2'd0, Lose = 2'd2;
  numbered: cover property (@(posedge clk_i) ask_valid_o && ask_ready_i && ask_ok_i);
  refused: cover property (@(posedge clk_i) ask_valid_o && ask_ready_i && !ask_ok_i && !ask_full_i);
  window_full: cover property (@(posedge clk_i) ask_valid_o && ask_ready_i && ask_full_i);
  trigger: cover property (@(posedge clk_i) ask_valid_o && is_trigger);
  waits: cover property (@(posedge clk_i) out_valid_o && !out_ready_i && state_q == Give);
  behind_payload: cover property (@(posedge clk_i) in_valid_i && state_q == Give && !free);
  drop_behind_payload: cover property (@(posedge clk_i) state_q == Drop && !free);
  past_payload: cover property (@(posedge clk_i) taken && payload_q != NoPayload);
  lost: cover property (@(posedge clk_i) payload_q == Lose && pay_end);
  asks_past_payload: cover property (@(posedge clk_i) ask_valid_o && payload_q != NoPayload);
endmodule

bind tally_edge_number edge_number_cover u_cover (.*);
