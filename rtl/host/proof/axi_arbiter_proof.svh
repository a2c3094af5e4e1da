// SPDX-License-Identifier: BSD-2-Clause
// Words leave in the order of the addresses, each from the master of its burst, and offers stay if
// those of the masters do. Answers go to the master that their ID names, and to no other one.
`include "tally_proof.svh"

// The masters keep their offers, and have data only for addresses that were taken or are offered.
logic was_q = 1'b0;
logic [Num-1:0] aw_waits_q, w_waits_q, ar_waits_q;
logic [Num*AddressW-1:0] m_aw_q, m_ar_q;
logic [Num*DataW-1:0] m_wdata_q;
logic [Num*Bytes-1:0] m_wstrb_q;
logic [Num*IdW-1:0] m_arid_q;
logic [Num*WriteIdW-1:0] m_awid_q;
logic [Num-1:0] m_wlast_q;
logic aw_held_q, w_held_q, ar_held_q;
logic [MasterW+WriteIdW+AddressW-1:0] aw_q;
logic [DataW+Bytes:0] w_q;
logic [MasterW+IdW+AddressW-1:0] ar_q;
logic [4:0] open_q;                     // bursts whose data have not all left
always_ff @(posedge clk_i) begin
  was_q <= started_q;
  aw_waits_q <= m_awvalid_i & ~m_awready_o;
  w_waits_q <= m_wvalid_i & ~m_wready_o;
  ar_waits_q <= m_arvalid_i & ~m_arready_o;
  {m_aw_q, m_ar_q, m_wdata_q, m_wstrb_q, m_wlast_q, m_arid_q, m_awid_q} <=
      {m_aw_i, m_ar_i, m_wdata_i, m_wstrb_i, m_wlast_i, m_arid_i, m_awid_i};
  aw_held_q <= awvalid_o && !awready_i;
  w_held_q <= wvalid_o && !wready_i;
  ar_held_q <= arvalid_o && !arready_i;
  aw_q <= {awid_o, aw_o};
  w_q <= {wdata_o, wstrb_o, wlast_o};
  ar_q <= {arid_o, ar_o};
  if (!started_q) open_q <= '0;
  else open_q <= open_q + 5'(awvalid_o && awready_i) - 5'(wvalid_o && wready_i && wlast_o);
end

always_comb begin
  if (started_q && was_q) begin
    for (int unsigned m = 0; m < Num; m++) begin
      if (aw_waits_q[m]) assume (m_awvalid_i[m] &&
          m_aw_i[m*AddressW +: AddressW] == m_aw_q[m*AddressW +: AddressW] &&
          m_awid_i[m*WriteIdW +: WriteIdW] == m_awid_q[m*WriteIdW +: WriteIdW]);
      if (w_waits_q[m]) assume (m_wvalid_i[m] && m_wlast_i[m] == m_wlast_q[m] &&
          m_wdata_i[m*DataW +: DataW] == m_wdata_q[m*DataW +: DataW] &&
          m_wstrb_i[m*Bytes +: Bytes] == m_wstrb_q[m*Bytes +: Bytes]);
      if (ar_waits_q[m]) assume (m_arvalid_i[m] &&
          m_ar_i[m*AddressW +: AddressW] == m_ar_q[m*AddressW +: AddressW] &&
          m_arid_i[m*IdW +: IdW] == m_arid_q[m*IdW +: IdW]);
    end
    if (aw_held_q) assert (awvalid_o && {awid_o, aw_o} == aw_q);
    if (w_held_q) assert (wvalid_o && {wdata_o, wstrb_o, wlast_o} == w_q);
    if (ar_held_q) assert (arvalid_o && {arid_o, ar_o} == ar_q);
  end
  if (started_q) begin
    assert ((m_awready_o & (m_awready_o - 1'b1)) == '0);
    assert ((m_wready_o & (m_wready_o - 1'b1)) == '0);
    assert (((m_awvalid_i & m_awready_o) != '0) == (awvalid_o && awready_i));
    assert (((m_wvalid_i & m_wready_o) != '0) == (wvalid_o && wready_i));
    assert (((m_arvalid_i & m_arready_o) != '0) == (arvalid_o && arready_i));
    assert (open_q <= 5'(Bursts));
    assert (!wvalid_o || open_q != '0);
    assert ((m_bvalid_o != '0) == bvalid_i && (m_bvalid_o & (m_bvalid_o - 1'b1)) == '0);
    assert ((m_rvalid_o != '0) == rvalid_i && (m_rvalid_o & (m_rvalid_o - 1'b1)) == '0);
    assert (!bvalid_i || bready_o == ((m_bvalid_o & m_bready_i) != '0));
    assert (!rvalid_i || rready_o == ((m_rvalid_o & m_rready_i) != '0));
    cover (open_q == 5'(Bursts));
    cover (wvalid_o && writer == MasterW'(1));
  end
end
