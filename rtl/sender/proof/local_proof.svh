// SPDX-License-Identifier: BSD-2-Clause
// What is joined here: a command stays until it is taken, and while it is offered, no end of its
// queue pair is, and no job begins. The words of an operation are not mixed with another one, and
// at most Asks of them have no answer. Data that wait for a job are passed by at most one result,
// and a Taken by one operation Data. Memory answers what it was asked, and rows and list entries
// are arbitrary.
`include "tally_proof.svh"

logic cmd_offered_q = 1'b0, flag_before_q = 1'b0, op_offered_q = 1'b0, op_of_data_q = 1'b0;
logic [$clog2(Asks+1)-1:0] asked_f_q = '0;
logic sge_asked_f_q = 1'b0, passed_due_q = 1'b0, passed_take_q = 1'b0;
logic command_q = 1'b0;
logic [QpW-1:0] command_qp_q;
logic [Jobs-1:0] reads_f_q = '0, writes_f_q = '0;  // accesses in flight
logic amid_out_q = 1'b0;
logic [JobW-1:0] out_job_q;

always_ff @(posedge clk_i) begin
  if (started_q) begin
    if (done_valid_i) begin
      reads_f_q[done_job_i] <= 1'b0;
      writes_f_q[done_job_i] <= 1'b0;
    end
    if (out_valid_i && out_last_i) reads_f_q[out_job_i] <= 1'b0;
    if (acc_valid_o && acc_ready_i && acc_o.write) writes_f_q[acc_job_o] <= 1'b1;
    if (acc_valid_o && acc_ready_i && !acc_o.write) reads_f_q[acc_job_o] <= 1'b1;
    if (out_valid_i) amid_out_q <= !out_last_i;
  end
  out_job_q <= amid_out_q && !out_valid_i ? out_job_q : out_job_i;
  cmd_offered_q <= started_q && cmd_valid_o && !cmd_ready_i;
  command_q <= started_q && cmd_valid_i && !cmd_ready_o;
  command_qp_q <= cmd_qp_i;
  flag_before_q <= started_q && flag_valid_i && !flag_ready_o;
  op_offered_q <= started_q && op_valid_o && !ends_op;
  op_of_data_q <= of_data;
  if (started_q) begin
    asked_f_q <= asked_f_q + $bits(asked_f_q)'(ends_op) - $bits(asked_f_q)'(ans_valid_i);
    sge_asked_f_q <= sge_asked_f_q ? !sgot_valid_i : sge_valid_o && sge_ready_i;
  end
  passed_due_q <= started_q && due_wants && !due_begins && (passed_due_q || results_begins);
  passed_take_q <= started_q && take_valid && !take_ready &&
                   (passed_take_q || (ends_op && of_data));
end

always_comb begin
  if (started_q) begin
    // The sender gives a flag word, and then a command.
    if (command_q) assume (cmd_valid_i && cmd_qp_i == command_qp_q);
    if (cmd_valid_i) assume (!flag_valid_i && !due_valid_i);
    if (flag_before_q) assume (flag_valid_i);
    if (asked_f_q == '0) assume (!ans_valid_i);
    if (out_valid_i) assume (reads_f_q[out_job_i] && (!amid_out_q || out_job_i == out_job_q));
    if (done_valid_i) begin
      assume (32'(done_job_i) < Jobs);
      assume (writes_f_q[done_job_i] || (reads_f_q[done_job_i] && done_failed_i));
      assume (!(amid_out_q && done_job_i == out_job_q) &&
              !(out_valid_i && done_job_i == out_job_i));
    end
    if (!sge_asked_f_q) assume (!sgot_valid_i);
    if (cmd_offered_q) assert (cmd_valid_o);
    if (cmd_valid_o) begin
      assert (quiet && !due_new && !results_new && !begins);
      assert (!end_valid_o || end_qp_o != cmd_qp_i);
    end
    if (op_offered_q) assert (op_of_data_q == of_data);
    assert (!(op_valid_o && 32'(asked_f_q) == Asks));
    if (ans_valid_i) assert (asks_valid);
    assert (!(sge_valid_o && sge_asked_f_q));
    if (passed_due_q && due_wants) assert (!results_begins);
    if (passed_take_q) assert (!(ends_op && of_data));
    cover (cmd_ready_o && jobs_busy);
    cover (ends_op && !of_data);
    cover (results_begins && due_wants);
  end
end
