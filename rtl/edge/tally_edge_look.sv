// SPDX-License-Identifier: BSD-2-Clause
// Two that ask tally_edge_rows for rows, behind its port look_*. The first one comes first; what is
// offered stays until it is taken. Answers come a fixed time after a question was taken, so they go
// to both.
module tally_edge_look #(
  parameter int unsigned Groups = tally_pkg::MaxGroup,
  parameter int unsigned EdgesOf = tally_pkg::MaxContributors + 1,
  localparam int unsigned GroupW = $clog2(Groups),
  localparam int unsigned EdgeW = $clog2(EdgesOf)
) (
  input  logic              clk_i,
  input  logic              rst_ni,

  input  logic              first_valid_i,
  output logic              first_ready_o,
  input  logic [GroupW-1:0] first_group_i,
  input  logic [EdgeW-1:0]  first_edge_i,

  input  logic              second_valid_i,
  output logic              second_ready_o,
  input  logic [GroupW-1:0] second_group_i,
  input  logic [EdgeW-1:0]  second_edge_i,

  output logic              look_valid_o,
  input  logic              look_ready_i,
  output logic [GroupW-1:0] look_group_o,
  output logic [EdgeW-1:0]  look_edge_o
);
  logic holds_q;  // that of the second one was offered, and not taken
  logic second;

  assign second = holds_q || !first_valid_i;
  assign look_valid_o = first_valid_i || second_valid_i;
  assign look_group_o = second ? second_group_i : first_group_i;
  assign look_edge_o = second ? second_edge_i : first_edge_i;
  assign first_ready_o = look_ready_i && !second;
  assign second_ready_o = look_ready_i && second;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) holds_q <= 1'b0;
    else holds_q <= second_valid_i && second && !look_ready_i;
  end

`ifdef FORMAL
  `include "edge_look_proof.svh"
`endif
endmodule
