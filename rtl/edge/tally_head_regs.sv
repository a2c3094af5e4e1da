// SPDX-License-Identifier: BSD-2-Clause
// Registers of the firmware's map (docs/registers.md) that become rows of tally_head and
// tally_edge_state, and operations of the latter.
//
// The firmware writes all registers of struct neighbour that are here, and peer_key of struct edge,
// in any order, right before first_limit of this edge, which forms the row of the edge, with its
// source port, and opens it (StateOpen). unconfirmed, if it becomes 0, settles it (StateSettle).
// own_first_seq renews it (StateRenew). Those of struct group and struct setup are written right
// before CmdCreate of struct command; a write of epoch then forms the row of the group, so it comes
// after CmdCreate.
//
// mine_o: the write at axil_awaddr_i is one that this block answers; only then it may be offered.
// Its answer comes when its operation has been taken. taken_i: another unit takes the write in this
// clock. row_i: the row of its edge, which has one, if it is for an edge. None is taken here or
// elsewhere while busy_o is set, which depends on close_valid_i.
//
// close_*: rows that an edge has got, or whose edge is closed: StateClose, ahead of further writes.
// It waits for op_ready_i in the same clock. op_*: see tally_edge_ops.
module tally_head_regs #(
  parameter int unsigned Groups = tally_pkg::MaxGroup,
  parameter int unsigned EdgesOf = tally_pkg::MaxContributors + 1,
  parameter int unsigned Rows = tally_pkg::MaxEdges,
  localparam int unsigned GroupW = $clog2(Groups),
  localparam int unsigned EdgeW = $clog2(EdgesOf),
  localparam int unsigned RowW = $clog2(Rows)
) (
  input  logic                         clk_i,
  input  logic                         rst_ni,
  output logic                         busy_o,

  input  logic                         axil_awvalid_i,
  output logic                         axil_awready_o,
  input  logic [31:0]                  axil_awaddr_i,
  input  logic                         axil_wvalid_i,
  output logic                         axil_wready_o,
  input  logic [31:0]                  axil_wdata_i,
  input  logic [3:0]                   axil_wstrb_i,
  output logic                         axil_bvalid_o,
  input  logic                         axil_bready_i,
  output logic [1:0]                   axil_bresp_o,
  output logic                         mine_o,
  input  logic                         taken_i,
  input  logic [RowW-1:0]              row_i,

  input  logic                         close_valid_i,
  output logic                         close_ready_o,
  input  logic [RowW-1:0]              close_row_i,

  // Rows of tally_head.
  output logic                         edge_write_o,
  output logic [RowW-1:0]              edge_row_o,
  output tally_head_pkg::edge_row_t    edge_o,
  output logic                         group_write_o,
  output logic [GroupW-1:0]            group_index_o,
  output tally_head_pkg::group_row_t   group_o,

  // Rows of groups of tally_edge_state.
  output logic                         walk_write_o,
  output logic [GroupW-1:0]            walk_group_o,
  output logic [EdgeW-1:0]             walk_edges_o,
  output logic                         walk_parent_o,
  output logic                         walk_borrows_o,

  output logic                         op_valid_o,
  input  logic                         op_ready_i,
  output tally_edge_pkg::state_op_e    op_o,
  output logic [RowW-1:0]              op_row_o,
  output logic [GroupW-1:0]            op_group_o,
  output logic [31:0]                  op_limit_o,
  output logic                         op_gives_o
);
  localparam int unsigned GroupShift = $clog2(tally_fw_pkg::GroupStride);
  localparam int unsigned EdgeShift = $clog2(tally_fw_pkg::EdgeStride);
  localparam int unsigned EdgePage = tally_fw_pkg::EdgeOffset / tally_fw_pkg::EdgeStride;
  localparam int unsigned GidWords = 4;

  typedef enum logic [1:0] {
    Idle = 2'd0,
    Epoch = 2'd1,  // the row of a group is written
    Port = 2'd2,   // the source port is computed
    Offer = 2'd3   // an operation is offered
  } state_e;

  // What is kept of a group from CmdCreate on.
  typedef struct packed {
    logic [31:0] jid;
    logic ordered;
    logic [15:0] num_segs;
    logic [7:0] parent;
    logic [7:0] left;
    logic [63:0] givers;  // neighbours that give data to this node in TREE or EXCHANGE
  } known_t;
  localparam int unsigned KnownBits = 129;

  // The first byte of an address is in the low byte of a register, and the highest one of a row.
  function automatic logic [31:0] swap(input logic [31:0] word);
    swap = {word[7:0], word[15:8], word[23:16], word[31:24]};
  endfunction

  state_e state_q, state_d;

  // ---- Which register a write is for ----
  logic [31:0] in_groups, in_setup, in_next;
  logic [GroupShift-1:0] at;
  logic [GroupShift-EdgeShift-1:0] page;
  logic [EdgeShift-1:0] in_edge;
  logic [GroupW-1:0] reg_group, go_group;
  logic [EdgeW-1:0] reg_edge;
  logic whole, of_groups, of_group, of_setup, of_edge, of_next, create;

  assign in_groups = axil_awaddr_i - tally_fw_pkg::GroupBase;
  assign at = in_groups[GroupShift-1:0];
  assign page = at[GroupShift-1:EdgeShift];
  assign in_edge = at[EdgeShift-1:0];
  assign in_setup = 32'(at) - tally_fw_pkg::SetupOffset;
  assign in_next = 32'(in_edge) - tally_fw_pkg::NeighbourOffset;
  assign reg_group = GroupW'(in_groups >> GroupShift);
  assign go_group = GroupW'(axil_wdata_i[31:16]);
  assign reg_edge = EdgeW'(32'(page) - EdgePage);
  assign whole = axil_wstrb_i == 4'b1111;
  assign of_groups = whole && axil_awaddr_i >= tally_fw_pkg::GroupBase &&
                     in_groups >> GroupShift < Groups;
  assign of_group = of_groups && 32'(at) < tally_fw_pkg::SetupOffset;
  assign of_setup = of_groups && 32'(at) < tally_fw_pkg::RoundOffset && !of_group;
  assign of_edge = of_groups && 32'(page) >= EdgePage && 32'(page) < EdgePage + EdgesOf;
  assign of_next = of_edge && 32'(in_edge) >= tally_fw_pkg::NeighbourOffset;
  assign create = whole &&
                  axil_awaddr_i == tally_fw_pkg::CommandBase + tally_fw_pkg::CommandGoOffset &&
                  axil_wdata_i[7:0] == 8'(tally_fw_pkg::CmdCreate) &&
                  32'(axil_wdata_i[31:16]) < Groups;

  logic set_flags, set_parent, set_left, set_edges, set_segs, set_epoch, set_jid, set_max, set_key,
      set_index, set_round, opens, settles, renews;
  logic [1:0] set_children, set_ins, set_mac;
  logic [GidWords-1:0] set_gid;

  assign set_flags = of_group && 32'(at) == tally_fw_pkg::GroupFlagsOffset;
  assign set_parent = of_group && 32'(at) == tally_fw_pkg::GroupParentOffset;
  assign set_edges = of_group && 32'(at) == tally_fw_pkg::GroupNumEdgesOffset;
  assign set_segs = of_group && 32'(at) == tally_fw_pkg::GroupNumSegsOffset;
  assign set_epoch = of_group && 32'(at) == tally_fw_pkg::GroupEpochOffset;
  assign set_jid = of_setup && in_setup == tally_fw_pkg::SetupJidOffset;
  assign set_left = of_setup && in_setup == tally_fw_pkg::SetupLeftOffset;
  assign set_max = of_setup && in_setup == tally_fw_pkg::SetupMaxSegsOffset;
  assign set_key = of_edge && 32'(in_edge) == tally_fw_pkg::EdgePeerKeyOffset;
  assign opens = of_edge && 32'(in_edge) == tally_fw_pkg::EdgeFirstLimitOffset;
  assign settles = of_edge && 32'(in_edge) == tally_fw_pkg::EdgeUnconfirmedOffset;
  assign renews = of_edge && 32'(in_edge) == tally_fw_pkg::EdgeOwnFirstSeqOffset;
  assign set_index = of_next && in_next == tally_fw_pkg::NeighbourRemoteIndexOffset;
  assign set_round = of_next && in_next == tally_fw_pkg::NeighbourRoundOffset;
  always_comb begin
    for (int unsigned i = 0; i < 2; i++) begin
      set_ins[i] = of_group && 32'(at) == tally_fw_pkg::GroupExchangeInsOffset + 4 * i;
      set_children[i] = of_group && 32'(at) == tally_fw_pkg::GroupChildrenOffset + 4 * i;
      set_mac[i] = of_next && in_next == tally_fw_pkg::NeighbourMacOffset + 4 * i;
    end
    for (int unsigned i = 0; i < GidWords; i++) begin
      set_gid[i] = of_next && in_next == tally_fw_pkg::NeighbourGidOffset + 4 * i;
    end
  end
  assign mine_o = set_segs || set_max || set_key || set_index || set_round || set_mac != '0 ||
                  opens || settles;

  // ---- Taking a write, and its steps ----
  logic bvalid_q, mine_q, write, any, computed, ends;

  assign write = axil_awvalid_i && axil_wvalid_i && state_q == Idle && !bvalid_q && !close_valid_i;
  assign any = write || taken_i;
  assign axil_awready_o = write;
  assign axil_wready_o = write;
  assign axil_bvalid_o = bvalid_q;
  assign axil_bresp_o = 2'b00;
  assign ends = state_q != Idle && state_d == Idle;

  always_comb begin
    unique case (state_q)
      Idle: begin
        state_d = Idle;
        if (any && opens) state_d = Port;
        else if (any && (renews || (settles && axil_wdata_i == '0))) state_d = Offer;
        else if (any && set_epoch) state_d = Epoch;
      end
      Epoch: state_d = Idle;
      Port: state_d = computed ? Offer : Port;
      default: state_d = op_ready_i ? Idle : Offer;  // Offer
    endcase
  end

  always_ff @(posedge clk_i) if (any) mine_q <= write;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= Idle;
      bvalid_q <= 1'b0;
    end else begin
      state_q <= state_d;
      bvalid_q <= (write && state_d == Idle) || (ends && mine_q) || (bvalid_q && !axil_bready_i);
    end
  end
  assign busy_o = state_q != Idle || bvalid_q || close_valid_i;

  // ---- The registers of one group ----
  logic [31:0] jid_q;
  logic [15:0] segs_q, max_q;
  logic [EdgeW-1:0] edges_q;
  logic [7:0] parent_q, left_q;
  logic [63:0] children_q, ins_q;
  logic ordered_q;
  logic [KnownBits-1:0] known_q [Groups];
  logic [KnownBits-1:0] known_read_q;
  known_t known, known_new;

  always_ff @(posedge clk_i) begin
    if (any && set_jid) jid_q <= axil_wdata_i;
    if (any && set_segs) segs_q <= axil_wdata_i[15:0];
    if (any && set_max) max_q <= axil_wdata_i[15:0];
    if (any && set_edges) edges_q <= EdgeW'(axil_wdata_i);
    if (any && set_parent) parent_q <= axil_wdata_i[7:0];
    if (any && set_left) left_q <= axil_wdata_i[7:0];
    if (any && set_flags) ordered_q <= axil_wdata_i[tally_pkg::GroupFOrderedBit];
    for (int unsigned i = 0; i < 2; i++) begin
      if (any && set_ins[i]) ins_q[32*i+:32] <= axil_wdata_i;
      if (any && set_children[i]) children_q[32*i+:32] <= axil_wdata_i;
    end
    if (taken_i && create) known_q[go_group] <= known_new;
    if (state_q == Idle) known_read_q <= known_q[reg_group];
  end
  assign known_new.jid = jid_q;
  assign known_new.ordered = ordered_q;
  assign known_new.num_segs = segs_q;
  assign known_new.parent = parent_q;
  assign known_new.left = left_q;
  assign known_new.givers = children_q | ins_q;
  assign known = known_read_q;
  assign walk_write_o = taken_i && create;
  assign walk_group_o = go_group;
  assign walk_edges_o = edges_q;
  assign walk_parent_o = parent_q == 8'(EdgesOf - 1);  // the parent has no index
  assign walk_borrows_o = max_q > segs_q;

  // ---- The registers of one edge, and what a write is for ----
  logic [47:0] mac_q;
  logic [127:0] gid_q;
  logic [31:0] key_q, value_q;
  logic [7:0] index_q, round_q;
  logic [15:0] sport;
  logic [GroupW-1:0] group_q;
  logic [EdgeW-1:0] edge_q;
  logic [RowW-1:0] row_q;
  tally_edge_pkg::state_op_e op_q;

  always_ff @(posedge clk_i) begin
    if (any && set_key) key_q <= axil_wdata_i;
    if (any && set_index) index_q <= axil_wdata_i[7:0];
    if (any && set_round) round_q <= axil_wdata_i[7:0];
    if (any && set_mac[0]) mac_q[47:16] <= swap(axil_wdata_i);
    if (any && set_mac[1]) mac_q[15:0] <= {axil_wdata_i[7:0], axil_wdata_i[15:8]};
    for (int unsigned i = 0; i < GidWords; i++) begin
      if (any && set_gid[i]) gid_q[127-32*i-:32] <= swap(axil_wdata_i);
    end
    if (any) begin
      value_q <= axil_wdata_i;
      group_q <= reg_group;
      edge_q <= reg_edge;
      row_q <= row_i;
      op_q <= opens ? tally_edge_pkg::StateOpen : renews ? tally_edge_pkg::StateRenew :
              tally_edge_pkg::StateSettle;
    end
  end

  // ---- Rows ----
  logic asked_q, port_ready;

  tally_sport u_sport (
    .clk_i, .rst_ni, .in_valid_i(state_q == Port && !asked_q), .in_ready_o(port_ready),
    .gid_i(gid_q), .jid_i(known.jid), .out_valid_o(computed), .out_ready_i(1'b1), .port_o(sport)
  );
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) asked_q <= 1'b0;
    else asked_q <= state_q == Port && !computed && (asked_q || port_ready);
  end

  assign edge_write_o = computed;
  assign edge_row_o = row_q;
  assign edge_o.mac = mac_q;
  assign edge_o.gid = gid_q;
  assign edge_o.peer_key = key_q;
  assign edge_o.remote_index = index_q;
  assign edge_o.sport = sport;
  assign edge_o.round = round_q;
  assign group_write_o = state_q == Epoch;
  assign group_index_o = group_q;
  assign group_o.jid = known.jid;
  assign group_o.epoch = value_q;
  assign group_o.ordered = known.ordered;

  // ---- Operations ----
  logic child;

  assign close_ready_o = state_q == Idle && op_ready_i;
  assign op_valid_o = state_q == Offer || (state_q == Idle && close_valid_i);
  assign op_o = state_q == Offer ? op_q : tally_edge_pkg::StateClose;
  assign op_row_o = state_q == Offer ? row_q : close_row_i;
  assign op_group_o = group_q;
  assign op_limit_o = op_q == tally_edge_pkg::StateOpen ? value_q : 32'(known.num_segs);
  always_comb begin
    child = 1'b0;  // an edge without an index is none
    for (int unsigned i = 0; i < 64; i++) if (32'(edge_q) == i) child = known.givers[i];
  end
  assign op_gives_o = child || 8'(edge_q) == known.parent || 8'(edge_q) == known.left;

`ifdef FORMAL
  `include "head_regs_proof.svh"
`endif
endmodule
