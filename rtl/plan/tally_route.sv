// SPDX-License-Identifier: BSD-2-Clause
// The contributor whose subtree holds a node: group_route() of the model. Rooted operations ask for
// the way to their root.
//
// The firmware writes the range of nodes behind each contributor of a group when it creates the
// group. A request is answered after one clock for each Lanes contributors that are searched, and
// one more. The lowest contributor whose range has the node is found, among the first in_edges_i
// ones. Requests are answered one after another.
//
// out_* stays until it is taken; a next request may enter in that clock. In the same cycle,
// in_ready_o depends on out_ready_i.
module tally_route #(
  parameter int unsigned Groups = 64,
  parameter int unsigned Contributors = tally_pkg::MaxContributors,
  parameter int unsigned Lanes = 8,  // ranges that are compared in one clock; a power of two
  parameter int unsigned TagW = 1,
  localparam int unsigned GroupW = $clog2(Groups),
  localparam int unsigned NodeW = tally_plan_pkg::NodeW,
  localparam int unsigned EdgeW = $clog2(Contributors)
) (
  input  logic              clk_i,
  input  logic              rst_ni,

  input  logic              write_i,  // by the firmware, while no request of the group is inside
  input  logic [GroupW-1:0] write_group_i,
  input  logic [EdgeW-1:0]  write_edge_i,
  input  logic [NodeW-1:0]  write_first_i,
  input  logic [NodeW-1:0]  write_count_i,

  input  logic              in_valid_i,
  output logic              in_ready_o,
  input  logic [GroupW-1:0] in_group_i,
  input  logic [EdgeW:0]    in_edges_i,  // number of contributors
  input  logic [NodeW-1:0]  in_node_i,
  input  logic [TagW-1:0]   in_tag_i,

  output logic              out_valid_o,
  input  logic              out_ready_i,
  output logic              out_found_o,  // 0: the node is this one, or above it
  output logic [EdgeW-1:0]  out_edge_o,
  output logic [TagW-1:0]   out_tag_o
);
  localparam int unsigned LaneW = $clog2(Lanes);
  localparam int unsigned StepW = EdgeW - LaneW;

  logic searching_q, take, last, done, found;
  logic [StepW-1:0] step_q, next_step;
  logic [GroupW-1:0] group_q;
  logic [EdgeW:0] left_q;  // contributors that have not been compared
  logic [NodeW-1:0] node_q;
  logic [Lanes-1:0] hits;
  logic [LaneW-1:0] lane;
  logic [GroupW+StepW-1:0] read_at;

  assign last = left_q <= (EdgeW+1)'(Lanes);
  assign done = searching_q && (last || found) && (!out_valid_o || out_ready_i);
  assign in_ready_o = !searching_q || done;
  assign take = in_valid_i && in_ready_o;
  assign next_step = step_q + 1'b1;
  assign read_at = take ? {in_group_i, StepW'(0)} : {group_q, next_step};

  for (genvar k = 0; k < Lanes; k++) begin : gen_lane
    logic [2*NodeW-1:0] mem_q [Groups*2**StepW];  // first node, number of nodes
    logic [2*NodeW-1:0] range_q;
    logic [NodeW-1:0] ahead;
    always_ff @(posedge clk_i) begin
      if (write_i && write_edge_i[LaneW-1:0] == LaneW'(k))
        mem_q[{write_group_i, write_edge_i[EdgeW-1:LaneW]}] <= {write_first_i, write_count_i};
      if (take || !done && !(last || found)) range_q <= mem_q[read_at];
    end
    // A range that wraps holds no node, as none lies before its first one.
    assign ahead = node_q - range_q[NodeW+:NodeW];
    assign hits[k] = node_q >= range_q[NodeW+:NodeW] && ahead < range_q[NodeW-1:0] &&
                     left_q > (EdgeW+1)'(k);
  end

  always_comb begin
    lane = '0;
    for (int unsigned k = Lanes; k > 0; k--) if (hits[k-1]) lane = LaneW'(k - 1);
  end
  assign found = hits != '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      searching_q <= 1'b0;
      out_valid_o <= 1'b0;
    end else begin
      if (in_ready_o) searching_q <= in_valid_i;
      if (done) out_valid_o <= 1'b1;
      else if (out_ready_i) out_valid_o <= 1'b0;
    end
  end

  logic [TagW-1:0] tag_q;
  always_ff @(posedge clk_i) begin
    if (take) begin
      step_q <= '0;
      left_q <= in_edges_i;
      group_q <= in_group_i;
      node_q <= in_node_i;
      tag_q <= in_tag_i;
    end else if (searching_q && !last && !found) begin
      step_q <= next_step;
      left_q <= left_q - (EdgeW+1)'(Lanes);
    end
    if (done) begin
      out_found_o <= found;
      out_edge_o <= {step_q, lane};
      out_tag_o <= tag_q;
    end
  end

`ifdef FORMAL
  `include "route_proof.svh"
`endif
endmodule
