// SPDX-License-Identifier: BSD-2-Clause
// The proof follows an arbitrary slot and one of its contributors or ranks. Packets, verdicts and the ALU's answers are
// free.
`include "tally_proof.svh"

// ---- Behaviour of the engine ----
logic held_q = 1'b0;
logic [MessageW-1:0] held_message_q;
logic [16+IndexW+3-1:0] held_header_q;
logic [16+IndexW+3-1:0] in_header;
assign in_header = {in_bytes_i, in_index_i, in_rank_i, in_kind_i};
always_ff @(posedge clk_i) begin
  held_q <= started_q && (in_tvalid_i && !in_tready_o || !first_q && !take || take && !in_tlast_i);
  held_message_q <= in_message_i;
  held_header_q <= in_header;
end
always_comb begin
  if (held_q) assume (in_message_i == held_message_q && in_header == held_header_q);  // one header for all words of a packet
  assume (in_kind_i != 2'd3);
  assume (in_kind_i != tally_segment_pkg::KindNothing || in_tlast_i);
  if (clear_i) assume (idle_o && !in_tvalid_i && !open_valid_i);
end

// ---- A slot ----
(* anyconst *) logic [SlotW-1:0] slot;
(* anyconst *) logic [IndexW-1:0] index;
(* anyconst *) logic rank;
always_comb assume (index < IndexW'(rank ? Ranks : Contributors) || 2 ** IndexW == (rank ? Ranks : Contributors));

logic [SlotW-1:0] offset;
logic mine, opens, frees, stores, bit_open, bit_now;
logic [31:0] num;
logic [Contributors+Ranks-1:0] slot_left, followed_bit;
assign offset = slot - done_slot;
assign num = message_q[slot][6*32-1-:32];
assign mine = in_slot == slot;
assign opens = opening && open_slot == slot;
assign frees = freeing && done_slot == slot;
assign stores = take && mine && stored;
assign followed_bit = rank ? {Ranks'(1) << index, Contributors'(0)} : {Ranks'(0), Contributors'(1) << index};
assign slot_left = plan_q[slot] & ~(touched_q[slot] ? given_q[slot] : '0);
assign bit_now = (slot_left & followed_bit) != '0;
assign bit_open = ({open_ranks_i, open_contributors_i} & followed_bit) != '0;

// Events since the slot was opened.
logic cleared_q, completed_q, was_q, was_bit_q, was_taken_q, was_finished_q;
logic [31:0] was_done_q;
logic completes_open, completes_packet;
assign completes_open = opens && open_complete;
assign completes_packet = end_valid && step_end.complete && end_slot == slot;
initial was_q = 1'b0;
always_ff @(posedge clk_i) begin
  was_q <= started_q && taken_q[slot] && !frees && !clear_i;
  was_bit_q <= bit_now;
  if (opens) begin
    cleared_q <= 1'b0;
    completed_q <= completes_open;
  end else begin
    if (was_q && was_bit_q && !bit_now) cleared_q <= 1'b1;
    if (completes_packet) completed_q <= 1'b1;
  end
end

// Words in the stages that are stored in the slot, and words that complete it.
logic [Stages-1:0] storing, completing;
always_comb begin
  for (int unsigned i = 0; i < Stages; i++) begin
    storing[i] = valid_q[i] && step_q[(i+1)*StepW-2] && place_q[i*PlaceW+WordW+:SlotW] == slot;
    completing[i] = valid_q[i] && step_q[i*StepW+16+16+3+PlaceW+Bytes] && place_q[i*PlaceW+WordW+:SlotW] == slot;
  end
end

always_comb begin
  if (started_q) begin
    // A slot is not opened while it is busy, and holds the only number of the window that belongs to it.
    if (opens) assert (!taken_q[slot] && !finished_q[slot]);
    if (taken_q[slot]) assert (num == done_q + 32'(offset));
    if (finished_q[slot]) assert (taken_q[slot] && complete_q[slot] && slot_left == '0 && storing == '0);

    // A bit is cleared once, by a stored packet. A packet that finds its bit clear is not stored.
    if (was_q && !was_bit_q) assert (!bit_now);
    if (cleared_q && taken_q[slot]) assert (!bit_now);
    if (stores) assert (taken_q[slot] && !finished_q[slot]);
    if (stores && in_kind_i != tally_segment_pkg::KindResult && in_index_i == index && in_rank_i == rank) assert (bit_now);
    if (take && first_q && verdict == tally_segment_pkg::VerdictDuplicate)
      assert (!step_d.sum && !step_d.result && !step_d.complete);
    if (!first_q && !stored_q) assert (!step_d.sum && !step_d.result);
    if (!first_q) assert (held_q);
    if (!first_q && stored_q && mine) assert (taken_q[slot] && !finished_q[slot] && !already);

    // A slot has been completed, or is completed by exactly one packet in the stages.
    if (taken_q[slot]) begin
      assert (complete_q[slot] == completed_q);
      assert ((completing & (completing - 1'b1)) == '0);
      assert ((slot_left == '0) == (complete_q[slot] || completing != '0));
      assert (!(complete_q[slot] && completing != '0));
    end else begin
      assert (completing == '0);
    end
    if (completes_packet) assert (taken_q[slot] && !completed_q);
  end
end

// `done` advances by one, past a finished slot. A finished slot is free when all slots before it are.
logic done_known_q = 1'b0;
logic freeing_q;
always_ff @(posedge clk_i) begin
  done_known_q <= started_q && !clear_i;
  was_done_q <= done_q;
  was_finished_q <= finished_q[done_slot];
  was_taken_q <= taken_q[done_slot];
  freeing_q <= frees;
end
always_comb begin
  if (done_known_q) begin
    assert (done_q == was_done_q + 32'(was_finished_q));
    if (done_q != was_done_q) assert (was_taken_q);
    if (freeing_q) assert (!taken_q[slot] && !finished_q[slot]);
  end
end

// ---- Progress ----
// A word waits at most AluLatency clocks for the ALU. Otherwise it waits only for outcomes to be taken, for which there
// is always space.
localparam int unsigned PendingW = $clog2(Outcomes + Stages + 1);
logic [7:0] waits_q;
logic [PendingW-1:0] pending;
initial waits_q = '0;
always_ff @(posedge clk_i) waits_q <= started_q && in_tvalid_i && hazard ? waits_q + 1'b1 : '0;
always_comb begin
  pending = PendingW'(outcomes);
  for (int unsigned i = 0; i < Stages; i++) pending = pending + PendingW'(valid_q[i] && step_q[(i+1)*StepW-1]);
  if (started_q) begin
    assert (pending <= PendingW'(Outcomes));
    assert (waits_q <= 8'(AluLatency));
    for (int unsigned i = 0; i < Stages; i++) if (held_q && 8'(i) < waits_q) assert (!same[i]);
    if (!in_tready_o) assert (hazard || outcome_valid_o);
  end
end

// A slot without remaining bits is complete at most AluLatency + 1 clocks later. A complete slot that has its expected
// result can be released. A released slot is freed as soon as all slots before it are.
logic [7:0] clear_for_q;
initial clear_for_q = '0;
always_ff @(posedge clk_i) begin
  clear_for_q <= started_q && taken_q[slot] && slot_left == '0 && !complete_q[slot] ? clear_for_q + 1'b1 : '0;
end
always_comb begin
  if (started_q) begin
    assert (clear_for_q <= 8'(AluLatency + 1));
    if (complete_q[slot] && taken_q[slot] && !finished_q[slot] && release_slot_i == slot &&
        (!expected_q[slot] || turns_q[slot] || have_q[slot])) assert (release_ready_o);
    if (finished_q[slot] && offset == '0) assert (frees);
    for (int unsigned i = 0; i < Stages; i++) if (completing[i]) assert (clear_for_q == 8'(i));
    cover (frees && cleared_q);
    cover (frees && !turns_q[slot] && expected_q[slot]);
    cover (completes_open);
    cover (take && first_q && mine && verdict == tally_segment_pkg::VerdictDuplicate && !complete_q[slot]);
    cover (hazard && in_tvalid_i);
    cover (finished_q[slot] && offset != '0);
  end
end
