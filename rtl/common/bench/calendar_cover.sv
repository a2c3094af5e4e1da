// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_calendar must reach.
module calendar_cover #(
  parameter int unsigned NumW = 6
) (
  input logic            clk_i,
  input logic            clears,
  input logic            leaf,
  input logic            truth,
  input logic            climbs,
  input logic            set_valid_i,
  input logic            set_ready_o,
  input logic [NumW-1:0] set_number_i,
  input logic            due_valid_o,
  input logic            due_ready_i,
  input logic [NumW-1:0] due_number_o,
  input logic            takes,
  input logic            looks,
  input logic            earlier,
  input logic            is_due,
  input logic            is_never,
  input logic            swaps,
  input logic            at_root,
  input logic            expired,
  input logic            first_valid
);
  logic same;
  assign same = takes && set_number_i == due_number_o && due_valid_o;

  after_reset: cover property (@(posedge clk_i) clears && set_valid_i);
  comes_earlier: cover property (@(posedge clk_i) leaf && earlier);
  moved_back: cover property (@(posedge clk_i) leaf && !earlier);
  found_moved_back: cover property (@(posedge clk_i) truth && !is_due && !is_never);
  found_without: cover property (@(posedge clk_i) truth && is_never);
  due: cover property (@(posedge clk_i) truth && is_due);
  another_is_earlier: cover property (@(posedge clk_i) climbs && swaps && at_root);
  it_is_the_earliest: cover property (@(posedge clk_i) climbs && !swaps && at_root);
  none_left: cover property (@(posedge clk_i) !first_valid && !clears);
  set_waits_for_a_look: cover property (@(posedge clk_i) looks && set_valid_i);
  look_waits_for_a_set: cover property (@(posedge clk_i) takes && expired && !due_valid_o);
  two_are_due: cover property (@(posedge clk_i) expired && due_valid_o);
  offer_waits: cover property (@(posedge clk_i) due_valid_o && !due_ready_i);
  withdrawn: cover property (@(posedge clk_i) same && !due_ready_i);
  set_as_it_is_taken: cover property (@(posedge clk_i) same && due_ready_i);
  another_is_set: cover property (@(posedge clk_i) takes && due_valid_o && !same);
  set_waits: cover property (@(posedge clk_i) set_valid_i && !set_ready_o);
endmodule

bind tally_calendar calendar_cover #(.NumW(NumW)) u_cover (
  .clears(state_q == StClear), .leaf(state_q == StLeaf), .truth(state_q == StTrue),
  .climbs(state_q == StClimb), .is_never(time_read_q == Never), .*
);
