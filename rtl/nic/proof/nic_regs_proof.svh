// SPDX-License-Identifier: BSD-2-Clause
// Each access has one answer, which stays until it is taken. Only a good write changes an address,
// and only the words of MAC and GID.
`include "tally_proof.svh"

logic [1:0] reads_q, writes_q;  // without an answer that was taken
always_ff @(posedge clk_i) begin
  if (!started_q) begin
    reads_q <= '0;
    writes_q <= '0;
  end else begin
    reads_q <= reads_q + 2'(axil_arvalid_i && axil_arready_o) - 2'(axil_rvalid_o && axil_rready_i);
    writes_q <= writes_q + 2'(axil_awvalid_i && axil_awready_o) -
                2'(axil_bvalid_o && axil_bready_i);
  end
end

logic was_q = 1'b0;
logic r_held_q, b_held_q, wrote_q;
logic [33:0] r_q;
logic [1:0] b_q;
logic [175:0] addresses_q;
always_ff @(posedge clk_i) begin
  was_q <= started_q;
  r_held_q <= axil_rvalid_o && !axil_rready_i;
  b_held_q <= axil_bvalid_o && !axil_bready_i;
  r_q <= {axil_rresp_o, axil_rdata_o};
  b_q <= axil_bresp_o;
  wrote_q <= write && axil_awaddr_i >= tally_fw_pkg::NetBase + 32'd8 &&
             axil_awaddr_i < tally_fw_pkg::NetBase + 32'd32;
  addresses_q <= {mac_o, gid_o};
end

always_comb begin
  if (started_q) begin
    assert (axil_awready_o == axil_wready_o);
    assert (!axil_awready_o || (axil_awvalid_i && axil_wvalid_i));
    assert (axil_rvalid_o == (reads_q == 2'd1));
    assert (axil_bvalid_o == (writes_q == 2'd1));
    assert (reads_q <= 2'd1 && writes_q <= 2'd1);
    cover (write && write_ok);
    cover (read && read_high);
  end
  if (started_q && was_q) begin
    if (r_held_q) assert (axil_rvalid_o && {axil_rresp_o, axil_rdata_o} == r_q);
    if (b_held_q) assert (axil_bvalid_o && axil_bresp_o == b_q);
    if (!wrote_q) assert ({mac_o, gid_o} == addresses_q);
    cover (wrote_q && {mac_o, gid_o} != addresses_q);
  end
end
