// SPDX-License-Identifier: BSD-2-Clause
// AXI4-Lite slave with the registers of the network's units, struct net of tally_fw_pkg.
//
// A register has 32 bits, or 64 in two words: a read of the low word latches the high one, which
// the next read of a high word returns. Accesses are of whole words. An access that is not aligned,
// of an address without a register, or a write of a register that the hardware writes or of a part
// of a word, changes nothing and is answered with SLVERR.
//
// Address and data of a write are taken together: awready and wready depend on both valids. Reads
// and writes are answered in the next cycle, one at a time each. busy_o is high while an answer
// waits to be taken.
//
// mac_o and gid_o have the first byte of an address in their most significant bits. The pulses add
// one to a counter.
module tally_nic_regs #(
  parameter int unsigned CountW = 64  // bits of the counters
) (
  input  logic         clk_i,
  input  logic         rst_ni,

  input  logic         axil_awvalid_i,
  output logic         axil_awready_o,
  input  logic [31:0]  axil_awaddr_i,
  input  logic         axil_wvalid_i,
  output logic         axil_wready_o,
  input  logic [31:0]  axil_wdata_i,
  input  logic [3:0]   axil_wstrb_i,
  output logic         axil_bvalid_o,
  input  logic         axil_bready_i,
  output logic [1:0]   axil_bresp_o,
  input  logic         axil_arvalid_i,
  output logic         axil_arready_o,
  input  logic [31:0]  axil_araddr_i,
  output logic         axil_rvalid_o,
  input  logic         axil_rready_i,
  output logic [31:0]  axil_rdata_o,
  output logic [1:0]   axil_rresp_o,

  input  logic [31:0]  units_i,
  output logic [47:0]  mac_o,
  output logic [127:0] gid_o,
  input  logic         rx_frame_i,
  input  logic         rx_bad_i,
  input  logic         tx_frame_i,
  input  logic         tx_refused_i,
  output logic         busy_o
);
  localparam int unsigned Bits = 512;  // of net_t
  localparam logic [1:0] RespOkay = 2'b00;
  localparam logic [1:0] RespSlvErr = 2'b10;
  localparam logic [25:0] Window = tally_fw_pkg::NetBase[31:6];

  logic [47:0] mac_q;    // the first byte in the low bits, as in the registers
  logic [127:0] gid_q;
  logic [CountW-1:0] rx_frames_q, rx_bad_q, tx_frames_q, tx_refused_q;

  // ---- The registers as the structure has them ----
  tally_fw_pkg::net_t regs, can_write, is_wide, written;
  logic [Bits-1:0] regs_bits, can_write_bits, is_wide_bits, written_bits;

  always_comb begin
    regs = '0;
    regs.id = tally_fw_pkg::NetId;
    regs.units = units_i;
    regs.mac = {16'b0, mac_q};
    regs.gid = gid_q;
    regs.rx_frames = 64'(rx_frames_q);
    regs.rx_bad = 64'(rx_bad_q);
    regs.tx_frames = 64'(tx_frames_q);
    regs.tx_refused = 64'(tx_refused_q);
    can_write = '0;
    can_write.mac = {64{1'b1}};
    can_write.gid = {128{1'b1}};
    is_wide = '0;
    is_wide.rx_frames = {64{1'b1}};
    is_wide.rx_bad = {64{1'b1}};
    is_wide.tx_frames = {64{1'b1}};
    is_wide.tx_refused = {64{1'b1}};
  end
  assign regs_bits = regs;
  assign can_write_bits = can_write;
  assign is_wide_bits = is_wide;

  // ---- Writes ----
  logic write, write_ok, bvalid_q, unused;
  logic [1:0] bresp_q;
  logic [3:0] write_word;
  logic [63:0] written_mac;

  assign write = axil_awvalid_i && axil_wvalid_i && (!bvalid_q || axil_bready_i);
  assign axil_awready_o = write;
  assign axil_wready_o = write;
  assign write_word = axil_awaddr_i[5:2];
  assign write_ok = axil_awaddr_i[31:6] == Window && axil_awaddr_i[1:0] == 2'b00 &&
                    axil_wstrb_i == 4'b1111 &&
                    can_write_bits[32*write_word];
  always_comb begin
    written_bits = regs_bits;
    written_bits[32*write_word+:32] = axil_wdata_i;
  end
  assign written = written_bits;
  assign written_mac = written.mac;
  // most of them are constant, or not written
  assign unused = ^{written, written_mac, can_write_bits, is_wide_bits};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      bvalid_q <= 1'b0;
      mac_q <= '0;
      gid_q <= '0;
    end else begin
      bvalid_q <= write || (bvalid_q && !axil_bready_i);
      if (write && write_ok) begin
        mac_q <= written_mac[47:0];
        gid_q <= written.gid;
      end
    end
  end
  always_ff @(posedge clk_i) if (write) bresp_q <= write_ok ? RespOkay : RespSlvErr;
  assign axil_bvalid_o = bvalid_q;
  assign axil_bresp_o = bresp_q;

  // ---- Reads ----
  logic read, read_ok, read_high, rvalid_q;
  logic [1:0] rresp_q;
  logic [3:0] read_word;
  logic [31:0] rdata_q, high_q;

  assign axil_arready_o = !rvalid_q || axil_rready_i;
  assign read = axil_arvalid_i && axil_arready_o;
  assign read_word = axil_araddr_i[5:2];
  assign read_ok = axil_araddr_i[31:6] == Window && axil_araddr_i[1:0] == 2'b00;
  assign read_high = is_wide_bits[32*read_word] && read_word[0];  // wide registers are aligned

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) rvalid_q <= 1'b0;
    else rvalid_q <= read || (rvalid_q && !axil_rready_i);
  end
  always_ff @(posedge clk_i) begin
    if (read) begin
      rresp_q <= read_ok ? RespOkay : RespSlvErr;
      rdata_q <= !read_ok ? '0 : read_high ? high_q : regs_bits[32*read_word+:32];
      if (read_ok && is_wide_bits[32*read_word] && !read_word[0]) begin
        high_q <= regs_bits[64*read_word[3:1]+32+:32];
      end
    end
  end
  assign axil_rvalid_o = rvalid_q;
  assign axil_rresp_o = rresp_q;
  assign axil_rdata_o = rdata_q;

  // ---- Counters ----
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      rx_frames_q <= '0;
      rx_bad_q <= '0;
      tx_frames_q <= '0;
      tx_refused_q <= '0;
    end else begin
      rx_frames_q <= rx_frames_q + CountW'(rx_frame_i);
      rx_bad_q <= rx_bad_q + CountW'(rx_bad_i);
      tx_frames_q <= tx_frames_q + CountW'(tx_frame_i);
      tx_refused_q <= tx_refused_q + CountW'(tx_refused_i);
    end
  end

  always_comb begin
    for (int unsigned k = 0; k < 6; k++) mac_o[47-8*k-:8] = mac_q[8*k+:8];
    for (int unsigned k = 0; k < 16; k++) gid_o[127-8*k-:8] = gid_q[8*k+:8];
  end
  assign busy_o = bvalid_q || rvalid_q;

`ifdef FORMAL
  `include "nic_regs_proof.svh"
`endif
endmodule
