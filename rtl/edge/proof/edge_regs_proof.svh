// SPDX-License-Identifier: BSD-2-Clause
// A write is answered once, after it has been taken, and no write is taken before the answer to the
// one before was. A command goes on after all edges of its group were told, each once, and in
// order.
`include "tally_proof.svh"

logic was_q = 1'b0, waits_q, due_f, set_held_q, next_held_q;
logic [31:0] addr_q, data_q;
logic [3:0] strb_q;
logic [EdgeW-1:0] edge_f;
logic written, answered;
assign written = axil_awvalid_i && axil_awready_o;
assign answered = axil_bvalid_o && axil_bready_i;
logic row_held_q;
logic [RowW-1:0] row_f;

always_ff @(posedge clk_i) begin
  was_q <= started_q;
  waits_q <= axil_awvalid_i && axil_wvalid_i && !axil_awready_o;
  addr_q <= axil_awaddr_i;
  data_q <= axil_wdata_i;
  strb_q <= axil_wstrb_i;
  next_held_q <= next_bvalid_i && !next_bready_o;
  set_held_q <= set_valid_o && !set_ready_i;
  edge_f <= set_edge_o;
  row_held_q <= next_valid_o && !next_ready_i;
  row_f <= next_row_o;
  if (!started_q) due_f <= 1'b0;
  else due_f <= written || (due_f && !answered);
end

// The tables answer what went on; an offer stays.
always_comb begin
  assume (axil_awvalid_i == axil_wvalid_i);
  if (started_q && was_q && waits_q) begin
    assume (axil_awvalid_i && axil_awaddr_i == addr_q && axil_wdata_i == data_q &&
            axil_wstrb_i == strb_q);
  end
  assume (!next_bvalid_i || due_q);
  if (started_q && was_q && next_held_q) assume (next_bvalid_i);
end

always_comb begin
  if (started_q && was_q) begin
    assert (!(written && due_f));
    assert (!axil_bvalid_o || due_f);
    assert (due_f == (bvalid_q || due_q) && !(bvalid_q && due_q));
    assert (axil_awready_o == axil_wready_o);
    assert (!axil_awready_o || (axil_awvalid_i && axil_wvalid_i));
    assert (32'(edge_q) < EdgesOf);
    assert (state_q == All || edge_q == '0);
    if (state_q == All) assert (walks && free && waits_q);
    if (state_q == Row) assert (finds_q && free && waits_q);
    if (state_q == Open) assert (opens_q && free && waits_q);
    if (state_q == Known) assert (finds_q && free && waits_q);
    if (state_q == Next) assert ((releases_q || finds_q) && free && waits_q);
    assert (!next_valid_o || !freezes_q);
    if (set_held_q) assert (set_valid_o && set_edge_o == edge_f);
    assert (busy_o || !set_valid_o);
    if (asked_q) assert (waits_q && opens_q == opens && finds_q == (of_edge && !opens) &&
                         releases_q == releases && freezes_q == freezes);
    if (state_q != Ready) assert (asked_q);
    // The row of an edge was told before, and stays.
    if (next_valid_o && of_edge) assert (state_q == Next);
    if (row_held_q && next_valid_o) assert (next_row_o == row_f);
    cover (state_q == Next && written);
    cover (state_q == All && freezes_q && written);
    cover (state_q == Row && written);
    cover (axil_bvalid_o && bvalid_q && failed_q);
  end
end
