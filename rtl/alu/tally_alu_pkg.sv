// SPDX-License-Identifier: BSD-2-Clause
// Common definitions of the reduce ALU.
package tally_alu_pkg;
  // No block uses all of these.
  // verilator lint_off UNUSEDPARAM

  // Clocks from operands to result, the same for all operations and types.
  localparam int unsigned Latency = 12;
  // Clocks of a floating-point lane. The last clock of Latency combines the results of the lanes.
  localparam int unsigned FpLatency = Latency - 1;

  // Division of AVG: bits of a divisor, bits of its inverse (tally_scale_inverse), clocks of
  // tally_scale.
  localparam int unsigned DivisorW = 32;
  localparam int unsigned InverseW = DivisorW + 56;
  localparam int unsigned ScaleLatency = 13;

  // Floating-point flags. The bits are tally_pkg::ErrFp...Bit, as in the error vector.
  localparam int unsigned FlagsW = 4;
  typedef logic [FlagsW-1:0] flags_t;
  // verilator lint_on UNUSEDPARAM

  // Returns the number of zeros above the leading one of a nonzero word. It first finds the byte,
  // then the bit in it.
  function automatic logic [5:0] leading_zeros(input logic [63:0] x);
    logic [7:0] part;
    part = '0;
    leading_zeros = '0;
    for (int i = 0; i < 8; i++) begin
      if (x[8*i +: 8] != '0) begin
        part = x[8*i +: 8];
        leading_zeros[5:3] = 3'(7 - i);
      end
    end
    for (int i = 0; i < 8; i++) begin
      if (part[i]) leading_zeros[2:0] = 3'(7 - i);
    end
  endfunction

  // Shifts right. The lowest bit of the result is the OR of itself and the bits shifted out.
  function automatic logic [63:0] shift_sticky(input logic [63:0] x, input logic [5:0] by);
    logic [63:0] kept;
    kept = x;
    for (int k = 0; k < 6; k++) begin
      if (by[k]) begin
        kept = (kept >> (1 << k)) | 64'((kept & ~(64'hffff_ffff_ffff_ffff << (1 << k))) != '0);
      end
    end
    shift_sticky = kept;
  endfunction

  // Whether an operation exists for a type (alu_check() of the model).
  function automatic logic supported(input logic [7:0] op, input logic [7:0] dtype);
    logic [31:0] ops;
    unique case (dtype)
      8'(tally_pkg::TypeInt8), 8'(tally_pkg::TypeInt16), 8'(tally_pkg::TypeInt32),
          8'(tally_pkg::TypeInt64): ops = tally_pkg::OpsInt;
      8'(tally_pkg::TypeUint8), 8'(tally_pkg::TypeUint16), 8'(tally_pkg::TypeUint32),
          8'(tally_pkg::TypeUint64): ops = tally_pkg::OpsUint;
      8'(tally_pkg::TypeFp16), 8'(tally_pkg::TypeFp32), 8'(tally_pkg::TypeFp64):
        ops = tally_pkg::OpsFp;
      8'(tally_pkg::TypeBf16): ops = tally_pkg::OpsBf;
      default: ops = '0;
    endcase
    supported = op[7:5] == '0 && ops[op[4:0]];
  endfunction
endpackage : tally_alu_pkg
