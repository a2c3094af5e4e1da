// SPDX-License-Identifier: BSD-2-Clause
// Each write has one answer. A command goes to one side, once, before its answer, and stays as it
// is until it is taken.
`include "tally_proof.svh"

logic [2:0] valids, readies;
assign valids = {cq_cfg_valid_o, eq_cfg_valid_o, eq_db_valid_o};
assign readies = {cq_cfg_ready_i, eq_cfg_ready_i, eq_db_ready_i};

logic due_q, was_q = 1'b0;         // a write without an answer that was taken
logic held_q, held_b_q;
logic [2:0] valids_q;
logic [1:0] b_q;
logic [CountW+RingW+CqnW:0] data, data_q;
assign data = {count_o, ring_o, cqn_o, enable_o};
always_ff @(posedge clk_i) begin
  was_q <= started_q;
  if (!started_q) due_q <= 1'b0;
  else due_q <= (axil_awvalid_i && axil_awready_o) ||
      (due_q && !(axil_bvalid_o && axil_bready_i));
  held_q <= (valids & ~readies) != '0;
  held_b_q <= axil_bvalid_o && !axil_bready_i;
  valids_q <= valids;
  b_q <= axil_bresp_o;
  data_q <= data;
end

always_comb begin
  if (started_q) begin
    assert (axil_awready_o == axil_wready_o);
    assert (!axil_awready_o || (axil_awvalid_i && axil_wvalid_i && !due_q));
    assert ((valids & (valids - 3'd1)) == '0);
    assert (due_q == (axil_bvalid_o || valids != '0 || judges));
    assert (!(axil_bvalid_o && valids != '0));
    assert (busy_o == due_q);
    cover (cq_cfg_valid_o && enable_o);
    cover (eq_db_valid_o);
  end
  if (started_q && was_q) begin
    if (held_q) assert (valids == valids_q && data == data_q);
    if (held_b_q) assert (axil_bvalid_o && axil_bresp_o == b_q);
    if (valids_q != '0 && !held_q) assert (axil_bvalid_o && axil_bresp_o == 2'b00);
  end
end
