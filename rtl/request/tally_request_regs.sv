// SPDX-License-Identifier: BSD-2-Clause
// Registers of send queues and doorbell slots, struct request of tally_fw_pkg, as an AXI4-Lite
// slave that can only be written (tally_command_regs). A command goes to tally_fetch (set_*) or to
// tally_push (bind_*, its cfg_*). It is refused if it is unknown, names what there cannot be, or
// has a value out of range.
module tally_request_regs #(
  parameter int unsigned Qps = tally_pkg::MaxQp,
  parameter int unsigned NumCq = tally_pkg::MaxCq,
  parameter int unsigned Uars = tally_pkg::NumUars,
  localparam int unsigned AddrW = 64,
  localparam int unsigned QpW = Qps > 1 ? $clog2(Qps) : 1,
  localparam int unsigned CqnW = NumCq > 1 ? $clog2(NumCq) : 1,
  localparam int unsigned ObjectW = QpW > CqnW ? QpW : CqnW,
  localparam int unsigned UarW = Uars > 1 ? $clog2(Uars) : 1,
  localparam int unsigned SlotW = $clog2(tally_pkg::UarSlots),
  localparam int unsigned LogW = 4,
  localparam int unsigned StrideW = 10,
  localparam int unsigned LevelW = $clog2(tally_pkg::MemLevels + 1),
  localparam int unsigned ShiftW = $clog2(tally_pkg::MaxPageShift - tally_pkg::MinPageShift + 1),
  localparam int unsigned RingW = AddrW + LevelW + ShiftW
) (
  input  logic               clk_i,
  input  logic               rst_ni,

  input  logic               axil_awvalid_i,
  output logic               axil_awready_o,
  input  logic [31:0]        axil_awaddr_i,
  input  logic               axil_wvalid_i,
  output logic               axil_wready_o,
  input  logic [31:0]        axil_wdata_i,
  input  logic [3:0]         axil_wstrb_i,
  output logic               axil_bvalid_o,
  input  logic               axil_bready_i,
  output logic [1:0]         axil_bresp_o,
  output logic               busy_o,

  output logic               set_valid_o,
  input  logic               set_ready_i,
  output logic [QpW-1:0]     set_qp_o,
  output logic [7:0]         set_state_o,       // tally_pkg::qp_state_e
  output logic               set_create_o,
  // addr of struct tally_mem, levels, log2 of page / 4 KiB
  output logic [RingW-1:0]   set_ring_o,
  output logic [AddrW-1:0]   set_base_o,        // addr at level 0, offset otherwise
  output logic [LogW-1:0]    set_depth_log_o,
  output logic [LogW-1:0]    set_stride_log_o,

  output logic               bind_valid_o,
  input  logic               bind_ready_i,
  output logic [UarW-1:0]    bind_uar_o,
  output logic [SlotW-1:0]   bind_slot_o,
  output logic               bind_bound_o,
  output logic               bind_cq_o,
  output logic [ObjectW-1:0] bind_object_o,
  output logic               bind_push_o,
  output logic [StrideW-1:0] bind_stride_o      // an entry of the send queue, in 16 bytes
);
  localparam logic [31:0] MaxDepthLog = $clog2(tally_pkg::MaxSqDepth);
  localparam logic [31:0] MinStrideLog = $clog2(tally_pkg::MinWqeSize);
  localparam logic [31:0] MaxStrideLog = $clog2(tally_pkg::MaxWqeSize);

  // ---- Commands ----
  logic [15:0][31:0] words;
  tally_fw_pkg::request_t value;
  logic [31:0] go;
  logic give, given, judges;
  tally_command_regs #(
    .Base(tally_fw_pkg::RequestBase), .Last(tally_fw_pkg::RequestPushOffset)
  ) u_regs (
    .clk_i, .rst_ni, .axil_awvalid_i, .axil_awready_o, .axil_awaddr_i, .axil_wvalid_i,
    .axil_wready_o, .axil_wdata_i, .axil_wstrb_i, .axil_bvalid_o, .axil_bready_i, .axil_bresp_o,
    .busy_o, .value_o(words), .go_o(go), .judge_o(judges), .good_i(good),
    .give_valid_o(give), .give_ready_i(given), .give_bad_i(1'b0)
  );
  assign value = words;

  logic [7:0] code;
  logic [15:0] number;
  logic known, of_cq, of_qp, creates, binds, number_ok, memory_ok, size_ok, aligned, slot_ok, good;
  logic [63:0] first, mask;

  assign code = go[7:0];
  assign number = go[31:16];
  always_comb begin
    {of_qp, of_cq, creates, binds} = 4'b0000;
    known = go[15:8] == '0;
    unique case (32'(code))
      tally_fw_pkg::RequestCreateQp: {of_qp, creates} = 2'b11;
      tally_fw_pkg::RequestResetQp,
      tally_fw_pkg::RequestStartQp,
      tally_fw_pkg::RequestFailQp: of_qp = 1'b1;
      tally_fw_pkg::RequestBindQp: {of_qp, binds} = 2'b11;
      tally_fw_pkg::RequestBindCq: {of_cq, binds} = 2'b11;
      tally_fw_pkg::RequestUnbind: binds = 1'b1;
      default: known = 1'b0;
    endcase
  end
  assign number_ok = (!of_qp || 32'(number) < Qps) && (!of_cq || 32'(number) < NumCq);

  // As mem_decode_ring() (sim/nic/mem.c), which also knows the length of the memory.
  logic page_ok;
  assign page_ok = value.page_shift >= tally_pkg::MinPageShift &&
      value.page_shift <= tally_pkg::MaxPageShift;
  always_comb begin
    if (value.levels == '0) begin
      memory_ok = value.offset == '0 && (value.page_shift == '0 || page_ok);
    end else begin
      memory_ok = value.levels <= tally_pkg::MemLevels && page_ok;
    end
  end
  assign size_ok = value.log_stride >= MinStrideLog && value.log_stride <= MaxStrideLog;
  assign first = value.levels == '0 ? value.addr : 64'(value.offset);
  assign mask = ~({64{1'b1}} << value.log_stride[LogW-1:0]);
  assign aligned = (first & mask) == '0;
  assign slot_ok = value.uar < Uars && value.slot < tally_pkg::UarSlots && value.push <= 1;
  assign good = known && number_ok && (!binds || slot_ok) &&
      (!(binds && of_qp) || size_ok) &&
      (!creates || (memory_ok && size_ok && aligned && value.log_depth <= MaxDepthLog));

  // ---- The command that is given; what follows from its code is there since it was judged ----
  logic of_slot_q, binds_cq;
  logic [31:0] shift;
  assign binds_cq = code == 8'(tally_fw_pkg::RequestBindCq);
  always_ff @(posedge clk_i) begin
    of_slot_q <= code >= 8'(tally_fw_pkg::RequestBindQp);  // the last three
    set_create_o <= code == 8'(tally_fw_pkg::RequestCreateQp);
    unique case (32'(code))
      tally_fw_pkg::RequestStartQp: set_state_o <= tally_pkg::QpsRts;
      tally_fw_pkg::RequestFailQp: set_state_o <= tally_pkg::QpsError;
      default: set_state_o <= tally_pkg::QpsReset;
    endcase
    bind_bound_o <= code != 8'(tally_fw_pkg::RequestUnbind);
    bind_cq_o <= binds_cq;
    bind_push_o <= value.push[0] && !binds_cq;
    bind_stride_o <= StrideW'(1) << (set_stride_log_o - LogW'(4));
  end
  assign set_valid_o = give && !of_slot_q;
  assign bind_valid_o = give && of_slot_q;
  assign given = (set_valid_o && set_ready_i) || (bind_valid_o && bind_ready_i);

  assign shift = value.page_shift == '0 ? '0 : value.page_shift - tally_pkg::MinPageShift;
  assign set_qp_o = number[QpW-1:0];
  assign set_ring_o = {value.addr, value.levels[LevelW-1:0], shift[ShiftW-1:0]};
  assign set_base_o = first;
  assign set_depth_log_o = value.log_depth[LogW-1:0];
  assign set_stride_log_o = value.log_stride[LogW-1:0];
  assign bind_uar_o = value.uar[UarW-1:0];
  assign bind_slot_o = value.slot[SlotW-1:0];
  assign bind_object_o = number[ObjectW-1:0];

  // The window ends in words without a register, and `go` is not among the values.
  logic unused;
  assign unused = ^{value, shift, number, judges};

`ifdef FORMAL
  `include "request_regs_proof.svh"
`endif
endmodule
