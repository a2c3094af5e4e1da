// SPDX-License-Identifier: BSD-2-Clause
// A write is offered to one unit at a time, and has one answer, that of the unit that has taken it,
// whoever is ready without an offer. What units see of it stays until then. A write of put_* comes
// between, and its answer goes to who has made it.
`include "tally_proof.svh"

logic was_q = 1'b0, host_q;  // a write of the host is inside
logic [tally_nic_pkg::Targets-1:0] owes_q;  // which unit has taken the write
logic [31:0] addr_f, data_f;
logic [3:0] strb_f;
logic [1:0] own_bresp;
always_ff @(posedge clk_i) begin
  was_q <= started_q;
  addr_f <= at_addr_o;
  data_f <= at_data_o;
  strb_f <= at_strb_o;
  if (!started_q) begin
    owes_q <= '0;
    host_q <= 1'b0;
  end else begin
    if (axil_awready_o) host_q <= 1'b1;
    else if (axil_bvalid_o && axil_bready_i) host_q <= 1'b0;
    if (taken) owes_q <= write_valid_o;
    else if (put_bvalid_o) owes_q <= tally_nic_pkg::Targets'(1) << tally_nic_pkg::ToFirmware;
    else if (answered) owes_q <= '0;
    else if (puts) owes_q <= '0;
  end
end
always_comb begin
  own_bresp = '0;
  for (int unsigned k = 0; k < tally_nic_pkg::Targets; k++) begin
    if (owes_q[k]) own_bresp |= bresp_i[k];
    // a unit answers what it has taken, in a later clock
    assume (!bvalid_i[k] || owes_q[k]);
  end
  // only the unit of the firmware writes, before it answers
  if (put_valid_i) assume (owes_q[tally_nic_pkg::ToFirmware] || put_o);
  if (puts) assume (bvalid_i == '0);
end

always_comb begin
  if (started_q) begin
    assert (32'(state_q) <= 32'(Answer));
    assert (host_q == (state_q != Empty));
    assert (!put_o || state_q != Empty);
    assert ((to_q & (to_q - tally_nic_pkg::Targets'(1))) == '0 || state_q < Offer);
    assert (write_valid_o == '0 || (state_q == Offer && owes_q == '0 && !hold_i));
    assert (owes_q == (state_q > Offer ? to_q : '0));
    assert (taken == ((write_valid_o & write_ready_i) != '0));
    assert (axil_awready_o == axil_wready_o);
    assert (!axil_awready_o || (axil_awvalid_i && axil_wvalid_i && !host_q));
    assert ((axil_bvalid_o || put_bvalid_o) == (state_q == Answer && (bvalid_i & owes_q) != '0));
    assert (!axil_bvalid_o || !put_bvalid_o);
    assert (!taken_o || (owes_q != '0 && !bready_o));
    if (axil_bvalid_o) assert (axil_bresp_o == (heard_q ? 2'b00 : own_bresp));
    if (put_bvalid_o) assert (put_bresp_o == own_bresp);
    cover (taken && write_valid_o[tally_nic_pkg::ToFirmware]);
    cover (write_ready_i != '0 && state_q == Offer && !taken);
    cover (axil_bvalid_o && axil_bresp_o != 2'b00);
    cover (put_bvalid_o && put_bresp_o != 2'b00);
  end
  if (started_q && was_q && state_q > Decode)
    assert (at_addr_o == addr_f && at_data_o == data_f && at_strb_o == strb_f);
end
