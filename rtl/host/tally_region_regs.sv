// SPDX-License-Identifier: BSD-2-Clause
// Registers of memory regions, struct region of tally_fw_pkg, as an AXI4-Lite slave that can only
// be written.
//
// A write to `go` gives one command to tally_mr (cfg_*), and is answered when it has been carried
// out: a region was entered, or it was removed and drained_i is high, which tells that the accesses
// permitted before have ended. It must not go low again until the next removal. Anything else keeps
// its value until it is written again. A write is answered with SLVERR, and changes nothing, if it
// is of a part of a word, or not of a register, or a command that is unknown, or a region that
// there cannot be: a value is out of the range of its port, or cfg_bad_i refuses it.
//
// Address and data of a write are taken together. A write is answered in the next clock, a command
// in the clock after it was carried out. busy_o is high from a write to its answer.
module tally_region_regs #(
  localparam int unsigned AddrW = 64,
  localparam int unsigned PdW = $clog2(tally_pkg::MaxPd)
) (
  input  logic             clk_i,
  input  logic             rst_ni,

  input  logic             axil_awvalid_i,
  output logic             axil_awready_o,
  input  logic [31:0]      axil_awaddr_i,
  input  logic             axil_wvalid_i,
  output logic             axil_wready_o,
  input  logic [31:0]      axil_wdata_i,
  input  logic [3:0]       axil_wstrb_i,
  output logic             axil_bvalid_o,
  input  logic             axil_bready_i,
  output logic [1:0]       axil_bresp_o,
  output logic             busy_o,

  output logic             cfg_valid_o,       // these as in tally_mr
  input  logic             cfg_ready_i,
  input  logic             cfg_bad_i,
  output logic             cfg_enable_o,
  output logic [31:0]      cfg_lkey_o,
  output logic [PdW-1:0]   cfg_pd_o,
  output logic             cfg_write_o,
  output logic [AddrW-1:0] cfg_iova_o,
  output logic [AddrW-1:0] cfg_addr_o,
  output logic [AddrW-1:0] cfg_length_o,
  output logic [31:0]      cfg_offset_o,
  output logic [7:0]       cfg_levels_o,
  output logic [7:0]       cfg_page_shift_o,
  input  logic             drained_i
);
  localparam int unsigned Words = 16;         // of the window
  localparam logic [1:0] RespOkay = 2'b00;
  localparam logic [1:0] RespSlvErr = 2'b10;

  typedef enum logic [1:0] {
    Ready = 2'd0,
    Give = 2'd1,    // offers the command
    Drain = 2'd2,   // a region has been removed
    Answer = 2'd3
  } state_e;

  state_e state_q;
  logic failed_q, enters_q, given;

  // ---- Which register a write is for ----
  logic write, whole, is_go, is_value;
  logic [$clog2(Words)-1:0] word;
  logic [31:0] at;

  assign write = state_q == Ready && axil_awvalid_i && axil_wvalid_i;
  assign at = axil_awaddr_i - tally_fw_pkg::RegionBase;
  assign word = at[$clog2(4*Words)-1:2];
  assign whole = axil_wstrb_i == 4'b1111 && at < 4 * Words && at[1:0] == 2'b00;
  assign is_go = whole && at == tally_fw_pkg::RegionGoOffset;
  assign is_value = whole && !is_go && at <= tally_fw_pkg::RegionAccessOffset;
  assign axil_awready_o = write;
  assign axil_wready_o = write;

  // ---- Values ----
  logic [Words-1:0][31:0] written, value_q;
  tally_fw_pkg::region_t value;
  always_comb begin
    written = value_q;
    if (is_value) written[word] = axil_wdata_i;
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) value_q <= '0;
    else if (write) value_q <= written;
  end
  assign value = value_q;

  // ---- Commands ----
  logic enters, removes, in_range, good;

  assign enters = axil_wdata_i == tally_fw_pkg::RegionEnter;
  assign removes = axil_wdata_i == tally_fw_pkg::RegionRemove;
  assign in_range = value.pd < tally_pkg::MaxPd && value.levels[31:8] == '0 &&
      value.page_shift[31:8] == '0;
  assign good = is_go && (removes || (enters && in_range));

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= Ready;
    end else begin
      unique case (state_q)
        Ready: if (write) state_q <= good ? Give : Answer;
        Give: if (given) state_q <= enters_q ? Answer : Drain;
        Drain: if (drained_i) state_q <= Answer;
        default: if (axil_bready_i) state_q <= Ready;  // Answer
      endcase
    end
  end
  always_ff @(posedge clk_i) begin
    if (write) begin
      failed_q <= !good && !is_value;
      enters_q <= enters;
    end else if (given) begin
      failed_q <= cfg_bad_i;
    end
  end
  assign axil_bvalid_o = state_q == Answer;
  assign axil_bresp_o = failed_q ? RespSlvErr : RespOkay;
  assign busy_o = state_q != Ready;

  // ---- The command that is given ----
  assign cfg_valid_o = state_q == Give;
  assign given = cfg_valid_o && cfg_ready_i;
  assign cfg_enable_o = enters_q;
  assign cfg_lkey_o = value.lkey;
  assign cfg_pd_o = value.pd[PdW-1:0];
  assign cfg_write_o = (value.access & tally_pkg::AccessLocalWrite) != '0;
  assign cfg_iova_o = value.iova;
  assign cfg_addr_o = value.addr;
  assign cfg_length_o = value.length;
  assign cfg_offset_o = value.offset;
  assign cfg_levels_o = value.levels[7:0];
  assign cfg_page_shift_o = value.page_shift[7:0];

  // The window ends in words without a register, and `go` is not kept.
  logic unused;
  assign unused = ^value;

`ifdef FORMAL
  `include "region_regs_proof.svh"
`endif
endmodule
