// SPDX-License-Identifier: BSD-2-Clause
// Points that the benches of tally_edge_rx must reach.
module edge_rx_cover
  import tally_edge_pkg::*;
#(
  parameter int unsigned Window = 64,
  parameter int unsigned SeqW = 32
) (
  input logic            clk_i,
  input logic            valid_q,
  input logic            hit_q,
  input rx_op_e          op_q,
  input rx_answer_e      answer,
  input logic [SeqW-1:0] seq_q,
  input logic [SeqW-1:0] ahead,
  input logic [SeqW-1:0] behind,
  input logic            mark_new
);
  logic marks, query, ack;
  assign marks = valid_q && op_q == RxMark;
  assign query = valid_q && op_q == RxQuery;
  assign ack = valid_q && op_q == RxAck;

  accepted: cover property (@(posedge clk_i) query && answer == RxAccept);
  duplicate: cover property (@(posedge clk_i) query && answer == RxDuplicate);
  outside: cover property (@(posedge clk_i) query && answer == RxOutside);
  not_in_turn: cover property (@(posedge clk_i) query && answer == RxNotInTurn);
  query_just_updated: cover property (@(posedge clk_i) query && hit_q);
  ack_just_updated: cover property (@(posedge clk_i) ack && hit_q);
  marked_back_to_back: cover property (@(posedge clk_i) marks && hit_q && mark_new);
  opened: cover property (@(posedge clk_i) valid_q && op_q == RxOpen);
  marked_twice: cover property (@(posedge clk_i) marks && behind < SeqW'(Window) && !mark_new);
  whole_window: cover property (@(posedge clk_i) marks && ahead == SeqW'(Window));
  beyond_it: cover property (@(posedge clk_i) marks && ahead == SeqW'(Window + 1));
  oldest: cover property (@(posedge clk_i) marks && behind == SeqW'(Window - 1) && mark_new);
  too_old: cover property (@(posedge clk_i) marks && behind == SeqW'(Window));
  wraps: cover property (@(posedge clk_i) marks && mark_new && seq_q < ahead &&
                         ahead <= SeqW'(Window));
endmodule

bind tally_edge_rx edge_rx_cover #(.Window(Window), .SeqW(SeqW)) u_cover (.*);
