// SPDX-License-Identifier: BSD-2-Clause
// An arbitrary slot is told only while its chunk is open and its time is over, with its group, and
// so is an arbitrary request. While the block is not busy, the deadline is not later than either.
// An exception stays until it is taken, a question until it is answered or its request ends.
`include "tally_proof.svh"

(* anyconst *) logic [KeyW-1:0] followed;
logic runs_f_q = 1'b0, told_f_q = 1'b0, whole_f_q, is_slot;
logic [TimeW-1:0] since_f_q, due_f, now_last_q;
logic [EighthW-1:0] eighth_f_q, limit_taken;
logic [GroupW-1:0] group_f_q, exc_group_q, late_group_q;
logic exc_held_q = 1'b0, late_held_q = 1'b0, raised_q = 1'b0;
logic slot_f, wait_f, tells_f, never_f;
assign is_slot = followed < KeyW'(Slots);
assign slot_f = slot_valid_i && slot_ready_o && slot_key == followed;
assign wait_f = wait_valid_i && wait_ready_o && request_key == followed;
assign tells_f = state_q == StRow && due_q && key_q == followed;
assign limit_taken = limit_mem_q[slot_f ? slot_group_i : wait_group_i];
assign never_f = eighth_f_q == NoLimit;
assign due_f = since_f_q + TimeW'(eighth_f_q) * (whole_f_q ? TimeW'(7) : TimeW'(6));

always_ff @(posedge clk_i) begin
  now_last_q <= now_i;
  if (started_q && tells_f) told_f_q <= 1'b1;
  if (started_q && (slot_f || wait_f)) told_f_q <= 1'b0;
  if (started_q && ((slot_f && slot_op_i == tally_limits_pkg::SlotOpen) ||
                    (wait_f && !wait_ends_i))) begin
    runs_f_q <= 1'b1;
    whole_f_q <= 1'b0;
    since_f_q <= now_i;
    eighth_f_q <= limit_taken;
    group_f_q <= slot_f ? slot_group_i : wait_group_i;
  end
  if (started_q && slot_f && slot_op_i == tally_limits_pkg::SlotWhole) whole_f_q <= 1'b1;
  if (started_q && ((slot_f && slot_op_i == tally_limits_pkg::SlotEnd) ||
                    (wait_f && wait_ends_i))) runs_f_q <= 1'b0;
  exc_held_q <= started_q && exc_valid_o && !exc_ready_i;
  late_held_q <= started_q && late_valid_o && !answers && !ends_asked;
  raised_q <= started_q && answers && late_i;
  exc_group_q <= exc_group_o;
  late_group_q <= late_group_o;
end

always_comb begin
  assume (32'(followed) < Keys && 32'(slot_i) < Slots && 32'(wait_request_i) < Requests);
  assume (32'(slot_group_i) < Groups && 32'(wait_group_i) < Groups);
  assume (slot_ms_i == '0 && wait_ms_i == '0);  // the bench has them
  if (started_q) assume (now_i >= now_last_q);
  // No time wraps.
  assume (now_i < TimeW'(90));
  if (slot_f || wait_f) assume (limit_taken < EighthW'(4) || limit_taken == NoLimit);
  // A chunk is open when something is told of it.
  if (slot_f) assume (runs_f_q == (slot_op_i != tally_limits_pkg::SlotOpen));
  if (wait_f) assume (runs_f_q == wait_ends_i);
  if (started_q) begin
    if (tells_f) begin
      assert (runs_f_q && !told_f_q && !never_f && due_f <= now_i);
      assert (row.group == group_f_q && of_request == !is_slot);
    end
    if (!busy_o && runs_f_q && !told_f_q && !never_f) begin
      assert (deadline_valid_o && deadline_o <= due_f && due_f > now_i);
    end
    if (exc_held_q) assert (exc_valid_o && exc_group_o == exc_group_q);
    if (late_held_q) assert (late_valid_o && late_group_o == late_group_q);
    if (raised_q) assert (exc_valid_o && exc_group_o == late_group_q);
    assert (!(exc_valid_o && late_valid_o));
    if (late_valid_o && asked_q == followed) assert (runs_f_q && told_f_q);
    cover (tells_f && is_slot);
    cover (late_valid_o && ends_asked && !answers);
    cover (exc_held_q && slot_f);
    cover (!busy_o && runs_f_q && whole_f_q && deadline_o == due_f);
  end
end
