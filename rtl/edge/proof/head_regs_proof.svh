// SPDX-License-Identifier: BSD-2-Clause
// Each write has one answer, after its operation has been taken; each write that has an operation
// has one, on its row; StateClose is offered for close_* alone. The row of an edge is written
// before it opens. What the registers contain is shown by the bench.
`include "tally_proof.svh"

logic was_q = 1'b0, offered_q, close_q, owed_q = 1'b0, answer_q = 1'b0, written_q;
tally_edge_pkg::state_op_e op_f, due_f;
logic [RowW-1:0] row_f, close_row_q, due_row_q;
logic takes_op, due_q = 1'b0, done;

assign takes_op = any && (opens || renews || (settles && axil_wdata_i == '0));
assign done = op_valid_o && op_ready_i && state_q == Offer;
always_ff @(posedge clk_i) begin
  was_q <= started_q;
  offered_q <= op_valid_o && !op_ready_i;
  op_f <= op_o;
  row_f <= op_row_o;
  close_q <= close_valid_i && !close_ready_o;
  close_row_q <= close_row_i;
  answer_q <= axil_bvalid_o && !axil_bready_i;
  if (!started_q) begin
    owed_q <= 1'b0;
    due_q <= 1'b0;
  end else begin
    owed_q <= write || (owed_q && !(axil_bvalid_o && axil_bready_i));
    due_q <= takes_op || (due_q && !done);
  end
  if (takes_op) begin
    due_row_q <= row_i;
    due_f <= opens ? tally_edge_pkg::StateOpen : renews ? tally_edge_pkg::StateRenew :
             tally_edge_pkg::StateSettle;
    written_q <= 1'b0;
  end else if (edge_write_o) written_q <= 1'b1;
end

always_comb begin
  // Nothing is taken while the block is busy; only its own writes are offered.
  assume (!taken_i || (!busy_o && !write && !mine_o));
  assume (!axil_awvalid_i || mine_o);
  if (started_q && was_q && close_q) assume (close_valid_i && close_row_i == close_row_q);
end

always_comb begin
  if (started_q) begin
    assert (due_q == (state_q == Port || state_q == Offer));
    assert (!axil_bvalid_o || (owed_q && !due_q));
    assert (owed_q == (bvalid_q || (state_q != Idle && mine_q)));
    if (write) assert (!owed_q && !due_q);
    if (op_valid_o && !due_q) assert (close_valid_i && op_o == tally_edge_pkg::StateClose &&
                                      op_row_o == close_row_i && close_ready_o == op_ready_i);
    if (op_valid_o && due_q) assert (op_o == due_f && op_row_o == due_row_q && !close_ready_o);
    if (op_valid_o && due_q && due_f == tally_edge_pkg::StateOpen) assert (written_q);
    if (edge_write_o) assert (due_q && due_f == tally_edge_pkg::StateOpen && !written_q &&
                              edge_row_o == due_row_q);
    assert (busy_o || !(op_valid_o || axil_bvalid_o));
    cover (done && op_o == tally_edge_pkg::StateOpen);
    cover (done && op_o == tally_edge_pkg::StateRenew);
    cover (axil_bvalid_o && close_valid_i);
  end
  if (started_q && was_q) begin
    if (offered_q) assert (op_valid_o && op_o == op_f && op_row_o == row_f);
    if (answer_q) assert (axil_bvalid_o);
  end
end
