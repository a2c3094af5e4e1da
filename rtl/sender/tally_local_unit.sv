// SPDX-License-Identifier: BSD-2-Clause
// The local ranks in the NIC: tally_local, with inline data and lists of requests
// (tally_sender_lines, tally_local_inline).
//
// begin_i, data_*, entry_* are the ports of tally_requests, keep_* and free_* those of
// tally_status_unit: what becomes of the line of a request. gather_o, result_o: the first entry of
// each list, for its row. far_*: what is wanted of a request without a line, and the answer to it.
// All others are those of tally_local, with tally_regions as it is: tags have the number of a job.
// desc_*: tally_trigger_unit wants flag words to be written, and inline data, like tally_local
// itself. Its flag words do not wait for a command, which waits for it. Results of descriptors do
// not count for fence_*, as in the model.
//
// busy_o is low if nothing happens without an input.
module tally_local_unit #(
  parameter int unsigned Slots = tally_pkg::MaxSeg,
  parameter int unsigned Qps = tally_pkg::MaxQp,
  parameter int unsigned Entries = tally_pkg::MaxRequests,
  parameter int unsigned Groups = tally_pkg::MaxGroup,
  parameter int unsigned Lines = 384,
  localparam int unsigned Jobs = 24,
  localparam int unsigned Readers = 3,
  localparam int unsigned JobW = $clog2(Jobs),
  localparam int unsigned SlotW = $clog2(Slots),
  localparam int unsigned QpW = Qps > 1 ? $clog2(Qps) : 1,
  localparam int unsigned EntryW = $clog2(Entries),
  localparam int unsigned GroupW = Groups > 1 ? $clog2(Groups) : 1,
  localparam int unsigned RankW = $clog2(tally_pkg::MaxRanks),
  localparam int unsigned IndexW = $clog2(tally_pkg::MaxSge),
  localparam int unsigned WordW = $clog2(tally_pkg::MaxInline / 64)
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,
  output logic                           busy_o,

  input  logic                           begin_i,
  input  logic                           data_valid_i,
  input  logic [WordW-1:0]               data_index_i,
  input  logic [511:0]                   data_i,
  input  logic                           entry_valid_i,
  input  logic                           entry_result_i,
  input  logic [IndexW-1:0]              entry_index_i,
  input  tally_local_pkg::entry_t        entry_i,
  output tally_local_pkg::entry_t        gather_o,
  output tally_local_pkg::entry_t        result_o,
  input  logic                           keep_valid_i,
  input  logic [EntryW-1:0]              keep_entry_i,
  input  logic                           free_valid_i,
  input  logic [EntryW-1:0]              free_entry_i,

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
  input  logic                           desc_flag_valid_i,
  output logic                           desc_flag_ready_o,
  input  logic [QpW-1:0]                 desc_flag_qp_i,
  input  logic [EntryW-1:0]              desc_flag_entry_i,
  input  logic                           desc_line_valid_i,
  output logic                           desc_line_ready_o,
  input  logic [EntryW-1:0]              desc_line_entry_i,
  input  logic [12:0]                    desc_line_from_i,
  input  logic [12:0]                    desc_line_len_i,
  output logic                           desc_inl_valid_o,
  input  logic                           desc_inl_ready_i,
  output logic [511:0]                   desc_inl_data_o,
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
  output logic                           far_sge_valid_o,
  input  logic                           far_sge_ready_i,
  output logic                           far_sge_result_o,
  output logic [EntryW-1:0]              far_sge_entry_o,
  output logic [IndexW-1:0]              far_sge_index_o,
  input  logic                           far_sgot_valid_i,
  input  tally_local_pkg::entry_t        far_sgot_i,
  output logic                           far_read_valid_o,
  input  logic                           far_read_ready_i,
  output logic [EntryW-1:0]              far_read_entry_o,
  output logic [WordW:0]                 far_read_first_o,
  output logic [WordW+1:0]               far_read_words_o,
  input  logic                           far_word_valid_i,
  output logic                           far_word_ready_o,
  input  logic [511:0]                   far_word_i,

  output logic                           acc_valid_o,
  input  logic                           acc_ready_i,
  output tally_local_pkg::access_t       acc_o,
  output logic [JobW-1:0]                acc_job_o,
  output logic                           dat_valid_o,
  input  logic                           dat_ready_i,
  output logic [511:0]                   dat_o,
  input  logic                           done_valid_i,
  input  logic [JobW-1:0]                done_job_i,
  input  logic                           done_failed_i,
  input  logic                           out_valid_i,
  input  logic [511:0]                   out_data_i,
  input  logic                           out_last_i,
  input  logic [JobW-1:0]                out_job_i,
  input  logic                           out_error_i,

  input  logic                           hold_i,
  input  logic                           res_tvalid_i,
  output logic                           res_tready_o,
  input  logic [511:0]                   res_tdata_i,
  input  logic                           res_tlast_i,
  input  tally_store_pkg::result_t       res_i,
  input  logic [SlotW-1:0]               res_slot_i,
  output logic                           op_valid_o,
  input  logic                           op_ready_i,
  output tally_store_pkg::operation_t    op_o,
  output logic [511:0]                   op_tdata_o,
  output logic [63:0]                    op_tkeep_o,
  output logic                           op_tlast_o,
  input  logic                           ans_valid_i,
  input  logic [7:0]                     ans_answer_i,
  input  logic [15:0]                    ans_err_vector_i
);
  logic local_busy, inline_busy, lines_busy, due_ready;
  logic sge_valid, sge_ready, sge_result, sgot_valid;
  logic [EntryW-1:0] sge_entry, line_entry, read_entry;
  logic [RankW-1:0] sge_index;
  tally_local_pkg::entry_t sgot;
  logic line_valid, line_ready, inl_valid, inl_ready, read_valid, read_ready;
  logic word_valid, word_ready;
  logic [12:0] line_from, line_len;
  logic [511:0] word;
  logic [WordW:0] read_first;
  logic [WordW+1:0] read_words;

  // ---- Flag words: of the sender, and of descriptors ----
  logic any_flag, flag_ready, flag_of_desc;
  logic [1:0] flags_ready;
  tally_rr_arbiter #(.Num(2)) u_flags (
    .clk_i, .rst_ni, .request_valid_i({desc_flag_valid_i, flag_valid_i && !cmd_valid_i}),
    .request_ready_o(flags_ready), .grant_valid_o(any_flag), .grant_ready_i(flag_ready),
    .grant_o(flag_of_desc)
  );
  assign {desc_flag_ready_o, flag_ready_o} = flags_ready;

  // A command begins when nothing else of the sender is offered.
  tally_local #(
    .Jobs(Jobs), .Slots(Slots), .Qps(Qps), .Entries(Entries), .Groups(Groups)
  ) u_local (
    .clk_i, .rst_ni, .busy_o(local_busy),
    .due_valid_i(due_valid_i && !cmd_valid_i), .due_ready_o(due_ready), .due_qp_i, .due_entry_i,
    .due_i, .ref_write_i, .ref_slot_i, .ref_rank_i, .ref_entry_i,
    .flag_valid_i(any_flag), .flag_ready_o(flag_ready),
    .flag_qp_i(flag_of_desc ? desc_flag_qp_i : flag_qp_i),
    .flag_entry_i(flag_of_desc ? desc_flag_entry_i : flag_entry_i),
    .cmd_valid_i, .cmd_ready_o, .cmd_qp_i, .cmd_valid_o, .cmd_ready_i,
    .fence_valid_i, .fence_ready_o, .fence_begins_i, .fence_group_i, .fenced_valid_o,
    .fenced_ready_i, .fenced_group_o,
    .end_valid_o, .end_ready_i, .end_qp_o, .end_entry_o, .end_o, .end_flag_i,
    .fault_valid_o, .fault_ready_i, .fault_group_o, .fault_ranks_o, .fault_mid_o,
    .row_valid_o, .row_ready_i, .row_entry_o, .got_valid_i, .got_qp_i, .got_i, .got_row_i,
    .sge_valid_o(sge_valid), .sge_ready_i(sge_ready), .sge_result_o(sge_result),
    .sge_entry_o(sge_entry), .sge_index_o(sge_index), .sgot_valid_i(sgot_valid), .sgot_i(sgot),
    .line_valid_o(line_valid), .line_ready_i(line_ready), .line_entry_o(line_entry),
    .line_from_o(line_from), .line_len_o(line_len), .inl_valid_i(inl_valid),
    .inl_ready_o(inl_ready), .inl_data_i(desc_inl_data_o),
    .acc_valid_o, .acc_ready_i, .acc_o, .acc_job_o, .dat_valid_o, .dat_ready_i, .dat_o,
    .done_valid_i, .done_job_i, .done_failed_i, .out_valid_i, .out_data_i, .out_last_i,
    .out_job_i, .out_error_i,
    .hold_i, .res_tvalid_i, .res_tready_o, .res_tdata_i, .res_tlast_i, .res_i, .res_slot_i,
    .op_valid_o, .op_ready_i, .op_o, .op_tdata_o, .op_tkeep_o, .op_tlast_o,
    .ans_valid_i, .ans_answer_i, .ans_err_vector_i
  );
  assign due_ready_o = due_ready && !cmd_valid_i;

  // ---- Inline data: their words are for the one who has wanted them ----
  logic any_line, any_line_ready, line_of_desc, words_of_desc_q, words_valid;
  logic [1:0] lines_ready;
  tally_rr_arbiter #(.Num(2)) u_lines_of (
    .clk_i, .rst_ni, .request_valid_i({desc_line_valid_i, line_valid}),
    .request_ready_o(lines_ready), .grant_valid_o(any_line), .grant_ready_i(any_line_ready),
    .grant_o(line_of_desc)
  );
  assign {desc_line_ready_o, line_ready} = lines_ready;
  always_ff @(posedge clk_i) if (any_line && any_line_ready) words_of_desc_q <= line_of_desc;
  assign inl_valid = words_valid && !words_of_desc_q;
  assign desc_inl_valid_o = words_valid && words_of_desc_q;
  tally_local_inline #(.Entries(Entries)) u_inline (
    .clk_i, .rst_ni, .busy_o(inline_busy),
    .line_valid_i(any_line), .line_ready_o(any_line_ready),
    .line_entry_i(line_of_desc ? desc_line_entry_i : line_entry),
    .line_from_i(line_of_desc ? desc_line_from_i : line_from),
    .line_len_i(line_of_desc ? desc_line_len_i : line_len),
    .read_valid_o(read_valid), .read_ready_i(read_ready), .read_entry_o(read_entry),
    .read_first_o(read_first), .read_words_o(read_words), .word_valid_i(word_valid),
    .word_ready_o(word_ready), .word_i(word),
    .inl_valid_o(words_valid), .inl_ready_i(words_of_desc_q ? desc_inl_ready_i : inl_ready),
    .inl_data_o(desc_inl_data_o)
  );

  tally_sender_lines #(.Lines(Lines), .Entries(Entries)) u_lines (
    .clk_i, .rst_ni, .busy_o(lines_busy),
    .begin_i, .data_valid_i, .data_index_i, .data_i, .entry_valid_i, .entry_result_i,
    .entry_index_i, .entry_i, .gather_o, .result_o, .keep_valid_i, .keep_entry_i, .free_valid_i,
    .free_entry_i,
    .sge_valid_i(sge_valid), .sge_ready_o(sge_ready), .sge_result_i(sge_result),
    .sge_entry_i(sge_entry), .sge_index_i(sge_index), .sgot_valid_o(sgot_valid), .sgot_o(sgot),
    .read_valid_i(read_valid), .read_ready_o(read_ready), .read_entry_i(read_entry),
    .read_first_i(read_first), .read_words_i(read_words), .word_valid_o(word_valid),
    .word_ready_i(word_ready), .word_o(word),
    .far_sge_valid_o, .far_sge_ready_i, .far_sge_result_o, .far_sge_entry_o, .far_sge_index_o,
    .far_sgot_valid_i, .far_sgot_i, .far_read_valid_o, .far_read_ready_i, .far_read_entry_o,
    .far_read_first_o, .far_read_words_o, .far_word_valid_i, .far_word_ready_o, .far_word_i
  );
  assign busy_o = local_busy || inline_busy || lines_busy;
endmodule
