// SPDX-License-Identifier: BSD-2-Clause
// The planner of moves: from whom a chunk takes data, where its sum goes, and who gets the result.
// It is chunk_plan() of the model for ALLREDUCE, REDUCE, BCAST and BARRIER in each mode.
// tally_plan_tree has the moves of TREE, tally_plan_ring those of RING. In EXCHANGE each rank and
// each neighbour of a round gives data, and each rank gets the result.
//
// A chunk may enter in each clock, with what the tables have of its group, and with the way to its
// root (tally_route). Its plan comes tally_plan_pkg::Latency clocks later with its tag. The block
// never stalls, and keeps nothing: the plan is the same whichever packet or request of the chunk
// asks for it. A reset discards what is inside.
module tally_plan #(
  parameter int unsigned TagW = 1
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,

  input  logic                   valid_i,
  input  tally_plan_pkg::group_t group_i,
  input  tally_plan_pkg::chunk_t chunk_i,
  input  logic [TagW-1:0]        tag_i,

  output logic                   valid_o,
  output logic                   known_o,  // 0: another operation or mode; plan_o has no meaning
  output tally_plan_pkg::plan_t  plan_o,
  output logic [TagW-1:0]        tag_o
);
  localparam int unsigned Contributors = tally_plan_pkg::Contributors;
  localparam int unsigned Ranks = tally_plan_pkg::Ranks;
  localparam int unsigned Wait = tally_plan_pkg::RingLatency;
  localparam int unsigned GroupW = $bits(group_i);
  localparam int unsigned ChunkW = $bits(chunk_i);
  localparam int unsigned KeptW = GroupW + ChunkW + TagW;

  logic ring_valid;
  tally_plan_pkg::way_t way;
  tally_plan_pkg::plan_t tree_plan_q, ring_plan, ring_plan_q, exchange_plan, exchange_plan_q;

  tally_plan_ring u_ring (
    .clk_i, .rst_ni, .valid_i, .group_i, .chunk_i, .valid_o(ring_valid), .way_o(way)
  );

  // Group and chunk meanwhile.
  logic [Wait*KeptW-1:0] kept_q;  // the youngest in the lowest bits
  // verilator lint_off UNUSEDSIGNAL
  tally_plan_pkg::group_t group;
  tally_plan_pkg::chunk_t chunk;
  // verilator lint_on UNUSEDSIGNAL
  logic [TagW-1:0] tag;
  always_ff @(posedge clk_i) kept_q <= (Wait*KeptW)'({kept_q, group_i, chunk_i, tag_i});
  assign {group, chunk, tag} = kept_q[(Wait-1)*KeptW+:KeptW];

  tally_plan_tree u_tree (.clk_i, .rst_ni, .group_i(group), .chunk_i(chunk), .plan_o(tree_plan_q));

  logic bcast, reduce;
  logic [Ranks-1:0] root;
  assign bcast = chunk.opcode == tally_pkg::OpcodeBcast;
  assign reduce = chunk.opcode == tally_pkg::OpcodeReduce;
  assign root = chunk.root_node == group.node ? Ranks'(1) << chunk.root_rank[$clog2(Ranks)-1:0] :
                '0;

  // The edges of a ring have places among the contributors, if there is another node.
  function automatic logic [Contributors-1:0] bit_of(input logic [7:0] edge_index);
    bit_of = edge_index < 8'(Contributors) ?
             Contributors'(1) << edge_index[$clog2(Contributors)-1:0] : '0;
  endfunction

  always_comb begin
    ring_plan = '0;
    ring_plan.up_edge = group.right;
    ring_plan.down_edge = group.left;
    if (way.up) begin
      ring_plan.up_ranks = bcast ? root : group.rank_mask;
      ring_plan.up_contributors = way.begins ? '0 : bit_of(group.left);
      ring_plan.up_send = !way.turns;
      ring_plan.turns = way.turns;
    end
    if (way.down) begin
      ring_plan.down_expected = 1'b1;
      ring_plan.down_todo = way.stops ? '0 : bit_of(group.right);
      ring_plan.deliver = reduce ? root : bcast ? group.rank_mask & ~root : group.rank_mask;
    end
  end

  always_comb begin
    exchange_plan = '0;
    exchange_plan.up_edge = tally_plan_pkg::NoEdge;
    exchange_plan.down_edge = tally_plan_pkg::NoEdge;
    exchange_plan.up_ranks = group.rank_mask;
    exchange_plan.up_contributors = group.exchange_ins;
    exchange_plan.down_expected = 1'b1;
    exchange_plan.deliver = group.rank_mask;
  end

  // ---- Answer ----
  logic rooted, known_mode, known_opcode;
  assign rooted = bcast || reduce;
  assign known_opcode = rooted || chunk.opcode == tally_pkg::OpcodeAllreduce ||
                        chunk.opcode == tally_pkg::OpcodeBarrier;
  assign known_mode = chunk.mode == tally_pkg::ModeTree || chunk.mode == tally_pkg::ModeRing ||
                      (chunk.mode == tally_pkg::ModeExchange && !rooted);

  logic valid_q, known_q;
  logic [7:0] mode_q;
  logic [TagW-1:0] tag_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q <= 1'b0;
      valid_o <= 1'b0;
    end else begin
      valid_q <= ring_valid;
      valid_o <= valid_q;
    end
  end

  always_ff @(posedge clk_i) begin
    ring_plan_q <= ring_plan;
    exchange_plan_q <= exchange_plan;
    mode_q <= chunk.mode;
    known_q <= known_opcode && known_mode;
    tag_q <= tag;
    known_o <= known_q;
    tag_o <= tag_q;
    unique case (mode_q)
      tally_pkg::ModeRing: plan_o <= ring_plan_q;
      tally_pkg::ModeExchange: plan_o <= exchange_plan_q;
      default: plan_o <= tree_plan_q;
    endcase
  end

`ifdef FORMAL
  `include "plan_proof.svh"
`endif
endmodule
