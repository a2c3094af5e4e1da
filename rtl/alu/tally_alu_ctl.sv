// SPDX-License-Identifier: BSD-2-Clause
// Control of the reduce ALU: chooses the unit that works on a word, and delays the word's tag by
// Latency clocks. The start outputs are high in the clock of valid_i, for at most one unit. If no
// unit has op_i on type_i, no unit starts, and error_o is high with valid_o.
module tally_alu_ctl #(
  parameter int unsigned TagW = 1,
  parameter int unsigned Latency = tally_alu_pkg::Latency
) (
  input  logic            clk_i,
  input  logic            rst_ni,

  input  logic            valid_i,
  input  logic [7:0]      op_i,    // tally_pkg::op_e, or any other code
  input  logic [7:0]      type_i,  // tally_pkg::type_e, or any other code
  input  logic [TagW-1:0] tag_i,

  output logic            start_int_o,
  output logic            start_loc_o,
  output logic            start_fp16_o,
  output logic            start_fp32_o,
  output logic            start_fp64_o,
  output logic            start_bf16_o,

  output logic            valid_o,
  output logic            error_o,
  output logic [TagW-1:0] tag_o
);
  logic is_int, is_loc, supported, value;
  logic [Latency-1:0] valid_q, error_q;
  logic [Latency-1:0][TagW-1:0] tag_q;

  always_comb begin
    is_int = 1'b0;
    supported = 1'b0;
    case (type_i)
      tally_pkg::TypeInt8, tally_pkg::TypeInt16, tally_pkg::TypeInt32, tally_pkg::TypeInt64: begin
        is_int = 1'b1;
        supported = has(tally_pkg::OpsInt, op_i);
      end
      tally_pkg::TypeUint8, tally_pkg::TypeUint16, tally_pkg::TypeUint32,
          tally_pkg::TypeUint64: begin
        is_int = 1'b1;
        supported = has(tally_pkg::OpsUint, op_i);
      end
      tally_pkg::TypeFp16, tally_pkg::TypeFp32,
          tally_pkg::TypeFp64: supported = has(tally_pkg::OpsFp, op_i);
      tally_pkg::TypeBf16: supported = has(tally_pkg::OpsBf, op_i);
      default: ;
    endcase
  end

  function automatic logic has(input logic [31:0] ops, input logic [7:0] op);
    has = op[7:5] == '0 && ops[op[4:0]];
  endfunction

  assign is_loc = op_i == tally_pkg::OpMinloc || op_i == tally_pkg::OpMaxloc;
  assign value = valid_i && supported && !is_loc;
  assign start_loc_o = valid_i && supported && is_loc;
  assign start_int_o = value && is_int;
  assign start_fp16_o = value && type_i == tally_pkg::TypeFp16;
  assign start_fp32_o = value && type_i == tally_pkg::TypeFp32;
  assign start_fp64_o = value && type_i == tally_pkg::TypeFp64;
  assign start_bf16_o = value && type_i == tally_pkg::TypeBf16;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= '0;
    else valid_q <= {valid_q[Latency-2:0], valid_i};
  end

  always_ff @(posedge clk_i) begin
    error_q <= {error_q[Latency-2:0], !supported};
    tag_q <= {tag_q[Latency-2:0], tag_i};
  end

  assign valid_o = valid_q[Latency-1];
  assign error_o = error_q[Latency-1];
  assign tag_o = tag_q[Latency-1];

`ifdef FORMAL
  `include "alu_ctl_proof.svh"
`endif
endmodule
