// SPDX-License-Identifier: BSD-2-Clause
// The proof follows a packet: a bit of the record of a slot. It waits exactly from when it comes
// until it is offered, and its slot is in one place of the list meanwhile, so the list never
// overflows. If something has changed since it has begun, its place is due. Nothing is offered that
// does not wait.
`include "tally_proof.svh"

(* anyconst *) logic [SlotW-1:0] slot_f, one_f, other_f;
(* anyconst *) logic [SlotW:0] bit_f;
logic was_q = 1'b0, waits_q, owed_q, held_q, held_sum_q;
logic [SlotW-1:0] held_slot_q;
logic [Contributors-1:0] held_contributors_q;
logic [EdgeW-1:0] edge_f;
logic sum_f, comes_f, leaves_f, since_q, begun_q;
assign sum_f = 32'(bit_f) == Contributors;
assign edge_f = EdgeW'(bit_f);
assign comes_f = put && wait_slot_i == slot_f &&
                 (wait_sum_i ? sum_f : !sum_f && wait_edge_i == edge_f);
assign leaves_f = pop && slot_q == slot_f;
always_comb begin
  assume (one_f != other_f);
  assume (32'(bit_f) <= Contributors);
  if (state_q == Clear) assume (!wait_valid_i && !wake_i && !begin_i);
  assume (32'(wait_edge_i) < Contributors);
  // A packet comes after it has begun, and no other one begins meanwhile.
  assume (!wait_valid_i || begun_q);
  assume (!(begin_i && begun_q));
end

// begun_q: a packet has begun; since_q: and something has changed since. owed_q: the packet that
// the proof follows waits, and something has changed since it has begun.
always_ff @(posedge clk_i) begin
  was_q <= started_q;
  if (!started_q) begin
    {waits_q, owed_q, since_q, begun_q} <= '0;
  end else begin
    begun_q <= begin_i || (begun_q && !put);
    since_q <= wake_i || (since_q && !begin_i);
    waits_q <= comes_f || (waits_q && !leaves_f);
    owed_q <= (comes_f && (since_q || wake_i)) || (waits_q && !leaves_f && (owed_q || wake_i));
  end
  held_q <= due_valid_o && !due_ready_i;
  held_slot_q <= due_slot_o;
  held_sum_q <= due_sum_o;
  held_contributors_q <= due_contributors_o;
end

// Places of the list, and where the slot is. A slot that is being put has none yet.
logic [Slots-1:0] here, here_due;
logic [SlotW-1:0] age_one, age_other, used_f;
logic [RecordW-1:0] record_f;
logic putting_f, new_f, listed_f, has_row_q;  // it has been written since the reset
assign listed_f = has_row_q && listed_q[slot_f];
always_ff @(posedge clk_i) begin
  if (!started_q) has_row_q <= 1'b0;
  else if ((state_q == Put || state_q == Take) && slot_q == slot_f) has_row_q <= 1'b1;
end
assign age_one = one_f - head_q;
assign age_other = other_f - head_q;
assign used_f = tail_q - head_q;
assign record_f = records_q[slot_f];
assign putting_f = state_q == Put && slot_q == slot_f;
assign new_f = putting_f && !was_listed;
always_comb begin
  logic [SlotW-1:0] age;
  for (int unsigned i = 0; i < Slots; i++) begin
    age = SlotW'(i) - head_q;
    here[i] = {1'b0, age} < count_q && list_q[i] == slot_f;
    here_due[i] = here[i] && {1'b0, age} < due_q;
  end
end

always_comb begin
  if (started_q) begin
    assert (32'(count_q) <= Slots && count_q[SlotW-1:0] == used_f && due_q <= count_q);
    assert (missed_q == since_q);
    if (state_q == Clear) begin
      assert (count_q == '0 && !due_valid_o && !waits_q && !begun_q);
    end else begin
      assert (listed_f == (here != '0));
      if (state_q == Put) assert (!putting_f || was_listed == listed_f);
      if (state_q == Take) assert (due_q != '0 && slot_q == list_q[head_q]);
      if (state_q == Put && was_listed && slot_q == slot_f) assert (read_q == record_f);
      if (state_q == Take && slot_q == slot_f) assert (read_q == record_f);
      assert (waits_q == ((here != '0 && record_f[bit_f]) || (putting_f && one[bit_f])));
      if (owed_q) assert (here_due != '0 || (putting_f && (late_q || here_due != '0)));
    end
    if ({1'b0, age_one} < count_q && {1'b0, age_other} < count_q)
      assert (list_q[one_f] != list_q[other_f]);
    if (leaves_f) assert (read_q[bit_f] == waits_q);
    cover (push && late_q);
    cover (pop && wake_i);
    cover (32'(count_q) == Slots);
    cover (new_f && owed_q);
  end
  if (started_q && was_q && held_q) begin
    assert (due_valid_o && due_slot_o == held_slot_q && due_sum_o == held_sum_q &&
            due_contributors_o == held_contributors_q);
  end
end
