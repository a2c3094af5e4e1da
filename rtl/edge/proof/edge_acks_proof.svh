// SPDX-License-Identifier: BSD-2-Clause
// The proof follows an edge. It is in the queue once while it is armed, unless there was no place,
// and has not come out, never comes out unarmed, and not before its time. What is offered stays.
// Times do not wrap around.
`include "tally_proof.svh"

(* anyconst *) logic [KeyW-1:0] key_f;
(* anyconst *) logic [PlaceW-1:0] one_f, other_f;
always_comb assume (one_f != other_f);

localparam logic [TimeW-1:0] Latest = {1'b0, {TimeW-1{1'b1}}} - TimeW'(Delay);
logic was_q = 1'b0;
logic [TimeW-1:0] now_q, since_q;
logic wants_q = 1'b0;  // armed, and has not come out since
logic arms_f;
assign arms_f = arm_valid_i && arm_key_i == key_f && !full;
logic held_q;
logic [KeyW-1:0] held_key_q;
always_comb begin
  assume (now_i <= Latest);
  if (was_q) assume (now_i >= now_q);
end
always_ff @(posedge clk_i) begin
  was_q <= started_q;
  now_q <= now_i;
  held_q <= due_valid_o && !due_ready_i;
  held_key_q <= due_key_o;
  if (!started_q) wants_q <= 1'b0;
  else if (arms_f) wants_q <= 1'b1;
  else if (pop && due_key_o == key_f) wants_q <= 1'b0;
  if (arms_f && (!wants_q || (pop && due_key_o == key_f))) since_q <= now_i;
end

logic [Depth-1:0] here_f;  // places of the edge
logic [PlaceW-1:0] age_f, used_f;
always_comb for (int unsigned i = 0; i < Depth; i++) here_f[i] = armed_q[i] && keys_q[i] == key_f;
assign age_f = one_f - head_q;
assign used_f = tail_q - head_q;

always_comb begin
  if (started_q) begin
    assert (count_q <= (PlaceW + 1)'(Depth));
    assert (count_q[PlaceW-1:0] == used_f);
    assert (armed_q[one_f] == ({1'b0, age_f} < count_q));
    assert (!(armed_q[one_f] && armed_q[other_f] && keys_q[one_f] == keys_q[other_f]));
    assert (wants_q == (here_f != '0));
    if (here_f[one_f]) begin
      assert (dues_q[one_f] == since_q + TimeW'(Delay) && since_q <= Latest &&
              (!was_q || since_q <= now_q));
    end
    if (due_valid_o && due_key_o == key_f) assert (wants_q && now_i >= since_q + TimeW'(Delay));
    cover (pop && push && due_key_o == arm_key_i);
    cover (count_q == (PlaceW + 1)'(Depth));
  end
  if (started_q && was_q && held_q) assert (due_valid_o && due_key_o == held_key_q);
end
