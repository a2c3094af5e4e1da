// SPDX-License-Identifier: BSD-2-Clause
// Each write has one answer, which stays until it is taken, and none is taken without a grant.
// While the block is free, no write is being carried out, and only a write that was taken changes a
// row.
`include "tally_proof.svh"

logic [1:0] writes_q;  // without an answer that was taken
logic was_q = 1'b0;
logic held_q, wrote_q;
logic [1:0] resp_q;
logic [31:0] watched_q;  // job id of context 0
always_ff @(posedge clk_i) begin
  was_q <= started_q;
  held_q <= axil_bvalid_o && !axil_bready_i;
  resp_q <= axil_bresp_o;
  wrote_q <= write && of_group;
  watched_q <= jids_q[0];
  if (!started_q) writes_q <= '0;
  else writes_q <= writes_q + 2'(axil_awvalid_i && axil_awready_o) -
                   2'(axil_bvalid_o && axil_bready_i);
end

always_comb begin
  if (started_q) begin
    assert (axil_awready_o == axil_wready_o);
    assert (!axil_awready_o || (axil_awvalid_i && axil_wvalid_i && grant_i));
    assert (writes_q == 2'(bvalid_q));
    assert (!axil_bvalid_o || writes_q == 2'd1);
    assert (!free_o || state_q == Ready);
    assert (busy_o || (writes_q == '0 && state_q == Ready));
    assert (state_q == Ready || state_q == Init || bvalid_q);
    cover (state_q == Ready && want);
  end
  if (started_q && was_q) begin
    if (held_q) assert (axil_bvalid_o && axil_bresp_o == resp_q);
    if (!wrote_q) assert (jids_q[0] == watched_q);
    cover (wrote_q && jids_q[0] != watched_q);
  end
end
