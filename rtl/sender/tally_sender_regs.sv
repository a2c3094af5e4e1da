// SPDX-License-Identifier: BSD-2-Clause
// Registers of the request sender: struct sender of tally_fw_pkg, as an AXI4-Lite slave that can
// only be written (tally_command_regs). Its commands are epoch_*, tab_* and link_* of tally_sender.
// A command is refused if it is unknown, or names a group, a queue pair, a number of segments or a
// flag that there cannot be.
//
// tab_begins_o: the sender begins the requests of the queue pair.
module tally_sender_regs #(
  parameter int unsigned Groups = tally_pkg::MaxGroup,
  parameter int unsigned Qps = tally_pkg::MaxQp,
  localparam int unsigned GroupW = Groups > 1 ? $clog2(Groups) : 1,
  localparam int unsigned QpW = Qps > 1 ? $clog2(Qps) : 1,
  localparam int unsigned SegsW = $clog2(tally_pkg::MaxGroupSegs + 1),
  localparam int unsigned IndexW = GroupW > QpW ? GroupW : QpW
) (
  input  logic                         clk_i,
  input  logic                         rst_ni,
  output logic                         busy_o,

  input  logic                         axil_awvalid_i,
  output logic                         axil_awready_o,
  input  logic [31:0]                  axil_awaddr_i,
  input  logic                         axil_wvalid_i,
  output logic                         axil_wready_o,
  input  logic [31:0]                  axil_wdata_i,
  input  logic [3:0]                   axil_wstrb_i,
  output logic                         axil_bvalid_o,
  input  logic                         axil_bready_i,
  output logic [1:0]                   axil_bresp_o,

  output logic                         epoch_valid_o,
  input  logic                         epoch_ready_i,
  output logic                         epoch_begin_o,
  output logic [GroupW-1:0]            epoch_group_o,
  output logic [SegsW-1:0]             epoch_max_segs_o,
  output logic                         tab_valid_o,
  input  logic                         tab_ready_i,
  output logic [QpW-1:0]               tab_qp_o,
  output logic                         tab_begins_o,
  output logic [tally_pkg::MaxRanks-1:0] tab_sole_o,
  output logic                         tab_shared_o,
  output logic                         tab_others_o,
  output logic                         tab_alone_o,
  output logic                         link_valid_o,
  input  logic                         link_ready_i,
  output logic                         link_first_o,
  output logic [IndexW-1:0]            link_index_o,
  output logic                         link_end_o,
  output logic [QpW-1:0]               link_qp_o
);
  localparam logic [31:0] Flags = tally_fw_pkg::SenderFBegins | tally_fw_pkg::SenderFShared |
                                  tally_fw_pkg::SenderFOthers | tally_fw_pkg::SenderFAlone;

  logic [15:0][31:0] words;
  tally_fw_pkg::sender_t value;
  logic [31:0] go;
  logic unused_judge, good, give_valid, give_ready;
  tally_command_regs #(
    .Base(tally_fw_pkg::SenderBase), .Last(tally_fw_pkg::SenderSoleOffset + 4)
  ) u_regs (
    .clk_i, .rst_ni, .axil_awvalid_i, .axil_awready_o, .axil_awaddr_i, .axil_wvalid_i,
    .axil_wready_o, .axil_wdata_i, .axil_wstrb_i, .axil_bvalid_o, .axil_bready_i, .axil_bresp_o,
    .busy_o, .value_o(words), .go_o(go), .judge_o(unused_judge), .good_i(good),
    .give_valid_o(give_valid), .give_ready_i(give_ready), .give_bad_i(1'b0)
  );
  assign value = words;

  // ---- What a command is ----
  logic of_epoch, of_tab, of_link, of_group, ends, value_ok;
  logic [31:0] code, index;
  assign code = 32'(go[7:0]);
  assign index = 32'(go[31:16]);
  assign of_epoch = code == tally_fw_pkg::SenderBeginEpoch || code == tally_fw_pkg::SenderEndEpoch;
  assign of_tab = code == tally_fw_pkg::SenderSetQp;
  assign of_link = code == tally_fw_pkg::SenderFirstQp || code == tally_fw_pkg::SenderNextQp;
  assign of_group = of_epoch || code == tally_fw_pkg::SenderFirstQp;
  assign ends = value.next == tally_fw_pkg::NoQp;
  always_comb begin
    value_ok = ends || value.next < Qps;
    if (of_tab) value_ok = (value.flags & ~Flags) == '0;
    else if (code == tally_fw_pkg::SenderEndEpoch) value_ok = 1'b1;
    else if (of_epoch) begin
      value_ok = value.max_segs != '0 && value.max_segs <= tally_pkg::MaxGroupSegs;
    end
  end
  assign good = go[15:8] == '0 && (of_epoch || of_tab || of_link) && value_ok &&
                (of_group ? index < Groups : index < Qps);

  // ---- What it gives ----
  assign epoch_valid_o = give_valid && of_epoch;
  assign epoch_begin_o = code == tally_fw_pkg::SenderBeginEpoch;
  assign epoch_group_o = index[GroupW-1:0];
  assign epoch_max_segs_o = value.max_segs[SegsW-1:0];
  assign tab_valid_o = give_valid && of_tab;
  assign tab_qp_o = index[QpW-1:0];
  assign tab_begins_o = (value.flags & tally_fw_pkg::SenderFBegins) != '0;
  assign tab_sole_o = value.sole;
  assign tab_shared_o = (value.flags & tally_fw_pkg::SenderFShared) != '0;
  assign tab_others_o = (value.flags & tally_fw_pkg::SenderFOthers) != '0;
  assign tab_alone_o = (value.flags & tally_fw_pkg::SenderFAlone) != '0;
  assign link_valid_o = give_valid && of_link;
  assign link_first_o = of_group;
  assign link_index_o = index[IndexW-1:0];
  assign link_end_o = ends;
  assign link_qp_o = value.next[QpW-1:0];
  assign give_ready = (epoch_valid_o && epoch_ready_i) || (tab_valid_o && tab_ready_i) ||
                      (link_valid_o && link_ready_i);

  // The registers are wider than what they hold, and that of `go` is not kept.
  logic unused;
  assign unused = ^{value, go, unused_judge};

`ifdef FORMAL
  `include "sender_regs_proof.svh"
`endif
endmodule
