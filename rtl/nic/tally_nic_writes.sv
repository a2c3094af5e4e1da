// SPDX-License-Identifier: BSD-2-Clause
// Writes of registers: which unit of tally_nic each is for, and its answer.
//
// axil_*: the write channels of an AXI4-Lite slave. Address and data are taken together, and one
// write at a time: the next one is taken when the answer has been.
//
// write_*: the write, offered to one unit, whose answer is bvalid_i and bresp_i of the same index
// (target_e of tally_nic_pkg). A unit that is ready without an offer takes nothing, and makes
// nobody wait.
//
// *_mine_i: a unit says that it has the register at axil_awaddr_i, so nobody else is asked. The
// others are told by their address. listened_i: a unit that is not asked keeps the register as
// well, so the write is answered as done whatever the answer of the one that is, if it is of a
// whole word.
//
// hold_i: nothing is offered meanwhile. taken_o is a pulse, tables_o the same for registers of
// tables and commands, whoever has them.
module tally_nic_writes (
  input  logic                                        clk_i,
  input  logic                                        rst_ni,
  input  logic                                        hold_i,
  output logic                                        taken_o,
  output logic                                        tables_o,

  input  logic                                        axil_awvalid_i,
  output logic                                        axil_awready_o,
  input  logic [31:0]                                 axil_awaddr_i,
  input  logic                                        axil_wvalid_i,
  output logic                                        axil_wready_o,
  input  logic [3:0]                                  axil_wstrb_i,
  output logic                                        axil_bvalid_o,
  input  logic                                        axil_bready_i,
  output logic [1:0]                                  axil_bresp_o,

  input  logic                                        memory_mine_i,
  input  logic                                        store_mine_i,
  input  logic                                        events_mine_i,
  input  logic                                        firmware_mine_i,
  input  logic                                        listened_i,
  output logic [tally_nic_pkg::Targets-1:0]           write_valid_o,
  input  logic [tally_nic_pkg::Targets-1:0]           write_ready_i,
  input  logic [tally_nic_pkg::Targets-1:0]           bvalid_i,
  input  logic [tally_nic_pkg::Targets-1:0][1:0]      bresp_i
);
  localparam logic [1:0] RespOkay = 2'b00;

  function automatic logic is_in(input logic [31:0] address, input logic [31:0] base,
                                 input logic [31:0] bytes);
    is_in = address >= base && address < base + bytes;
  endfunction

  // Units that do not say by themselves what is theirs.
  logic of_tables, of_requests;
  tally_nic_pkg::target_e by_address, target;
  assign of_tables = axil_awaddr_i >= tally_fw_pkg::GroupBase ||
      (axil_awaddr_i >= tally_fw_pkg::CommandBase && axil_awaddr_i < tally_fw_pkg::SegmentBase);
  assign of_requests =
      (axil_awaddr_i >= tally_fw_pkg::QpBase && axil_awaddr_i < tally_fw_pkg::GroupBase) ||
      is_in(axil_awaddr_i, tally_fw_pkg::RequestBase, tally_fw_pkg::RequestBytes);
  always_comb begin
    by_address = tally_nic_pkg::ToRegs;
    if (of_tables) begin
      by_address = tally_nic_pkg::ToTables;
    end else if (of_requests) begin
      by_address = tally_nic_pkg::ToRequests;
    end else if (is_in(axil_awaddr_i, tally_fw_pkg::StatusBase, tally_fw_pkg::StatusBytes)) begin
      by_address = tally_nic_pkg::ToStatus;
    end else if (is_in(axil_awaddr_i, tally_fw_pkg::SenderBase, tally_fw_pkg::SenderBytes)) begin
      by_address = tally_nic_pkg::ToSender;
    end else if (is_in(axil_awaddr_i, tally_fw_pkg::TriggerBase, tally_fw_pkg::TriggerBytes)) begin
      by_address = tally_nic_pkg::ToTrigger;
    end else if (is_in(axil_awaddr_i, tally_fw_pkg::PoolBase, tally_fw_pkg::PoolBytes)) begin
      by_address = tally_nic_pkg::ToPool;
    end
  end
  always_comb begin
    target = by_address;
    if (memory_mine_i) target = tally_nic_pkg::ToMemory;
    else if (store_mine_i) target = tally_nic_pkg::ToStore;
    else if (events_mine_i) target = tally_nic_pkg::ToEvents;
    else if (firmware_mine_i) target = tally_nic_pkg::ToFirmware;
  end

  logic due_q, heard_q, offered;
  logic [1:0] bresp;
  assign offered = axil_awvalid_i && axil_wvalid_i && !due_q && !hold_i;
  assign write_valid_o = tally_nic_pkg::Targets'(offered) << target;
  assign taken_o = (write_valid_o & write_ready_i) != '0;
  assign tables_o = taken_o && of_tables;
  assign axil_awready_o = taken_o;
  assign axil_wready_o = taken_o;

  always_comb begin
    bresp = RespOkay;
    for (int unsigned k = 0; k < tally_nic_pkg::Targets; k++) begin
      if (bvalid_i[k]) bresp |= bresp_i[k];
    end
  end
  assign axil_bvalid_o = bvalid_i != '0;
  assign axil_bresp_o = heard_q ? RespOkay : bresp;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      due_q <= 1'b0;
      heard_q <= 1'b0;
    end else begin
      due_q <= taken_o || (due_q && !(axil_bvalid_o && axil_bready_i));
      if (taken_o) heard_q <= listened_i && axil_wstrb_i == 4'b1111;
    end
  end

`ifdef FORMAL
  `include "nic_writes_proof.svh"
`endif
endmodule
