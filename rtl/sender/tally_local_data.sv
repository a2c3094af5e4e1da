// SPDX-License-Identifier: BSD-2-Clause
// The data of local ranks, from the memory of the process or from the request itself to the store:
// engine_read_done() and slot_contribute() of sim/engine.
//
// note_*: a job to give data has begun (tally_local_due), with what its operation needs. It has no
// access (note_none_i) if there are no bytes, or if the data are in the request. Its line has been
// wanted already if note_asked_i; then no other job is inside.
//
// out_*: answers of tally_regions. There is room for as many as tally_local_jobs lets begin, so
// they are always taken. An answer leaves as an operation when it is complete, in the order of the
// answers. line_*: inline data of a request are wanted, line_len_o bytes from byte line_from_o on.
// They come at inl_*, one word in each clock from the first one on, unless inl_ready_o is low. What
// was wanted before the job began may be there already.
// Values of LOC_VALUES become pairs here (tally_local_pairs).
//
// op_*: operations Data, whose words follow each other without a pause. ans_*: the answers of the
// store, in the order of the operations, each after the last word of its own. Up to Asks operations
// have no answer yet. gave_*: what has become of the data of a job.
//
// Time: an operation is offered three clocks after the last word of its answer, and two clocks
// after the last word of the operation before. A job without an access begins at once if nothing
// else enters the store: inline data are wanted in the clock after note_*, or offered in that clock
// if they are there. busy_o is low if nothing happens without an input.
module tally_local_data #(
  parameter int unsigned Jobs = 24,
  parameter int unsigned Reads = 8,      // answers that there is room for, a power of two
  parameter int unsigned Asks = 4,       // operations that the store has not answered
  parameter int unsigned Entries = tally_pkg::MaxRequests,
  parameter int unsigned MaxBytes = tally_pkg::MaxMtu,  // of an answer
  parameter int unsigned WordBytes = 64,
  localparam int unsigned JobW = $clog2(Jobs),
  localparam int unsigned EntryW = $clog2(Entries),
  localparam int unsigned WordBits = 8 * WordBytes
) (
  input  logic                          clk_i,
  input  logic                          rst_ni,
  output logic                          busy_o,

  input  logic                          note_valid_i,
  output logic                          note_ready_o,
  input  logic [JobW-1:0]               note_job_i,
  input  logic                          note_none_i,
  input  logic                          note_asked_i,
  input  logic [EntryW-1:0]             note_entry_i,
  input  tally_local_pkg::chunk_t       note_i,

  input  logic                          out_valid_i,
  input  logic [WordBits-1:0]           out_data_i,
  input  logic                          out_last_i,
  input  logic [JobW-1:0]               out_job_i,
  input  logic                          out_error_i,

  output logic                          line_valid_o,
  input  logic                          line_ready_i,
  output logic [EntryW-1:0]             line_entry_o,
  output logic [12:0]                   line_from_o,
  output logic [12:0]                   line_len_o,
  input  logic                          inl_valid_i,
  output logic                          inl_ready_o,
  input  logic [WordBits-1:0]           inl_data_i,

  output logic                          op_valid_o,
  input  logic                          op_ready_i,
  output tally_store_pkg::operation_t   op_o,
  output logic [WordBits-1:0]           op_tdata_o,
  output logic [WordBytes-1:0]          op_tkeep_o,
  output logic                          op_tlast_o,
  input  logic                          ans_valid_i,
  input  logic [7:0]                    ans_answer_i,      // tally_fw_pkg::store_answer_e
  input  logic [15:0]                   ans_err_vector_i,

  output logic                          gave_valid_o,
  output logic [JobW-1:0]               gave_job_o,
  output tally_local_pkg::gave_e        gave_o,
  output logic [15:0]                   gave_err_vector_o
);
  localparam int unsigned Words = MaxBytes / WordBytes;
  localparam int unsigned LaneW = $clog2(WordBytes);
  localparam int unsigned WordsW = 13 - LaneW + 1;
  localparam int unsigned ChunkW = EntryW + 344;
  localparam int unsigned RowW = 2 + WordsW + ChunkW;

  typedef enum logic [1:0] {
    OpIdle,
    OpLine,    // inline data are wanted
    OpWords
  } op_state_e;
  op_state_e op_q, op_d;

  // ---- Whose data are complete, in their order ----
  //
  // What follows from the number of bytes is kept with a job, as its words are to leave at once.
  logic [RowW-1:0] row_mem_q [Jobs];
  logic [RowW-1:0] note_row, row;
  logic [RowW-2:0] row_q;
  logic [WordsW-1:0] note_words, words;
  logic [13:0] rounded;
  logic note_empty, empty, is_single, last_q;
  logic [EntryW-1:0] entry;
  tally_local_pkg::chunk_t chunk;
  logic note_q, answered, order_adds, order_valid, order_pops, of_memory, begins, passes, rests;
  logic unused_room;
  logic [JobW-1:0] note_job_q, job;
  logic [JobW:0] order_add, order;
  logic [$clog2(Jobs+1)-1:0] order_used;

  assign note_empty = note_i.len == '0;
  assign rounded = 14'(note_i.bytes) + 14'(WordBytes - 1);
  assign note_words = note_empty ? WordsW'(1) : WordsW'(rounded >> LaneW);
  assign note_row = {note_words == WordsW'(1), note_empty, note_words, note_entry_i, note_i};
  assign row = order_valid ? row_mem_q[job] : note_row;
  assign is_single = row[RowW-1];
  assign {empty, words, entry, chunk} = row_q;
  assign begins = note_valid_i && note_ready_o;

  // A job without an access needs no queue if none is before it. Otherwise it waits here while an
  // answer enters the queue.
  assign rests = op_q == OpIdle && asks_room;
  assign passes = rests && !order_valid && begins && note_none_i;
  assign answered = out_valid_i && out_last_i && !out_error_i;
  assign order_adds = answered || note_q;
  assign order_add = answered ? {1'b1, out_job_i} : {1'b0, note_job_q};
  assign note_ready_o = !note_q;
  tally_fifo #(.Width(JobW + 1), .Depth(Jobs)) u_order (
    .clk_i, .rst_ni, .in_valid_i(order_adds), .in_ready_o(unused_room), .in_i(order_add),
    .out_valid_o(order_valid), .out_ready_i(order_pops), .out_o(order), .used_o(order_used)
  );
  assign {of_memory, job} = order;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) note_q <= 1'b0;
    else note_q <= note_q ? answered : begins && note_none_i && !passes;
  end
  always_ff @(posedge clk_i) begin
    if (begins) row_mem_q[note_job_i] <= note_row;
    if (!note_q) note_job_q <= note_job_i;
  end

  // ---- Operations ----
  logic [WordsW-1:0] word_q;
  logic is_memory_q, mem_valid, mem_ready, moves, enters, refused, keeps, ends;
  logic [WordBits-1:0] mem_data;
  logic [JobW-1:0] at_q;
  logic [$clog2(Reads*Words+1)-1:0] unused_words;

  assign ends = out_valid_i && out_last_i;
  assign keeps = !out_error_i;
  tally_packet_fifo #(.Width(WordBits), .Depth(Reads * Words)) u_answers (
    .clk_i, .rst_ni, .in_valid_i(out_valid_i), .in_i(out_data_i), .end_i(ends), .keep_i(keeps),
    .room_o(unused_words), .out_valid_o(mem_valid), .out_ready_i(mem_ready), .out_o(mem_data)
  );

  // ---- Their words, which may be values ----
  logic pairs_start, pairs_go, word_ready;
  logic [WordBits-1:0] word;
  assign pairs_start = op_q == OpIdle;
  assign pairs_go = op_q == OpWords && op_ready_i;
  assign word = is_memory_q ? mem_data : inl_data_i;
  tally_local_pairs #(.WordBytes(WordBytes)) u_pairs (
    .clk_i, .rst_ni, .start_i(pairs_start), .values_i(chunk.values), .size_log_i(chunk.give_log),
    .index_i(chunk.index), .in_valid_i(op_valid_o), .in_ready_o(word_ready), .in_data_i(word),
    .out_ready_i(pairs_go), .out_last_i(op_tlast_o), .out_data_o(op_tdata_o)
  );

  assign moves = op_valid_o && op_ready_i;
  assign enters = moves && op_tlast_o;

  always_comb begin
    op_d = op_q;
    unique case (op_q)
      OpIdle: begin
        if (rests && order_valid) op_d = of_memory ? OpWords : OpLine;
        else if (passes) op_d = note_asked_i || note_empty ? OpWords : OpLine;
      end
      OpLine: if (empty || line_ready_i) op_d = OpWords;
      default: if (enters) op_d = OpIdle;  // OpWords
    endcase
  end
  assign order_pops = rests;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) op_q <= OpIdle;
    else op_q <= op_d;
  end
  always_ff @(posedge clk_i) begin
    if (op_q == OpIdle) begin
      row_q <= row[RowW-2:0];
      is_memory_q <= of_memory && order_valid;
      at_q <= order_valid ? job : note_job_i;
      word_q <= '0;
      last_q <= is_single;
    end else if (moves) begin
      word_q <= word_q + 1'b1;
      last_q <= word_q + WordsW'(2) == words;
    end
  end

  assign line_valid_o = op_q == OpLine && !empty;
  assign line_entry_o = entry;
  assign line_from_o = chunk.from;
  assign line_len_o = chunk.len;
  assign mem_ready = is_memory_q && word_ready;
  assign inl_ready_o = !is_memory_q && !empty && word_ready;
  assign op_valid_o = op_q == OpWords && (is_memory_q ? mem_valid : empty || inl_valid_i);
  assign op_tlast_o = last_q;
  always_comb begin
    op_tkeep_o = {WordBytes{1'b1}};
    if (empty) op_tkeep_o = '0;
    else if (op_tlast_o) op_tkeep_o = {WordBytes{1'b1}} >> (LaneW'(0) - chunk.bytes[LaneW-1:0]);
    op_o = '0;
    op_o.op = 8'(tally_fw_pkg::StoreOpData);
    op_o.group_ = chunk.group_;
    op_o.message = chunk.message;
    op_o.bytes = 16'(chunk.bytes);
    op_o.edge_ = 8'(chunk.rank);
    op_o.rank = 1'b1;
  end

  // ---- What has become of them ----
  //
  // Answers wait while a refusal is told. There is room for as many as operations without one. A
  // refusal is told a clock later.
  logic asks_room, asks_valid, given_room, given_valid, given_pops, lost;
  logic [$clog2(Asks+1)-1:0] asks_used, given_used;
  logic [JobW-1:0] given_job;
  logic given_lost, refused_q;
  logic [JobW-1:0] refused_job_q;

  assign refused = ends && out_error_i;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) refused_q <= 1'b0;
    else refused_q <= refused;
  end
  always_ff @(posedge clk_i) refused_job_q <= out_job_i;
  assign given_pops = given_valid && !refused_q;
  tally_fifo #(.Width(JobW), .Depth(Asks)) u_asks (
    .clk_i, .rst_ni, .in_valid_i(enters), .in_ready_o(asks_room), .in_i(at_q),
    .out_valid_o(asks_valid), .out_ready_i(given_pops), .out_o(given_job), .used_o(asks_used)
  );
  assign lost = ans_answer_i != 8'(tally_fw_pkg::StoreAnswerStored) &&
                ans_answer_i != 8'(tally_fw_pkg::StoreAnswerDuplicate);
  tally_fifo #(.Width(17), .Depth(Asks)) u_given (
    .clk_i, .rst_ni, .in_valid_i(ans_valid_i), .in_ready_o(given_room),
    .in_i({lost, ans_err_vector_i}), .out_valid_o(given_valid), .out_ready_i(given_pops),
    .out_o({given_lost, gave_err_vector_o}), .used_o(given_used)
  );
  assign gave_valid_o = refused_q || given_valid;
  assign gave_job_o = refused_q ? refused_job_q : given_job;
  assign gave_o = refused_q ? tally_local_pkg::GaveRefused :
                  given_lost ? tally_local_pkg::GaveLost : tally_local_pkg::GaveStored;

  assign busy_o = note_q || order_valid || op_q != OpIdle || asks_valid ||
                  refused_q;
  logic unused;
  assign unused = ^{unused_room, order_used, unused_words, rounded, given_room, asks_used,
                    given_used};

`ifdef FORMAL
  `include "local_data_proof.svh"
`endif
endmodule
