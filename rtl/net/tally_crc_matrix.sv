// SPDX-License-Identifier: BSD-2-Clause
// A matrix over GF(2) times a vector: the XOR of the columns whose bit is set, as a tree. Inputs is a power of two.
module tally_crc_matrix #(
  parameter int unsigned Inputs = 32
) (
  input  logic [Inputs-1:0]       bits_i,
  input  logic [Inputs-1:0][31:0] columns_i,  // constants, for else it is large
  output logic [31:0]             sum_o
);
  logic [2*Inputs-1:0][31:0] node;  // the children of n are 2n and 2n+1

  always_comb begin
    node[0] = '0;
    for (int unsigned i = 0; i < Inputs; i++) node[Inputs+i] = bits_i[i] ? columns_i[i] : '0;
    for (int unsigned n = Inputs - 1; n > 0; n--) node[n] = node[2*n] ^ node[2*n+1];
  end
  logic unused_root;
  assign unused_root = ^node[0];
  assign sum_o = node[1];
endmodule
