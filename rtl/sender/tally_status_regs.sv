// SPDX-License-Identifier: BSD-2-Clause
// Registers of the outcome of requests: struct status of tally_fw_pkg, as an AXI4-Lite slave that
// can only be written (tally_command_regs), whose commands are those of tally_status (cmd_*). A
// command is refused if it is unknown, or names a queue pair, a group, a completion queue or a
// place that there is not.
//
// write_i: somebody carries out a write of data_i at addr_i. Of those this block takes what
// completions tell of a group: jid, max_segs and its inverse of struct setup, node of struct group.
// They are those of one group at a time, which CmdCreate of struct command makes the row of this
// group (group_*). mine_o: the register at addr_i is one of these.
module tally_status_regs #(
  parameter int unsigned Qps = tally_pkg::MaxQp,
  parameter int unsigned Groups = tally_pkg::MaxGroup,
  parameter int unsigned NumCq = tally_pkg::MaxCq,
  parameter int unsigned Entries = tally_pkg::MaxRequests,
  localparam int unsigned QpW = Qps > 1 ? $clog2(Qps) : 1,
  localparam int unsigned GroupW = Groups > 1 ? $clog2(Groups) : 1,
  localparam int unsigned CqnW = NumCq > 1 ? $clog2(NumCq) : 1,
  localparam int unsigned PlaceW = $clog2(Entries) - $clog2(tally_pkg::RequestStep),
  localparam int unsigned Places = tally_pkg::QpRequests / tally_pkg::RequestStep,
  localparam int unsigned PlacesW = Places * PlaceW
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,

  input  logic                       axil_awvalid_i,
  output logic                       axil_awready_o,
  input  logic [31:0]                axil_awaddr_i,
  input  logic                       axil_wvalid_i,
  output logic                       axil_wready_o,
  input  logic [31:0]                axil_wdata_i,
  input  logic [3:0]                 axil_wstrb_i,
  output logic                       axil_bvalid_o,
  input  logic                       axil_bready_i,
  output logic [1:0]                 axil_bresp_o,
  output logic                       busy_o,

  input  logic                       write_i,
  input  logic [31:0]                addr_i,
  input  logic [31:0]                data_i,
  output logic                       mine_o,
  output logic                       group_write_o,
  output logic [GroupW-1:0]          group_index_o,
  output tally_sender_pkg::group_t   group_o,

  output logic                       cmd_valid_o,
  input  logic                       cmd_ready_i,
  output tally_sender_pkg::command_e cmd_o,
  output logic                       cmd_forgets_o,  // requests of the queue pair
  output logic [QpW-1:0]             cmd_qp_o,
  output logic [7:0]                 cmd_state_o,
  output logic [GroupW-1:0]          cmd_group_o,
  output logic [CqnW-1:0]            cmd_cqn_o,
  output logic [PlacesW-1:0]         cmd_places_o,
  output logic [1:0]                 cmd_places_log_o,
  output tally_sender_pkg::report_t  cmd_report_o,
  output logic [7:0]                 cmd_flags_o
);
  // ---- Commands ----
  logic [15:0][31:0] words;
  tally_fw_pkg::status_t value;
  logic [31:0] go;
  logic unused_judge, known, creates, object_ok, good;
  logic [Places-1:0] place_ok;
  tally_command_regs #(
    .Base(tally_fw_pkg::StatusBase), .Last(tally_fw_pkg::StatusBytes - 4)
  ) u_regs (
    .clk_i, .rst_ni, .axil_awvalid_i, .axil_awready_o, .axil_awaddr_i, .axil_wvalid_i,
    .axil_wready_o, .axil_wdata_i, .axil_wstrb_i, .axil_bvalid_o, .axil_bready_i, .axil_bresp_o,
    .busy_o, .value_o(words), .go_o(go), .judge_o(unused_judge), .good_i(good),
    .give_valid_o(cmd_valid_o), .give_ready_i(cmd_ready_i), .give_bad_i(1'b0)
  );
  assign value = words;

  always_comb begin
    known = go[15:8] == '0;
    cmd_o = tally_sender_pkg::CommandState;
    cmd_state_o = tally_pkg::QpsReset;
    creates = 1'b0;
    unique case (32'(go[7:0]))
      tally_fw_pkg::StatusCreateQp: begin
        cmd_o = tally_sender_pkg::CommandCreate;
        creates = 1'b1;
      end
      tally_fw_pkg::StatusResetQp: ;
      tally_fw_pkg::StatusStartQp: cmd_state_o = tally_pkg::QpsRts;
      tally_fw_pkg::StatusFailQp: cmd_state_o = tally_pkg::QpsError;
      tally_fw_pkg::StatusEndEpoch: cmd_o = tally_sender_pkg::CommandEnd;
      tally_fw_pkg::StatusAnswer: cmd_o = tally_sender_pkg::CommandAnswer;
      default: known = 1'b0;
    endcase
  end
  always_comb begin
    for (int unsigned k = 0; k < Places; k++) begin
      place_ok[k] = 32'(value.places[k/2][16*(k%2) +: 16]) < Entries / tally_pkg::RequestStep;
    end
  end
  assign object_ok = 32'(value.group) < Groups && value.cqn < NumCq &&
      value.log_places <= $clog2(Places) && place_ok == '1;
  assign good = known && 32'(go[31:16]) < Qps && (!creates || object_ok);

  assign cmd_forgets_o = creates || (cmd_o == tally_sender_pkg::CommandState &&
                                     cmd_state_o == 8'(tally_pkg::QpsReset));
  assign cmd_qp_o = go[16 +: QpW];
  assign cmd_group_o = value.group[GroupW-1:0];
  assign cmd_cqn_o = value.cqn[CqnW-1:0];
  assign cmd_places_log_o = value.log_places[1:0];
  always_comb begin
    for (int unsigned k = 0; k < Places; k++) begin
      cmd_places_o[k*PlaceW +: PlaceW] = value.places[k/2][16*(k%2) +: PlaceW];
    end
  end
  assign cmd_report_o = {value.status[15:0], value.detector[15:0], value.contributors, value.ranks,
                         value.sid};
  assign cmd_flags_o = value.flags[7:0];

  // ---- The registers of one group ----
  localparam int unsigned GroupShift = $clog2(tally_fw_pkg::GroupStride);
  localparam logic [GroupShift-1:0] Setup = GroupShift'(tally_fw_pkg::SetupOffset);
  logic [31:0] in_groups;
  logic [GroupShift-1:0] at;
  logic of_group, create;
  logic [4:0] sets;
  assign in_groups = addr_i - tally_fw_pkg::GroupBase;
  assign at = in_groups[GroupShift-1:0];
  assign of_group = addr_i >= tally_fw_pkg::GroupBase && in_groups >> GroupShift < Groups;
  assign create = addr_i == tally_fw_pkg::CommandBase + tally_fw_pkg::CommandGoOffset &&
                  data_i[7:0] == 8'(tally_fw_pkg::CmdCreate) && 32'(data_i[31:16]) < Groups;
  assign sets = of_group ? {
      at == Setup + GroupShift'(tally_fw_pkg::SetupJidOffset),
      at == GroupShift'(tally_fw_pkg::GroupNodeOffset),
      at == Setup + GroupShift'(tally_fw_pkg::SetupMaxSegsOffset),
      at == Setup + GroupShift'(tally_fw_pkg::SetupSegsInverseOffset),
      at == Setup + GroupShift'(tally_fw_pkg::SetupSegsShiftOffset)} : '0;
  assign mine_o = sets != '0;

  tally_sender_pkg::group_t group_q;
  always_ff @(posedge clk_i) begin
    if (write_i && sets[4]) group_q.jid <= data_i;
    if (write_i && sets[3]) group_q.node <= data_i[15:0];
    if (write_i && sets[2]) group_q.max_segs <= data_i[8:0];
    if (write_i && sets[1]) group_q.inverse <= data_i;
    if (write_i && sets[0]) group_q.shift <= data_i[5:0];
  end
  assign group_write_o = write_i && create;
  assign group_index_o = data_i[16 +: GroupW];
  assign group_o = group_q;

  // The registers are wider than what they hold, and that of `go` is not kept.
  logic unused;
  assign unused = ^{value, go, unused_judge};

`ifdef FORMAL
  `include "status_regs_proof.svh"
`endif
endmodule
