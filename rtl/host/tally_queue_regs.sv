// SPDX-License-Identifier: BSD-2-Clause
// Registers of completion queues (CQ) and event queues (EQ), struct queue of tally_fw_pkg, as an
// AXI4-Lite slave that can only be written (tally_command_regs): creation, destruction, and the
// doorbells of EQs. A command goes to tally_cqe_writer or tally_eqe_writer: cq_cfg_*, eq_cfg_* or
// eq_db_*, whose data are the outputs without a prefix. It is refused if it is unknown, names a
// queue that there cannot be, or has a value out of range.
module tally_queue_regs #(
  parameter int unsigned NumCq = tally_pkg::MaxCq,
  parameter int unsigned NumEq = tally_pkg::MaxEq,
  parameter int unsigned AddrW = 64,
  parameter int unsigned CountW = 64,
  localparam int unsigned CqnW = NumCq > 1 ? $clog2(NumCq) : 1,
  localparam int unsigned EqnW = NumEq > 1 ? $clog2(NumEq) : 1,
  localparam int unsigned VectorW = $clog2(tally_pkg::NumVectors),
  localparam int unsigned LogW = $clog2($clog2(tally_pkg::MaxCqDepth) + 1),
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

  output logic               cq_cfg_valid_o,
  input  logic               cq_cfg_ready_i,
  output logic               eq_cfg_valid_o,
  input  logic               eq_cfg_ready_i,
  output logic               eq_db_valid_o,
  input  logic               eq_db_ready_i,

  output logic [CqnW-1:0]    cqn_o,          // of cq_*
  output logic [EqnW-1:0]    eqn_o,          // of eq_*
  output logic               enable_o,       // cq_cfg_*, eq_cfg_*: create
  // addr of struct tally_mem, levels, log2 of page / 4 KiB
  output logic [RingW-1:0]   ring_o,
  output logic [AddrW-1:0]   first_o,        // addr at level 0, offset otherwise
  output logic [LogW-1:0]    log_depth_o,
  output logic [EqnW-1:0]    cq_eqn_o,       // cq_cfg_*
  output logic [VectorW-1:0] vector_o,       // eq_cfg_*
  output logic [CountW-1:0]  count_o         // eq_db_*
);
  localparam logic [31:0] MaxCqLog = $clog2(tally_pkg::MaxCqDepth);
  localparam logic [31:0] MaxEqLog = $clog2(tally_pkg::MaxEqDepth);

  // ---- Commands ----
  logic [15:0][31:0] words;
  tally_fw_pkg::queue_t value;
  logic [31:0] go;
  logic give, given, judges;
  tally_command_regs #(
    .Base(tally_fw_pkg::QueueBase), .Last(tally_fw_pkg::QueueVectorOffset)
  ) u_regs (
    .clk_i, .rst_ni, .axil_awvalid_i, .axil_awready_o, .axil_awaddr_i, .axil_wvalid_i,
    .axil_wready_o, .axil_wdata_i, .axil_wstrb_i, .axil_bvalid_o, .axil_bready_i, .axil_bresp_o,
    .busy_o, .value_o(words), .go_o(go), .judge_o(judges), .good_i(good),
    .give_valid_o(give), .give_ready_i(given), .give_bad_i(1'b0)
  );
  assign value = words;

  logic [7:0] code;
  logic [15:0] number;
  logic of_cq, creates, known, number_ok, ring_ok, depth_ok, target_ok, good;

  assign code = go[7:0];
  assign number = go[31:16];
  always_comb begin
    of_cq = 1'b0;
    creates = 1'b0;
    known = go[15:8] == '0;
    unique case (32'(code))
      tally_fw_pkg::QueueCreateCq: {of_cq, creates} = 2'b11;
      tally_fw_pkg::QueueDestroyCq: of_cq = 1'b1;
      tally_fw_pkg::QueueCreateEq: creates = 1'b1;
      tally_fw_pkg::QueueDestroyEq,
      tally_fw_pkg::QueueConsumed: creates = 1'b0;
      default: known = 1'b0;
    endcase
  end
  assign number_ok = 32'(number) < (of_cq ? NumCq : NumEq);
  always_comb begin
    if (value.levels == '0) begin
      ring_ok = value.offset == '0 && (value.page_shift == '0 ||
          (value.page_shift >= tally_pkg::MinPageShift &&
           value.page_shift <= tally_pkg::MaxPageShift));
    end else begin
      ring_ok = value.levels <= tally_pkg::MemLevels &&
          value.page_shift >= tally_pkg::MinPageShift &&
          value.page_shift <= tally_pkg::MaxPageShift;
    end
  end
  assign depth_ok = value.log_depth <= (of_cq ? MaxCqLog : MaxEqLog);
  assign target_ok = of_cq ? value.eqn < NumEq : value.vector < tally_pkg::NumVectors;
  assign good = known && number_ok && (!creates || (ring_ok && depth_ok && target_ok));

  // ---- The command that is given ----
  always_comb begin
    cq_cfg_valid_o = 1'b0;
    eq_cfg_valid_o = 1'b0;
    eq_db_valid_o = 1'b0;
    unique case (32'(code))
      tally_fw_pkg::QueueCreateCq, tally_fw_pkg::QueueDestroyCq: cq_cfg_valid_o = give;
      tally_fw_pkg::QueueCreateEq, tally_fw_pkg::QueueDestroyEq: eq_cfg_valid_o = give;
      default: eq_db_valid_o = give;  // QueueConsumed
    endcase
  end
  assign given = (cq_cfg_valid_o && cq_cfg_ready_i) || (eq_cfg_valid_o && eq_cfg_ready_i) ||
      (eq_db_valid_o && eq_db_ready_i);

  logic [31:0] shift;
  assign shift = value.page_shift == '0 ? '0 : value.page_shift - tally_pkg::MinPageShift;
  assign cqn_o = number[CqnW-1:0];
  assign eqn_o = number[EqnW-1:0];
  assign enable_o = code == 8'(tally_fw_pkg::QueueCreateCq) ||
      code == 8'(tally_fw_pkg::QueueCreateEq);
  assign ring_o = {value.addr[AddrW-1:0], value.levels[LevelW-1:0], shift[ShiftW-1:0]};
  assign first_o = value.levels == '0 ? value.addr[AddrW-1:0] : AddrW'(value.offset);
  assign log_depth_o = value.log_depth[LogW-1:0];
  assign cq_eqn_o = value.eqn[EqnW-1:0];
  assign vector_o = value.vector[VectorW-1:0];
  assign count_o = value.count[CountW-1:0];

  // The window ends in words without a register, and `go` is not among the values.
  logic unused;
  assign unused = ^{value, shift, number, judges};

`ifdef FORMAL
  `include "queue_regs_proof.svh"
`endif
endmodule
