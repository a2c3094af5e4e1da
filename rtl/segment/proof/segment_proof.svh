// SPDX-License-Identifier: BSD-2-Clause
// The proof follows an arbitrary slot and one of its contributors or ranks. Packets, plans,
// verdicts and the ALU's answers are free.
`include "tally_proof.svh"

// ---- Behaviour of the engine ----
logic held_q = 1'b0;
localparam int unsigned HeaderW = MessageW + 16 + IndexW + 1 + 3 + SlotW;
logic [HeaderW-1:0] held_header_q, in_header;
assign in_header = {in_message_i, in_bytes_i, in_index_i, in_rank_i, in_kind_i, in_slot_i};
always_ff @(posedge clk_i) begin
  held_q <= started_q && (in_tvalid_i && !in_tready_o || !first_q && !in_tvalid_i ||
                          in_tvalid_i && in_tready_o && !in_tlast_i);
  held_header_q <= in_header;
end
always_comb begin
  if (held_q) assume (in_header == held_header_q);  // one header for all words of a packet
  assume (in_kind_i != tally_segment_pkg::KindScale);
  if (in_kind_i != tally_segment_pkg::KindReduce && in_kind_i !=
      tally_segment_pkg::KindResult) begin
    assume (in_tlast_i);
  end
end

// ---- A slot ----
(* anyconst *) logic [SlotW-1:0] slot;
(* anyconst *) logic [IndexW-1:0] index;
(* anyconst *) logic rank;
always_comb assume (index < IndexW'(rank ? Ranks : Contributors) ||
                    2 ** IndexW == (rank ? Ranks : Contributors));

state_t now;
logic mine, bit_now, has_row_q;  // written since the reset
logic [LeftW-1:0] followed_bit;
assign now = has_row_q ? state_mem_q[slot] : StateW'(0);
assign mine = decide && op_q2.slot == slot;
assign followed_bit = rank ? {Ranks'(1) << index, Contributors'(0)} :
                      {Ranks'(0), Contributors'(1) << index};
assign bit_now = (now.left & followed_bit) != '0;

// What the firmware reads is what the slot was a clock before.
logic peeks_q;
state_t was_q;
always_ff @(posedge clk_i) begin
  peeks_q <= started_q && peek_valid_i && peek_ready_o && peek_slot_i == slot;
  was_q <= now;
end
always_comb begin
  if (ready_q && peeks_q) begin
    assert (peeked_valid_o && peeked_busy_o == was_q.busy);
    assert (peeked_finished_o == was_q.finished);
    assert (peeked_contributors_o == was_q.left[Contributors-1:0]);
  end
end

// Events since the slot was opened.
logic cleared_q, completed_q, was_busy_q, was_bit_q, ready_q;
logic completes;
initial ready_q = 1'b0;
assign completes = end_valid && step_end.decision.complete && step_end.last && end_slot == slot;
always_ff @(posedge clk_i) begin
  ready_q <= started_q && !clearing;
  if (!started_q) has_row_q <= 1'b0;
  else if (mine) has_row_q <= 1'b1;
  was_busy_q <= now.busy;
  was_bit_q <= bit_now;
  if (mine && opens) begin
    cleared_q <= 1'b0;
    completed_q <= 1'b0;
  end else begin
    if (was_busy_q && was_bit_q && !bit_now) cleared_q <= 1'b1;
    if (completes) completed_q <= 1'b1;
  end
end

// Words in the stages that end a packet, that complete the slot, or that go into the same sum as
// the youngest of them.
logic [Stages-1:0] ends, completing, same_sum;
step_t youngest;
assign youngest = step_q[StepW-1:0];
for (genvar i = 0; i < Stages; i++) begin : gen_stage
  step_t stage;
  assign stage = step_q[i*StepW+:StepW];
  assign ends[i] = valid_q[i] && stage.last;
  assign completing[i] = ends[i] && stage.decision.complete && stage.slot == slot;
  assign same_sum[i] = valid_q[0] && youngest.sum && valid_q[i] && stage.sum &&
                       stage.slot == youngest.slot && stage.word == youngest.word;
end

always_comb begin
  if (ready_q) begin
    // No change of a slot is lost: what decides is what is in the memory.
    if (mine) assert (state_q2 == now);
    // A slot is not taken while it is busy.
    if (mine && opens) assert (!now.busy);
    if (mine && stored && contributes) assert (missing_q2);
    if (now.busy && now.finished) begin
      assert (now.left == '0 && (!now.scales || now.got));
    end
    // A bit is cleared once.
    if (cleared_q && now.busy && was_busy_q) assert (!bit_now);
    // A packet that is not stored writes nothing.
    if (!decision.stored) assert (!step.sum && !step.result && !decision.reduce);
    // All words of a packet share the decision of the first.
    if (valid_q2 && !op_q2.first) begin
      assert (decided_q.verdict == tally_segment_pkg::VerdictStored || !decision.stored);
    end
    // Exactly one word completes a chunk. It is in the stages or has left them.
    assert ((completing & (completing - 1'b1)) == '0);
    if (completes) assert (!completed_q);
    // The ALU gets the newest word of its place.
    assert (same_sum[Stages-1:1] == '0);
  end
end

// ---- Progress ----
// A word waits for the ALU, or a decision, for a bounded time. Otherwise it waits for outcomes to
// be taken, for which there is always space, and for divisions.
localparam int unsigned PendingW = $clog2(Outcomes + All + 1);
logic [PendingW-1:0] pending;
logic [7:0] waits_q;
initial waits_q = '0;
always_ff @(posedge clk_i) waits_q <= started_q && in_tvalid_i && !scale_here &&
                                      (hazard || deciding) ? waits_q + 1'b1 : '0;
always_comb begin
  pending = PendingW'(outcomes) + PendingW'(valid_q1 && op_q1.last) +
            PendingW'(valid_q2 && op_q2.last);
  for (int unsigned i = 0; i < Stages; i++) pending = pending + PendingW'(ends[i]);
  if (started_q) begin
    assert (pending <= PendingW'(Outcomes));
    assert (scale_room || !scale_push);
    assert (waits_q <= 8'(All));
    if (!in_tready_o) assert (clearing || hazard || deciding || scale_here || outcome_valid_o);
    cover (mine && opens && kind_is_result && cleared_q);
    cover (completes && !turns);
    cover (scale_take && scale_last && scale_slot == slot);
    cover (hazard && in_tvalid_i);
    cover (now.busy && now.finished && cleared_q);
    cover (mine && op_q2.kind == tally_segment_pkg::KindClear && stored && now.finished);
  end
end
logic kind_is_result;
assign kind_is_result = op_q2.kind == tally_segment_pkg::KindResult;
