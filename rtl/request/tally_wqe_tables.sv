// SPDX-License-Identifier: BSD-2-Clause
// Tables of groups and queue pairs, as far as the parser of requests needs them (tally_wqe).
//
// Their registers are in the firmware's map (docs/registers.md): of struct group flags, mtu, chunk,
// node, num_nodes, modes, total_ranks, parent, rank_mask, children, combined and peers; of struct
// setup jid, max_segs, mode, choice_modes and choice_logs; of struct qp group, stride, ranks and
// pd. Other units have some of them, too, so the block listens: write_i is a write of a whole word
// that is carried out in this clock, by whomever. mine_o tells that addr_i is one of these
// registers. A register of 64 bits is complete with the write of its high word, right after that of
// the low one.
//
// find_*: the row of the queue pair is in qp_o and pd_o a clock later, and that of its group in
// group_o two clocks later. They stay until the next find_valid_i; what is written meanwhile is not
// seen. The firmware writes the row of a group before a queue pair is in it, and that of a queue
// pair before it may have requests. A row that was never written has any value.
module tally_wqe_tables #(
  parameter int unsigned Groups = tally_pkg::MaxGroup,
  parameter int unsigned Qps = tally_pkg::MaxQp,
  localparam int unsigned GroupW = Groups > 1 ? $clog2(Groups) : 1,
  localparam int unsigned QpW = Qps > 1 ? $clog2(Qps) : 1,
  localparam int unsigned PdW = $clog2(tally_pkg::MaxPd)
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,

  input  logic                      write_i,
  input  logic [31:0]               addr_i,
  input  logic [31:0]               data_i,
  output logic                      mine_o,

  input  logic                      find_valid_i,
  input  logic [QpW-1:0]            find_qp_i,
  output tally_request_pkg::qp_t    qp_o,
  output logic [PdW-1:0]            pd_o,   // of the queue pair
  output tally_request_pkg::group_t group_o
);
  localparam int unsigned GroupShift = $clog2(tally_fw_pkg::GroupStride);
  localparam int unsigned QpShift = $clog2(tally_fw_pkg::QpStride);
  localparam int unsigned Choices = tally_request_pkg::NumChoices;
  localparam int unsigned ModeW = tally_request_pkg::ChoiceModeW;
  localparam int unsigned LogW = tally_request_pkg::ChoiceLogW;
  localparam int unsigned ChoiceW = tally_request_pkg::ChoiceW;
  localparam int unsigned LastEdge = tally_pkg::MaxContributors;

  // ---- Which register a write is for ----
  logic [31:0] in_groups, in_qps;
  logic [GroupShift-1:0] at;
  logic [QpShift-1:0] in_qp;
  logic [GroupW-1:0] reg_group;
  logic [QpW-1:0] reg_qp;
  logic of_group, of_qp;

  // Rows begin at multiples of their size. Both ends are compared at once.
  assign in_groups = addr_i - tally_fw_pkg::GroupBase;
  assign at = addr_i[GroupShift-1:0];
  assign reg_group = GroupW'(in_groups >> GroupShift);
  assign of_group = addr_i >> GroupShift >= tally_fw_pkg::GroupBase >> GroupShift &&
                    addr_i >> GroupShift < (tally_fw_pkg::GroupBase >> GroupShift) + Groups;
  assign in_qps = addr_i - tally_fw_pkg::QpBase;
  assign in_qp = addr_i[QpShift-1:0];
  assign reg_qp = QpW'(in_qps >> QpShift);
  assign of_qp = addr_i >> QpShift >= tally_fw_pkg::QpBase >> QpShift &&
                 addr_i >> QpShift < (tally_fw_pkg::QpBase >> QpShift) + Qps;

  logic set_flags, set_mtu, set_chunk, set_node, set_nodes, set_modes, set_ranks, set_parent,
      set_jid, set_segs, set_mode, set_group, set_stride, set_pd;
  logic [1:0] set_mask, set_children, set_combined, set_peers, set_own;  // low and high word
  logic [Choices-1:0] set_choice, set_logs;

  assign set_flags = of_group && 32'(at) == tally_fw_pkg::GroupFlagsOffset;
  assign set_mtu = of_group && 32'(at) == tally_fw_pkg::GroupMtuOffset;
  assign set_chunk = of_group && 32'(at) == tally_fw_pkg::GroupChunkOffset;
  assign set_node = of_group && 32'(at) == tally_fw_pkg::GroupNodeOffset;
  assign set_nodes = of_group && 32'(at) == tally_fw_pkg::GroupNumNodesOffset;
  assign set_modes = of_group && 32'(at) == tally_fw_pkg::GroupModesOffset;
  assign set_ranks = of_group && 32'(at) == tally_fw_pkg::GroupTotalRanksOffset;
  assign set_parent = of_group && 32'(at) == tally_fw_pkg::GroupParentOffset;
  assign set_jid = of_group && 32'(at) == tally_fw_pkg::SetupOffset + tally_fw_pkg::SetupJidOffset;
  assign set_segs = of_group &&
      32'(at) == tally_fw_pkg::SetupOffset + tally_fw_pkg::SetupMaxSegsOffset;
  assign set_mode = of_group &&
      32'(at) == tally_fw_pkg::SetupOffset + tally_fw_pkg::SetupModeOffset;
  assign set_group = of_qp && 32'(in_qp) == tally_fw_pkg::QpGroupOffset;
  assign set_stride = of_qp && 32'(in_qp) == tally_fw_pkg::QpStrideOffset;
  assign set_pd = of_qp && 32'(in_qp) == tally_fw_pkg::QpPdOffset;
  always_comb begin
    for (int unsigned i = 0; i < 2; i++) begin
      set_mask[i] = of_group && 32'(at) == tally_fw_pkg::GroupRankMaskOffset + 4 * i;
      set_children[i] = of_group && 32'(at) == tally_fw_pkg::GroupChildrenOffset + 4 * i;
      set_combined[i] = of_group && 32'(at) == tally_fw_pkg::GroupCombinedOffset + 4 * i;
      set_peers[i] = of_group && 32'(at) == tally_fw_pkg::GroupPeersOffset + 4 * i;
      set_own[i] = of_qp && 32'(in_qp) == tally_fw_pkg::QpRanksOffset + 4 * i;
    end
    for (int unsigned k = 0; k < Choices; k++) begin
      set_choice[k] = of_group && 32'(at) == tally_fw_pkg::SetupOffset +
                      tally_fw_pkg::SetupChoiceModesOffset + 4 * k;
      set_logs[k] = of_group && 32'(at) == tally_fw_pkg::SetupOffset +
                    tally_fw_pkg::SetupChoiceLogsOffset + 4 * k;
    end
  end
  assign mine_o = set_flags || set_mtu || set_chunk || set_node || set_nodes || set_modes ||
      set_ranks || set_parent || set_jid || set_segs || set_mode || set_group || set_stride ||
      set_pd || set_mask != '0 || set_children != '0 || set_combined != '0 || set_peers != '0 ||
      set_own != '0 || set_choice != '0 || set_logs != '0;

  // ---- Values as the rows have them ----
  logic [31:0] low_q;
  logic [63:0] wide;
  logic has_parent;
  logic [7:0] parent;
  assign wide = {data_i, low_q};
  assign has_parent = data_i <= LastEdge;
  assign parent = has_parent ? {1'b1, data_i[6:0]} : '0;
  always_ff @(posedge clk_i) if (write_i && mine_o) low_q <= data_i;

  // ---- Memories ----
  logic [GroupW-1:0] groups_q [Qps];
  logic [63:0] owns_q [Qps];
  logic [13:0] strides_q [Qps];
  logic [PdW-1:0] pds_q [Qps];
  logic [31:0] jids_q [Groups];
  logic [7:0] mode_mem_q [Groups];
  logic [7:0] modes_q [Groups];
  logic [1:0] flags_q [Groups];
  logic [12:0] mtus_q [Groups];
  logic [12:0] chunks_q [Groups];
  logic [8:0] segs_q [Groups];
  logic [18:0] ranks_q [Groups];
  logic [12:0] nodes_q [Groups];
  logic [12:0] node_mem_q [Groups];
  logic [63:0] masks_q [Groups];
  logic [63:0] children_q [Groups];
  logic [63:0] combined_q [Groups];
  logic [63:0] peers_q [Groups];
  logic [7:0] parents_q [Groups];

  // ---- First clock: the queue pair; second clock: its group ----
  logic found_q;
  logic [GroupW-1:0] group_q;
  tally_request_pkg::qp_t qp_q;
  tally_request_pkg::group_t row_q;
  logic [tally_request_pkg::ChoicesW-1:0] choices;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) found_q <= 1'b0;
    else found_q <= find_valid_i;
  end

  always_ff @(posedge clk_i) begin
    if (write_i && set_group) groups_q[reg_qp] <= GroupW'(data_i);
    if (write_i && set_own[1]) owns_q[reg_qp] <= wide;
    if (write_i && set_stride) strides_q[reg_qp] <= data_i[13:0];
    if (write_i && set_pd) pds_q[reg_qp] <= data_i[PdW-1:0];
    if (find_valid_i) begin
      group_q <= groups_q[find_qp_i];
      qp_q.ranks <= owns_q[find_qp_i];
      qp_q.stride <= strides_q[find_qp_i];
      pd_o <= pds_q[find_qp_i];
    end
  end

  always_ff @(posedge clk_i) begin
    if (write_i && set_jid) jids_q[reg_group] <= data_i;
    if (write_i && set_mode) mode_mem_q[reg_group] <= data_i[7:0];
    if (write_i && set_modes) modes_q[reg_group] <= data_i[7:0];
    if (write_i && set_flags) begin
      flags_q[reg_group] <= {data_i[tally_pkg::GroupFSparseBit],
                             data_i[tally_pkg::GroupFOrderedBit]};
    end
    if (write_i && set_mtu) mtus_q[reg_group] <= data_i[12:0];
    if (write_i && set_chunk) chunks_q[reg_group] <= data_i[12:0];
    if (write_i && set_segs) segs_q[reg_group] <= data_i[8:0];
    if (write_i && set_ranks) ranks_q[reg_group] <= data_i[18:0];
    if (write_i && set_nodes) nodes_q[reg_group] <= data_i[12:0];
    if (write_i && set_node) node_mem_q[reg_group] <= data_i[12:0];
    if (write_i && set_mask[1]) masks_q[reg_group] <= wide;
    if (write_i && set_children[1]) children_q[reg_group] <= wide;
    if (write_i && set_combined[1]) combined_q[reg_group] <= wide;
    if (write_i && set_peers[1]) peers_q[reg_group] <= wide;
    if (write_i && set_parent) parents_q[reg_group] <= parent;
  end

  always_ff @(posedge clk_i) begin
    if (found_q) begin
      row_q.jid <= jids_q[group_q];
      row_q.mode <= mode_mem_q[group_q];
      row_q.modes <= modes_q[group_q];
      {row_q.sparse, row_q.ordered} <= flags_q[group_q];
      row_q.mtu <= mtus_q[group_q];
      row_q.chunk <= chunks_q[group_q];
      row_q.max_segs <= segs_q[group_q];
      row_q.total_ranks <= ranks_q[group_q];
      row_q.num_nodes <= nodes_q[group_q];
      row_q.node <= node_mem_q[group_q];
      row_q.rank_mask <= masks_q[group_q];
      row_q.children <= children_q[group_q];
      row_q.dests <= combined_q[group_q] | peers_q[group_q];
      {row_q.has_parent, row_q.parent} <= parents_q[group_q];
      row_q.choices <= choices;
    end
  end

  // The choices of one operation.
  for (genvar k = 0; k < int'(Choices); k++) begin : gen_choice
    logic [3*ModeW-1:0] modes_mem_q [Groups];
    logic [2*LogW-1:0] logs_mem_q [Groups];
    always_ff @(posedge clk_i) begin
      if (write_i && set_choice[k]) begin
        modes_mem_q[reg_group] <= {data_i[ModeW-1:0], data_i[8 +: ModeW], data_i[16 +: ModeW]};
      end
      if (write_i && set_logs[k]) begin
        logs_mem_q[reg_group] <= {data_i[LogW-1:0], data_i[8 +: LogW]};
      end
    end
    assign choices[k*ChoiceW +: ChoiceW] = {modes_mem_q[group_q], logs_mem_q[group_q]};
  end

  assign qp_o = qp_q;
  assign group_o = row_q;

`ifdef FORMAL
  `include "wqe_tables_proof.svh"
`endif
endmodule
