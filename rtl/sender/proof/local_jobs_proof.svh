// SPDX-License-Identifier: BSD-2-Clause
// The proof follows an arbitrary job. It is not given away before its access has ended and all who
// must know have been told, each once; nobody hears of the end before. At most Reads jobs give data
// at a time, a queue pair with a job is not quiet, and written_o is low for the group of a result.
// Offers of accesses stay. The user ends each access, and the data of each rank, once.
`include "tally_proof.svh"

(* anyconst *) logic [JobW-1:0] which;
always_comb assume (32'(which) < Jobs);

typedef enum logic [2:0] {
  PhFree,
  PhOffered,  // its access is offered
  PhInside,   // memory or the store has it
  PhEnded
} phase_e;
phase_e phase_q = PhFree;
logic told_q = 1'b0, taken_q = 1'b0, mine, mine_begins, mine_ends, offered_q = 1'b0;
logic asked_row_q = 1'b0;
logic [QpW-1:0] quiet_before_q;
always_ff @(posedge clk_i) quiet_before_q <= quiet_qp_i;
logic [QpW-1:0] of_qp_q;
logic [GroupW-1:0] of_group_q;
logic of_get_q;
logic [Jobs-1:0] away_q = '0, data_q;  // what memory or the store has; jobs whose data are wanted

assign mine = at_q == which && state_q != StIdle;
assign mine_begins = begins && free == which;
assign mine_ends = (done_valid_i && done_job_i == which) || (gave_valid_i && gave_job_i == which);

always_ff @(posedge clk_i) begin
  if (started_q) begin
    if (mine_begins) begin
      phase_q <= !access_i.none ? PhOffered : is_give ? PhInside : PhEnded;
      of_qp_q <= new_qp_i;
      of_group_q <= new_i.group_[GroupW-1:0];
      of_get_q <= new_i.kind == tally_local_pkg::JobGet;
    end else if (mine && writes_flag) begin
      phase_q <= PhOffered;
      of_get_q <= 1'b0;
    end else if (mine && ends_job) begin
      phase_q <= PhFree;
    end else if (mine_ends) begin
      phase_q <= PhEnded;
    end else if (acc_valid_o && acc_ready_i && acc_job_o == which) begin
      phase_q <= PhInside;
    end
    if (mine_begins || (mine && writes_flag)) begin
      told_q <= 1'b0;
      taken_q <= 1'b0;
    end else if (mine) begin
      if (end_valid_o && end_ready_i) told_q <= 1'b1;
      if (take_valid_o && take_ready_i) taken_q <= 1'b1;
    end
  end
  for (int unsigned i = 0; i < Jobs; i++) begin
    if (started_q) begin
      if (begins && free == JobW'(i)) begin
        data_q[i] <= is_give;
        away_q[i] <= access_i.none && is_give;
      end else if (writes_flag && at_q == JobW'(i)) begin
        data_q[i] <= 1'b0;
      end else if (acc_valid_o && acc_ready_i && acc_job_o == JobW'(i)) begin
        away_q[i] <= 1'b1;
      end else if ((done_valid_i && done_job_i == JobW'(i)) ||
                   (gave_valid_i && gave_job_i == JobW'(i))) begin
        away_q[i] <= 1'b0;
      end
    end
  end
  offered_q <= started_q && acc_valid_o && !acc_ready_i;
  asked_row_q <= started_q && ((row_valid_o && row_ready_i) || (asked_row_q && !got_valid_i));
end

always_comb begin
  if (started_q) begin
    // The user.
    assume (32'(done_job_i) < Jobs && 32'(gave_job_i) < Jobs);
    if (done_valid_i) assume (away_q[done_job_i]);
    if (gave_valid_i) assume (away_q[gave_job_i] && data_q[gave_job_i]);
    if (done_valid_i && data_q[done_job_i]) assume (done_failed_i);
    assume (!(done_valid_i && gave_valid_i && done_job_i == gave_job_i));
    if (new_valid_i) assume (new_i.kind <= tally_local_pkg::JobFlag);
    if (new_valid_i && new_i.kind == tally_local_pkg::JobFlag) begin
      assume (access_i.none && !new_i.tells);
    end
    if (new_valid_i && is_give) assume (!access_i.write && room_reads_o);
    if (new_valid_i && access_i.write) assume (room_writes_o);
    assume (!got_valid_i || asked_row_q);
    if (end_valid_o && (end_o.flag || end_o.failed)) assume (!end_flag_i);
    // The block.
    assert (away_q[which] == (phase_q == PhInside));
    assert (used_q[which] == (phase_q != PhFree));
    assert (ended_q[which] == (phase_q == PhEnded && !mine));
    if (mine_begins) assert (phase_q == PhFree);
    if (mine) assert (phase_q == PhEnded);
    if (mine && end_valid_o) assert (!told_q);
    if (mine && take_valid_o) assert (!taken_q && gets);
    // What was told with neither is a job whose data were lost, or that need not tell.
    if (mine && ends_job) begin
      if (gets) assert (taken_q || take_valid_o);
      if (held_q.job.tells && !lost_q[which] && !(gives && failed)) begin
        assert (told_q || end_valid_o);
      end
    end
    if (phase_q != PhFree) assert (asked_q[which] == (of_qp_q == quiet_before_q));
    if (phase_q != PhFree && of_qp_q == quiet_before_q) assert (!quiet_o);
    if (used_q == {Jobs{1'b1}}) assert (full_q);
    if (phase_q != PhFree) assert (gets_q[which] == of_get_q && group_q[which] == of_group_q);
    if (phase_q != PhFree && of_get_q && of_group_q == written_group_i) assert (!written_o);
    if (offered_q) assert (acc_valid_o);
    assert (32'(reads_q) <= Reads);
    cover (mine && end_valid_o && is_flag);
    cover (phase_q == PhInside && of_get_q && written_o);
    cover (mine && fault_valid_o);
    cover (mine && take_valid_o && told_q && flag_q);
    cover (mine && ends_job && gives && lost_q[which]);
  end
end
