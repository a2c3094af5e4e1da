// SPDX-License-Identifier: BSD-2-Clause
// Several AXI4 masters behind one port. They take turns for addresses, burst by burst; the words of
// write bursts leave in the order of their addresses. The upper part of an ID of the port, awid or
// arid, is the master's number, and the lower part the master's own ID. Answers return by these
// IDs. The signals of master m are the bits m * W +: W of a port, for
// signals of W bits.
//
// A master that does not take an answer holds up those of all masters, so no master may need the
// answer of another one to take its own. Its data of a write must not wait for anything, because
// they hold up those of all bursts behind it.
//
// Time: all ways are combinational, but for the order of the bursts that wait for their data, up to
// Bursts of them.
module tally_axi_arbiter #(
  parameter int unsigned Num = 2,         // masters, at least 2
  parameter int unsigned AddrW = 64,
  parameter int unsigned IdW = 4,         // of a master's reads
  parameter int unsigned WriteIdW = 1,    // of its writes
  parameter int unsigned Bytes = 64,
  parameter int unsigned Bursts = 4,
  localparam int unsigned MasterW = $clog2(Num),
  localparam int unsigned DataW = 8 * Bytes,
  localparam int unsigned AddressW = AddrW + 13   // with length, size and kind of the burst
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,

  // addresses: {addr, len, size, burst}
  input  logic [Num-1:0]           m_awvalid_i,
  output logic [Num-1:0]           m_awready_o,
  input  logic [Num*AddressW-1:0]  m_aw_i,
  input  logic [Num*WriteIdW-1:0]  m_awid_i,
  input  logic [Num-1:0]           m_wvalid_i,
  output logic [Num-1:0]           m_wready_o,
  input  logic [Num*DataW-1:0]     m_wdata_i,
  input  logic [Num*Bytes-1:0]     m_wstrb_i,
  input  logic [Num-1:0]           m_wlast_i,
  output logic [Num-1:0]           m_bvalid_o,
  input  logic [Num-1:0]           m_bready_i,
  output logic [WriteIdW-1:0]      m_bid_o,       // these two to all masters
  output logic [1:0]               m_bresp_o,
  input  logic [Num-1:0]           m_arvalid_i,
  output logic [Num-1:0]           m_arready_o,
  input  logic [Num*AddressW-1:0]  m_ar_i,
  input  logic [Num*IdW-1:0]       m_arid_i,
  output logic [Num-1:0]           m_rvalid_o,
  input  logic [Num-1:0]           m_rready_i,
  output logic [IdW-1:0]           m_rid_o,       // these three to all masters
  output logic [DataW-1:0]         m_rdata_o,
  output logic [1:0]               m_rresp_o,

  output logic                     awvalid_o,
  input  logic                     awready_i,
  output logic [MasterW+WriteIdW-1:0] awid_o,
  output logic [AddressW-1:0]      aw_o,
  output logic                     wvalid_o,
  input  logic                     wready_i,
  output logic [DataW-1:0]         wdata_o,
  output logic [Bytes-1:0]         wstrb_o,
  output logic                     wlast_o,
  input  logic                     bvalid_i,
  output logic                     bready_o,
  input  logic [MasterW+WriteIdW-1:0] bid_i,
  input  logic [1:0]               bresp_i,
  output logic                     arvalid_o,
  input  logic                     arready_i,
  output logic [MasterW+IdW-1:0]   arid_o,
  output logic [AddressW-1:0]      ar_o,
  input  logic                     rvalid_i,
  output logic                     rready_o,
  input  logic [MasterW+IdW-1:0]   rid_i,
  input  logic [DataW-1:0]         rdata_i,
  input  logic [1:0]               rresp_i
);
  // ---- Addresses of writes: only with a place in the order ----
  logic aw_valid, aw_ready, order_room, order_valid;
  logic [MasterW-1:0] asker, writer;
  logic [WriteIdW-1:0] asker_id;
  logic [$clog2(Bursts+1)-1:0] order_used;

  tally_rr_arbiter #(.Num(Num)) u_aw (
    .clk_i, .rst_ni, .request_valid_i(m_awvalid_i), .request_ready_o(m_awready_o),
    .grant_valid_o(aw_valid), .grant_ready_i(aw_ready), .grant_o(asker)
  );
  assign awvalid_o = aw_valid && order_room;
  assign aw_ready = awready_i && order_room;
  assign awid_o = {asker, asker_id};
  tally_fifo #(.Width(MasterW), .Depth(Bursts)) u_order (
    .clk_i, .rst_ni, .in_valid_i(awvalid_o && awready_i), .in_ready_o(order_room), .in_i(asker),
    .out_valid_o(order_valid), .out_ready_i(wvalid_o && wready_i && wlast_o), .out_o(writer),
    .used_o(order_used)
  );

  // ---- Their data ----
  always_comb begin
    aw_o = '0;
    asker_id = '0;
    wvalid_o = 1'b0;
    wdata_o = '0;
    wstrb_o = '0;
    wlast_o = 1'b0;
    for (int unsigned m = 0; m < Num; m++) begin
      m_wready_o[m] = order_valid && writer == MasterW'(m) && wready_i;
      if (asker == MasterW'(m)) begin
        aw_o = m_aw_i[m*AddressW +: AddressW];
        asker_id = m_awid_i[m*WriteIdW +: WriteIdW];
      end
      if (writer == MasterW'(m)) begin
        wvalid_o = order_valid && m_wvalid_i[m];
        wdata_o = m_wdata_i[m*DataW +: DataW];
        wstrb_o = m_wstrb_i[m*Bytes +: Bytes];
        wlast_o = m_wlast_i[m];
      end
    end
  end

  // ---- Reads ----
  logic [MasterW-1:0] reader;
  logic [IdW-1:0] reader_id;
  tally_rr_arbiter #(.Num(Num)) u_ar (
    .clk_i, .rst_ni, .request_valid_i(m_arvalid_i), .request_ready_o(m_arready_o),
    .grant_valid_o(arvalid_o), .grant_ready_i(arready_i), .grant_o(reader)
  );
  always_comb begin
    ar_o = '0;
    reader_id = '0;
    for (int unsigned m = 0; m < Num; m++) begin
      if (reader == MasterW'(m)) begin
        ar_o = m_ar_i[m*AddressW +: AddressW];
        reader_id = m_arid_i[m*IdW +: IdW];
      end
    end
  end
  assign arid_o = {reader, reader_id};

  // ---- Answers ----
  logic [MasterW-1:0] written_for, read_for;
  assign {written_for, m_bid_o} = bid_i;
  assign {read_for, m_rid_o} = rid_i;
  assign m_bresp_o = bresp_i;
  assign m_rdata_o = rdata_i;
  assign m_rresp_o = rresp_i;
  always_comb begin
    bready_o = 1'b0;
    rready_o = 1'b0;
    for (int unsigned m = 0; m < Num; m++) begin
      m_bvalid_o[m] = bvalid_i && written_for == MasterW'(m);
      m_rvalid_o[m] = rvalid_i && read_for == MasterW'(m);
      if (written_for == MasterW'(m)) bready_o = m_bready_i[m];
      if (read_for == MasterW'(m)) rready_o = m_rready_i[m];
    end
  end

  logic unused;
  assign unused = ^order_used;

`ifdef FORMAL
  `include "axi_arbiter_proof.svh"
`endif
endmodule
