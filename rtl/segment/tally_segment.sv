// SPDX-License-Identifier: BSD-2-Clause
// Segment buffer and compute control (003 figure 6) of one group: Slots segments, a power of two, of Words words each,
// and the counter `done`. docs/rtl-segment.md describes the interfaces and the duties of the engine.
//
// Words come in packets (in_*, with one header for all words of a packet). A contribution whose bit is set goes into
// the slot's sum. The first one fills the sum, and later ones are combined with it by the ALU, which is outside of the
// block and takes AluLatency clocks. The last word of a contribution clears its bit. A packet changes nothing if its
// bit is clear, if it disagrees with the slot, or if it does not fit. Each packet has one outcome, in the order of the
// packets, when its last word is written. The outcome of the packet that cleared the last bit says complete. If the
// result turns around here (`turns`), the sum becomes the result without a copy: reads of the result then use the sum's
// memory. Otherwise the result also comes in packets.
//
// Throughput: one word per clock, in and out. A word waits only while an older word of the same place passes through
// the ALU. Packets of one word for the same slot follow one another after AluLatency + 1 clocks, packets of AluLatency
// + 1 words or more without a gap. Latency: AluLatency + 2 clocks from the last word to outcome_valid_o.
//
// In the same cycle, in_tready_o depends on in_message_i.num and in_kind_i, release_ready_o on release_slot_i, and
// read_ready_o on read_slot_i and out_tready_i.
module tally_segment #(
  parameter int unsigned Slots = 16,
  parameter int unsigned Words = tally_pkg::MaxMtu / 64,
  parameter int unsigned Width = 512,
  parameter int unsigned Contributors = tally_pkg::MaxContributors,
  parameter int unsigned Ranks = tally_pkg::MaxRanks,
  parameter int unsigned AluLatency = 6,
  localparam int unsigned Bytes = Width / 8,
  localparam int unsigned SlotW = $clog2(Slots),
  localparam int unsigned IndexW = $clog2(Contributors > Ranks ? Contributors : Ranks)
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  input  logic                        clear_i,  // begins a new epoch; only while idle_o
  output logic                        idle_o,   // no packet is inside
  output logic [31:0]                 done_o,

  // Opens the slot of a chunk. The answers come in the order of the requests.
  input  logic                        open_valid_i,
  output logic                        open_ready_o,
  input  tally_segment_pkg::message_t open_message_i,
  input  logic [15:0]                 open_bytes_i,  // bytes of the chunk
  input  logic                        open_turns_i,
  input  logic                        open_expected_i,  // this node receives a result
  input  logic [Contributors-1:0]     open_contributors_i,
  input  logic [Ranks-1:0]            open_ranks_i,
  output logic                        opened_valid_o,
  input  logic                        opened_ready_i,
  output tally_segment_pkg::verdict_e opened_verdict_o,
  output logic [15:0]                 opened_status_o,
  output logic                        opened_complete_o,  // the chunk needs no contribution

  input  logic                        in_tvalid_i,
  output logic                        in_tready_o,
  input  logic [Width-1:0]            in_tdata_i,
  input  logic [Bytes-1:0]            in_tkeep_i,
  input  logic                        in_tlast_i,
  input  tally_segment_pkg::message_t in_message_i,
  input  logic [15:0]                 in_bytes_i,
  input  logic [15:0]                 in_err_vector_i,
  input  tally_segment_pkg::kind_e    in_kind_i,
  input  logic                        in_rank_i,  // in_index_i is a local rank
  input  logic [IndexW-1:0]           in_index_i,

  output logic                        outcome_valid_o,
  input  logic                        outcome_ready_i,
  output logic [SlotW-1:0]            outcome_slot_o,
  output tally_segment_pkg::verdict_e outcome_verdict_o,
  output logic [15:0]                 outcome_status_o,
  output logic                        outcome_complete_o,
  output logic [15:0]                 outcome_err_vector_o,  // error vector of the slot

  // All receivers have the result. The release is taken when the slot is complete and has the expected result.
  input  logic                        release_valid_i,
  output logic                        release_ready_o,
  input  logic [SlotW-1:0]            release_slot_i,

  // Reads the sum or the result. The request is taken with the last word.
  input  logic                        read_valid_i,
  output logic                        read_ready_o,
  input  logic [SlotW-1:0]            read_slot_i,
  input  logic                        read_result_i,
  output logic                        out_tvalid_o,
  input  logic                        out_tready_i,
  output logic [Width-1:0]            out_tdata_o,
  output logic [Bytes-1:0]            out_tkeep_o,
  output logic                        out_tlast_o,

  // State of a slot in the last cycle.
  input  logic [SlotW-1:0]            query_slot_i,
  output logic [7:0]                  query_state_o,
  output logic                        query_complete_o,
  output logic                        query_have_o,
  output logic [Contributors-1:0]     query_contributors_o,  // not yet arrived
  output logic [Ranks-1:0]            query_ranks_o,

  // Result and flags come AluLatency clocks after alu_valid_o.
  output logic                        alu_valid_o,
  output logic [7:0]                  alu_op_o,
  output logic [7:0]                  alu_dtype_o,
  output logic [Width-1:0]            alu_a_o,
  output logic [Width-1:0]            alu_b_o,
  input  logic [Width-1:0]            alu_result_i,
  input  logic [15:0]                 alu_flags_i
);
  localparam int unsigned WordW = $clog2(Words);
  localparam int unsigned PlaceW = SlotW + WordW;
  localparam int unsigned Stages = AluLatency + 1;
  localparam int unsigned Outcomes = Stages + 2;  // room for all packets in the stages while one outcome waits
  localparam int unsigned OutcomesW = $clog2(Outcomes + 1);
  localparam int unsigned MapW = 2 ** IndexW;
  localparam int unsigned MessageW = $bits(open_message_i);
  localparam int unsigned RestW = $clog2(Bytes + 1);

  // ---- Table ----
  // Each memory has one writer: openings write the expected contributors, packets those that have arrived.
  logic [MessageW-1:0] message_q [Slots];
  logic [15:0] bytes_q [Slots];
  logic [WordW-1:0] end_word_q [Slots];  // index of the last word of a payload, and its bytes
  logic [RestW-1:0] end_bytes_q [Slots];
  logic [Contributors+Ranks-1:0] plan_q [Slots];
  logic [Contributors+Ranks-1:0] given_q [Slots];
  logic [15:0] err_q [Slots];
  logic [Slots-1:0] taken_q, finished_q, complete_q, turns_q, expected_q;
  logic [Slots-1:0] touched_q;   // given_q is valid
  logic [Slots-1:0] flagged_q;   // err_q is valid
  logic [Slots-1:0] filled_q;    // the first contribution has arrived
  logic [Slots-1:0] got_q;       // the result has passed
  logic [Slots-1:0] have_q;      // the result is written
  logic [31:0] done_q;
  logic [SlotW-1:0] done_slot;

  assign done_o = done_q;
  assign done_slot = done_q[SlotW-1:0];

  // message_disagrees() of the model. The caller compares num and mid, which identify the chunk.
  // verilator lint_off UNUSEDSIGNAL
  function automatic logic [15:0] disagreement(input tally_segment_pkg::message_t a,
                                               input tally_segment_pkg::message_t b);
    if (a.opcode != b.opcode) disagreement = tally_pkg::CollOpcodeMismatch;
    else if (a.op != b.op) disagreement = tally_pkg::CollOpMismatch;
    else if (a.dtype != b.dtype) disagreement = tally_pkg::CollTypeMismatch;
    else if (a.total != b.total) disagreement = tally_pkg::CollCountMismatch;
    else if (a.root_node != b.root_node || a.root_rank != b.root_rank) disagreement = tally_pkg::CollRootMismatch;
    else if (a.sid != b.sid || a.first != b.first || a.count != b.count)
      disagreement = tally_pkg::CollChunkMismatch;
    else disagreement = tally_pkg::CollOk;
  endfunction
  // verilator lint_on UNUSEDSIGNAL

  // ---- Opening ----
  tally_segment_pkg::message_t open_to;
  tally_segment_pkg::verdict_e open_verdict;
  logic [SlotW-1:0] open_slot;
  logic [31:0] open_ahead;
  logic [15:0] open_status, open_less_1;
  logic open_take, opening, open_complete;

  assign open_ready_o = !opened_valid_o || opened_ready_i;
  assign open_take = open_valid_i && open_ready_o;
  assign open_slot = open_message_i.num[SlotW-1:0];
  assign open_ahead = open_message_i.num - done_q;
  assign open_to = message_q[open_slot];
  assign open_status = disagreement(open_to, open_message_i);
  assign open_less_1 = open_bytes_i - 1'b1;
  assign open_complete = open_contributors_i == '0 && open_ranks_i == '0;
  assign opening = open_take && open_verdict == tally_segment_pkg::VerdictStored;

  always_comb begin
    if (open_ahead[31]) open_verdict = tally_segment_pkg::VerdictPast;
    else if (open_ahead >= 32'(Slots)) open_verdict = tally_segment_pkg::VerdictWindow;
    else if (!taken_q[open_slot]) open_verdict = tally_segment_pkg::VerdictStored;
    else if (open_to.num != open_message_i.num || open_to.mid != open_message_i.mid)
      open_verdict = tally_segment_pkg::VerdictDropped;
    else if (open_status != tally_pkg::CollOk) open_verdict = tally_segment_pkg::VerdictDisagrees;
    else open_verdict = tally_segment_pkg::VerdictDuplicate;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) opened_valid_o <= 1'b0;
    else if (open_ready_o) opened_valid_o <= open_valid_i;
  end

  always_ff @(posedge clk_i) begin
    if (open_take) begin
      opened_verdict_o <= open_verdict;
      opened_status_o <= open_verdict == tally_segment_pkg::VerdictDisagrees ? open_status : tally_pkg::CollOk;
      opened_complete_o <= opening && open_complete;
    end
    if (opening) begin
      message_q[open_slot] <= open_message_i;
      bytes_q[open_slot] <= open_bytes_i;
      end_word_q[open_slot] <= open_bytes_i == '0 ? '0 : WordW'(open_less_1 / 16'(Bytes));
      end_bytes_q[open_slot] <= open_bytes_i == '0 ? '0 : RestW'(open_less_1 % 16'(Bytes)) + 1'b1;
      plan_q[open_slot] <= {open_ranks_i, open_contributors_i};
    end
  end

  // ---- The first word of a packet decides ----
  tally_segment_pkg::message_t in_to;
  tally_segment_pkg::verdict_e verdict;
  logic [SlotW-1:0] in_slot;
  logic [31:0] ahead;
  logic [15:0] status;
  logic [Contributors+Ranks-1:0] given, left, bit_of;
  logic [MapW-1:0] left_contributors, left_ranks;
  logic already, unfit, take, stored, reduce, complete, first_q, stored_q, reduce_q;
  tally_segment_pkg::verdict_e verdict_q;
  logic [15:0] status_q;
  logic [WordW-1:0] word_q;

  assign in_slot = in_message_i.num[SlotW-1:0];
  assign ahead = in_message_i.num - done_q;
  assign in_to = message_q[in_slot];
  assign status = disagreement(in_to, in_message_i);
  assign given = touched_q[in_slot] ? given_q[in_slot] : '0;
  assign left = plan_q[in_slot] & ~given;
  assign left_contributors = MapW'(left[Contributors-1:0]);
  assign left_ranks = MapW'(left[Contributors+:Ranks]);

  always_comb begin
    if (in_kind_i == tally_segment_pkg::KindResult) already = got_q[in_slot];
    else if (in_rank_i) already = !left_ranks[in_index_i];
    else already = !left_contributors[in_index_i];
    unfit = in_kind_i != tally_segment_pkg::KindNothing && in_bytes_i != bytes_q[in_slot];
    if (in_kind_i == tally_segment_pkg::KindResult && (!expected_q[in_slot] || turns_q[in_slot])) unfit = 1'b1;

    if (ahead[31]) verdict = tally_segment_pkg::VerdictPast;
    else if (ahead >= 32'(Slots)) verdict = tally_segment_pkg::VerdictWindow;
    else if (!taken_q[in_slot]) verdict = tally_segment_pkg::VerdictClosed;
    else if (in_to.num != in_message_i.num || in_to.mid != in_message_i.mid)
      verdict = tally_segment_pkg::VerdictDropped;
    else if (status != tally_pkg::CollOk) verdict = tally_segment_pkg::VerdictDisagrees;
    else if (already) verdict = tally_segment_pkg::VerdictDuplicate;
    else if (unfit) verdict = tally_segment_pkg::VerdictDropped;
    else verdict = tally_segment_pkg::VerdictStored;
  end

  logic reduces;
  assign reduces = in_message_i.opcode == tally_pkg::OpcodeAllreduce ||
                   in_message_i.opcode == tally_pkg::OpcodeReduce ||
                   in_message_i.opcode == tally_pkg::OpcodeReduceScatter;
  assign stored = first_q ? verdict == tally_segment_pkg::VerdictStored : stored_q;
  assign reduce = first_q ? stored && in_kind_i == tally_segment_pkg::KindReduce && reduces && filled_q[in_slot] :
                            reduce_q;
  assign bit_of = in_rank_i ? {Ranks'(1) << in_index_i, Contributors'(0)} :
                              {Ranks'(0), Contributors'(1) << in_index_i};
  assign complete = in_kind_i != tally_segment_pkg::KindResult && (left & ~bit_of) == '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      first_q <= 1'b1;
      word_q <= '0;
    end else if (take) begin
      first_q <= in_tlast_i;
      word_q <= in_tlast_i ? '0 : word_q + 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (take) begin
      stored_q <= stored;
      reduce_q <= reduce;
      if (first_q) verdict_q <= verdict;
      if (first_q) status_q <= verdict == tally_segment_pkg::VerdictDisagrees ? status : tally_pkg::CollOk;
    end
    if (take && in_tlast_i && stored && in_kind_i != tally_segment_pkg::KindResult)
      given_q[in_slot] <= given | bit_of;
  end

  // ---- Pipeline through the ALU, or beside it ----
  typedef struct packed {
    logic last;
    logic stored;
    logic reduce;
    logic sum;       // goes into the sum
    logic result;    // goes into the result
    logic complete;
    logic [2:0] verdict;
    logic [15:0] status;
    logic [15:0] err_vector;
    logic [PlaceW-1:0] place;
    logic [Bytes-1:0] keep;
  } step_t;

  step_t step_d, step_end;
  localparam int unsigned StepW = $bits(step_d);
  logic [Stages*StepW-1:0] step_q;     // the youngest word in the lowest bits
  logic [Stages*Width-1:0] data_q;
  logic [Stages*PlaceW-1:0] place_q;
  logic [Stages-1:0] valid_q, sum_q;
  logic [PlaceW-1:0] place;
  logic [Stages-1:0] same;
  logic hazard, bypass_q, end_valid;
  logic [7:0] op_q, dtype_q;
  logic [Bytes-1:0] keep_q;
  logic reducing_q;
  logic [Width-1:0] sum_read_q, bypassed_q, sum_before, mask, end_data;
  logic [OutcomesW-1:0] outcomes;

  assign place = {in_slot, word_q};
  always_comb begin
    for (int unsigned i = 0; i < Stages; i++) same[i] = valid_q[i] && sum_q[i] && place_q[i*PlaceW+:PlaceW] == place;
  end
  // The word that is written in this cycle is bypassed.
  assign hazard = in_kind_i == tally_segment_pkg::KindReduce && same[Stages-2:0] != '0;
  assign in_tready_o = !hazard && outcomes < OutcomesW'(2);
  assign take = in_tvalid_i && in_tready_o;
  assign idle_o = first_q && valid_q == '0;

  assign step_d.last = in_tlast_i;
  assign step_d.stored = stored;
  assign step_d.reduce = reduce;
  assign step_d.sum = stored && in_kind_i == tally_segment_pkg::KindReduce;
  assign step_d.result = stored && in_kind_i == tally_segment_pkg::KindResult;
  assign step_d.complete = stored && in_tlast_i && complete;
  assign step_d.verdict = first_q ? verdict : verdict_q;
  assign step_d.status = !first_q ? status_q :
                         verdict == tally_segment_pkg::VerdictDisagrees ? status : tally_pkg::CollOk;
  assign step_d.err_vector = in_tlast_i ? in_err_vector_i : '0;
  assign step_d.place = place;
  assign step_d.keep = in_tkeep_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= '0;
    else valid_q <= {valid_q[Stages-2:0], take};
  end

  always_ff @(posedge clk_i) begin
    step_q <= {step_q[(Stages-1)*StepW-1:0], step_d};
    data_q <= {data_q[(Stages-1)*Width-1:0], in_tdata_i};
    place_q <= {place_q[(Stages-1)*PlaceW-1:0], place};
    sum_q <= {sum_q[Stages-2:0], step_d.sum};
    op_q <= in_message_i.op;
    dtype_q <= in_message_i.dtype;
    keep_q <= in_tkeep_i;
    reducing_q <= reduce;
    bypass_q <= same[Stages-1];
    bypassed_q <= end_data;
  end

  assign step_end = step_q[(Stages-1)*StepW+:StepW];
  assign end_valid = valid_q[Stages-1];
  assign sum_before = bypass_q ? bypassed_q : sum_read_q;
  always_comb for (int unsigned k = 0; k < Bytes; k++) mask[8*k+:8] = {8{keep_q[k]}};
  assign alu_valid_o = valid_q[0] && reducing_q;
  assign alu_op_o = op_q;
  assign alu_dtype_o = dtype_q;
  assign alu_a_o = sum_before & mask;
  assign alu_b_o = data_q[Width-1:0] & mask;
  assign end_data = step_end.reduce ? alu_result_i : data_q[(Stages-1)*Width+:Width];

  // ---- Payloads ----
  logic [Width-1:0] sum_mem_q [Slots*Words];
  logic [Width-1:0] result_mem_q [Slots*Words];
  logic [PlaceW-1:0] read_place;
  logic read_go;
  logic [Width-1:0] out_sum_q, out_result_q;

  always_ff @(posedge clk_i) begin
    for (int unsigned k = 0; k < Bytes; k++) begin
      if (end_valid && step_end.sum && step_end.keep[k]) sum_mem_q[step_end.place][8*k+:8] <= end_data[8*k+:8];
      if (end_valid && step_end.result && step_end.keep[k]) result_mem_q[step_end.place][8*k+:8] <= end_data[8*k+:8];
    end
    sum_read_q <= sum_mem_q[place];
    if (read_go) out_sum_q <= sum_mem_q[read_place];
    if (read_go) out_result_q <= result_mem_q[read_place];
  end

  // ---- Outcomes ----
  logic [SlotW-1:0] end_slot;
  logic [15:0] end_err;
  logic outcome_push;

  assign end_slot = step_end.place[WordW+:SlotW];
  assign end_err = (flagged_q[end_slot] ? err_q[end_slot] : '0) | (step_end.reduce ? alu_flags_i : '0) |
                   (step_end.stored ? step_end.err_vector : '0);
  assign outcome_push = end_valid && step_end.last;

  always_ff @(posedge clk_i) if (end_valid && step_end.stored) err_q[end_slot] <= end_err;

  logic [2:0] outcome_verdict;
  assign outcome_verdict_o = tally_segment_pkg::verdict_e'(outcome_verdict);

  tally_fifo #(
    .Width(SlotW + 3 + 16 + 1 + 16),
    .Depth(Outcomes)
  ) u_outcomes (
    .clk_i, .rst_ni,
    .in_valid_i(outcome_push),
    // verilator lint_off PINCONNECTEMPTY
    .in_ready_o(),  // never full: in_tready_o leaves space
    // verilator lint_on PINCONNECTEMPTY
    .in_i({end_slot, step_end.verdict, step_end.status, step_end.complete, end_err}),
    .out_valid_o(outcome_valid_o),
    .out_ready_i(outcome_ready_i),
    .out_o({outcome_slot_o, outcome_verdict, outcome_status_o, outcome_complete_o, outcome_err_vector_o}),
    .used_o(outcomes)
  );

  // ---- States ----
  logic releasing, freeing;

  assign release_ready_o = taken_q[release_slot_i] && !finished_q[release_slot_i] && complete_q[release_slot_i] &&
                           (!expected_q[release_slot_i] || turns_q[release_slot_i] || have_q[release_slot_i]);
  assign releasing = release_valid_i && release_ready_o;
  assign freeing = finished_q[done_slot];  // advance_done() of the model, one slot per clock

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      taken_q <= '0;
      finished_q <= '0;
      done_q <= '0;
    end else if (clear_i) begin
      taken_q <= '0;
      finished_q <= '0;
      done_q <= '0;
    end else begin
      if (opening) taken_q[open_slot] <= 1'b1;
      if (releasing) finished_q[release_slot_i] <= 1'b1;
      if (freeing) begin
        taken_q[done_slot] <= 1'b0;
        finished_q[done_slot] <= 1'b0;
        done_q <= done_q + 1'b1;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (opening) begin
      complete_q[open_slot] <= open_complete;
      turns_q[open_slot] <= open_turns_i;
      expected_q[open_slot] <= open_expected_i;
      touched_q[open_slot] <= 1'b0;
      flagged_q[open_slot] <= 1'b0;
      filled_q[open_slot] <= 1'b0;
      got_q[open_slot] <= 1'b0;
      have_q[open_slot] <= 1'b0;
    end
    if (take && in_tlast_i && stored) begin
      if (in_kind_i == tally_segment_pkg::KindResult) got_q[in_slot] <= 1'b1;
      else touched_q[in_slot] <= 1'b1;
      if (in_kind_i == tally_segment_pkg::KindReduce) filled_q[in_slot] <= 1'b1;
    end
    if (end_valid && step_end.stored) flagged_q[end_slot] <= 1'b1;
    if (end_valid && step_end.complete) complete_q[end_slot] <= 1'b1;
    if (end_valid && step_end.last && step_end.result) have_q[end_slot] <= 1'b1;
  end

  // ---- Reading ----
  logic [WordW-1:0] read_word_q;
  logic [RestW-1:0] read_rest;
  logic [Bytes-1:0] read_keep;
  logic read_last, read_step, out_result_sel_q;

  assign read_rest = end_bytes_q[read_slot_i];
  assign read_last = read_word_q == end_word_q[read_slot_i];
  assign read_step = !out_tvalid_o || out_tready_i;
  assign read_go = read_valid_i && read_step;
  assign read_ready_o = read_step && read_last;
  assign read_place = {read_slot_i, read_word_q};
  always_comb for (int unsigned k = 0; k < Bytes; k++) read_keep[k] = !read_last || RestW'(k) < read_rest;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      out_tvalid_o <= 1'b0;
      read_word_q <= '0;
    end else if (read_step) begin
      out_tvalid_o <= read_valid_i;
      if (read_valid_i) read_word_q <= read_last ? '0 : read_word_q + 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (read_go) begin
      out_tkeep_o <= read_keep;
      out_tlast_o <= read_last;
      out_result_sel_q <= read_result_i && !turns_q[read_slot_i];
    end
  end
  assign out_tdata_o = out_result_sel_q ? out_result_q : out_sum_q;

  // ---- Queries ----
  always_ff @(posedge clk_i) begin
    query_state_o <= finished_q[query_slot_i] ? tally_pkg::SegFinished :
                     taken_q[query_slot_i] ? tally_pkg::SegBusy : tally_pkg::SegFree;
    query_complete_o <= complete_q[query_slot_i];
    query_have_o <= turns_q[query_slot_i] ? complete_q[query_slot_i] : have_q[query_slot_i];
    {query_ranks_o, query_contributors_o} <= plan_q[query_slot_i] &
                                             ~(touched_q[query_slot_i] ? given_q[query_slot_i] : '0);
  end

`ifdef FORMAL
  `include "segment_proof.svh"
`endif
endmodule
