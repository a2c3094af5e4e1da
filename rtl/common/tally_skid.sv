// SPDX-License-Identifier: BSD-2-Clause
// Register slice of a valid-ready stream of Width bits. All outputs, including in_ready_o, are
// registers, so no combinational path leads through the slice. A word leaves one clock after it has
// entered, at the earliest, and one word can pass per clock. A second register takes a word that
// enters while the first one is stalled, because ready falls one clock later.
module tally_skid #(
  parameter int unsigned Width = 8
) (
  input  logic             clk_i,
  input  logic             rst_ni,

  input  logic             in_valid_i,
  output logic             in_ready_o,
  input  logic [Width-1:0] in_i,

  output logic             out_valid_o,
  input  logic             out_ready_i,
  output logic [Width-1:0] out_o
);
  logic ready_q, valid_q;
  logic [Width-1:0] out_q, spare_q;
  logic push, free;

  assign in_ready_o = ready_q;  // the spare register is empty
  assign out_valid_o = valid_q;
  assign out_o = out_q;
  assign push = in_valid_i && ready_q;
  assign free = !valid_q || out_ready_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      ready_q <= 1'b1;
      valid_q <= 1'b0;
    end else begin
      ready_q <= free || (ready_q && !push);
      valid_q <= !free || !ready_q || push;
    end
  end

  always_ff @(posedge clk_i) begin
    if (ready_q) spare_q <= in_i;
    if (free) out_q <= ready_q ? in_i : spare_q;
  end

`ifdef FORMAL
  `include "skid_proof.svh"
`endif
endmodule
