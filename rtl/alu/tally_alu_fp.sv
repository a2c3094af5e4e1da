// SPDX-License-Identifier: BSD-2-Clause
// Lanes of the reduce ALU for one floating-point format: SUM, AVG (as a sum), PROD, MIN and MAX of
// two words, element by element.
//
// A word may enter in each clock, and its result leaves tally_alu_pkg::Latency clocks later. There
// is no back-pressure, so the user must have room for each result. Elements beyond the end of a
// vector are zeros, which raise no flag. Flags are the OR over all elements. Results of other
// operations are undefined.
module tally_alu_fp #(
  parameter int unsigned ExpW = 8,     // exponent bits: fp16 5, fp32 8, fp64 11, bf16 8
  parameter int unsigned FracW = 23,   // fraction bits: fp16 10, fp32 23, fp64 52, bf16 7
  parameter int unsigned Width = 512,  // bits of a word
  localparam int unsigned W = 1 + ExpW + FracW,
  localparam int unsigned Lanes = Width / W
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,

  input  logic                  valid_i,
  input  logic [7:0]            op_i,  // tally_pkg::op_e
  input  logic [Width-1:0]      a_i,   // accumulated value, the first operand
  input  logic [Width-1:0]      b_i,

  output logic                  valid_o,
  output logic [Width-1:0]      result_o,
  output tally_alu_pkg::flags_t flags_o
);
  localparam int unsigned Stages = tally_alu_pkg::FpLatency;

  typedef enum logic [1:0] {
    UnitSum,
    UnitProd,
    UnitMinmax
  } unit_e;

  // The lanes have no valid signal. The valid bit and the unit of each word go through separate
  // registers.
  logic [Stages-1:0] valid_q;
  logic [Stages-1:0][1:0] unit_q;
  logic [1:0] unit0, unit_end;

  always_comb begin
    case (op_i)
      tally_pkg::OpProd: unit0 = UnitProd;
      tally_pkg::OpMin, tally_pkg::OpMax: unit0 = UnitMinmax;
      default: unit0 = UnitSum;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= '0;
    else valid_q <= {valid_q[Stages-2:0], valid_i};
  end

  always_ff @(posedge clk_i) unit_q <= {unit_q[Stages-2:0], unit0};
  assign unit_end = unit_q[Stages-1];

  logic [Lanes-1:0][W-1:0] sum, prod, minmax;
  logic [Lanes-1:0][tally_alu_pkg::FlagsW-1:0] sum_flags, prod_flags, minmax_flags;

  for (genvar i = 0; i < Lanes; i++) begin : gen_lane
    tally_fp_sum #(.ExpW(ExpW), .FracW(FracW)) u_sum (
      .clk_i, .a_i(a_i[i*W +: W]), .b_i(b_i[i*W +: W]), .result_o(sum[i]), .flags_o(sum_flags[i])
    );
    tally_fp_prod #(.ExpW(ExpW), .FracW(FracW)) u_prod (
      .clk_i, .a_i(a_i[i*W +: W]), .b_i(b_i[i*W +: W]), .result_o(prod[i]), .flags_o(prod_flags[i])
    );
    tally_fp_minmax #(.ExpW(ExpW), .FracW(FracW)) u_minmax (
      .clk_i, .max_i(op_i == tally_pkg::OpMax), .a_i(a_i[i*W +: W]), .b_i(b_i[i*W +: W]),
      .result_o(minmax[i]),
      .flags_o(minmax_flags[i])
    );
  end

  logic [Width-1:0] result;
  tally_alu_pkg::flags_t flags;

  always_comb begin
    flags = '0;
    result = '0;
    for (int i = 0; i < Lanes; i++) begin
      case (unit_end)
        UnitProd: begin
          result[i*W +: W] = prod[i];
          flags |= prod_flags[i];
        end
        UnitMinmax: begin
          result[i*W +: W] = minmax[i];
          flags |= minmax_flags[i];
        end
        default: begin
          result[i*W +: W] = sum[i];
          flags |= sum_flags[i];
        end
      endcase
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_o <= 1'b0;
    else valid_o <= valid_q[Stages-1];
  end

  always_ff @(posedge clk_i) begin
    result_o <= result;
    flags_o <= flags;
  end

`ifdef FORMAL
  `include "alu_fp_proof.svh"
`endif
endmodule
