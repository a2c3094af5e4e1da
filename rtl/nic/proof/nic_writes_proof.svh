// SPDX-License-Identifier: BSD-2-Clause
// A write is offered to one unit at a time, and has one answer, that of the unit that has taken it,
// whoever is ready without an offer.
`include "tally_proof.svh"

logic [tally_nic_pkg::Targets-1:0] owes_q;  // which unit has taken the write
logic full_q;
logic [1:0] own_bresp;
always_ff @(posedge clk_i) begin
  if (!started_q) begin
    owes_q <= '0;
  end else begin
    if (axil_bvalid_o && axil_bready_i) owes_q <= '0;
    if (taken_o) begin
      owes_q <= write_valid_o;
      full_q <= axil_wstrb_i == 4'b1111 && listened_i;
    end
  end
end
always_comb begin
  own_bresp = '0;
  for (int unsigned k = 0; k < tally_nic_pkg::Targets; k++) begin
    if (owes_q[k]) own_bresp |= bresp_i[k];
    // a unit answers what it has taken, in a later clock
    assume (!bvalid_i[k] || owes_q[k]);
  end
end

always_comb begin
  if (started_q) begin
    assert ((write_valid_o & (write_valid_o - tally_nic_pkg::Targets'(1))) == '0);
    assert ((owes_q & (owes_q - tally_nic_pkg::Targets'(1))) == '0);
    assert (due_q == (owes_q != '0));
    assert (write_valid_o == '0 || (axil_awvalid_i && axil_wvalid_i && owes_q == '0 && !hold_i));
    assert (axil_awready_o == axil_wready_o && axil_awready_o == taken_o);
    assert (taken_o == ((write_valid_o & write_ready_i) != '0));
    assert (axil_bvalid_o == ((bvalid_i & owes_q) != '0));
    if (axil_bvalid_o) assert (axil_bresp_o == (full_q ? 2'b00 : own_bresp));
    cover (taken_o && write_valid_o[tally_nic_pkg::ToFirmware]);
    cover (write_ready_i != '0 && axil_awvalid_i && axil_wvalid_i && !taken_o && !due_q);
    cover (axil_bvalid_o && axil_bresp_o != 2'b00);
  end
end
