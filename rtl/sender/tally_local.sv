// SPDX-License-Identifier: BSD-2-Clause
// The memory of local ranks: local.c and wr.c of sim/engine. docs/rtl-sender.md has the design, and
// the blocks that are joined here: tally_local_due, _data, _results, _jobs and _fence.
//
// From tally_sender: due_* are ranks whose data for a chunk are due; ref_* is by which request (its
// entry) a rank has posted the chunk of a slot, before any result of that chunk; flag_* is a
// request whose flag word is due since an update. cmd_*: a command to a queue pair; due_* and
// flag_* are not offered beside it. It goes on to tally_status when no access of the queue pair is
// in flight, all ends of its accesses have been told, and no rank that is due, or of a result, is
// without its job. Meanwhile no result leaves its buffer. What a command says does not pass through
// here.
//
// fence_*: FENCE of a group, or (fence_begins_i) that its next epoch begins. In between, its
// results are for nobody, as if its epoch had ended. fenced_*: the answer to FENCE, once none of
// them is being written. One FENCE waits at a time (tally_local_fence).
//
// end_*: what tally_status must know; end_flag_i is as in tally_local_jobs. fault_*: memory has
// refused to be read, which ends the epoch of the group.
//
// row_*, got_*: three readers of tally_sender_rows. sge_*: an entry of a list (of results, if
// sge_result_o) but the first one, answered by sgot_* before the next one is wanted. line_*, inl_*:
// inline data, as in tally_local_data.
//
// acc_*, dat_*, done_*, out_*: accesses to tally_regions, with the number of the job as their tag.
// What comes back is always taken; done_* is the end of a write, or a read that is refused.
//
// res_*: results for ranks, with the number of their slot. hold_i: no result leaves its buffer, as
// a chunk has been posted of which tally_status has not heard, or whose references are not written.
// op_*: operations Data and Taken, each with its words; ans_* are the answers of the store, in
// their order. Up to Asks operations have none yet.
//
// Time: that of the blocks. busy_o is low if nothing happens without an input. cmd_valid_o depends
// on cmd_valid_i and cmd_qp_i, and op_valid_o, while data are inline, on inl_valid_i.
module tally_local #(
  parameter int unsigned Jobs = 24,
  parameter int unsigned Reads = 8,
  parameter int unsigned Asks = 4,
  parameter int unsigned Slots = tally_pkg::MaxSeg,
  parameter int unsigned Qps = tally_pkg::MaxQp,
  parameter int unsigned Entries = tally_pkg::MaxRequests,
  parameter int unsigned Groups = tally_pkg::MaxGroup,
  parameter int unsigned MaxBytes = tally_pkg::MaxMtu,  // of the data of a rank in a chunk
  parameter int unsigned WordBytes = 64,
  localparam int unsigned Readers = 3,
  localparam int unsigned JobW = $clog2(Jobs),
  localparam int unsigned SlotW = $clog2(Slots),
  localparam int unsigned QpW = Qps > 1 ? $clog2(Qps) : 1,
  localparam int unsigned EntryW = $clog2(Entries),
  localparam int unsigned GroupW = Groups > 1 ? $clog2(Groups) : 1,
  localparam int unsigned RankW = $clog2(tally_pkg::MaxRanks),
  localparam int unsigned WordBits = 8 * WordBytes
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,
  output logic                           busy_o,

  input  logic                           due_valid_i,
  output logic                           due_ready_o,
  input  logic [QpW-1:0]                 due_qp_i,
  input  logic [EntryW-1:0]              due_entry_i,
  input  tally_local_pkg::due_t          due_i,
  input  logic                           ref_write_i,
  input  logic [SlotW-1:0]               ref_slot_i,
  input  logic [RankW-1:0]               ref_rank_i,
  input  logic [EntryW-1:0]              ref_entry_i,
  input  logic                           flag_valid_i,
  output logic                           flag_ready_o,
  input  logic [QpW-1:0]                 flag_qp_i,
  input  logic [EntryW-1:0]              flag_entry_i,
  input  logic                           cmd_valid_i,
  output logic                           cmd_ready_o,
  input  logic [QpW-1:0]                 cmd_qp_i,
  output logic                           cmd_valid_o,
  input  logic                           cmd_ready_i,
  input  logic                           fence_valid_i,
  output logic                           fence_ready_o,
  input  logic                           fence_begins_i,
  input  logic [GroupW-1:0]              fence_group_i,
  output logic                           fenced_valid_o,
  input  logic                           fenced_ready_i,
  output logic [GroupW-1:0]              fenced_group_o,

  output logic                           end_valid_o,
  input  logic                           end_ready_i,
  output logic [QpW-1:0]                 end_qp_o,
  output logic [EntryW-1:0]              end_entry_o,
  output tally_sender_pkg::end_t         end_o,
  input  logic                           end_flag_i,
  output logic                           fault_valid_o,
  input  logic                           fault_ready_i,
  output logic [15:0]                    fault_group_o,
  output logic [63:0]                    fault_ranks_o,
  output logic [31:0]                    fault_mid_o,

  output logic [Readers-1:0]             row_valid_o,
  input  logic [Readers-1:0]             row_ready_i,
  output logic [Readers-1:0][EntryW-1:0] row_entry_o,
  input  logic [Readers-1:0]             got_valid_i,
  input  logic [QpW-1:0]                 got_qp_i,
  input  tally_request_pkg::request_t    got_i,
  input  tally_local_pkg::row_t          got_row_i,
  output logic                           sge_valid_o,
  input  logic                           sge_ready_i,
  output logic                           sge_result_o,
  output logic [EntryW-1:0]              sge_entry_o,
  output logic [RankW-1:0]               sge_index_o,
  input  logic                           sgot_valid_i,
  input  tally_local_pkg::entry_t        sgot_i,
  output logic                           line_valid_o,
  input  logic                           line_ready_i,
  output logic [EntryW-1:0]              line_entry_o,
  output logic [12:0]                    line_from_o,
  output logic [12:0]                    line_len_o,
  input  logic                           inl_valid_i,
  output logic                           inl_ready_o,
  input  logic [WordBits-1:0]            inl_data_i,

  output logic                           acc_valid_o,
  input  logic                           acc_ready_i,
  output tally_local_pkg::access_t       acc_o,
  output logic [JobW-1:0]                acc_job_o,
  output logic                           dat_valid_o,
  input  logic                           dat_ready_i,
  output logic [WordBits-1:0]            dat_o,
  input  logic                           done_valid_i,
  input  logic [JobW-1:0]                done_job_i,
  input  logic                           done_failed_i,
  input  logic                           out_valid_i,
  input  logic [WordBits-1:0]            out_data_i,
  input  logic                           out_last_i,
  input  logic [JobW-1:0]                out_job_i,
  input  logic                           out_error_i,

  input  logic                           hold_i,
  input  logic                           res_tvalid_i,
  output logic                           res_tready_o,
  input  logic [WordBits-1:0]            res_tdata_i,
  input  logic                           res_tlast_i,
  input  tally_store_pkg::result_t       res_i,
  input  logic [SlotW-1:0]               res_slot_i,
  output logic                           op_valid_o,
  input  logic                           op_ready_i,
  output tally_store_pkg::operation_t    op_o,
  output logic [WordBits-1:0]            op_tdata_o,
  output logic [WordBytes-1:0]           op_tkeep_o,
  output logic                           op_tlast_o,
  input  logic                           ans_valid_i,
  input  logic [7:0]                     ans_answer_i,      // tally_fw_pkg::store_answer_e
  input  logic [15:0]                    ans_err_vector_i
);
  // Readers of rows.
  localparam int unsigned OfJobs = 0;
  localparam int unsigned OfDue = 1;
  localparam int unsigned OfResults = 2;

  logic jobs_busy, due_busy, data_busy, results_busy, fence_busy, results_within;

  // ---- Whose job begins next: of those that can, data and results in turn ----
  typedef enum logic [1:0] {
    FromDue = 2'd0,
    FromResults = 2'd1,
    FromFlags = 2'd2
  } from_e;
  from_e from;
  logic new_valid, new_ready, due_new, results_new, room_reads, room_writes, due_next_q;
  logic due_wants, due_begins, results_wants, results_begins, begins;
  logic [QpW-1:0] new_qp, due_qp, results_qp;
  logic [EntryW-1:0] new_entry, due_entry, results_entry;
  tally_local_pkg::job_t new_job, due_job, results_job;
  tally_local_pkg::access_t new_access, due_access, results_access;
  logic [JobW-1:0] job;

  assign due_wants = due_new && room_reads;
  assign results_wants = results_new && room_writes;
  assign new_valid = flag_valid_i || due_wants || results_wants;
  assign begins = new_valid && new_ready;
  always_comb begin
    from = FromResults;
    if (flag_valid_i) from = FromFlags;
    else if (due_wants && (due_next_q || !results_wants)) from = FromDue;
  end
  assign due_begins = begins && from == FromDue;
  assign results_begins = begins && from == FromResults;
  assign flag_ready_o = begins && from == FromFlags;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) due_next_q <= 1'b0;
    else if (due_begins || results_begins) due_next_q <= results_begins;
  end
  always_comb begin
    new_qp = flag_qp_i;
    new_entry = flag_entry_i;
    new_job = '0;
    new_job.kind = tally_local_pkg::JobFlag;
    new_access = '0;
    new_access.none = 1'b1;
    unique case (from)
      FromDue: begin
        new_qp = due_qp;
        new_entry = due_entry;
        new_job = due_job;
        new_access = due_access;
      end
      FromResults: begin
        new_qp = results_qp;
        new_entry = results_entry;
        new_job = results_job;
        new_access = results_access;
      end
      default: ;  // FromFlags
    endcase
  end

  // ---- Commands ----
  // The queue pair has been asked for a clock before.
  logic quiet, asked_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) asked_q <= 1'b0;
    else asked_q <= cmd_valid_i && !cmd_ready_o;
  end
  assign cmd_valid_o = cmd_valid_i && asked_q && quiet && !results_within && !due_busy;
  assign cmd_ready_o = cmd_valid_o && cmd_ready_i;

  // ---- Groups whose results are not written any more ----
  logic jobs_written, looks, shut, written;
  logic [15:0] look_group, within_group;
  assign written = jobs_written && !(results_within &&
                                     within_group[GroupW-1:0] == fenced_group_o);
  tally_local_fence #(.Groups(Groups)) u_fence (
    .clk_i, .rst_ni, .busy_o(fence_busy),
    .cmd_valid_i(fence_valid_i), .cmd_ready_o(fence_ready_o), .cmd_begins_i(fence_begins_i),
    .cmd_group_i(fence_group_i), .look_i(looks), .look_group_i(look_group[GroupW-1:0]),
    .shut_o(shut), .quiet_i(written), .fenced_valid_o, .fenced_ready_i, .fenced_group_o
  );

  // ---- Jobs ----
  logic word_valid, word_ready, gave_valid, take_valid, take_ready;
  logic [WordBits-1:0] word;
  logic [JobW-1:0] gave_job;
  tally_local_pkg::gave_e gave;
  logic [15:0] gave_err_vector, take_group;
  logic [31:0] take_num;
  logic [5:0] take_rank;

  tally_local_jobs #(
    .Jobs(Jobs), .Reads(Reads), .Qps(Qps), .Entries(Entries), .Groups(Groups),
    .WordBytes(WordBytes)
  ) u_jobs (
    .clk_i, .rst_ni, .busy_o(jobs_busy),
    .new_valid_i(new_valid), .new_ready_o(new_ready), .new_qp_i(new_qp), .new_entry_i(new_entry),
    .new_i(new_job), .access_i(new_access), .job_o(job), .room_reads_o(room_reads),
    .room_writes_o(room_writes), .any_o(any_job), .word_valid_i(word_valid),
    .word_ready_o(word_ready), .word_i(word), .acc_valid_o, .acc_ready_i, .acc_o, .acc_job_o,
    .dat_valid_o, .dat_ready_i, .dat_o, .done_valid_i, .done_job_i, .done_failed_i,
    .gave_valid_i(gave_valid), .gave_job_i(gave_job), .gave_i(gave),
    .gave_err_vector_i(gave_err_vector),
    .end_valid_o, .end_ready_i, .end_qp_o, .end_entry_o, .end_o, .end_flag_i,
    .take_valid_o(take_valid), .take_ready_i(take_ready), .take_group_o(take_group),
    .take_num_o(take_num), .take_rank_o(take_rank),
    .fault_valid_o, .fault_ready_i, .fault_group_o, .fault_ranks_o, .fault_mid_o,
    .row_valid_o(row_valid_o[OfJobs]), .row_ready_i(row_ready_i[OfJobs]),
    .row_entry_o(row_entry_o[OfJobs]), .got_valid_i(got_valid_i[OfJobs]), .got_i, .got_row_i,
    .quiet_qp_i(cmd_qp_i), .quiet_o(quiet),
    .written_group_i(fenced_group_o), .written_o(jobs_written)
  );

  // ---- Data ----
  logic due_sge_valid, due_sge_ready, due_sgot;
  logic note_ready, data_valid, data_ready, data_last, data_answered;
  logic [EntryW-1:0] due_sge_entry;
  logic [RankW-1:0] due_sge_index;
  tally_local_pkg::chunk_t note;
  logic any_job, may_ask_q, note_asked, early_valid, line_valid;
  logic [EntryW-1:0] line_entry;
  logic [12:0] early_from, early_len, line_from, line_len;
  tally_store_pkg::operation_t data_op;
  logic [WordBits-1:0] data_word;
  logic [WordBytes-1:0] data_keep;

  tally_local_due #(.Qps(Qps), .Entries(Entries)) u_due (
    .clk_i, .rst_ni, .busy_o(due_busy),
    .due_valid_i, .due_ready_o, .due_qp_i, .due_entry_i, .due_i,
    .row_valid_o(row_valid_o[OfDue]), .row_ready_i(row_ready_i[OfDue]),
    .row_entry_o(row_entry_o[OfDue]), .got_valid_i(got_valid_i[OfDue]), .got_i, .got_row_i,
    .sge_valid_o(due_sge_valid), .sge_ready_i(due_sge_ready), .sge_entry_o(due_sge_entry),
    .sge_index_o(due_sge_index), .sgot_valid_i(due_sgot), .sgot_i,
    .new_valid_o(due_new), .new_ready_i(due_begins), .new_qp_o(due_qp), .new_entry_o(due_entry),
    .new_o(due_job), .access_o(due_access), .note_ready_i(note_ready), .note_o(note),
    .note_asked_o(note_asked), .may_ask_i(may_ask_q), .line_valid_o(early_valid), .line_ready_i,
    .line_from_o(early_from), .line_len_o(early_len)
  );
  // What is wanted early is wanted while no data are inside, so u_data wants nothing then. Nor do
  // other jobs make its own one wait, but such as begin meanwhile.
  always_ff @(posedge clk_i) may_ask_q <= !any_job && !data_busy;
  assign line_valid_o = early_valid || line_valid;
  assign line_entry_o = early_valid ? due_entry : line_entry;
  assign line_from_o = early_valid ? early_from : line_from;
  assign line_len_o = early_valid ? early_len : line_len;
  tally_local_data #(
    .Jobs(Jobs), .Reads(Reads), .Asks(Asks), .Entries(Entries), .MaxBytes(MaxBytes),
    .WordBytes(WordBytes)
  ) u_data (
    .clk_i, .rst_ni, .busy_o(data_busy),
    .note_valid_i(due_begins), .note_ready_o(note_ready), .note_job_i(job),
    .note_none_i(due_access.none), .note_asked_i(note_asked), .note_entry_i(due_entry),
    .note_i(note),
    .out_valid_i, .out_data_i, .out_last_i, .out_job_i, .out_error_i,
    .line_valid_o(line_valid), .line_ready_i, .line_entry_o(line_entry),
    .line_from_o(line_from), .line_len_o(line_len), .inl_valid_i, .inl_ready_o, .inl_data_i,
    .op_valid_o(data_valid), .op_ready_i(data_ready), .op_o(data_op), .op_tdata_o(data_word),
    .op_tkeep_o(data_keep), .op_tlast_o(data_last), .ans_valid_i(data_answered), .ans_answer_i,
    .ans_err_vector_i,
    .gave_valid_o(gave_valid), .gave_job_o(gave_job), .gave_o(gave),
    .gave_err_vector_o(gave_err_vector)
  );

  // ---- Results ----
  logic ref_valid, rgot_q, results_sge_valid, results_sge_ready, results_sgot;
  logic [SlotW-1:0] ref_slot;
  logic [RankW-1:0] ref_rank, results_sge_index;
  logic [EntryW-1:0] ref_q, results_sge_entry;
  logic [EntryW-1:0] ref_mem_q [Slots * tally_pkg::MaxRanks];

  tally_local_results #(
    .Slots(Slots), .Qps(Qps), .Entries(Entries), .MaxBytes(MaxBytes), .WordBytes(WordBytes)
  ) u_results (
    .clk_i, .rst_ni, .busy_o(results_busy), .hold_i(cmd_valid_i || hold_i),
    .within_o(results_within), .within_group_o(within_group), .look_o(looks),
    .look_group_o(look_group), .shut_i(shut),
    .res_tvalid_i, .res_tready_o, .res_tdata_i, .res_tlast_i, .res_i, .res_slot_i,
    .ref_valid_o(ref_valid), .ref_ready_i(1'b1), .ref_slot_o(ref_slot), .ref_rank_o(ref_rank),
    .rgot_valid_i(rgot_q), .rgot_entry_i(ref_q),
    .row_valid_o(row_valid_o[OfResults]), .row_ready_i(row_ready_i[OfResults]),
    .row_entry_o(row_entry_o[OfResults]), .got_valid_i(got_valid_i[OfResults]), .got_qp_i, .got_i,
    .got_row_i,
    .sge_valid_o(results_sge_valid), .sge_ready_i(results_sge_ready),
    .sge_entry_o(results_sge_entry), .sge_index_o(results_sge_index),
    .sgot_valid_i(results_sgot), .sgot_i,
    .new_valid_o(results_new), .new_ready_i(results_begins), .new_qp_o(results_qp),
    .new_entry_o(results_entry), .new_o(results_job), .access_o(results_access),
    .word_valid_o(word_valid), .word_ready_i(word_ready), .word_o(word)
  );
  always_ff @(posedge clk_i) begin
    ref_q <= ref_mem_q[{ref_slot, ref_rank}];
    if (ref_write_i) ref_mem_q[{ref_slot_i, ref_rank_i}] <= ref_entry_i;
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) rgot_q <= 1'b0;
    else rgot_q <= ref_valid;
  end

  // ---- Entries of lists, one after the other ----
  logic sge_of_results, sge_of_results_q, sge_waits_q, sge_wanted, sge_taken;
  logic [1:0] sge_valid, sge_ready;

  assign sge_valid = {results_sge_valid, due_sge_valid};
  tally_rr_arbiter #(.Num(2)) u_sge (
    .clk_i, .rst_ni, .request_valid_i(sge_valid), .request_ready_o(sge_ready),
    .grant_valid_o(sge_wanted), .grant_ready_i(sge_taken), .grant_o(sge_of_results)
  );
  assign {results_sge_ready, due_sge_ready} = sge_ready;
  assign sge_valid_o = sge_wanted && !sge_waits_q;
  assign sge_taken = sge_ready_i && !sge_waits_q;
  assign sge_result_o = sge_of_results;
  assign sge_entry_o = sge_of_results ? results_sge_entry : due_sge_entry;
  assign sge_index_o = sge_of_results ? results_sge_index : due_sge_index;
  assign due_sgot = sgot_valid_i && !sge_of_results_q;
  assign results_sgot = sgot_valid_i && sge_of_results_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) sge_waits_q <= 1'b0;
    else sge_waits_q <= sge_waits_q ? !sgot_valid_i : sge_wanted && sge_taken;
  end
  always_ff @(posedge clk_i) if (!sge_waits_q) sge_of_results_q <= sge_of_results;

  // ---- Operations of the store ----
  tally_segment_pkg::message_t taken_message;
  tally_store_pkg::operation_t taken_op;
  logic of_data, of_data_q, amid_q, data_next_q, ends_op, asks_room, asks_valid, of_answer;
  logic [$clog2(Asks+1)-1:0] asks_used;

  always_comb begin
    taken_message = '0;
    taken_message.mode = 8'(tally_pkg::ModeTree);
    taken_message.num = take_num;
    taken_op = '0;
    taken_op.op = 8'(tally_fw_pkg::StoreOpTaken);
    taken_op.group_ = take_group;
    taken_op.message = taken_message;
    taken_op.edge_ = 8'(take_rank);
    taken_op.rank = 1'b1;
  end
  assign of_data = amid_q ? of_data_q : data_valid && (!take_valid || data_next_q);
  assign op_valid_o = asks_room && (of_data ? data_valid : take_valid);
  assign data_ready = of_data && asks_room && op_ready_i;
  assign take_ready = !of_data && asks_room && op_ready_i;
  always_comb begin
    op_o = taken_op;
    op_tdata_o = '0;
    op_tkeep_o = '0;
    op_tlast_o = 1'b1;
    if (of_data) begin
      op_o = data_op;
      op_tdata_o = data_word;
      op_tkeep_o = data_keep;
      op_tlast_o = data_last;
    end
  end
  assign ends_op = op_valid_o && op_ready_i && op_tlast_o;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      amid_q <= 1'b0;
      data_next_q <= 1'b0;
    end else begin
      amid_q <= op_valid_o && !ends_op;
      if (ends_op) data_next_q <= !of_data;
    end
  end
  always_ff @(posedge clk_i) of_data_q <= of_data;

  // Whose operations have no answer, in their order.
  tally_fifo #(.Width(1), .Depth(Asks)) u_asks (
    .clk_i, .rst_ni, .in_valid_i(ends_op), .in_ready_o(asks_room), .in_i(of_data),
    .out_valid_o(asks_valid), .out_ready_i(ans_valid_i), .out_o(of_answer), .used_o(asks_used)
  );
  assign data_answered = ans_valid_i && of_answer;

  assign busy_o = jobs_busy || due_busy || data_busy || results_busy || fence_busy;
  logic unused;
  assign unused = ^{look_group, within_group, asks_valid, asks_used};

`ifdef FORMAL
  `include "local_proof.svh"
`endif
endmodule
