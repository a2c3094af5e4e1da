// SPDX-License-Identifier: BSD-2-Clause
// The NIC's hardware: the units of the collective engine that exist as blocks, put together. docs/rtl-nic.md says which
// they are and which are missing. The missing units are beyond the ports of "boundary": there is the C model in the
// simulator (sim/rtl).
//
// axil_*: registers, struct net of tally_fw_pkg (tally_nic_regs). MAC and GID must be written before the first frame.
// rx_*, tx_*: frames without their check sequence, from and to the Ethernet MAC. rx_terror_i at the last word means that
// the MAC found a wrong check sequence.
//
// Boundary: rec_* and pay_* are the records and the payloads of received frames (tally_parser), hdr_* and dat_* the
// headers and the payloads to be sent (tally_encap), err_* its refusals.
//
// idle_o is high if nothing is inside: no frame, record, payload or header, and no answer of a register. Then the clock
// may stop until an input is valid; the state keeps. It depends on registers only. It says nothing about inputs of the
// same cycle, nor about a word of payload that came ahead of its header.
module tally_nic (
  input  logic                               clk_i,
  input  logic                               rst_ni,
  output logic                               idle_o,

  input  logic                               axil_awvalid_i,
  output logic                               axil_awready_o,
  input  logic [31:0]                        axil_awaddr_i,
  input  logic                               axil_wvalid_i,
  output logic                               axil_wready_o,
  input  logic [31:0]                        axil_wdata_i,
  input  logic [3:0]                         axil_wstrb_i,
  output logic                               axil_bvalid_o,
  input  logic                               axil_bready_i,
  output logic [1:0]                         axil_bresp_o,
  input  logic                               axil_arvalid_i,
  output logic                               axil_arready_o,
  input  logic [31:0]                        axil_araddr_i,
  output logic                               axil_rvalid_o,
  input  logic                               axil_rready_i,
  output logic [31:0]                        axil_rdata_o,
  output logic [1:0]                         axil_rresp_o,

  input  logic                               rx_tvalid_i,
  output logic                               rx_tready_o,
  input  logic [tally_net_pkg::WordBits-1:0] rx_tdata_i,
  input  logic [tally_net_pkg::WordBytes-1:0] rx_tkeep_i,
  input  logic                               rx_tlast_i,
  input  logic                               rx_terror_i,

  output logic                               tx_tvalid_o,
  input  logic                               tx_tready_i,
  output logic [tally_net_pkg::WordBits-1:0] tx_tdata_o,
  output logic [tally_net_pkg::WordBytes-1:0] tx_tkeep_o,
  output logic                               tx_tlast_o,

  output logic                               rec_valid_o,
  input  logic                               rec_ready_i,
  output tally_net_pkg::rx_hdr_t             rec_o,
  output logic                               pay_tvalid_o,
  input  logic                               pay_tready_i,
  output logic [tally_net_pkg::WordBits-1:0] pay_tdata_o,
  output logic [tally_net_pkg::WordBytes-1:0] pay_tkeep_o,
  output logic                               pay_tlast_o,

  input  logic                               hdr_valid_i,
  output logic                               hdr_ready_o,
  input  tally_encap_pkg::tx_hdr_t           hdr_i,
  input  logic                               dat_tvalid_i,
  output logic                               dat_tready_o,
  input  logic [tally_net_pkg::WordBits-1:0] dat_tdata_i,
  input  logic [tally_net_pkg::WordBytes-1:0] dat_tkeep_i,
  input  logic                               dat_tlast_i,
  output logic                               err_valid_o,
  output tally_encap_pkg::err_e              err_o
);
  localparam logic [31:0] Units = tally_fw_pkg::UnitParser | tally_fw_pkg::UnitEncap;
  localparam int unsigned InsideW = 16;  // more frames than fit inside

  logic [47:0] mac;
  logic [127:0] gid;
  logic regs_busy, rec_taken, rec_good, tx_end;

  tally_nic_regs u_regs (
    .clk_i, .rst_ni,
    .axil_awvalid_i, .axil_awready_o, .axil_awaddr_i,
    .axil_wvalid_i, .axil_wready_o, .axil_wdata_i, .axil_wstrb_i,
    .axil_bvalid_o, .axil_bready_i, .axil_bresp_o,
    .axil_arvalid_i, .axil_arready_o, .axil_araddr_i,
    .axil_rvalid_o, .axil_rready_i, .axil_rdata_o, .axil_rresp_o,
    .units_i(Units),
    .mac_o(mac),
    .gid_o(gid),
    .rx_frame_i(rec_taken),
    .rx_bad_i(rec_taken && !rec_good),
    .tx_frame_i(tx_end),
    .tx_refused_i(err_valid_o),
    .busy_o(regs_busy)
  );

  tally_parser u_parser (
    .clk_i, .rst_ni,
    .mac_i(mac),
    .gid_i(gid),
    .in_tvalid_i(rx_tvalid_i),
    .in_tready_o(rx_tready_o),
    .in_tdata_i(rx_tdata_i),
    .in_tkeep_i(rx_tkeep_i),
    .in_tlast_i(rx_tlast_i),
    .in_terror_i(rx_terror_i),
    .hdr_valid_o(rec_valid_o),
    .hdr_ready_i(rec_ready_i),
    .hdr_o(rec_o),
    .out_tvalid_o(pay_tvalid_o),
    .out_tready_i(pay_tready_i),
    .out_tdata_o(pay_tdata_o),
    .out_tkeep_o(pay_tkeep_o),
    .out_tlast_o(pay_tlast_o)
  );

  tally_encap u_encap (
    .clk_i, .rst_ni,
    .hdr_valid_i, .hdr_ready_o, .hdr_i,
    .pay_tvalid_i(dat_tvalid_i),
    .pay_tready_o(dat_tready_o),
    .pay_tdata_i(dat_tdata_i),
    .pay_tkeep_i(dat_tkeep_i),
    .pay_tlast_i(dat_tlast_i),
    .frame_tvalid_o(tx_tvalid_o),
    .frame_tready_i(tx_tready_i),
    .frame_tdata_o(tx_tdata_o),
    .frame_tkeep_o(tx_tkeep_o),
    .frame_tlast_o(tx_tlast_o),
    .err_valid_o, .err_o
  );

  // ---- What is inside ----
  //
  // The first word of a frame counts it, and its record ends it. A payload may leave before its record: then its count
  // is -1 meanwhile, which is not 0 either.
  logic rx_inside_q, rx_begin, rec_pay, pay_end, hdr_taken;
  logic [InsideW-1:0] frames_q, payloads_q, headers_q;

  assign rx_begin = rx_tvalid_i && rx_tready_o && !rx_inside_q;
  assign rec_taken = rec_valid_o && rec_ready_i;
  assign rec_good = rec_o.verdict == 8'(tally_pkg::RxOk);
  assign rec_pay = rec_taken && rec_good && rec_o.payload_len != '0;
  assign pay_end = pay_tvalid_o && pay_tready_i && pay_tlast_o;
  assign hdr_taken = hdr_valid_i && hdr_ready_o;
  assign tx_end = tx_tvalid_o && tx_tready_i && tx_tlast_o;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      rx_inside_q <= 1'b0;
      frames_q <= '0;
      payloads_q <= '0;
      headers_q <= '0;
    end else begin
      if (rx_tvalid_i && rx_tready_o) rx_inside_q <= !rx_tlast_i;
      frames_q <= frames_q + InsideW'(rx_begin) - InsideW'(rec_taken);
      payloads_q <= payloads_q + InsideW'(rec_pay) - InsideW'(pay_end);
      headers_q <= headers_q + InsideW'(hdr_taken) - InsideW'(tx_end) - InsideW'(err_valid_o);
    end
  end
  assign idle_o = frames_q == '0 && payloads_q == '0 && headers_q == '0 && !regs_busy;
endmodule
