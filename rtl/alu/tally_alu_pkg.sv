// SPDX-License-Identifier: BSD-2-Clause
// What the parts of the reduce ALU share.
package tally_alu_pkg;
  // A user needs some of these only.
  // verilator lint_off UNUSEDPARAM

  // Clocks from operands to result, the same for all operations and types.
  localparam int unsigned Latency = 12;
  // Those of them that a floating-point lane takes; in the last one results of lanes are brought together.
  localparam int unsigned FpLatency = Latency - 1;

  // The division of AVG: bits of a divisor, bits of its inverse (tally_scale_inverse), clocks of tally_scale.
  localparam int unsigned DivisorW = 32;
  localparam int unsigned InverseW = DivisorW + 56;
  localparam int unsigned ScaleLatency = 13;

  // Flags of floating point: bits tally_pkg::ErrFp...Bit, as in the error vector.
  localparam int unsigned FlagsW = 4;
  typedef logic [FlagsW-1:0] flags_t;
  // verilator lint_on UNUSEDPARAM

  // Zeros above the leading one of a word that is not zero: the byte that has it, then its place there.
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

  // Shifts right; what falls out stays visible in the last bit.
  function automatic logic [63:0] shift_sticky(input logic [63:0] x, input logic [5:0] by);
    logic [63:0] kept;
    kept = x;
    for (int k = 0; k < 6; k++) begin
      if (by[k]) kept = (kept >> (1 << k)) | 64'((kept & ~(64'hffff_ffff_ffff_ffff << (1 << k))) != '0);
    end
    shift_sticky = kept;
  endfunction
endpackage : tally_alu_pkg
