// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_event_packets must reach.
module event_packets_cover (
  input logic       clk_i,
  input logic [1:0] state_q,
  input logic       hold_i,
  input logic       in_valid_i,
  input logic       admitted,
  input logic       is_mine,
  input logic       takes,
  input logic       marked_o,
  input logic       first_word,
  input logic       pay_tvalid_i,
  input logic       dat_tvalid_o,
  input logic       out_valid_o,
  input logic       out_ready_i,
  input logic       ev_valid_o,
  input logic       ev_ready_i
);
  localparam logic [1:0] None = 2'd0, First = 2'd1, Rest = 2'd2;

  taken: cover property (@(posedge clk_i) takes);
  marked: cover property (@(posedge clk_i) marked_o);
  waits_in_front: cover property (@(posedge clk_i) in_valid_i && is_mine && state_q != None);
  held: cover property (@(posedge clk_i) in_valid_i && is_mine && state_q == None && hold_i);
  other_while_held: cover property (@(posedge clk_i) out_valid_o && out_ready_i && hold_i);
  other_passes_one_inside: cover property (@(posedge clk_i) out_valid_o && out_ready_i &&
                                           state_q == First);
  not_admitted: cover property (@(posedge clk_i) in_valid_i && !admitted);
  waits_for_payload: cover property (@(posedge clk_i) state_q == First && !pay_tvalid_i);
  payload: cover property (@(posedge clk_i) first_word);
  longer_payload: cover property (@(posedge clk_i) state_q == Rest && pay_tvalid_i);
  other_payload: cover property (@(posedge clk_i) dat_tvalid_o && ev_valid_o);
  event_waits: cover property (@(posedge clk_i) ev_valid_o && !ev_ready_i);
endmodule

bind tally_event_packets event_packets_cover u_cover (.*);
