// SPDX-License-Identifier: BSD-2-Clause
// Cuts the ready of a valid-ready stream of Width bits: in_ready_o is a register, and a word that
// is not taken in the clock in which it comes is kept meanwhile. A word passes without a clock, so
// valid and the word are combinational; tally_skid cuts these, too. One word can pass per clock.
//
// kept_o: a word is inside. It is a register.
module tally_keep #(
  parameter int unsigned Width = 8
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  output logic             kept_o,

  input  logic             in_valid_i,
  output logic             in_ready_o,
  input  logic [Width-1:0] in_i,

  output logic             out_valid_o,
  input  logic             out_ready_i,
  output logic [Width-1:0] out_o
);
  logic kept_q;
  logic [Width-1:0] word_q;

  assign kept_o = kept_q;
  assign in_ready_o = !kept_q;
  assign out_valid_o = kept_q || in_valid_i;
  assign out_o = kept_q ? word_q : in_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) kept_q <= 1'b0;
    else kept_q <= out_valid_o && !out_ready_i;
  end
  always_ff @(posedge clk_i) if (!kept_q) word_q <= in_i;

`ifdef FORMAL
  `include "keep_proof.svh"
`endif
endmodule
