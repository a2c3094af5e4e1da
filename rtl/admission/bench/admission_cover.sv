// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_admission must reach.
module admission_cover (
  input logic clk_i,
  input logic [2:0] state_q,
  input logic [1:0] gate_q,
  input logic take,
  input logic better,
  input logic sure,
  input logic tomb_q,
  input logic is_open,
  input logic is_mcast,
  input logic next_valid_q,
  input logic [1:0] level,
  input logic [3:0] best_q,
  input logic axil_awvalid_i,
  input logic axil_wvalid_i,
  input logic in_valid_i,
  input logic out_valid_o,
  input logic out_ready_i,
  input logic has_payload,
  input logic head_valid,
  input logic to_parent,
  input logic goes_on,
  input logic row_ready,
  input logic peeked,
  input logic waits,
  input logic free,
  input logic good,
  input logic ahead_q
);
  localparam logic [2:0] Idle = 3'd0, Peek = 3'd1, First = 3'd2, Look = 3'd3, Judge = 3'd5,
                                Out = 3'd6;
  no_list: cover property (@(posedge clk_i) state_q == First && !head_valid);
  stops_early: cover property (@(posedge clk_i) state_q == Judge && sure && next_valid_q);
  better_one: cover property (@(posedge clk_i) state_q == Judge && better && best_q != 4'd0);
  worse_one: cover property (@(posedge clk_i) state_q == Judge && !better && best_q != 4'd0);
  tombstone_meant: cover property (@(posedge clk_i) state_q == Judge && better && tomb_q &&
                                   level == 2'd3);
  heard: cover property (@(posedge clk_i) state_q == Judge && better && level == 2'd2);
  open_waits: cover property (@(posedge clk_i) state_q == Peek && gate_q != 2'd0);
  open_waits_for_word: cover property (@(posedge clk_i) state_q == Peek && gate_q == 2'd0 &&
                                       !peeked);
  open_of_nobody: cover property (@(posedge clk_i) state_q == Judge && is_open && level == 2'd1);
  of_parent: cover property (@(posedge clk_i) state_q == Look && to_parent && row_ready);
  first_look_waits: cover property (@(posedge clk_i) state_q == First && head_valid && !row_ready);
  parent_look_waits: cover property (@(posedge clk_i) state_q == Look && to_parent && !row_ready);
  next_look_waits: cover property (@(posedge clk_i) state_q == Judge && goes_on && !row_ready);
  mcast_without_parent: cover property (@(posedge clk_i) state_q == Judge && is_mcast && !sure);
  write_first: cover property (@(posedge clk_i) state_q == Idle && in_valid_i && axil_awvalid_i &&
                               axil_wvalid_i && !take);
  write_waits: cover property (@(posedge clk_i) state_q == Judge && axil_awvalid_i &&
                               axil_wvalid_i);
  behind_payload: cover property (@(posedge clk_i) state_q == Out && !out_valid_o);
  ahead: cover property (@(posedge clk_i) out_valid_o && ahead_q && good);
  ahead_of_bad_frame: cover property (@(posedge clk_i) out_valid_o && ahead_q && !good);
  ahead_of_nobody: cover property (@(posedge clk_i) state_q == First && ahead_q && !head_valid);
  ahead_waits: cover property (@(posedge clk_i) waits && free);
  ahead_behind_write: cover property (@(posedge clk_i) waits && !free);
  ahead_behind_payload: cover property (@(posedge clk_i) take && ahead_q && !out_valid_o);
  record_before_answer: cover property (@(posedge clk_i) state_q == Judge && ahead_q && in_valid_i);
  past_payload: cover property (@(posedge clk_i) out_valid_o && out_ready_i && gate_q != 2'd0 &&
                                !has_payload);
endmodule

bind tally_admission admission_cover u_cover (.*);
