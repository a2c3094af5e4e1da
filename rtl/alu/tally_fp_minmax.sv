// SPDX-License-Identifier: BSD-2-Clause
// Minimum or maximum of two numbers of a binary floating-point format. -0 is less than +0, and a
// NaN operand gives a NaN (docs/alu.md).
//
// The block is a pipeline without valid signal or reset. It takes operands in each clock, and the
// result leaves tally_alu_pkg::FpLatency clocks later. Two stages do the work. The other stages
// delay the result by as much as the other operations take.
module tally_fp_minmax #(
  parameter int unsigned ExpW = 8,    // 3 to 11
  parameter int unsigned FracW = 23,  // 2 to 52
  localparam int unsigned W = 1 + ExpW + FracW
) (
  input  logic                  clk_i,
  input  logic                  max_i,  // maximum if high, otherwise minimum
  input  logic [W-1:0]          a_i,
  input  logic [W-1:0]          b_i,
  output logic [W-1:0]          result_o,
  output tally_alu_pkg::flags_t flags_o
);
  localparam logic [ExpW-1:0] ExpOnes = {ExpW{1'b1}};
  localparam logic [W-2:0] Infinity = {ExpOnes, FracW'(0)};
  localparam logic [W-1:0] Nan = {1'b0, ExpOnes, 1'b1, (FracW-1)'(0)};

  // Stage 1: compare. These unsigned words have the same order as the numbers.
  logic [W-1:0] a_order, b_order, a_q1, b_q1;
  logic a_nan, b_nan, take_b_q1, nan_q1, signalling_q1;

  assign a_order = a_i[W-1] ? ~a_i : {1'b1, a_i[W-2:0]};
  assign b_order = b_i[W-1] ? ~b_i : {1'b1, b_i[W-2:0]};
  assign a_nan = a_i[W-2:0] > Infinity;
  assign b_nan = b_i[W-2:0] > Infinity;

  always_ff @(posedge clk_i) begin
    a_q1 <= a_i;
    b_q1 <= b_i;
    take_b_q1 <= (b_order < a_order) != max_i;
    nan_q1 <= a_nan || b_nan;
    signalling_q1 <= (a_nan && !a_i[FracW-1]) || (b_nan && !b_i[FracW-1]);
  end

  // Stage 2: choose. Stages 3 to 11: delay.
  localparam int unsigned WaitStages = tally_alu_pkg::FpLatency - 1;
  logic [WaitStages-1:0][W:0] wait_q;
  logic signalling_end;

  always_ff @(posedge clk_i) begin
    wait_q <= {wait_q[WaitStages-2:0], signalling_q1, nan_q1 ? Nan : take_b_q1 ? b_q1 : a_q1};
  end
  assign {signalling_end, result_o} = wait_q[WaitStages-1];

  always_comb begin
    flags_o = '0;
    flags_o[tally_pkg::ErrFpInvalidBit] = signalling_end;
  end

`ifdef FORMAL
  `include "fp_minmax_proof.svh"
`endif
endmodule
