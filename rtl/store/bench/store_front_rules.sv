// SPDX-License-Identifier: BSD-2-Clause
// A slot is not cleared while an operation is prepared that was looked up before the slot was free:
// it may have found the slot as that of a finished chunk, and would open it again. Nothing of an
// epoch that ends enters the segments. Of the parts of a chunk, the last one has its moves.
module store_front_rules (
  input logic clk_i,
  input logic rst_ni,
  input logic look_valid_o,
  input logic asks_q,
  input logic freed_valid_i,
  input logic freed_ready_i,
  input logic ends,                    // the epoch of the step does
  input logic step_valid_o,
  // verilator lint_off UNUSEDSIGNAL
  input tally_store_pkg::step_t step_o
  // verilator lint_on UNUSEDSIGNAL
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
  nothing_enters_after_the_end: assert property (@(posedge clk_i) disable iff (!rst_ni)
      step_valid_o && ends |-> !step_o.own && !step_o.enters);
  only_the_last_part_has_moves: assert property (@(posedge clk_i) disable iff (!rst_ni)
      step_valid_o && step_o.enters && !step_o.ends && !step_o.exchange |->
      !step_o.turns && !step_o.expected && !step_o.result && !step_o.up_send &&
      step_o.copies == '0 && step_o.deliver == '0 && step_o.local_ == '0);
endmodule

bind tally_store_front store_front_rules u_rules (
  .ends(ending_i && step_o.group_ == 16'(ending_group_i)), .*);
