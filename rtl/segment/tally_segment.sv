// SPDX-License-Identifier: BSD-2-Clause
// Segment buffer and compute control (003 figure 6): Slots segments, a power of two, of Words words
// each, which the groups of the NIC share. tally_segment_map gives the slot of a group's chunk.
// docs/rtl-segment.md describes the interfaces and the duties of the engine.
//
// Operations come in packets of words (in_*, with one header for all words of a packet). Each
// brings the plan of its chunk: the first contribution, result or post of a chunk opens the slot
// with it. A contribution whose bit is set goes into the slot's sum, and clears its bit. The first
// one fills the sum, and later ones are combined with it by the ALU, which is outside of the block
// and takes AluLatency clocks. A packet changes nothing but the opening if its bit is clear, if it
// disagrees with the slot, or if it does not fit. Each packet has one outcome, in the order of the
// packets, when its last word is written. The outcome of the packet that cleared the last bit says
// complete. A post clears the bits of those that give nothing; all posts of a chunk leave out the
// same contributors, and none that has given data to a reduction. If the result turns around here
// (`turns`), the sum becomes the result without a copy: reads of the result then use the sum's
// memory. Otherwise the result also comes in packets.
//
// A complete sum of AVG that turns around is first divided, in place and before anything is sent of
// it: the block passes its words through the ALU with alu_scale_o. The outcome of this operation,
// KindScale, says complete instead.
//
// Throughput: one word per clock, in and out. A word waits while an older word of the same place
// passes through the ALU, and the first word of a packet while one for the same slot is decided. So
// packets of one word for the same slot follow one another after AluLatency + 1 clocks, at least
// three; packets of AluLatency + 1 words or more without a gap. Latency: AluLatency + 4 clocks from
// the last word to outcome_valid_o, four if it is not combined and no other one is before it in the
// stages of the ALU. The block is not ready in the first clocks after a reset (tally_written).
//
// With Parts > 1, Parts neighbouring slots share the Words words of one payload: the partial
// results of a chunk in EXCHANGE. A chunk may then use the first of them whole, or as many of them
// as fit into it with 2**in_plan_shift_i words each.
//
// In the same cycle, in_tready_o depends on in_slot_i, in_kind_i, read_ready_o on out_tready_i, and
// peek_ready_o on in_tvalid_i.
module tally_segment #(
  parameter int unsigned Slots = 256,
  parameter int unsigned Parts = 1,  // slots that share a payload, a power of two
  parameter int unsigned Groups = 64,
  parameter int unsigned Words = tally_pkg::MaxMtu / 64,
  parameter int unsigned Width = 512,
  parameter int unsigned Contributors = tally_pkg::MaxContributors,
  parameter int unsigned Ranks = tally_pkg::MaxRanks,
  parameter int unsigned AluLatency = 13,
  localparam int unsigned Bytes = Width / 8,
  localparam int unsigned SlotW = $clog2(Slots),
  localparam int unsigned GroupW = $clog2(Groups),
  localparam int unsigned IndexW = $clog2(Contributors > Ranks ? Contributors : Ranks),
  localparam int unsigned ShiftW = $clog2($clog2(Words) + 1)
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  output logic                        idle_o,  // no packet is inside

  input  logic                        in_tvalid_i,
  output logic                        in_tready_o,
  input  logic [Width-1:0]            in_tdata_i,
  input  logic [Bytes-1:0]            in_tkeep_i,
  input  logic                        in_tlast_i,
  input  tally_segment_pkg::kind_e    in_kind_i,
  input  logic [SlotW-1:0]            in_slot_i,
  input  logic [GroupW-1:0]           in_group_i,
  input  tally_segment_pkg::message_t in_message_i,
  input  logic [15:0]                 in_bytes_i,  // of this packet
  input  logic [15:0]                 in_err_vector_i,
  input  logic                        in_rank_i,  // in_index_i is a local rank
  input  logic [IndexW-1:0]           in_index_i,
  // ranks have posted, by KindPost, or by KindReduce with data of their own: in_out_i counts
  input  logic                        in_posts_i,
  input  logic [Contributors-1:0]     in_out_i,     // contributors that the request leaves out
  input  logic [Ranks-1:0]            in_absent_i,  // ranks that give nothing; any KindPost
  // The plan of the chunk, for its opening.
  input  logic [15:0]                 in_plan_bytes_i,
  input  logic [ShiftW-1:0]           in_plan_shift_i,  // log2 of the words of a part
  input  logic                        in_plan_turns_i,
  input  logic                        in_plan_expected_i,  // this node receives a result
  input  logic [Contributors-1:0]     in_plan_contributors_i,
  input  logic [Ranks-1:0]            in_plan_ranks_i,

  output logic                        outcome_valid_o,
  input  logic                        outcome_ready_i,
  output tally_segment_pkg::kind_e    outcome_kind_o,
  output logic [SlotW-1:0]            outcome_slot_o,
  output tally_segment_pkg::verdict_e outcome_verdict_o,
  output logic [15:0]                 outcome_status_o,
  output logic                        outcome_opened_o,    // this packet opened the slot
  output logic                        outcome_complete_o,  // this packet completed the sum
  output logic [15:0]                 outcome_err_vector_o,  // error vector of the slot
  output logic [Contributors-1:0]     outcome_contributors_o,  // not yet arrived
  output logic [Ranks-1:0]            outcome_ranks_o,

  // Reads the sum or the result. Words come from the second clock after the request on.
  input  logic                        read_valid_i,
  output logic                        read_ready_o,
  input  logic [SlotW-1:0]            read_slot_i,
  input  logic                        read_result_i,
  output logic                        out_tvalid_o,
  input  logic                        out_tready_i,
  output logic [Width-1:0]            out_tdata_o,
  output logic [Bytes-1:0]            out_tkeep_o,
  output logic                        out_tlast_o,

  // What the firmware reads of a slot, when no word enters: the answer, a pulse, comes a clock
  // later. It is that of the operations whose first word entered three clocks before or earlier.
  input  logic                        peek_valid_i,
  output logic                        peek_ready_o,
  input  logic [SlotW-1:0]            peek_slot_i,
  output logic                        peeked_valid_o,
  output logic                        peeked_busy_o,  // open; then
  output logic                        peeked_finished_o,  // released
  output logic [Contributors-1:0]     peeked_contributors_o,  // not yet arrived

  // Result and flags come AluLatency clocks after alu_valid_o. alu_group_o comes a clock before it.
  output logic                        alu_valid_o,
  output logic                        alu_scale_o,  // divides alu_a_o for AVG
  output logic [GroupW-1:0]           alu_group_o,
  output logic [7:0]                  alu_op_o,
  output logic [7:0]                  alu_dtype_o,
  output logic [Width-1:0]            alu_a_o,
  output logic [Width-1:0]            alu_b_o,
  input  logic [Width-1:0]            alu_result_i,
  input  logic [15:0]                 alu_flags_i
);
  localparam int unsigned WordW = $clog2(Words);
  localparam int unsigned PartW = $clog2(Parts);
  localparam int unsigned PlaceW = SlotW - PartW + WordW;
  localparam int unsigned ChunkW = SlotW > PartW ? SlotW - PartW : 1;
  localparam int unsigned Stages = AluLatency + 1;
  localparam int unsigned All = Stages + 2;      // with the two stages that decide
  // room for all packets in the stages while one outcome waits
  localparam int unsigned Outcomes = All + 2;
  localparam int unsigned OutcomesW = $clog2(Outcomes + 1);
  localparam int unsigned MessageW = $bits(in_message_i);
  localparam int unsigned RestW = $clog2(Bytes + 1);
  localparam int unsigned LeftW = Contributors + Ranks;

  // The place of a word in the payloads.
  function automatic logic [PlaceW-1:0] place_of(input logic [SlotW-1:0] of_slot,
                                                 input logic [ShiftW-1:0] shift,
                                                 input logic [WordW-1:0] of_word);
    logic [SlotW-1:0] chunk;
    // verilator lint_off UNUSEDSIGNAL
    logic [SlotW-1:0] part;  // only its lowest bits are not 0
    // verilator lint_on UNUSEDSIGNAL
    logic [WordW-1:0] first, at;
    chunk = of_slot >> PartW;
    part = of_slot & SlotW'(Parts - 1);
    first = WordW'(part);
    at = (first << shift) | of_word;
    place_of = PlaceW'({chunk, {WordW{1'b0}}}) | PlaceW'(at);
  endfunction

  // ---- State of the slots, in memories with one read and one write port ----
  typedef struct packed {
    logic busy;
    logic finished;
    logic posted;    // by a rank, so who is left out is known
    logic filled;    // the first contribution has arrived
    logic got;       // the result has arrived, or the sum of AVG is divided
    logic turns;
    logic expected;
    logic scales;    // AVG, and turns
    logic [LeftW-1:0] left;  // contributions that are missing: ranks, contributors
  } state_t;
  localparam int unsigned StateW = 8 + LeftW;

  logic [StateW-1:0] state_mem_q [Slots];
  logic [MessageW+16-1:0] message_mem_q [Slots];  // and bytes of the chunk
  // Turns, shift, last word of a payload and its bytes.
  logic [1+ShiftW+WordW+RestW-1:0] end_mem_q [Slots];
  logic [15:0] err_mem_q [Slots];
  // contributors that a chunk leaves out, in whichever parts
  logic [Contributors-1:0] out_mem_q [2**ChunkW];

  // ---- Entry ----
  typedef struct packed {
    logic first;
    logic last;
    logic [2:0] kind;
    logic [SlotW-1:0] slot;
    logic [GroupW-1:0] group;
    logic [ShiftW-1:0] shift;
    logic [WordW-1:0] word;
    logic [Bytes-1:0] keep;
    logic [15:0] err_vector;
    logic [15:0] plan_bytes;
    logic plan_turns;
    logic plan_expected;
  } op_t;

  op_t op, op_q1, op_q2;
  tally_segment_pkg::message_t message_q1, message_q2;
  logic valid_q1, valid_q2;
  logic room, take, hazard, scale_hazard, deciding, scale_deciding, first_q, clearing;
  logic [WordW-1:0] word_q;
  logic [OutcomesW-1:0] outcomes;

  // The next word is one of a sum that is divided, between packets, or else one of a packet.
  logic scale_valid, scale_here, scale_last, scale_take;
  logic [SlotW-1:0] scale_slot;
  logic [GroupW-1:0] scale_group;
  logic [ShiftW-1:0] scale_shift;
  logic [WordW-1:0] scale_word_q, scale_end_word;
  logic [RestW-1:0] scale_rest;

  assign scale_here = scale_valid && first_q;
  assign scale_last = scale_word_q == scale_end_word;
  assign room = !clearing && outcomes < OutcomesW'(2);
  assign in_tready_o = room && !hazard && !deciding && !scale_here;
  assign scale_take = room && !scale_hazard && !scale_deciding && scale_here;
  assign take = scale_take || (in_tvalid_i && in_tready_o);

  always_comb begin
    op.first = first_q;
    op.last = in_tlast_i;
    op.kind = in_kind_i;
    op.slot = in_slot_i;
    op.group = in_group_i;
    op.shift = in_plan_shift_i;
    op.word = word_q;
    op.keep = in_tkeep_i;
    op.err_vector = in_err_vector_i;
    op.plan_bytes = in_plan_bytes_i;
    op.plan_turns = in_plan_turns_i;
    op.plan_expected = in_plan_expected_i;
    if (scale_here) begin
      op.first = scale_word_q == '0;
      op.last = scale_last;
      op.kind = tally_segment_pkg::KindScale;
      op.slot = scale_slot;
      op.group = scale_group;
      op.shift = scale_shift;
      op.word = scale_word_q;
      for (int unsigned k = 0; k < Bytes; k++) op.keep[k] = !scale_last || RestW'(k) < scale_rest;
      op.err_vector = '0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      first_q <= 1'b1;
      word_q <= '0;
      scale_word_q <= '0;
      valid_q1 <= 1'b0;
      valid_q2 <= 1'b0;
    end else begin
      if (in_tvalid_i && in_tready_o) first_q <= in_tlast_i;
      if (in_tvalid_i && in_tready_o) word_q <= in_tlast_i ? '0 : word_q + 1'b1;
      if (scale_take) scale_word_q <= scale_last ? '0 : scale_word_q + 1'b1;
      valid_q1 <= take;
      valid_q2 <= valid_q1;
    end
  end

  // ---- First stage: the slot is read, and compared with the packet ----
  logic [SlotW-1:0] state_slot;
  assign peek_ready_o = !in_tvalid_i && !scale_here && !clearing;
  assign state_slot = peek_ready_o ? peek_slot_i : op.slot;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) peeked_valid_o <= 1'b0;
    else peeked_valid_o <= peek_valid_i && peek_ready_o;
  end
  logic [StateW-1:0] row_q1;
  state_t state_q1;
  logic written_q1;
  tally_segment_pkg::message_t slot_message_q1;
  logic [15:0] in_bytes_q1, slot_bytes_q1, bytes1, less_1;
  logic rank_q1;
  logic [IndexW-1:0] index_q1;
  logic [LeftW-1:0] plan_left_q1, bit_of1, gone1, left1;
  logic [Ranks-1:0] absent_q1;
  logic [Contributors-1:0] out_q1, named_out_q1, too_late1;
  logic [15:0] status1;
  logic posts_q1, posts_q2, leaves1, leaves_q2, reduces1, mask_wrong1;

  function automatic logic reduces_by(input logic [7:0] opcode);
    reduces_by = opcode == 8'(tally_pkg::OpcodeAllreduce) ||
                 opcode == 8'(tally_pkg::OpcodeReduce) ||
                 opcode == 8'(tally_pkg::OpcodeReduceScatter);
  endfunction

  // message_disagrees() of the model.
  // verilator lint_off UNUSEDSIGNAL
  function automatic logic [15:0] disagreement(input tally_segment_pkg::message_t a,
                                               input tally_segment_pkg::message_t b);
    if (a.opcode != b.opcode) disagreement = tally_pkg::CollOpcodeMismatch;
    else if (a.op != b.op) disagreement = tally_pkg::CollOpMismatch;
    else if (a.dtype != b.dtype) disagreement = tally_pkg::CollTypeMismatch;
    else if (a.total != b.total) disagreement = tally_pkg::CollCountMismatch;
    else if (a.root_node != b.root_node || a.root_rank != b.root_rank) begin
      disagreement = tally_pkg::CollRootMismatch;
    end else if (a.mode != b.mode) disagreement = tally_pkg::CollModeMismatch;
    else if (a.sid != b.sid || a.first != b.first || a.count != b.count)
      disagreement = tally_pkg::CollChunkMismatch;
    else disagreement = tally_pkg::CollOk;
  endfunction
  // verilator lint_on UNUSEDSIGNAL

  always_ff @(posedge clk_i) begin
    op_q1 <= op;
    message_q1 <= in_message_i;
    in_bytes_q1 <= in_bytes_i;
    rank_q1 <= in_rank_i;
    index_q1 <= in_index_i;
    plan_left_q1 <= {in_plan_ranks_i, in_plan_contributors_i};
    posts_q1 <= in_posts_i && (op.kind == tally_segment_pkg::KindReduce ||
                               op.kind == tally_segment_pkg::KindPost);
    absent_q1 <= in_absent_i;
    named_out_q1 <= in_out_i;
    out_q1 <= out_mem_q[ChunkW'(op.slot >> PartW)];
    row_q1 <= state_mem_q[state_slot];
    {slot_message_q1, slot_bytes_q1} <= message_mem_q[op.slot];
  end

  tally_written #(.Rows(Slots)) u_written (
    .clk_i, .rst_ni, .busy_o(clearing), .write_i(decide), .write_at_i(op_q2.slot), .read_i(1'b1),
    .read_at_i(state_slot), .written_o(written_q1)
  );
  assign state_q1 = written_q1 ? row_q1 : '0;
  assign peeked_busy_o = state_q1.busy;
  assign peeked_finished_o = state_q1.finished;
  assign peeked_contributors_o = state_q1.left[Contributors-1:0];

  assign bit_of1 = rank_q1 ? {Ranks'(1) << index_q1, Contributors'(0)} :
                             {Ranks'(0), Contributors'(1) << index_q1};
  assign leaves1 = posts_q1 || op_q1.kind == tally_segment_pkg::KindPost;
  assign gone1 = (op_q1.kind == tally_segment_pkg::KindReduce ? bit_of1 : '0) |
                 {leaves1 ? absent_q1 : '0, posts_q1 ? named_out_q1 : '0};
  assign left1 = state_q1.busy ? state_q1.left : plan_left_q1;
  assign bytes1 = state_q1.busy ? slot_bytes_q1 : op_q1.plan_bytes;
  assign less_1 = bytes1 - 1'b1;
  assign status1 = disagreement(slot_message_q1, message_q1);
  // narrow() of the model.
  assign reduces1 = reduces_by(message_q1.opcode);
  // Of those that are left out, the ones of this part must not have given data.
  assign too_late1 = named_out_q1 & plan_left_q1[Contributors-1:0] & ~left1[Contributors-1:0];
  assign mask_wrong1 = posts_q1 && (state_q1.busy && state_q1.posted ? out_q1 != named_out_q1 :
                                    reduces1 && too_late1 != '0);

  // ---- Second stage: the first word of a packet decides ----
  state_t state_q2, next;
  logic [15:0] status_q2;
  logic [7:0] dtype_q2;
  logic [LeftW-1:0] left_q2, gone_q2;
  logic [WordW-1:0] end_word_q2;
  logic [RestW-1:0] rest_q2;
  logic same_q2, fits_q2, missing_q2, empty_q2, emptied_q2, reduces_q2, mask_wrong_q2;
  logic [Contributors-1:0] out_q2;
  logic opens, stored, contributes, posts, leaves, taken, unscaled, releasable, decide, reduce,
      complete;
  tally_segment_pkg::verdict_e verdict;

  always_ff @(posedge clk_i) begin
    op_q2 <= op_q1;
    message_q2 <= message_q1;
    dtype_q2 <= op_q1.kind == tally_segment_pkg::KindScale ? slot_message_q1.dtype :
                message_q1.dtype;
    state_q2 <= state_q1;
    status_q2 <= status1;
    same_q2 <= slot_message_q1.num == message_q1.num && slot_message_q1.mid == message_q1.mid;
    fits_q2 <= in_bytes_q1 == bytes1;
    left_q2 <= left1;
    gone_q2 <= gone1;
    missing_q2 <= (left1 & bit_of1) != '0;
    empty_q2 <= left1 == '0;
    emptied_q2 <= (left1 & ~gone1) == '0;
    posts_q2 <= posts_q1;
    leaves_q2 <= leaves1;
    reduces_q2 <= reduces1;
    mask_wrong_q2 <= mask_wrong1;
    out_q2 <= named_out_q1;
    end_word_q2 <= bytes1 == '0 ? '0 : WordW'(less_1 / 16'(Bytes));
    rest_q2 <= bytes1 == '0 ? '0 : RestW'(less_1 % 16'(Bytes)) + 1'b1;
  end

  assign decide = valid_q2 && op_q2.first;
  assign contributes = op_q2.kind == tally_segment_pkg::KindReduce;
  assign opens = !state_q2.busy && (op_q2.kind == tally_segment_pkg::KindReduce ||
                                    op_q2.kind == tally_segment_pkg::KindResult ||
                                    op_q2.kind == tally_segment_pkg::KindPost);
  assign unscaled = state_q2.scales && empty_q2 && !state_q2.got;  // the division is pending
  // Whether a result must have come, the hold side knows.
  assign releasable = empty_q2 && !state_q2.finished && !unscaled;

  // The slot's properties, or those that its opening gives it.
  logic turns, expected, filled, got;
  logic [15:0] why;  // they disagree
  assign turns = opens ? op_q2.plan_turns : state_q2.turns;
  assign expected = opens ? op_q2.plan_expected : state_q2.expected;
  assign filled = !opens && state_q2.filled;
  assign got = !opens && state_q2.got;
  always_comb begin
    why = opens ? tally_pkg::CollOk : status_q2;
    if (why == tally_pkg::CollOk && mask_wrong_q2) why = tally_pkg::CollMaskMismatch;
  end

  always_comb begin
    verdict = tally_segment_pkg::VerdictStored;
    if (op_q2.kind == tally_segment_pkg::KindScale) begin
      verdict = tally_segment_pkg::VerdictStored;
    end else if (op_q2.kind == tally_segment_pkg::KindClear) begin
      if (state_q2.busy && unscaled) verdict = tally_segment_pkg::VerdictDropped;
    end else if (!state_q2.busy && !opens) begin
      verdict = tally_segment_pkg::VerdictClosed;
    end else if (!opens && !same_q2) begin
      verdict = tally_segment_pkg::VerdictDropped;
    end else if (why != tally_pkg::CollOk) begin
      verdict = tally_segment_pkg::VerdictDisagrees;
    end else if (op_q2.kind == tally_segment_pkg::KindPost) begin
      if (!opens) verdict = tally_segment_pkg::VerdictDuplicate;
    end else if (op_q2.kind == tally_segment_pkg::KindRelease) begin
      if (!releasable) verdict = tally_segment_pkg::VerdictDropped;
    end else if (op_q2.kind == tally_segment_pkg::KindResult) begin
      if (turns) verdict = tally_segment_pkg::VerdictDropped;
      else if (got || (!opens && state_q2.finished)) begin  // nobody waits for it
        verdict = tally_segment_pkg::VerdictDuplicate;
      end else if (!expected || !fits_q2) verdict = tally_segment_pkg::VerdictDropped;
    end else if (contributes) begin
      if (!missing_q2) verdict = tally_segment_pkg::VerdictDuplicate;
      else if (!fits_q2) verdict = tally_segment_pkg::VerdictDropped;
    end
  end

  assign stored = verdict == tally_segment_pkg::VerdictStored;
  assign taken = stored || verdict == tally_segment_pkg::VerdictDuplicate;
  assign posts = posts_q2 && taken;
  assign leaves = leaves_q2 && taken;
  assign reduce = op_q2.kind == tally_segment_pkg::KindScale ||
                  (op_q2.kind == tally_segment_pkg::KindReduce && stored && reduces_q2 && filled);
  assign complete = (stored && contributes) || leaves ? emptied_q2 && (opens || !empty_q2) :
                    opens && empty_q2;

  always_comb begin
    next = state_q2;
    next.busy = opens || state_q2.busy;
    next.finished = !opens && state_q2.finished;
    next.posted = posts || (!opens && state_q2.posted);
    next.turns = turns;
    next.expected = expected;
    if (opens) next.scales = op_q2.plan_turns && message_q2.op == tally_pkg::OpAvg;
    next.filled = filled;
    next.got = got;
    next.left = left_q2;
    if (stored) begin
      if (op_q2.kind == tally_segment_pkg::KindReduce) next.filled = 1'b1;
      if (op_q2.kind == tally_segment_pkg::KindResult || op_q2.kind ==
          tally_segment_pkg::KindScale) begin
        next.got = 1'b1;
      end
      if (op_q2.kind == tally_segment_pkg::KindRelease) next.finished = 1'b1;
      if (op_q2.kind == tally_segment_pkg::KindClear) next.busy = 1'b0;
    end
    if ((stored && contributes) || leaves) next.left = left_q2 & ~gone_q2;
  end

  always_ff @(posedge clk_i) begin
    if (decide) state_mem_q[op_q2.slot] <= next;
    if (decide && posts) out_mem_q[ChunkW'(op_q2.slot >> PartW)] <= out_q2;
    if (decide && opens) message_mem_q[op_q2.slot] <= {message_q2, op_q2.plan_bytes};
    if (decide && opens) begin
      end_mem_q[op_q2.slot] <= {op_q2.plan_turns, op_q2.shift, end_word_q2, rest_q2};
    end
  end

  // ---- Stages through the ALU, or beside it ----
  typedef struct packed {
    logic stored;
    logic reduce;
    logic complete;
    logic scales;    // complete, but to be divided first
    logic opened;
    logic [2:0] verdict;
    logic [15:0] status;
    logic [LeftW-1:0] left;
  } decision_t;
  typedef struct packed {
    logic last;
    logic fresh;     // the errors of the slot's last chunk do not count
    logic sum;       // goes into the sum
    logic result;    // goes into the result
    logic [2:0] kind;
    logic [GroupW-1:0] group;
    logic [WordW-1:0] end_word;
    logic [RestW-1:0] rest;
    logic [15:0] err_vector;
    logic [SlotW-1:0] slot;
    logic [ShiftW-1:0] shift;
    logic [WordW-1:0] word;
    logic [Bytes-1:0] keep;
    decision_t decision;
  } step_t;

  decision_t decided, decided_q, decision;
  step_t step, step_young, step_old, step_end;
  localparam int unsigned StepW = $bits(step);
  logic [Stages*StepW-1:0] step_q;    // the youngest word in the lowest bits
  logic [All*Width-1:0] data_q;
  logic [(Stages-1)*PlaceW-1:0] place_q;
  logic [Stages-1:0] valid_q;
  logic [All-1:0] all_valid;
  logic [Stages-2:0] sum_q, same, scale_same;
  logic [PlaceW-1:0] in_place, scale_place, place2, place_end;
  logic end_valid, alone, bypass_q, reducing_q, scaling_q;
  logic [7:0] op_alu_q, dtype_q;
  logic [Bytes-1:0] keep_q;
  logic [Width-1:0] sum_read_q, bypassed_q, sum_before, mask, end_data;

  assign decided = {stored, reduce, complete, complete && next.scales, opens, verdict,
                    verdict == tally_segment_pkg::VerdictDisagrees ? why : tally_pkg::CollOk,
                    next.left};
  assign decision = op_q2.first ? decided : decided_q;
  assign in_place = place_of(in_slot_i, in_plan_shift_i, word_q);
  assign scale_place = place_of(scale_slot, scale_shift, scale_word_q);
  assign place2 = place_of(op_q2.slot, op_q2.shift, op_q2.word);
  assign all_valid = {valid_q, valid_q2, valid_q1};
  always_comb begin
    for (int unsigned i = 0; i < Stages - 1; i++) begin
      same[i] = all_valid[i] && sum_q[i] && place_q[i*PlaceW+:PlaceW] == in_place;
      scale_same[i] = all_valid[i] && sum_q[i] && place_q[i*PlaceW+:PlaceW] == scale_place;
    end
  end
  // A word is read two clocks later. The word that is written in that cycle is bypassed. A word of
  // a packet and one that is divided are compared apart, as it is known late which one is next.
  assign hazard = in_kind_i == tally_segment_pkg::KindReduce && same != '0;
  assign scale_hazard = scale_same != '0;
  assign deciding = first_q && ((valid_q1 && op_q1.first && op_q1.slot == in_slot_i) ||
                                (valid_q2 && op_q2.first && op_q2.slot == in_slot_i));
  assign scale_deciding = scale_word_q == '0 &&
                          ((valid_q1 && op_q1.first && op_q1.slot == scale_slot) ||
                           (valid_q2 && op_q2.first && op_q2.slot == scale_slot));
  assign idle_o = first_q && all_valid == '0 && !scale_valid && !clearing;

  always_comb begin
    step.last = op_q2.last;
    step.fresh = op_q2.first && opens;
    step.sum = decision.stored && (op_q2.kind == tally_segment_pkg::KindReduce ||
                                   op_q2.kind == tally_segment_pkg::KindScale);
    step.result = decision.stored && op_q2.kind == tally_segment_pkg::KindResult;
    step.kind = op_q2.kind;
    step.group = op_q2.group;
    step.end_word = end_word_q2;
    step.rest = rest_q2;
    step.err_vector = op_q2.last && decision.stored ? op_q2.err_vector : '0;
    step.slot = op_q2.slot;
    step.shift = op_q2.shift;
    step.word = op_q2.word;
    step.keep = op_q2.keep;
    step.decision = decision;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= '0;
    else valid_q <= Stages'({valid_q[Stages-1:1], valid_q[0] && !alone, valid_q2});
  end

  always_ff @(posedge clk_i) begin
    if (decide) decided_q <= decided;
    step_q <= {step_q[(Stages-1)*StepW-1:0], step};
    data_q <= {data_q[(All-1)*Width-1:0], in_tdata_i};
    place_q <= ((Stages-1)*PlaceW)'({place_q, scale_here ? scale_place : in_place});
    sum_q <= (Stages-1)'({sum_q, op.kind == tally_segment_pkg::KindReduce ||
                          op.kind == tally_segment_pkg::KindScale});
    op_alu_q <= message_q2.op;
    dtype_q <= dtype_q2;
    keep_q <= op_q2.keep;
    reducing_q <= decision.reduce;
    scaling_q <= op_q2.kind == tally_segment_pkg::KindScale;
    bypass_q <= end_valid && step_end.sum && place_end == place2;
    bypassed_q <= end_data;
  end

  // A word that is not combined leaves the stages at once if no older one is in them.
  assign step_young = step_q[StepW-1:0];
  assign step_old = step_q[(Stages-1)*StepW+:StepW];
  assign alone = valid_q[0] && valid_q[Stages-1:1] == '0 && !step_young.decision.reduce;
  assign step_end = alone ? step_young : step_old;
  assign place_end = place_of(step_end.slot, step_end.shift, step_end.word);
  assign end_valid = valid_q[Stages-1] || alone;
  assign sum_before = bypass_q ? bypassed_q : sum_read_q;
  always_comb for (int unsigned k = 0; k < Bytes; k++) mask[8*k+:8] = {8{keep_q[k]}};
  assign alu_valid_o = valid_q[0] && reducing_q;
  assign alu_scale_o = scaling_q;
  assign alu_group_o = op_q2.group;
  assign alu_op_o = op_alu_q;
  assign alu_dtype_o = dtype_q;
  assign alu_a_o = sum_before & mask;
  assign alu_b_o = data_q[2*Width+:Width] & mask;
  assign end_data = alone ? data_q[2*Width+:Width] : step_old.decision.reduce ? alu_result_i :
                    data_q[(All-1)*Width+:Width];

  // ---- Payloads ----
  logic [Width-1:0] sum_mem_q [2**PlaceW];
  logic [Width-1:0] result_mem_q [2**PlaceW];
  logic [PlaceW-1:0] read_place;
  logic read_go;
  logic [Width-1:0] out_sum_q, out_result_q;

  always_ff @(posedge clk_i) begin
    for (int unsigned k = 0; k < Bytes; k++) begin
      if (end_valid && step_end.sum && step_end.keep[k]) begin
        sum_mem_q[place_end][8*k+:8] <= end_data[8*k+:8];
      end
      if (end_valid && step_end.result && step_end.keep[k]) begin
        result_mem_q[place_end][8*k+:8] <= end_data[8*k+:8];
      end
    end
    sum_read_q <= sum_mem_q[place2];
    if (read_go) out_sum_q <= sum_mem_q[read_place];
    if (read_go) out_result_q <= result_mem_q[read_place];
  end

  // ---- Outcomes ----
  logic [SlotW-1:0] end_slot;
  logic [15:0] end_err;
  logic outcome_push, scale_push;
  logic [2:0] outcome_kind, outcome_verdict;

  assign end_slot = step_end.slot;
  assign end_err = (step_end.fresh ? '0 : err_mem_q[end_slot]) |
                   (step_end.decision.reduce ? alu_flags_i : '0) |
                   step_end.err_vector;
  assign outcome_push = end_valid && step_end.last;
  assign scale_push = outcome_push && step_end.decision.scales;
  assign outcome_kind_o = tally_segment_pkg::kind_e'(outcome_kind);
  assign outcome_verdict_o = tally_segment_pkg::verdict_e'(outcome_verdict);

  always_ff @(posedge clk_i) if (end_valid) err_mem_q[end_slot] <= end_err;

  tally_fifo #(
    .Width(3 + SlotW + 3 + 16 + 1 + 1 + 16 + LeftW),
    .Depth(Outcomes)
  ) u_outcomes (
    .clk_i, .rst_ni,
    .in_valid_i(outcome_push),
    // verilator lint_off PINCONNECTEMPTY
    .in_ready_o(),  // never full: in_tready_o leaves space
    // verilator lint_on PINCONNECTEMPTY
    .in_i({step_end.kind, end_slot, step_end.decision.verdict, step_end.decision.status,
           step_end.decision.opened,
           (step_end.decision.complete && !step_end.decision.scales) ||
           step_end.kind == tally_segment_pkg::KindScale,
           end_err, step_end.decision.left}),
    .out_valid_o(outcome_valid_o),
    .out_ready_i(outcome_ready_i),
    .out_o({outcome_kind, outcome_slot_o, outcome_verdict, outcome_status_o, outcome_opened_o,
            outcome_complete_o,
            outcome_err_vector_o, outcome_ranks_o, outcome_contributors_o}),
    .used_o(outcomes)
  );

  // verilator lint_off UNUSEDSIGNAL
  logic scale_room;  // always; the proof uses it
  // verilator lint_on UNUSEDSIGNAL

  // Sums to be divided: at most those that are completed in the stages, and by the packet that
  // enters.
  tally_fifo #(
    .Width(SlotW + GroupW + ShiftW + WordW + RestW),
    .Depth(All + 2)
  ) u_scales (
    .clk_i, .rst_ni,
    .in_valid_i(scale_push),
    .in_ready_o(scale_room),
    // verilator lint_off PINCONNECTEMPTY
    .used_o(),
    // verilator lint_on PINCONNECTEMPTY
    .in_i({end_slot, step_end.group, step_end.shift, step_end.end_word, step_end.rest}),
    .out_valid_o(scale_valid),
    .out_ready_i(scale_take && scale_last),
    .out_o({scale_slot, scale_group, scale_shift, scale_end_word, scale_rest})
  );

  // ---- Reading ----
  logic reading_q, read_result_q, read_turns_q, read_last, read_step, out_result_sel_q;
  logic [SlotW-1:0] read_slot_q;
  logic [ShiftW-1:0] read_shift_q;
  logic [WordW-1:0] read_word_q, read_end_word_q;
  logic [RestW-1:0] read_rest_q;
  logic [Bytes-1:0] read_keep;

  assign read_last = read_word_q == read_end_word_q;
  assign read_step = !out_tvalid_o || out_tready_i;
  assign read_go = reading_q && read_step;
  assign read_ready_o = !reading_q || (read_step && read_last);
  assign read_place = place_of(read_slot_q, read_shift_q, read_word_q);
  always_comb for (int unsigned k = 0; k < Bytes; k++) read_keep[k] = !read_last ||
                                    RestW'(k) < read_rest_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      out_tvalid_o <= 1'b0;
      reading_q <= 1'b0;
      read_word_q <= '0;
    end else begin
      if (read_ready_o) reading_q <= read_valid_i;
      if (read_step) out_tvalid_o <= reading_q;
      if (read_go) read_word_q <= read_last ? '0 : read_word_q + 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (read_ready_o) begin
      read_slot_q <= read_slot_i;
      read_result_q <= read_result_i;
      {read_turns_q, read_shift_q, read_end_word_q, read_rest_q} <= end_mem_q[read_slot_i];
    end
    if (read_go) begin
      out_tkeep_o <= read_keep;
      out_tlast_o <= read_last;
      out_result_sel_q <= read_result_q && !read_turns_q;
    end
  end
  assign out_tdata_o = out_result_sel_q ? out_result_q : out_sum_q;

`ifdef FORMAL
  `include "segment_proof.svh"
`endif
endmodule
