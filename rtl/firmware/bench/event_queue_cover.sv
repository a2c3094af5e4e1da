// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_event_queue must reach.
module event_queue_cover #(
  parameter int unsigned PtrW = 6
) (
  input logic            clk_i,
  input logic            in_valid_i,
  input logic            in_ready_o,
  input logic            in_lost_o,
  input logic            push,
  input logic            pop,
  input logic            looks,
  input logic            keeps,
  input logic            drop_valid_i,
  input logic            drop_ready_o,
  input logic [PtrW-1:0] at_q,
  input logic [PtrW-1:0] write_q
);
  loses: cover property (@(posedge clk_i) in_valid_i && in_ready_o && in_lost_o);
  loses_as_one_leaves: cover property (@(posedge clk_i) in_valid_i && in_lost_o && pop);
  both: cover property (@(posedge clk_i) push && pop);
  moves_up: cover property (@(posedge clk_i) keeps && at_q != write_q);
  stays: cover property (@(posedge clk_i) keeps && at_q == write_q);
  removes: cover property (@(posedge clk_i) looks && !keeps);
  wraps: cover property (@(posedge clk_i) keeps && at_q < write_q);
  drop_ends: cover property (@(posedge clk_i) drop_valid_i && drop_ready_o);
endmodule

bind tally_event_queue event_queue_cover #(.PtrW(PtrW)) u_cover (.*);
