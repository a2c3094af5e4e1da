// SPDX-License-Identifier: BSD-2-Clause
// Registers of the request processor: struct trigger of tally_fw_pkg, as an AXI4-Lite slave that
// can only be written (tally_command_regs). Its commands are group_write_o, a pulse, and cells_*,
// port_* and link_* of tally_trigger. A command is refused if it is unknown, or names a group, a
// queue pair, a payload, a port or a number of cells that there cannot be; cells that are not given
// (cells_given_i with cells_done_i) are refused, too.
module tally_trigger_regs #(
  parameter int unsigned Groups = tally_pkg::MaxGroup,
  parameter int unsigned Qps = tally_pkg::MaxQp,
  parameter int unsigned Cells = tally_pkg::RmqCells,
  localparam int unsigned GroupW = Groups > 1 ? $clog2(Groups) : 1,
  localparam int unsigned QpW = Qps > 1 ? $clog2(Qps) : 1,
  localparam int unsigned UsedW = $clog2(Cells + 1),
  localparam int unsigned IndexW = GroupW > QpW ? GroupW : QpW
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  output logic              busy_o,

  input  logic              axil_awvalid_i,
  output logic              axil_awready_o,
  input  logic [31:0]       axil_awaddr_i,
  input  logic              axil_wvalid_i,
  output logic              axil_wready_o,
  input  logic [31:0]       axil_wdata_i,
  input  logic [3:0]        axil_wstrb_i,
  output logic              axil_bvalid_o,
  input  logic              axil_bready_i,
  output logic [1:0]        axil_bresp_o,

  output logic              group_write_o,
  output logic [GroupW-1:0] group_index_o,
  output logic [63:0]       limit_o,
  output logic [12:0]       mtu_o,
  output logic              cells_valid_o,
  input  logic              cells_ready_i,
  output logic [GroupW-1:0] cells_group_o,
  output logic [UsedW-1:0]  cells_o,
  output logic [UsedW-1:0]  cells_keep_o,
  input  logic              cells_done_i,
  input  logic              cells_given_i,
  output logic              port_valid_o,
  input  logic              port_ready_i,
  output logic [QpW-1:0]    port_qp_o,
  output logic [15:0]       port_o,
  output logic              link_valid_o,
  input  logic              link_ready_i,
  output logic              link_first_o,
  output logic [IndexW-1:0] link_index_o,
  output logic              link_end_o,
  output logic [QpW-1:0]    link_qp_o
);
  logic [15:0][31:0] words;
  tally_fw_pkg::trigger_t value;
  logic [31:0] go;
  logic unused_judge, good, give_valid, give_ready;
  tally_command_regs #(
    .Base(tally_fw_pkg::TriggerBase), .Last(tally_fw_pkg::TriggerNextOffset)
  ) u_regs (
    .clk_i, .rst_ni, .axil_awvalid_i, .axil_awready_o, .axil_awaddr_i, .axil_wvalid_i,
    .axil_wready_o, .axil_wdata_i, .axil_wstrb_i, .axil_bvalid_o, .axil_bready_i, .axil_bresp_o,
    .busy_o, .value_o(words), .go_o(go), .judge_o(unused_judge), .good_i(good),
    .give_valid_o(give_valid), .give_ready_i(give_ready), .give_bad_i(of_cells && !cells_given_i)
  );
  assign value = words;

  // ---- What a command is ----
  logic of_group, of_cells, of_port, of_link, names_group, ends, value_ok;
  logic [31:0] code, index;
  assign code = 32'(go[7:0]);
  assign index = 32'(go[31:16]);
  assign of_group = code == tally_fw_pkg::TriggerSetGroup;
  assign of_cells = code == tally_fw_pkg::TriggerSetCells;
  assign of_port = code == tally_fw_pkg::TriggerSetQp;
  assign of_link = code == tally_fw_pkg::TriggerFirstQp || code == tally_fw_pkg::TriggerNextQp;
  assign names_group = of_group || of_cells || code == tally_fw_pkg::TriggerFirstQp;
  assign ends = value.next == tally_fw_pkg::NoQp;
  always_comb begin
    value_ok = ends || value.next < Qps;
    if (of_group) value_ok = value.mtu != '0 && value.mtu <= tally_pkg::MaxMtu;
    else if (of_cells) value_ok = value.cells <= Cells && value.keep <= value.cells;
    else if (of_port) value_ok = value.port[31:16] == '0;
  end
  assign good = go[15:8] == '0 && (of_group || of_cells || of_port || of_link) && value_ok &&
                (names_group ? index < Groups : index < Qps);

  // ---- What it gives ----
  logic asked_q;  // the cells; the answer is on its way
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) asked_q <= 1'b0;
    else asked_q <= (cells_valid_o && cells_ready_i) || (asked_q && !cells_done_i);
  end
  assign group_write_o = give_valid && of_group;
  assign group_index_o = index[GroupW-1:0];
  assign limit_o = value.limit;
  assign mtu_o = value.mtu[12:0];
  assign cells_valid_o = give_valid && of_cells && !asked_q;
  assign cells_group_o = index[GroupW-1:0];
  assign cells_o = value.cells[UsedW-1:0];
  assign cells_keep_o = value.keep[UsedW-1:0];
  assign port_valid_o = give_valid && of_port;
  assign port_qp_o = index[QpW-1:0];
  assign port_o = value.port[15:0];
  assign link_valid_o = give_valid && of_link;
  assign link_first_o = names_group;
  assign link_index_o = index[IndexW-1:0];
  assign link_end_o = ends;
  assign link_qp_o = value.next[QpW-1:0];
  assign give_ready = of_group || (of_cells && asked_q && cells_done_i) ||
                      (of_port && port_ready_i) || (of_link && link_ready_i);

  // The registers are wider than what they hold, and that of `go` is not kept.
  logic unused;
  assign unused = ^{value, go, unused_judge};

`ifdef FORMAL
  `include "trigger_regs_proof.svh"
`endif
endmodule
