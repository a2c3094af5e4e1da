// SPDX-License-Identifier: BSD-2-Clause
// FIFO of Depth words (at least 1) of Width bits.
//
// The input is ready while the FIFO is not full, and the output is valid while it is not empty.
// Both are registers. A word can leave in the cycle after it entered. used_o counts the words
// inside.
module tally_fifo #(
  parameter int unsigned Width = 8,
  parameter int unsigned Depth = 2,
  localparam int unsigned CountW = $clog2(Depth + 1)
) (
  input  logic              clk_i,
  input  logic              rst_ni,

  input  logic              in_valid_i,
  output logic              in_ready_o,
  input  logic [Width-1:0]  in_i,

  output logic              out_valid_o,
  input  logic              out_ready_i,
  output logic [Width-1:0]  out_o,

  output logic [CountW-1:0] used_o
);
  localparam int unsigned PtrW = Depth > 1 ? $clog2(Depth) : 1;
  localparam logic [PtrW-1:0] Last = PtrW'(Depth - 1);

  logic [Width-1:0] mem_q [Depth];
  logic [PtrW-1:0] write_q, read_q;
  logic [CountW-1:0] used_d, used_q;
  logic push, pop;

  assign out_o = mem_q[read_q];
  assign used_o = used_q;
  assign push = in_valid_i && in_ready_o;
  assign pop = out_valid_o && out_ready_i;
  assign used_d = push ? used_q + 1'b1 : used_q - 1'b1;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_q <= '0;
      read_q <= '0;
      used_q <= '0;
      in_ready_o <= 1'b1;
      out_valid_o <= 1'b0;
    end else begin
      if (push) write_q <= write_q == Last ? '0 : write_q + 1'b1;
      if (pop) read_q <= read_q == Last ? '0 : read_q + 1'b1;
      if (push != pop) used_q <= used_d;
      in_ready_o <= pop || (in_ready_o && !(push && used_q == CountW'(Depth - 1)));
      out_valid_o <= push || (out_valid_o && !(pop && used_q == CountW'(1)));
    end
  end

  always_ff @(posedge clk_i) begin
    if (push) mem_q[write_q] <= in_i;
  end

`ifdef FORMAL
  `include "fifo_proof.svh"
`endif
endmodule
