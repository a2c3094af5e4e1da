// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_store_wait must reach.
module store_wait_cover #(
  parameter int unsigned Slots = 8,
  localparam int unsigned SlotW = $clog2(Slots)
) (
  input logic           clk_i,
  input logic           begin_i,
  input logic           wake_i,
  input logic           put,
  input logic           push,
  input logic           pop,
  input logic           in_put,
  input logic           late_q,
  input logic           missed_q,
  input logic           was_listed,
  input logic           sum_q,
  input logic           wait_valid_i,
  input logic           wait_ready_o,
  input logic           due_valid_o,
  input logic           due_ready_i,
  input logic [SlotW:0] count_q,
  input logic [SlotW:0] due_q
);
  another_of_the_slot: cover property (@(posedge clk_i) in_put && was_listed);
  sum_waits: cover property (@(posedge clk_i) push && sum_q);
  changed_before_it_came: cover property (@(posedge clk_i) push && late_q);
  changed_as_it_came: cover property (@(posedge clk_i) put && wake_i);
  changed_as_it_is_put: cover property (@(posedge clk_i) push && wake_i && !late_q);
  changed_as_one_leaves: cover property (@(posedge clk_i) pop && wake_i);
  begins_as_something_changes: cover property (@(posedge clk_i) begin_i && wake_i);
  forgets: cover property (@(posedge clk_i) begin_i && missed_q);
  held_up: cover property (@(posedge clk_i) wait_valid_i && !wait_ready_o);
  comes_before_what_is_due: cover property (@(posedge clk_i) put && due_q != '0);
  output_stalls: cover property (@(posedge clk_i) due_valid_o && !due_ready_i && put);
  one_behind_the_other: cover property (@(posedge clk_i) due_valid_o && due_ready_i && due_q != '0);
  some_are_due: cover property (@(posedge clk_i) due_q != '0 && due_q != count_q);
  all_wait: cover property (@(posedge clk_i) count_q == (SlotW + 1)'(Slots));
endmodule

bind tally_store_wait store_wait_cover #(.Slots(Slots)) u_cover (.in_put(state_q == Put), .*);
