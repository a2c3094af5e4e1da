// SPDX-License-Identifier: BSD-2-Clause
// Each write has one answer. A command is given once, before its answer, and stays as it is until
// it is taken. A removal is answered only after a clock in which all has ended.
`include "tally_proof.svh"

logic due_q, was_q = 1'b0;         // a write without an answer that was taken
logic held_q, held_b_q, given_q, removed_q, removing_q;
logic [1:0] b_q;
logic [3*AddrW+PdW+81:0] data, data_q;
assign data = {cfg_enable_o, cfg_lkey_o, cfg_pd_o, cfg_write_o, cfg_iova_o, cfg_addr_o,
    cfg_length_o, cfg_offset_o, cfg_levels_o, cfg_page_shift_o};
always_ff @(posedge clk_i) begin
  was_q <= started_q;
  if (!started_q) due_q <= 1'b0;
  else due_q <= (axil_awvalid_i && axil_awready_o) ||
      (due_q && !(axil_bvalid_o && axil_bready_i));
  held_q <= cfg_valid_o && !cfg_ready_i;
  held_b_q <= axil_bvalid_o && !axil_bready_i;
  given_q <= cfg_valid_o && cfg_ready_i && cfg_enable_o;
  removed_q <= cfg_valid_o && cfg_ready_i && !cfg_enable_o;
  if (!started_q) removing_q <= 1'b0;   // a region has been removed, and accesses have not ended
  else removing_q <= (cfg_valid_o && cfg_ready_i && !cfg_enable_o) || (removing_q && !drained_i);
  b_q <= axil_bresp_o;
  data_q <= data;
end

always_comb begin
  if (started_q) begin
    assert (axil_awready_o == axil_wready_o);
    assert (!axil_awready_o || (axil_awvalid_i && axil_wvalid_i && !due_q));
    assert (due_q == (axil_bvalid_o || cfg_valid_o || removing_q || judges));
    assert (!axil_bvalid_o || (!cfg_valid_o && !removing_q));
    assert (busy_o == due_q);
    cover (removing_q && !drained_i);
    cover (cfg_valid_o && cfg_enable_o);
  end
  if (started_q && was_q) begin
    if (held_q) assert (cfg_valid_o && data == data_q);
    if (held_b_q) assert (axil_bvalid_o && axil_bresp_o == b_q);
    if (given_q) assert (axil_bvalid_o);
    if (removed_q) assert (!axil_bvalid_o);
  end
end
