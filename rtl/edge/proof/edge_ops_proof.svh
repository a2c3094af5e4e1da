// SPDX-License-Identifier: BSD-2-Clause
// One operation is taken at a time, and it is that of who offers it. What is offered stays. An
// answer gets to tally_head if it was the one that has asked, two clocks before. Packets wait only
// for the operation that is offered already.
`include "tally_proof.svh"

logic was_q = 1'b0, waits_q, heard_q, reg_q, head_q, head_q1, head_q2, taken_q2;
logic [RowW-1:0] row_f, heard_row_q, reg_row_q, head_row_q;
tally_edge_pkg::state_op_e op_f, reg_op_q, head_op_q;
logic [1:0] ready_f;
always_ff @(posedge clk_i) begin
  was_q <= started_q;
  waits_q <= op_valid_o && !op_ready_i;
  heard_q <= heard_valid_i && !heard_ready_o;
  reg_q <= reg_valid_i && !reg_ready_o;
  head_q <= head_valid_i && !head_ready_o;
  {heard_row_q, reg_row_q, head_row_q} <= {heard_row_i, reg_row_i, head_row_i};
  reg_op_q <= reg_op_i;
  head_op_q <= head_op_i;
  row_f <= op_row_o;
  op_f <= op_o;
  head_q1 <= head_valid_i && head_ready_o;
  head_q2 <= head_q1;
  taken_q2 <= started_q && taken_q;
end
// Offers stay until they are taken; answers come two clocks after.
always_comb begin
  if (started_q && was_q) begin
    if (heard_q) assume (heard_valid_i && heard_row_i == heard_row_q);
    if (reg_q) assume (reg_valid_i && reg_row_i == reg_row_q && reg_op_i == reg_op_q);
    if (head_q) assume (head_valid_i && head_row_i == head_row_q && head_op_i == head_op_q);
  end
  assume (!answer_valid_i || taken_q2);
end
assign ready_f = 2'(heard_ready_o) + 2'(reg_ready_o) + 2'(head_ready_o);

always_comb begin
  if (started_q && was_q) begin
    assert (ready_f == 2'(op_ready_i));
    assert (!heard_ready_o || !op_valid_o || heard_valid_i);
    assert (!reg_ready_o || !op_valid_o || reg_valid_i);
    assert (!head_ready_o || !op_valid_o || head_valid_i);
    if (op_valid_o && heard_ready_o) assert (op_row_o == heard_row_i);
    if (op_valid_o && reg_ready_o) assert (op_row_o == reg_row_i && op_o == reg_op_i);
    if (op_valid_o && head_ready_o) assert (op_row_o == head_row_i && op_o == head_op_i);
    if (waits_q) assert (op_valid_o && op_row_o == row_f && op_o == op_f);
    if (heard_valid_i && op_ready_i && !waits_q) assert (heard_ready_o);
    if (answer_valid_i) assert (head_answer_o == head_q2);
    cover (head_answer_o && heard_valid_i);
    cover (waits_q && heard_valid_i && !heard_q && op_ready_i);
  end
end
