// SPDX-License-Identifier: BSD-2-Clause
// Registers of the firmware's map (docs/registers.md) that the segment store reads: of struct group
// mtu, node, num_nodes, modes, total_ranks, num_edges, rank_mask, children and exchange_ins, with
// flags and parent, which other units have, too; of struct setup left, right, nodes_inverse,
// nodes_shift, parts and part_log; of struct edge subtree_first and subtree_count, which others
// take; of struct neighbour part; struct part and struct inputs. The store does groups without
// multicast, and those with EXCHANGE or in fixed order if each mode in which their chunks need
// parts has some.
//
// The registers of struct group are those of one group at a time: they keep their values until
// CmdCreate of struct command, which writes the rows of this group. The firmware writes all of
// them, in any order, right before CmdCreate. What belongs to an edge, a rank or a part is written
// at once, with the last of its registers: subtree_count, link of a part.
//
// mine_o: the write at axil_awaddr_i is one that this block answers; only then it may be offered.
// It waits while the inverse of a number of ranks is computed. taken_i: another unit takes the
// write in this clock.
module tally_store_regs #(
  parameter int unsigned Groups = 64,
  parameter int unsigned Contributors = tally_pkg::MaxContributors,
  localparam int unsigned GroupW = $clog2(Groups),
  localparam int unsigned EdgeW = $clog2(Contributors),
  localparam int unsigned RankW = $clog2(tally_pkg::MaxRanks),
  localparam int unsigned PartW = $clog2(tally_fw_pkg::StoreParts),
  localparam int unsigned Modes = tally_fw_pkg::PartModes,
  localparam int unsigned ModeW = $clog2(Modes),
  localparam int unsigned ShiftW = 3,  // log2 of up to 64 words
  localparam int unsigned NodeW = tally_plan_pkg::NodeW,
  localparam int unsigned DownW = $clog2(tally_alu_pkg::DivisorW),
  localparam int unsigned InverseW = tally_alu_pkg::InverseW
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  output logic                   busy_o,

  input  logic                   axil_awvalid_i,
  output logic                   axil_awready_o,
  input  logic [31:0]            axil_awaddr_i,
  input  logic                   axil_wvalid_i,
  output logic                   axil_wready_o,
  input  logic [31:0]            axil_wdata_i,
  input  logic [3:0]             axil_wstrb_i,
  output logic                   axil_bvalid_o,
  input  logic                   axil_bready_i,
  output logic [1:0]             axil_bresp_o,
  output logic                   mine_o,
  input  logic                   taken_i,

  // Rows of tally_store.
  output logic                   group_write_o,
  output logic [GroupW-1:0]      group_index_o,
  output tally_plan_pkg::group_t group_o,
  output logic [EdgeW:0]         group_edges_o,
  output logic [15:0]            group_mtu_o,
  output logic                   group_ordered_o,
  output logic [Modes-1:0][PartW-1:0] group_last_o,
  output logic [ShiftW-1:0]      group_shift_o,
  output logic                   part_write_o,
  output logic [GroupW-1:0]      part_group_o,
  output logic [ModeW-1:0]       part_mode_o,
  output logic [PartW-1:0]       part_index_o,
  output logic [Contributors-1:0] part_ins_o,
  output logic [Contributors-1:0] part_outs_o,
  output logic [1:0]             part_inner_o,
  output logic [PartW-1:0]       part_next_o,
  output logic                   part_right_o,
  output logic                   edge_write_o,
  output logic [GroupW-1:0]      edge_group_o,
  output logic [EdgeW-1:0]       edge_index_o,
  output logic [7:0]             edge_round_o,
  output logic [Modes-1:0][PartW-1:0] edge_part_o,
  output logic                   rank_write_o,
  output logic [GroupW-1:0]      rank_group_o,
  output logic [RankW-1:0]       rank_index_o,
  output logic [Modes-1:0][PartW-1:0] rank_part_o,
  output logic [Modes-1:0]       rank_right_o,
  output logic                   route_write_o,
  output logic [GroupW-1:0]      route_group_o,
  output logic [EdgeW-1:0]       route_edge_o,
  output logic [NodeW-1:0]       route_first_o,
  output logic [NodeW-1:0]       route_count_o,
  output logic                   inverse_write_o,
  output logic [GroupW-1:0]      inverse_group_o,
  output logic [DownW-1:0]       inverse_down_o,
  output logic [InverseW-1:0]    inverse_o,

  // Whether the store does a group, when it is created.
  output logic                   does_write_o,
  output logic [GroupW-1:0]      does_group_o,
  output logic                   does_o,

  // The same of each mode, and its number of nodes, a clock later.
  input  logic [GroupW-1:0]      read_group_i,
  output logic                   read_tree_o,
  output logic                   read_ring_o,
  output logic                   read_exchange_o,
  output logic [NodeW-1:0]       read_nodes_o
);
  localparam int unsigned GroupShift = $clog2(tally_fw_pkg::GroupStride);
  localparam int unsigned EdgeShift = $clog2(tally_fw_pkg::EdgeStride);
  localparam int unsigned PartShift = $clog2(tally_fw_pkg::PartStride);
  localparam int unsigned EdgePage = tally_fw_pkg::EdgeOffset / tally_fw_pkg::EdgeStride;

  // ---- Which register a write is for ----
  logic [31:0] in_groups;
  logic [GroupShift-1:0] at;
  logic [GroupShift-EdgeShift-1:0] page;
  logic [EdgeShift-1:0] in_edge;
  logic [GroupW-1:0] reg_group;
  logic [GroupShift-1:0] in_setup;
  logic of_group, of_setup, of_edge, of_part, of_inputs, of_next, create, unused;
  logic [GroupShift-1:0] in_parts, in_inputs;
  logic [EdgeShift-1:0] in_next;

  assign in_groups = axil_awaddr_i - tally_fw_pkg::GroupBase;
  assign at = in_groups[GroupShift-1:0];
  assign page = at[GroupShift-1:EdgeShift];
  assign in_edge = at[EdgeShift-1:0];
  assign reg_group = GroupW'(in_groups >> GroupShift);
  assign of_group = axil_awaddr_i >= tally_fw_pkg::GroupBase && in_groups >> GroupShift < Groups &&
                    32'(at) < tally_fw_pkg::EdgeOffset;
  assign in_setup = at - GroupShift'(tally_fw_pkg::SetupOffset);
  assign of_setup = of_group && 32'(at) >= tally_fw_pkg::SetupOffset &&
                    32'(at) < tally_fw_pkg::RoundOffset;
  assign in_parts = at - GroupShift'(tally_fw_pkg::PartOffset);
  assign of_part = of_group && 32'(at) >= tally_fw_pkg::PartOffset &&
                   32'(in_parts) >> PartShift < Modes * tally_fw_pkg::StoreParts;
  assign in_inputs = at - GroupShift'(tally_fw_pkg::InputsOffset);
  assign of_inputs = of_group && 32'(at) >= tally_fw_pkg::InputsOffset &&
                     32'(in_inputs) >> 2 < tally_pkg::MaxRanks;
  assign in_next = in_edge - EdgeShift'(tally_fw_pkg::NeighbourOffset);
  assign of_next = of_edge && 32'(in_edge) >= tally_fw_pkg::NeighbourOffset;
  assign of_edge = axil_awaddr_i >= tally_fw_pkg::GroupBase && in_groups >> GroupShift < Groups &&
                   32'(page) >= EdgePage && 32'(page) < EdgePage + Contributors;
  assign create = axil_awaddr_i == tally_fw_pkg::CommandBase + tally_fw_pkg::CommandGoOffset &&
                  axil_wdata_i[7:0] == 8'(tally_fw_pkg::CmdCreate) &&
                  32'(axil_wdata_i[31:16]) < Groups;
  assign unused = ^axil_wdata_i[15:8];  // the edge of a command

  logic set_mtu, set_node, set_nodes, set_modes, set_ranks, set_edges, set_flags, set_parent,
      set_left, set_right, set_inverse, set_shift, set_parts, set_log, set_first, set_count,
      set_part, set_link, set_rank;
  logic [1:0] set_mask, set_children, set_exchange, set_ins, set_outs;

  assign set_mtu = of_group && 32'(at) == tally_fw_pkg::GroupMtuOffset;
  assign set_node = of_group && 32'(at) == tally_fw_pkg::GroupNodeOffset;
  assign set_nodes = of_group && 32'(at) == tally_fw_pkg::GroupNumNodesOffset;
  assign set_modes = of_group && 32'(at) == tally_fw_pkg::GroupModesOffset;
  assign set_ranks = of_group && 32'(at) == tally_fw_pkg::GroupTotalRanksOffset;
  assign set_edges = of_group && 32'(at) == tally_fw_pkg::GroupNumEdgesOffset;
  assign set_flags = of_group && 32'(at) == tally_fw_pkg::GroupFlagsOffset;
  assign set_parent = of_group && 32'(at) == tally_fw_pkg::GroupParentOffset;
  assign set_left = of_setup && 32'(in_setup) == tally_fw_pkg::SetupLeftOffset;
  assign set_right = of_setup && 32'(in_setup) == tally_fw_pkg::SetupRightOffset;
  assign set_inverse = of_setup && 32'(in_setup) == tally_fw_pkg::SetupNodesInverseOffset;
  assign set_shift = of_setup && 32'(in_setup) == tally_fw_pkg::SetupNodesShiftOffset;
  assign set_first = of_edge && 32'(in_edge) == tally_fw_pkg::EdgeSubtreeFirstOffset;
  assign set_count = of_edge && 32'(in_edge) == tally_fw_pkg::EdgeSubtreeCountOffset;
  assign set_parts = of_setup && 32'(in_setup) == tally_fw_pkg::SetupPartsOffset;
  assign set_log = of_setup && 32'(in_setup) == tally_fw_pkg::SetupPartLogOffset;
  assign set_part = of_next && 32'(in_next) == tally_fw_pkg::NeighbourPartOffset;
  assign set_link = of_part && 32'(in_parts[PartShift-1:0]) == tally_fw_pkg::PartLinkOffset;
  assign set_rank = of_inputs && in_inputs[1:0] == '0;
  always_comb begin
    for (int unsigned i = 0; i < 2; i++) begin
      set_ins[i] = of_part &&
                   32'(in_parts[PartShift-1:0]) == tally_fw_pkg::PartInsOffset + 4 * i;
      set_outs[i] = of_part &&
                    32'(in_parts[PartShift-1:0]) == tally_fw_pkg::PartOutsOffset + 4 * i;
      set_exchange[i] = of_group &&
                        32'(at) == tally_fw_pkg::GroupExchangeInsOffset + 4 * i;
      set_mask[i] = of_group && 32'(at) == tally_fw_pkg::GroupRankMaskOffset + 4 * i;
      set_children[i] = of_group && 32'(at) == tally_fw_pkg::GroupChildrenOffset + 4 * i;
    end
  end
  assign mine_o = axil_wstrb_i == 4'b1111 &&
                  (set_mtu || set_node || set_nodes || set_modes || set_ranks || set_edges ||
                   set_mask != '0 || set_children != '0 || set_left || set_right ||
                   set_inverse || set_shift || set_parts || set_log ||
                   set_part || set_link || set_rank || set_ins != '0 || set_outs != '0 ||
                   set_exchange != '0);

  // ---- Taking a write ----
  logic bvalid_q, dividing_q, write, any;

  assign write = axil_awvalid_i && axil_wvalid_i && !bvalid_q && !dividing_q;
  assign any = write || taken_i;
  assign axil_awready_o = write;
  assign axil_wready_o = write;
  assign axil_bvalid_o = bvalid_q;
  assign axil_bresp_o = 2'b00;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) bvalid_q <= 1'b0;
    else bvalid_q <= write || (bvalid_q && !axil_bready_i);
  end

  // ---- The registers of one group ----
  logic [GroupW-1:0] group_q;
  logic [NodeW-1:0] node_q, nodes_q, first_q;
  logic [31:0] ranks_q;
  logic [15:0] mtu_q;
  logic [EdgeW:0] edges_q;
  logic [7:0] parent_q, left_q, right_q;
  logic [31:0] inverse_q;  // of the number of nodes
  logic [5:0] shift_q;
  logic [63:0] mask_q, children_q, exchange_ins_q, ins_q, outs_q;
  logic [Modes-1:0][7:0] parts_q;
  logic [Modes-1:0] lacks;  // modes in which chunks need parts that they do not have
  logic [ShiftW-1:0] log_q;
  logic root_q, ordered_q, multicast_q;
  logic tree_q, ring_q, exchange_q;

  always_ff @(posedge clk_i) begin
    if (any && of_group) group_q <= reg_group;
    if (any && set_mtu) mtu_q <= axil_wdata_i[15:0];
    if (any && set_node) node_q <= NodeW'(axil_wdata_i);
    if (any && set_nodes) nodes_q <= NodeW'(axil_wdata_i);
    if (any && set_ranks) ranks_q <= axil_wdata_i;
    if (any && set_edges) edges_q <= (EdgeW+1)'(axil_wdata_i);
    if (any && set_flags) begin
      root_q <= axil_wdata_i[tally_pkg::GroupFRootBit];
      ordered_q <= axil_wdata_i[tally_pkg::GroupFOrderedBit];
      multicast_q <= axil_wdata_i[tally_pkg::GroupFMulticastBit];
    end
    if (any && set_left) left_q <= axil_wdata_i[7:0];
    if (any && set_right) right_q <= axil_wdata_i[7:0];
    if (any && set_inverse) inverse_q <= axil_wdata_i;
    if (any && set_shift) shift_q <= axil_wdata_i[5:0];
    if (any && set_parent) parent_q <= axil_wdata_i[7:0];
    for (int unsigned i = 0; i < 2; i++) begin
      if (any && set_mask[i]) mask_q[32*i+:32] <= axil_wdata_i;
      if (any && set_children[i]) children_q[32*i+:32] <= axil_wdata_i;
    end
    for (int unsigned i = 0; i < 2; i++) begin
      if (any && set_exchange[i]) exchange_ins_q[32*i+:32] <= axil_wdata_i;
      if (any && set_ins[i]) ins_q[32*i+:32] <= axil_wdata_i;
      if (any && set_outs[i]) outs_q[32*i+:32] <= axil_wdata_i;
    end
    if (any && set_first) first_q <= NodeW'(axil_wdata_i);
    if (any && set_parts) parts_q <= axil_wdata_i[8*Modes-1:0];
    if (any && set_log) log_q <= ShiftW'(axil_wdata_i);
  end

  // Modes that are not written for a group are not those of the store.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {exchange_q, ring_q, tree_q} <= 3'b000;
    else if (taken_i && create) {exchange_q, ring_q, tree_q} <= 3'b000;
    else if (any && set_modes) begin
      exchange_q <= axil_wdata_i[tally_pkg::ModesExchangeBit];
      ring_q <= axil_wdata_i[tally_pkg::ModesRingBit];
      tree_q <= axil_wdata_i[tally_pkg::ModesTreeBit];
    end
  end

  // ---- Rows ----
  logic does;
  logic [NodeW+2:0] does_mem_q [Groups];
  logic [NodeW+2:0] does_read_q;

  assign lacks = {ring_q && ordered_q && parts_q[2] == '0, exchange_q && parts_q[1] == '0,
                  tree_q && ordered_q && parts_q[0] == '0};
  assign does = !multicast_q && (tree_q || ring_q || exchange_q) && lacks == '0 &&
                GroupW'(axil_wdata_i[31:16]) == group_q;
  assign group_write_o = taken_i && create && does;
  assign group_index_o = group_q;
  always_comb begin
    group_o = '0;
    group_o.node = node_q;
    group_o.nodes = nodes_q;
    group_o.inverse = inverse_q;
    group_o.shift = shift_q;
    group_o.root = root_q;
    group_o.parent = parent_q;
    group_o.left = left_q;
    group_o.right = right_q;
    group_o.rank_mask = mask_q;
    group_o.children = children_q;
    group_o.exchange_ins = exchange_ins_q;
  end
  assign group_edges_o = edges_q;
  assign group_mtu_o = mtu_q;
  assign group_ordered_o = ordered_q;
  always_comb begin
    for (int unsigned i = 0; i < Modes; i++) begin
      group_last_o[i] = PartW'(parts_q[i] - 1'b1);
      edge_part_o[i] = axil_wdata_i[8*i+:PartW];
      rank_part_o[i] = axil_wdata_i[8*i+:PartW];
      rank_right_o[i] = axil_wdata_i[8*i+7];
    end
  end
  assign group_shift_o = log_q;
  assign part_write_o = any && set_link;
  assign part_group_o = reg_group;
  assign part_mode_o = ModeW'(in_parts >> PartShift + PartW);
  assign part_index_o = PartW'(in_parts >> PartShift);
  assign part_ins_o = ins_q[Contributors-1:0];
  assign part_outs_o = outs_q[Contributors-1:0];
  assign part_inner_o = axil_wdata_i[17:16];
  assign part_next_o = PartW'(axil_wdata_i);
  assign part_right_o = axil_wdata_i[8];
  assign edge_write_o = any && set_part;
  assign edge_group_o = reg_group;
  assign edge_index_o = EdgeW'(32'(page) - EdgePage);
  assign edge_round_o = axil_wdata_i[31:24];
  assign rank_write_o = any && set_rank;
  assign rank_group_o = reg_group;
  assign rank_index_o = RankW'(in_inputs >> 2);
  assign route_write_o = any && set_count;
  assign route_group_o = reg_group;
  assign route_edge_o = EdgeW'(32'(page) - EdgePage);
  assign route_first_o = first_q;
  assign route_count_o = NodeW'(axil_wdata_i);

  assign does_write_o = taken_i && create;
  assign does_group_o = GroupW'(axil_wdata_i[31:16]);
  assign does_o = does;
  always_ff @(posedge clk_i) begin
    if (does_write_o) begin
      does_mem_q[does_group_o] <= {does && exchange_q, does && ring_q, does && tree_q, nodes_q};
    end
    does_read_q <= does_mem_q[read_group_i];
  end
  assign {read_exchange_o, read_ring_o, read_tree_o, read_nodes_o} = does_read_q;

  // ---- The inverse of the number of ranks ----
  logic divides;
  tally_scale_inverse u_inverse (
    .clk_i, .rst_ni, .valid_i(group_write_o), .ready_o(divides), .divisor_i(ranks_q),
    .valid_o(inverse_write_o), .ready_i(1'b1), .down_o(inverse_down_o), .inverse_o(inverse_o)
  );
  always_ff @(posedge clk_i) if (group_write_o) inverse_group_o <= group_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) dividing_q <= 1'b0;
    else dividing_q <= group_write_o || (dividing_q && !inverse_write_o);
  end
  logic unused_divides;  // one group at a time
  assign unused_divides = divides;
  assign busy_o = bvalid_q || dividing_q;
endmodule
