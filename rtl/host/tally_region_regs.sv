// SPDX-License-Identifier: BSD-2-Clause
// Registers of memory regions, struct region of tally_fw_pkg, as an AXI4-Lite slave that can only
// be written (tally_command_regs). A command goes to tally_mr (cfg_*), and is answered when it has
// been carried out: a region was entered, or it was removed and drained_i is high, which tells that
// the accesses permitted before have ended. It must not go low again until the next removal. A
// command is refused if it is unknown, or about a region that there cannot be: a value is out of
// the range of its port, or cfg_bad_i refuses it.
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
  // ---- Commands ----
  logic [15:0][31:0] words;
  tally_fw_pkg::region_t value;
  logic [31:0] go;
  logic enters, removes, in_range, good, judges, give, given, done, bad, drains_q, bad_q;
  tally_command_regs #(
    .Base(tally_fw_pkg::RegionBase), .Last(tally_fw_pkg::RegionAccessOffset)
  ) u_regs (
    .clk_i, .rst_ni, .axil_awvalid_i, .axil_awready_o, .axil_awaddr_i, .axil_wvalid_i,
    .axil_wready_o, .axil_wdata_i, .axil_wstrb_i, .axil_bvalid_o, .axil_bready_i, .axil_bresp_o,
    .busy_o, .value_o(words), .go_o(go), .judge_o(judges), .good_i(good),
    .give_valid_o(give), .give_ready_i(done), .give_bad_i(bad)
  );
  assign value = words;
  assign enters = go == tally_fw_pkg::RegionEnter;
  assign removes = go == tally_fw_pkg::RegionRemove;
  assign in_range = value.pd < tally_pkg::MaxPd && value.levels[31:8] == '0 &&
      value.page_shift[31:8] == '0;
  assign good = removes || (enters && in_range);

  // A removal has been carried out when all accesses have ended.
  assign done = enters ? given : drains_q && drained_i;
  assign bad = enters ? cfg_bad_i : bad_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) drains_q <= 1'b0;
    else drains_q <= (given && !enters) || (drains_q && !drained_i);
  end
  always_ff @(posedge clk_i) if (given) bad_q <= cfg_bad_i;

  // ---- The command that is given ----
  assign cfg_valid_o = give && !drains_q;
  assign given = cfg_valid_o && cfg_ready_i;
  assign cfg_enable_o = enters;
  assign cfg_lkey_o = value.lkey;
  assign cfg_pd_o = value.pd[PdW-1:0];
  assign cfg_write_o = (value.access & tally_pkg::AccessLocalWrite) != '0;
  assign cfg_iova_o = value.iova;
  assign cfg_addr_o = value.addr;
  assign cfg_length_o = value.length;
  assign cfg_offset_o = value.offset;
  assign cfg_levels_o = value.levels[7:0];
  assign cfg_page_shift_o = value.page_shift[7:0];

  // The window ends in words without a register, and `go` is not among the values.
  logic unused;
  assign unused = ^{value, judges};

`ifdef FORMAL
  `include "region_regs_proof.svh"
`endif
endmodule
