// SPDX-License-Identifier: BSD-2-Clause
// An arbitrary job, whose data come from memory or are none: it ends once, after an operation of
// its own that the store has answered, or when its read is refused. At most Asks operations have no
// answer, and the words of one follow each other without a pause. The user keeps the number of
// reads and of jobs, and each read is answered once.
`include "tally_proof.svh"

(* anyconst *) logic [JobW-1:0] which;
logic [Jobs-1:0] used_now_q = '0, reads_now_q = '0;  // jobs inside; reads without their answers
logic [JobW:0] asks_q = '0;                          // operations without an answer
logic within_q = 1'b0, line_q = 1'b0, mine_moved_q = 1'b0;
logic [Jobs-1:0] kept_q = '0;                        // those that were not refused, to their end
logic [JobW:0] num_reads;
logic [12:0] answer_len, sent_q = '0;
logic [JobW-1:0] answer_job_q;
logic starts, gaves;

always_comb begin
  num_reads = '0;
  for (int unsigned i = 0; i < Jobs; i++) begin
    num_reads = num_reads + (JobW + 1)'(reads_now_q[i] || kept_q[i]);
  end
end
assign answer_len = row_mem_q[out_job_i][12:0];
assign starts = begins;
assign gaves = gave_valid_o;

always_ff @(posedge clk_i) begin
  if (started_q) begin
    if (starts) used_now_q[note_job_i] <= 1'b1;
    if (starts && !note_none_i) reads_now_q[note_job_i] <= 1'b1;
    if (ends) reads_now_q[out_job_i] <= 1'b0;
    if (answered) kept_q[out_job_i] <= 1'b1;
    if (gaves && !refused_q) kept_q[gave_job_o] <= 1'b0;
    if (out_valid_i) sent_q <= out_last_i ? '0 : sent_q + 13'(WordBytes);
    if (out_valid_i) answer_job_q <= out_job_i;
    if (gaves) used_now_q[gave_job_o] <= 1'b0;
    asks_q <= asks_q + (JobW + 1)'(enters) - (JobW + 1)'(ans_valid_i);
    within_q <= moves ? !op_tlast_o : within_q;
    line_q <= (starts && note_asked_i) || (line_valid_o && line_ready_i) || (line_q && !enters);
    mine_moved_q <= (moves && at_q == which) || (mine_moved_q && !(gaves && gave_job_o == which));
  end
end

always_comb begin
  if (started_q) begin
    // The user.
    assume (32'(note_job_i) < Jobs && 32'(out_job_i) < Jobs);
    if (note_valid_i) begin
      assume (!used_now_q[note_job_i]);
      assume (note_none_i || note_i.len != '0);
      if (note_asked_i) assume (note_none_i && note_i.len != '0 && used_now_q == '0);
      assume (note_i.len == note_i.bytes && 32'(note_i.bytes) <= MaxBytes);
    end
    if (note_valid_i && !note_none_i) assume (num_reads < (JobW + 1)'(Reads));
    if (out_valid_i) begin
      assume (reads_now_q[out_job_i]);
      assume (out_last_i == (sent_q + 13'(WordBytes) >= answer_len));
      if (sent_q != '0) assume (out_job_i == answer_job_q);
    end
    if (ans_valid_i) assume (asks_q != '0);
    if (within_q && !is_memory_q) assume (inl_valid_i);
    // The block.
    if (gaves) begin
      assert (used_now_q[gave_job_o]);
      if (gave_job_o == which && gave_o != tally_local_pkg::GaveRefused) assert (mine_moved_q);
    end
    if (op_valid_o) assert (asks_q < (JobW + 1)'(Asks) && used_now_q[at_q]);
    assert (!ans_valid_i || given_room);
    assert (!given_valid || asks_valid);
    if (within_q) assert (op_valid_o);
    if (line_valid_o) assert (!line_q);
    if (starts && note_asked_i) assert (passes);
    cover (gaves && gave_job_o == which && gave_o == tally_local_pkg::GaveStored && is_memory_q);
    cover (gaves && gave_o == tally_local_pkg::GaveLost && !is_memory_q && empty);
    cover (gaves && gave_o == tally_local_pkg::GaveStored && !is_memory_q && !empty);
    cover (op_valid_o && asks_q == (JobW + 1)'(Asks - 1));
    cover (gaves && gave_o == tally_local_pkg::GaveRefused);
  end
end
