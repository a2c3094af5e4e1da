// SPDX-License-Identifier: BSD-2-Clause
// Neighbours that do not answer, as exceptions (engine_expired() of sim/engine/numbers.c,
// exception_silence() of exception.c): one that acknowledges nothing until the last time-out of its
// edge, and one that does not answer the last probe.
//
// expired_*: a time-out of an edge (tally_edge_send). passed_*: the same, for who counts them. Both
// are taken at once, the last one of an edge only when its exception has a place. silent_*: a probe
// has not been answered (tally_edge_probes). exc_*: SILENCE, for tally_exceptions. A parent has no
// bit among the contributors. All offers stay until they are taken. Who answers a command that ends
// an epoch waits until no offer of the group is left.
module tally_silence #(
  parameter int unsigned Groups = tally_pkg::MaxGroup,
  parameter int unsigned EdgesOf = tally_pkg::MaxContributors + 1,
  localparam int unsigned GroupW = Groups > 1 ? $clog2(Groups) : 1,
  localparam int unsigned EdgeW = EdgesOf > 1 ? $clog2(EdgesOf) : 1
) (
  input  logic                          clk_i,
  input  logic                          rst_ni,
  output logic                          busy_o,

  input  logic                          expired_valid_i,
  output logic                          expired_ready_o,
  input  tally_edge_pkg::expired_t      expired_i,
  output logic                          passed_valid_o,
  input  logic                          passed_ready_i,
  output tally_edge_pkg::expired_t      passed_o,

  input  logic                          silent_valid_i,
  output logic                          silent_ready_o,
  input  logic [GroupW-1:0]             silent_group_i,
  input  logic [EdgeW-1:0]              silent_edge_i,

  output logic                          exc_valid_o,
  input  logic                          exc_ready_i,
  output logic [GroupW-1:0]             exc_group_o,
  output tally_events_pkg::exception_t  exc_o
);
  logic over, takes_over, takes_silent;
  logic [EdgeW-1:0] edge_q;

  // The last time-out of an edge comes first, as its offer to others must not be withdrawn.
  assign over = expired_valid_i && expired_i.over;
  assign passed_valid_o = expired_valid_i && !(expired_i.over && exc_valid_o);
  assign passed_o = expired_i;
  assign expired_ready_o = passed_ready_i && passed_valid_o;
  assign silent_ready_o = !exc_valid_o && !over;
  assign takes_over = over && expired_ready_o;
  assign takes_silent = silent_valid_i && silent_ready_o;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) exc_valid_o <= 1'b0;
    else exc_valid_o <= takes_over || takes_silent || (exc_valid_o && !exc_ready_i);
  end
  always_ff @(posedge clk_i) begin
    if (takes_over) begin
      exc_group_o <= GroupW'(expired_i.context_);
      edge_q <= EdgeW'(expired_i.edge_);
    end else if (takes_silent) begin
      exc_group_o <= silent_group_i;
      edge_q <= silent_edge_i;
    end
  end
  always_comb begin
    exc_o = '0;
    exc_o.cause = 2'(tally_fw_pkg::CauseSilence);
    for (int unsigned i = 0; i < 64; i++) exc_o.contributors[i] = 32'(edge_q) == i;
  end
  assign busy_o = exc_valid_o;

`ifdef FORMAL
  `include "silence_proof.svh"
`endif
endmodule
