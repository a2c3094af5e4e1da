// SPDX-License-Identifier: BSD-2-Clause
// The proof follows an arbitrary slot through look-ups and commands of all groups.
`include "tally_proof.svh"

// ---- Behaviour of the engine ----
// Each group begins before anything else is asked of it, and again only after an end.
logic [Groups-1:0] begun_q = '0;
logic [Groups-1:0] empty_q = '0;
always_ff @(posedge clk_i) begin
  if (answer_valid_o) begun_q[group_q] <= 1'b1;
  if (cmd_valid_i && cmd_ready_o) begin
    empty_q[cmd_group_i] <= cmd_i == tally_fw_pkg::StoreCmdBegin ||
                            cmd_i == tally_fw_pkg::StoreCmdEnd;
  end
end
always_comb begin
  if (look_valid_i) assume (begun_q[look_group_i]);
  if (peek_valid_i) assume (begun_q[peek_group_i]);
  if (cmd_valid_i && cmd_i == tally_fw_pkg::StoreCmdBegin) begin
    assume (!begun_q[cmd_group_i] || empty_q[cmd_group_i]);
  end else if (cmd_valid_i) assume (begun_q[cmd_group_i]);
end

// ---- A slot ----
// It is free, or one number of one group has it: neither lost nor given twice.
(* anyconst *) logic [SlotW-1:0] followed;
logic taken_q, took, gave;
initial taken_q = 1'b0;
assign took = take && (free_q == '0 ? fresh_q[SlotW-1:0] : top_q) == followed;
assign gave = give && freed_slot_o == followed;
always_ff @(posedge clk_i) begin
  if (took) taken_q <= 1'b1;
  else if (gave) taken_q <= 1'b0;
end

logic found, peeked;
assign peeked = peeked_valid_o && peeked_ok_o && peeked_slot_o == followed;
assign found = looked_valid_o && looked_o == tally_segment_map_pkg::MapSlot &&
               looked_slot_o == followed;
always_comb begin
  if (started_q) begin
    if (took) assert (!taken_q);
    if (gave) assert (taken_q);
    if (found && !took) assert (taken_q);
    if (found) assert (!freed_valid_o || freed_slot_o != followed);
    if (peeked && !took) assert (taken_q);
    if (peeked) assert (!freed_valid_o || freed_slot_o != followed);
    if (peeked_valid_o) assert (peeked_held_o <= 32'(GroupSegs));
    cover (peeked);
    assert (free_q <= fresh_q && fresh_q <= CountW'(Slots));
    if (answer_valid_o) assert (answer_limit_o - answer_done_o <= 32'(GroupSegs));
    cover (took && free_q != '0);
    cover (gave && ending);
    cover (gave && !ending);
    cover (answer_valid_o && !answer_ok_o && cmd_q == tally_fw_pkg::StoreCmdRaise);
  end
end
