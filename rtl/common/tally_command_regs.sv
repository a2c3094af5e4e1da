// SPDX-License-Identifier: BSD-2-Clause
// A window of registers through which a unit gets its commands, as an AXI4-Lite slave that can only
// be written: `go` at Base, and up to the one at offset Last those that say what a command is
// about.
//
// A write to `go` gives one command, if good_i: give_* with go_o, and with value_o, the registers
// as they were written last (that of `go` is zero). good_i is what the user says of these two in
// the clock in which judge_o is high. The write is answered when the command was taken, so what is
// written later comes later. A write is answered with SLVERR, and changes nothing, if it is of a
// part of a word, or not of a register, or a command that is not good; and if give_bad_i is high
// when the command is taken, which says that it could not be carried out.
//
// Address and data of a write are taken together. A write is answered in the next clock, a command
// in the clock after it was taken, two clocks after the write at the earliest. busy_o is high from
// a write to its answer.
module tally_command_regs #(
  parameter logic [31:0] Base = '0,
  parameter int unsigned Last = 60,
  parameter int unsigned Words = 16            // of the window, a power of two
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,

  input  logic                   axil_awvalid_i,
  output logic                   axil_awready_o,
  input  logic [31:0]            axil_awaddr_i,
  input  logic                   axil_wvalid_i,
  output logic                   axil_wready_o,
  input  logic [31:0]            axil_wdata_i,
  input  logic [3:0]             axil_wstrb_i,
  output logic                   axil_bvalid_o,
  input  logic                   axil_bready_i,
  output logic [1:0]             axil_bresp_o,
  output logic                   busy_o,

  output logic [Words-1:0][31:0] value_o,
  output logic [31:0]            go_o,
  output logic                   judge_o,
  input  logic                   good_i,
  output logic                   give_valid_o,
  input  logic                   give_ready_i,
  input  logic                   give_bad_i
);
  localparam logic [1:0] RespOkay = 2'b00;
  localparam logic [1:0] RespSlvErr = 2'b10;

  typedef enum logic [1:0] {
    StReady,
    StJudge,
    StGive,
    StAnswer
  } state_e;

  state_e state_q;
  logic failed_q;
  logic [Words-1:0][31:0] value_q;
  logic [31:0] go_q;

  // ---- Which register a write is for ----
  logic write, whole, is_go, is_value;
  logic [31:0] at;
  logic [$clog2(Words)-1:0] word;
  assign write = state_q == StReady && axil_awvalid_i && axil_wvalid_i;
  assign at = axil_awaddr_i - Base;
  assign word = at[$clog2(4*Words)-1:2];
  assign whole = axil_wstrb_i == 4'b1111 && at <= Last && at[1:0] == 2'b00;
  assign is_go = whole && at == '0;
  assign is_value = whole && at != '0;
  assign axil_awready_o = write;
  assign axil_wready_o = write;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) value_q <= '0;
    else if (write && is_value) value_q[word] <= axil_wdata_i;
  end

  // ---- The command, and the answer ----
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= StReady;
    end else begin
      unique case (state_q)
        StReady: if (write) state_q <= is_go ? StJudge : StAnswer;
        StJudge: state_q <= good_i ? StGive : StAnswer;
        StGive: if (give_ready_i) state_q <= StAnswer;
        default: if (axil_bready_i) state_q <= StReady;  // StAnswer
      endcase
    end
  end
  always_ff @(posedge clk_i) begin
    if (write) go_q <= axil_wdata_i;
    if (write) failed_q <= !whole;
    else if (judge_o) failed_q <= !good_i;
    else if (give_valid_o && give_ready_i) failed_q <= give_bad_i;
  end

  assign judge_o = state_q == StJudge;
  assign give_valid_o = state_q == StGive;
  assign value_o = value_q;
  assign go_o = go_q;
  assign axil_bvalid_o = state_q == StAnswer;
  assign axil_bresp_o = failed_q ? RespSlvErr : RespOkay;
  assign busy_o = state_q != StReady;

`ifdef FORMAL
  `include "command_regs_proof.svh"
`endif
endmodule
