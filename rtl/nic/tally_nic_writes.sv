// SPDX-License-Identifier: BSD-2-Clause
// Writes of registers: which unit of tally_nic each is for, and its answer.
//
// axil_*: the write channels of an AXI4-Lite slave. Address and data are taken together, and one
// write at a time: the next one is taken when the answer has been. at_*: the write, which stays
// until its answer has been taken; units see it here, so their decoders begin at registers.
//
// write_*: the write, offered to one unit, whose answer is bvalid_i and bresp_i of the same index
// (target_e of tally_nic_pkg). A unit that is ready without an offer takes nothing, and makes
// nobody wait. bready_o: the answer is taken if it is given; not in the clock behind the one in
// which the unit takes the write, in which others learn of it.
//
// *_mine_i: a unit says that it has the register at at_addr_o, so nobody else is asked. The others
// are told by their address. listened_i: a unit that is not asked keeps the register as well, so
// the write is answered as done whatever the answer of the one that is, if it is of a whole word.
//
// put_*: writes of tally_fw_renew to the tables, amid a write of its command that is not answered.
// put_o: at_* is one of these.
//
// hold_i: nothing is offered meanwhile. taken_o is a pulse, in the clock after a unit has taken a
// write that is not of put_*; tables_o the same for registers of tables and commands, whoever has
// them. busy_o: a write is not answered.
module tally_nic_writes (
  input  logic                                        clk_i,
  input  logic                                        rst_ni,
  output logic                                        busy_o,
  input  logic                                        hold_i,
  output logic                                        taken_o,
  output logic                                        tables_o,

  input  logic                                        axil_awvalid_i,
  output logic                                        axil_awready_o,
  input  logic [31:0]                                 axil_awaddr_i,
  input  logic                                        axil_wvalid_i,
  output logic                                        axil_wready_o,
  input  logic [31:0]                                 axil_wdata_i,
  input  logic [3:0]                                  axil_wstrb_i,
  output logic                                        axil_bvalid_o,
  input  logic                                        axil_bready_i,
  output logic [1:0]                                  axil_bresp_o,

  input  logic                                        put_valid_i,
  output logic                                        put_ready_o,
  input  logic [31:0]                                 put_addr_i,
  input  logic [31:0]                                 put_data_i,
  output logic                                        put_bvalid_o,
  output logic [1:0]                                  put_bresp_o,
  output logic                                        put_o,

  output logic [31:0]                                 at_addr_o,
  output logic [31:0]                                 at_data_o,
  output logic [3:0]                                  at_strb_o,
  input  logic                                        memory_mine_i,
  input  logic                                        store_mine_i,
  input  logic                                        events_mine_i,
  input  logic                                        firmware_mine_i,
  input  logic                                        listened_i,
  output logic [tally_nic_pkg::Targets-1:0]           write_valid_o,
  input  logic [tally_nic_pkg::Targets-1:0]           write_ready_i,
  input  logic [tally_nic_pkg::Targets-1:0]           bvalid_i,
  input  logic [tally_nic_pkg::Targets-1:0][1:0]      bresp_i,
  output logic                                        bready_o
);
  localparam logic [1:0] RespOkay = 2'b00;

  typedef enum logic [2:0] {
    Empty = 3'd0,   // a write is taken
    Decode = 3'd1,  // its unit is found
    Offer = 3'd2,
    Taken = 3'd3,   // others learn of it
    Answer = 3'd4   // waits for the answer, or for a write of put_*
  } state_e;

  function automatic logic is_in(input logic [31:0] address, input logic [31:0] base,
                                 input logic [31:0] bytes);
    is_in = address >= base && address < base + bytes;
  endfunction

  // ---- The write ----
  state_e state_q, state_d;
  logic enters, puts, answered;
  assign enters = state_q == Empty && axil_awvalid_i && axil_wvalid_i;
  assign puts = state_q == Answer && !put_o && put_valid_i;
  assign axil_awready_o = enters;
  assign axil_wready_o = enters;
  assign put_ready_o = puts;
  always_ff @(posedge clk_i) begin
    if (enters) begin
      at_addr_o <= axil_awaddr_i;
      at_data_o <= axil_wdata_i;
      at_strb_o <= axil_wstrb_i;
    end else if (puts) begin
      at_addr_o <= put_addr_i;
      at_data_o <= put_data_i;
      at_strb_o <= 4'b1111;
    end
  end

  // ---- Whose it is ----
  logic of_tables, of_requests, of_tables_q, heard_q;
  tally_nic_pkg::target_e by_address, target;
  logic [tally_nic_pkg::Targets-1:0] to_q;
  // Units that do not say by themselves what is theirs.
  assign of_tables = at_addr_o >= tally_fw_pkg::GroupBase ||
      (at_addr_o >= tally_fw_pkg::CommandBase && at_addr_o < tally_fw_pkg::SegmentBase);
  assign of_requests =
      (at_addr_o >= tally_fw_pkg::QpBase && at_addr_o < tally_fw_pkg::GroupBase) ||
      is_in(at_addr_o, tally_fw_pkg::RequestBase, tally_fw_pkg::RequestBytes);
  always_comb begin
    by_address = tally_nic_pkg::ToRegs;
    if (of_tables) begin
      by_address = tally_nic_pkg::ToTables;
    end else if (of_requests) begin
      by_address = tally_nic_pkg::ToRequests;
    end else if (is_in(at_addr_o, tally_fw_pkg::StatusBase, tally_fw_pkg::StatusBytes)) begin
      by_address = tally_nic_pkg::ToStatus;
    end else if (is_in(at_addr_o, tally_fw_pkg::SenderBase, tally_fw_pkg::SenderBytes)) begin
      by_address = tally_nic_pkg::ToSender;
    end else if (is_in(at_addr_o, tally_fw_pkg::TriggerBase, tally_fw_pkg::TriggerBytes)) begin
      by_address = tally_nic_pkg::ToTrigger;
    end else if (is_in(at_addr_o, tally_fw_pkg::PoolBase, tally_fw_pkg::PoolBytes)) begin
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

  always_ff @(posedge clk_i) begin
    if (state_q == Decode) begin
      to_q <= tally_nic_pkg::Targets'(1) << (put_o ? tally_nic_pkg::ToTables : target);
      of_tables_q <= of_tables;
      if (!put_o) heard_q <= listened_i && at_strb_o == 4'b1111;
    end else if (put_bvalid_o) begin
      to_q <= tally_nic_pkg::Targets'(1) << tally_nic_pkg::ToFirmware;  // whose command goes on
    end
  end

  // ---- Offer and answer ----
  logic taken, given;
  logic [1:0] bresp;
  assign write_valid_o = state_q == Offer && !hold_i ? to_q : '0;
  assign taken = (write_valid_o & write_ready_i) != '0;
  assign taken_o = state_q == Taken && !put_o;
  assign tables_o = taken_o && of_tables_q;
  always_comb begin
    bresp = RespOkay;
    for (int unsigned k = 0; k < tally_nic_pkg::Targets; k++) begin
      if (to_q[k]) bresp |= bresp_i[k];
    end
  end
  assign given = state_q == Answer && (bvalid_i & to_q) != '0;
  assign bready_o = state_q == Answer && (put_o || axil_bready_i);
  assign axil_bvalid_o = given && !put_o;
  assign axil_bresp_o = heard_q ? RespOkay : bresp;
  assign put_bvalid_o = given && put_o;
  assign put_bresp_o = bresp;
  assign answered = axil_bvalid_o && axil_bready_i;

  always_comb begin
    unique case (state_q)
      Empty: state_d = enters ? Decode : Empty;
      Decode: state_d = Offer;
      Offer: state_d = taken ? Taken : Offer;
      Taken: state_d = Answer;
      default: state_d = puts ? Decode : answered ? Empty : Answer;  // Answer
    endcase
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= Empty;
      put_o <= 1'b0;
    end else begin
      state_q <= state_d;
      put_o <= puts || (put_o && !put_bvalid_o);
    end
  end
  assign busy_o = state_q != Empty;

`ifdef FORMAL
  `include "nic_writes_proof.svh"
`endif
endmodule
