// SPDX-License-Identifier: BSD-2-Clause
// Rules of the address channels of an AXI4 master of full width: an offer stays, unchanged, until
// it is taken; bursts are INCR, begin with a whole word, and do not cross a multiple of Boundary.
module axi_address_rules #(
  parameter int unsigned AddrW = 64,
  parameter int unsigned IdW = 1,
  parameter int unsigned Bytes = 64,
  parameter int unsigned Boundary = 4096
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic             valid_i,
  input logic             ready_i,
  input logic [IdW-1:0]   id_i,
  input logic [AddrW-1:0] addr_i,
  input logic [7:0]       len_i,
  input logic [2:0]       size_i,
  input logic [1:0]       burst_i
);
  localparam int unsigned InW = $clog2(Boundary);

  stream_rules #(
    .Width(IdW + AddrW + 13)
  ) u_stream (
    .clk_i, .rst_ni, .valid_i, .ready_i,
    .data_i({id_i, addr_i, len_i, size_i, burst_i})
  );

  form: assert property (@(posedge clk_i) disable iff (!rst_ni)
                         valid_i |-> 32'(size_i) == $clog2(Bytes) && burst_i == 2'b01)
    else $error("a burst is not INCR of full width");
  words: assert property (@(posedge clk_i) disable iff (!rst_ni)
                          valid_i |-> 32'(addr_i[InW-1:0]) % Bytes == 0)
    else $error("a burst begins within a word");
  within_page: assert property (@(posedge clk_i) disable iff (!rst_ni) valid_i |->
                           32'(addr_i[InW-1:0]) + (32'(len_i) + 1) * Bytes <= Boundary)
    else $error("a burst crosses a boundary");
endmodule
