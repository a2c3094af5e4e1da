// SPDX-License-Identifier: BSD-2-Clause
// A slot is not cleared while an operation is prepared that was looked up before the slot was free:
// it may have found the slot as that of a finished chunk, and would open it again.
module store_front_rules (
  input logic clk_i,
  input logic rst_ni,
  input logic look_valid_o,
  input logic asks_q,
  input logic freed_valid_i,
  input logic freed_ready_i
);
  // Slots that have been cleared, and those that were free at the look-up.
  logic [31:0] cleared_q, free_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) cleared_q <= '0;
    else if (freed_valid_i && freed_ready_i) cleared_q <= cleared_q + 1;
  end
  always_ff @(posedge clk_i) if (look_valid_o) free_q <= cleared_q + 32'(freed_valid_i);
  no_slot_that_was_found_is_cleared: assert property (@(posedge clk_i) disable iff (!rst_ni)
      asks_q && freed_valid_i && freed_ready_i |-> cleared_q < free_q);
endmodule

bind tally_store_front store_front_rules u_rules (.*);
