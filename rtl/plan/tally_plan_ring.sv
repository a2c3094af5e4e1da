// SPDX-License-Identifier: BSD-2-Clause
// The way of a chunk around a RING, for one node: way_of() of the model's ring.c, of ALLREDUCE,
// REDUCE, BCAST and BARRIER. The sum begins at a node, grows up to another one, where it turns, and
// the result travels on to a third one:
//
//   ALLREDUCE, BARRIER  from node sid mod N once around, then once around
//   REDUCE              once around to the root's node, where the result stays
//   BCAST               from the root once around
//
// A chunk may enter in each clock. Its way comes tally_plan_pkg::RingLatency clocks later. The
// block never stalls. Nodes and roots are below the number of nodes.
module tally_plan_ring (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   valid_i,
  // verilator lint_off UNUSEDSIGNAL
  input  tally_plan_pkg::group_t group_i,
  input  tally_plan_pkg::chunk_t chunk_i,
  // verilator lint_on UNUSEDSIGNAL
  output logic                   valid_o,
  output tally_plan_pkg::way_t   way_o
);
  localparam int unsigned NodeW = tally_plan_pkg::NodeW;
  localparam int unsigned KeptW = 2 + 3 * NodeW;

  // ---- sid mod N, with what is needed after it ----
  logic modulo_valid, bcast, reduce;
  logic [NodeW-1:0] node, nodes, root, before_root, behind_root, begin_node, before_begin,
      twice_before;
  // verilator lint_off UNUSEDSIGNAL
  logic [31:0] begins;  // below the number of nodes
  // verilator lint_on UNUSEDSIGNAL

  // verilator lint_off PINCONNECTEMPTY
  tally_modulo #(.TagW(KeptW)) u_modulo (
    .clk_i, .rst_ni, .valid_i, .value_i(chunk_i.sid), .divisor_i(32'(group_i.nodes)),
    .inverse_i(group_i.inverse),
    .shift_i(group_i.shift),
    .tag_i({chunk_i.opcode == tally_pkg::OpcodeBcast, chunk_i.opcode == tally_pkg::OpcodeReduce,
            group_i.node,
            group_i.nodes, chunk_i.root_node}),
    .valid_o(modulo_valid), .quotient_o(), .remainder_o(begins),
    .tag_o({bcast, reduce, node, nodes, root})
  );
  // verilator lint_on PINCONNECTEMPTY

  // ---- First, turning and last node ----
  function automatic logic [NodeW-1:0] previous(input logic [NodeW-1:0] at,
                                                input logic [NodeW-1:0] num);
    previous = (at == '0 ? num : at) - 1'b1;
  endfunction

  logic valid_q1, valid_q2, valid_q3;
  logic [NodeW-1:0] node_q1, nodes_q1, first_q1, turn_q1, stop_q1;

  assign begin_node = begins[NodeW-1:0];
  assign before_begin = previous(begin_node, nodes);
  assign twice_before = previous(before_begin, nodes);
  assign before_root = previous(root, nodes);
  assign behind_root = root == nodes - 1'b1 ? '0 : root + 1'b1;

  always_ff @(posedge clk_i) begin
    node_q1 <= node;
    nodes_q1 <= nodes;
    first_q1 <= bcast ? root : reduce ? behind_root : begin_node;
    turn_q1 <= bcast || reduce ? root : before_begin;
    stop_q1 <= bcast ? before_root : reduce ? root : twice_before;
  end

  // ---- Distances along the ring ----
  function automatic logic [NodeW-1:0] distance(input logic [NodeW-1:0] from,
                                                input logic [NodeW-1:0] to,
                                                input logic [NodeW-1:0] num);
    distance = to >= from ? to - from : to + num - from;
  endfunction

  logic [NodeW-1:0] up_q2, up_end_q2, down_q2, down_end_q2;

  always_ff @(posedge clk_i) begin
    up_q2 <= distance(first_q1, node_q1, nodes_q1);
    up_end_q2 <= distance(first_q1, turn_q1, nodes_q1);
    down_q2 <= distance(turn_q1, node_q1, nodes_q1);
    down_end_q2 <= distance(turn_q1, stop_q1, nodes_q1);
  end

  // ---- What this node is ----
  always_ff @(posedge clk_i) begin
    way_o.up <= up_q2 <= up_end_q2;
    way_o.begins <= up_q2 == '0;
    way_o.turns <= up_q2 == up_end_q2;
    way_o.down <= down_q2 <= down_end_q2;
    way_o.stops <= down_q2 == down_end_q2;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q1 <= 1'b0;
      valid_q2 <= 1'b0;
      valid_q3 <= 1'b0;
    end else begin
      valid_q1 <= modulo_valid;
      valid_q2 <= valid_q1;
      valid_q3 <= valid_q2;
    end
  end
  assign valid_o = valid_q3;
endmodule
