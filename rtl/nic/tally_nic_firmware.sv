// SPDX-License-Identifier: BSD-2-Clause
// The firmware's side of tally_nic: what the firmware reaches by registers that no other unit has.
// So far that is the packets that it sends and what it must know of an OPEN (tally_fw_send), where
// these packets join those of tally_send, and RENEW_EDGE (tally_fw_renew).
//
// axil_*, mine_o: writes of commands. written_i, row_i, keeps_o: writes that other units answer;
// those of a part of a word are not kept. moved_*, open_*: see tally_fw_send. open_event_i: the
// event that the firmware handles; CHALLENGE echoes its nonce.
//
// random_*, put_*: see tally_fw_renew. The write of put_* is told by written_i, as others are, with
// its address and data on axil_*.
//
// head_look_*: tally_send asks for the row of an edge; look_*: one of the two does. The answer is
// look_row_i and look_found_i for both. head_*, head_t*: packets of tally_send; out_*, dat_*: all.
//
// The clock of all this stands still while it has nothing to do. starts_i: it may not. busy_o: a
// command is inside.
module tally_nic_firmware #(
  parameter int unsigned Groups = tally_pkg::MaxGroup,
  parameter int unsigned Tombs = tally_pkg::MaxTombstones,
  parameter int unsigned EdgesOf = tally_pkg::MaxContributors + 1,
  parameter int unsigned Rows = tally_pkg::MaxEdges,
  localparam int unsigned GroupW = $clog2(Groups),
  localparam int unsigned EdgeW = $clog2(EdgesOf),
  localparam int unsigned RowW = $clog2(Rows)
) (
  input  logic                                clk_i,
  input  logic                                rst_ni,
  input  logic                                starts_i,
  output logic                                busy_o,
  input  logic [47:0]                         mac_i,
  input  logic [127:0]                        gid_i,

  input  logic                                axil_awvalid_i,
  output logic                                axil_awready_o,
  input  logic [31:0]                         axil_awaddr_i,
  input  logic                                axil_wvalid_i,
  output logic                                axil_wready_o,
  input  logic [31:0]                         axil_wdata_i,
  input  logic [3:0]                          axil_wstrb_i,
  output logic                                axil_bvalid_o,
  input  logic                                axil_bready_i,
  output logic [1:0]                          axil_bresp_o,
  output logic                                mine_o,

  input  logic                                random_valid_i,
  output logic                                random_ready_o,
  input  logic [63:0]                         random_i,
  output logic                                put_valid_o,
  input  logic                                put_ready_i,
  output logic [31:0]                         put_addr_o,
  output logic [31:0]                         put_data_o,
  input  logic                                put_bvalid_i,
  input  logic [1:0]                          put_bresp_i,

  input  logic                                written_i,
  input  logic [RowW-1:0]                     row_i,
  output logic                                keeps_o,
  input  logic                                moved_valid_i,
  input  logic [GroupW-1:0]                   moved_group_i,
  input  logic [31:0]                         moved_done_i,
  input  logic [31:0]                         moved_limit_i,
  input  logic                                open_valid_i,
  output logic                                open_ready_o,
  input  tally_events_pkg::packet_t           open_event_i,
  output logic [31:0]                         open_o,

  input  logic                                head_look_valid_i,
  output logic                                head_look_ready_o,
  input  logic [GroupW-1:0]                   head_look_group_i,
  input  logic [EdgeW-1:0]                    head_look_edge_i,
  output logic                                look_valid_o,
  input  logic                                look_ready_i,
  output logic [GroupW-1:0]                   look_group_o,
  output logic [EdgeW-1:0]                    look_edge_o,
  input  logic [RowW-1:0]                     look_row_i,
  input  logic                                look_found_i,

  input  logic                                head_valid_i,
  output logic                                head_ready_o,
  input  tally_encap_pkg::tx_hdr_t            head_i,
  input  logic                                head_tvalid_i,
  output logic                                head_tready_o,
  input  logic [tally_net_pkg::WordBits-1:0]  head_tdata_i,
  input  logic [tally_net_pkg::WordBytes-1:0] head_tkeep_i,
  input  logic                                head_tlast_i,
  output logic                                out_valid_o,
  input  logic                                out_ready_i,
  output tally_encap_pkg::tx_hdr_t            out_o,
  output logic                                dat_tvalid_o,
  input  logic                                dat_tready_i,
  output logic [tally_net_pkg::WordBits-1:0]  dat_tdata_o,
  output logic [tally_net_pkg::WordBytes-1:0] dat_tkeep_o,
  output logic                                dat_tlast_o
);
  // ---- The clock ----
  logic fw_clk, keeps, merge_busy, send_busy, renew_busy;

  assign keeps = written_i && keeps_o && axil_wstrb_i == 4'b1111;
  assign busy_o = send_busy || renew_busy;
  tally_clock_gate u_gate (
    .clk_i,
    .en_i(axil_awvalid_i || keeps || moved_valid_i || open_valid_i || head_valid_i || busy_o ||
          merge_busy || starts_i),
    .clk_o(fw_clk)
  );

  // ---- RENEW_EDGE, and whose command it is ----
  logic for_renew, for_send, send_awready, send_bvalid, renew_awready, renew_bvalid;
  logic [1:0] send_bresp, renew_bresp;

  assign for_renew =
      axil_awaddr_i == tally_fw_pkg::CommandBase + tally_fw_pkg::CommandGoOffset &&
      axil_wdata_i[7:0] == 8'(tally_fw_pkg::CmdRenewEdge);
  assign mine_o = for_send || for_renew;
  assign axil_awready_o = for_renew ? renew_awready : send_awready;
  assign axil_wready_o = axil_awready_o;
  assign axil_bvalid_o = send_bvalid || renew_bvalid;
  assign axil_bresp_o = renew_bvalid ? renew_bresp : send_bresp;

  tally_fw_renew #(.Groups(Groups), .EdgesOf(EdgesOf)) u_renew (
    .clk_i(fw_clk), .rst_ni, .busy_o(renew_busy), .axil_awvalid_i(axil_awvalid_i && for_renew),
    .axil_awready_o(renew_awready), .axil_wdata_i, .axil_wstrb_i, .axil_bvalid_o(renew_bvalid),
    .axil_bready_i, .axil_bresp_o(renew_bresp), .random_valid_i, .random_ready_o, .random_i,
    .put_valid_o, .put_ready_i, .put_addr_o, .put_data_o, .put_bvalid_i,
    .put_bresp_i
  );

  // ---- Packets of the firmware, and what it must know of an OPEN ----
  logic look_valid, look_ready, send_valid, send_ready, send_tvalid, send_tready, send_tlast;
  logic unused_wready;
  logic [GroupW-1:0] look_group;
  logic [EdgeW-1:0] look_edge;
  tally_encap_pkg::tx_hdr_t send;
  logic [tally_net_pkg::WordBits-1:0] send_tdata;
  logic [tally_net_pkg::WordBytes-1:0] send_tkeep;
  logic [511:0] payload;
  tally_pkg::tch_open_t opening;

  assign payload = tally_net_pkg::swap(open_event_i.data);
  assign opening = payload[511-:8*tally_pkg::TchOpenBytes];

  tally_fw_send #(.Groups(Groups), .Tombs(Tombs), .EdgesOf(EdgesOf), .Rows(Rows)) u_send (
    .clk_i(fw_clk), .rst_ni, .busy_o(send_busy), .mac_i, .gid_i,
    .axil_awvalid_i(axil_awvalid_i && !for_renew), .axil_awready_o(send_awready),
    .axil_awaddr_i, .axil_wvalid_i(axil_wvalid_i && !for_renew),
    .axil_wready_o(unused_wready), .axil_wdata_i, .axil_wstrb_i,
    .axil_bvalid_o(send_bvalid), .axil_bready_i, .axil_bresp_o(send_bresp), .mine_o(for_send),
    .written_i(keeps), .row_i, .keeps_o, .moved_valid_i, .moved_group_i, .moved_done_i,
    .moved_limit_i,
    .look_valid_o(look_valid), .look_ready_i(look_ready), .look_group_o(look_group),
    .look_edge_o(look_edge), .look_row_i, .look_found_i, .open_valid_i, .open_ready_o,
    .open_event_i, .open_o, .echo_i(opening.nonce),
    .out_valid_o(send_valid), .out_ready_i(send_ready), .out_o(send), .dat_tvalid_o(send_tvalid),
    .dat_tready_i(send_tready), .dat_tdata_o(send_tdata), .dat_tkeep_o(send_tkeep),
    .dat_tlast_o(send_tlast)
  );

  // ---- With those of tally_send: rows of edges, and packets ----
  tally_edge_look #(.Groups(Groups), .EdgesOf(EdgesOf)) u_look (
    .clk_i, .rst_ni,
    .first_valid_i(head_look_valid_i), .first_ready_o(head_look_ready_o),
    .first_group_i(head_look_group_i), .first_edge_i(head_look_edge_i),
    .second_valid_i(look_valid), .second_ready_o(look_ready),
    .second_group_i(look_group), .second_edge_i(look_edge),
    .look_valid_o, .look_ready_i, .look_group_o, .look_edge_o
  );
  tally_encap_merge u_merge (
    .clk_i(fw_clk), .rst_ni, .busy_o(merge_busy),
    .first_valid_i(send_valid), .first_ready_o(send_ready), .first_i(send),
    .first_tvalid_i(send_tvalid), .first_tready_o(send_tready), .first_tdata_i(send_tdata),
    .first_tkeep_i(send_tkeep), .first_tlast_i(send_tlast),
    .second_valid_i(head_valid_i), .second_ready_o(head_ready_o), .second_i(head_i),
    .second_tvalid_i(head_tvalid_i), .second_tready_o(head_tready_o), .second_tdata_i(head_tdata_i),
    .second_tkeep_i(head_tkeep_i), .second_tlast_i(head_tlast_i),
    .out_valid_o, .out_ready_i, .out_o, .dat_tvalid_o, .dat_tready_i, .dat_tdata_o, .dat_tkeep_o,
    .dat_tlast_o
  );

  logic unused;  // other fields of the OPEN
  assign unused = ^{opening, payload};
endmodule
