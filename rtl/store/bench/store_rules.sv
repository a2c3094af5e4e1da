// SPDX-License-Identifier: BSD-2-Clause
// The store takes for ready what nothing else uses then: the segments' read port, and the hold side
// for a slot that is cleared.
module store_rules (
  input logic clk_i,
  input logic rst_ni,
  input logic read_valid,
  input logic read_ready,
  input logic hold_clears,
  input logic hold_ready
);
  a_read_is_taken: assert property (@(posedge clk_i) disable iff (!rst_ni)
      read_valid |-> read_ready);
  a_clear_is_taken: assert property (@(posedge clk_i) disable iff (!rst_ni)
      hold_clears |-> hold_ready);
endmodule

bind tally_store store_rules u_rules (.read_ready(u_segment.read_ready_o), .*);
