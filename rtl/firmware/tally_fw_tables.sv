// SPDX-License-Identifier: BSD-2-Clause
// What packets of the firmware are formed from (words_t of tally_fw_send_pkg), and an OPEN is
// compared with (opens_t): registers of groups, tombstones and their edges, in memories of 32 bits,
// and done and limit of groups. Registers may be written in any order, and keep their values until
// they are written again. Those of opens_t share words, in which each has bytes of its own.
//
// write_i: a register of 32 bits has been written, in this clock; row_i: the row of its edge
// (tally_edge_rows), if it is of an edge of a group. Those of tombstones have rows of their own.
// mine_o: the register at this address is one of those that are kept here; it depends on the
// address alone. moved_*: done and limit of a group (tally_store).
//
// read_*: a word of a group or a tombstone, and of one of its edges; read_row_i is the row of the
// edge if it is one of a group. read_o has it in the next clock; what is written in the clock in
// which it is read is read later. The limit is read after done, and is that of the same time. A
// tombstone has neither: they are 0.
module tally_fw_tables #(
  parameter int unsigned Groups = tally_pkg::MaxGroup,
  parameter int unsigned Tombs = tally_pkg::MaxTombstones,
  parameter int unsigned EdgesOf = tally_pkg::MaxContributors + 1,
  parameter int unsigned Rows = tally_pkg::MaxEdges,
  localparam int unsigned Contexts = Groups + Tombs,
  localparam int unsigned ContextW = $clog2(Contexts),
  localparam int unsigned GroupW = $clog2(Groups),
  localparam int unsigned EdgeW = $clog2(EdgesOf),
  localparam int unsigned RowW = $clog2(Rows)
) (
  input  logic                                clk_i,
  input  logic                                rst_ni,  // for the bench

  input  logic                                write_i,
  input  logic [31:0]                         addr_i,
  input  logic [31:0]                         data_i,
  input  logic [RowW-1:0]                     row_i,
  output logic                                mine_o,

  input  logic                                moved_valid_i,
  input  logic [GroupW-1:0]                   moved_group_i,
  input  logic [31:0]                         moved_done_i,
  input  logic [31:0]                         moved_limit_i,

  input  logic [ContextW-1:0]                 read_context_i,
  input  logic [EdgeW-1:0]                    read_edge_i,
  input  logic [RowW-1:0]                     read_row_i,
  input  logic [tally_fw_send_pkg::WordW-1:0] read_i,
  output logic [31:0]                         read_o
);
  localparam int unsigned WordW = tally_fw_send_pkg::WordW;
  localparam int unsigned GroupWords = tally_fw_send_pkg::GroupWords;
  localparam int unsigned EdgeWords = tally_fw_send_pkg::EdgeWords;
  localparam int unsigned Regs = tally_fw_send_pkg::Regs;
  localparam logic [WordW-1:0] Done = WordW'(Regs);
  localparam logic [WordW-1:0] Limit = WordW'(Regs + 1);
  localparam logic [WordW-1:0] Nodes = WordW'(tally_fw_send_pkg::OpenFirst + 1);
  localparam logic [WordW-1:0] Flags = WordW'(tally_fw_send_pkg::OpenFirst + 2);
  localparam int unsigned GroupShift = $clog2(tally_fw_pkg::GroupStride);
  localparam int unsigned EdgeShift = $clog2(tally_fw_pkg::EdgeStride);
  localparam int unsigned FirstPage = tally_fw_pkg::EdgeOffset / tally_fw_pkg::EdgeStride;
  localparam int unsigned AllRows = Rows + Tombs * EdgesOf;
  localparam int unsigned AllRowW = $clog2(AllRows);
  localparam int unsigned Log = 4;  // log2 of the words of a row

  // ---- Which word a register is, and which bytes of it ----
  logic [31:0] in_groups;
  logic [GroupShift-1:0] at;
  logic [GroupShift-EdgeShift-1:0] page;
  logic [ContextW-1:0] context_of;
  logic [EdgeW-1:0] edge_of;
  logic of_context, of_edge;
  logic [31:0] in_edge;
  logic [WordW-1:0] word;
  logic [3:0] bytes;
  logic [31:0] value;

  assign in_groups = addr_i - tally_fw_pkg::GroupBase;
  assign at = in_groups[GroupShift-1:0];
  assign page = at[GroupShift-1:EdgeShift];
  assign in_edge = 32'(at[EdgeShift-1:0]);
  assign context_of = ContextW'(in_groups >> GroupShift);
  assign edge_of = EdgeW'(32'(page) - FirstPage);
  assign of_context = in_groups >> GroupShift < Contexts;
  assign of_edge = 32'(page) >= FirstPage && 32'(page) < FirstPage + EdgesOf;
  // In the order of words_t, then of opens_t.
  always_comb begin
    bytes = 4'b1111;
    value = data_i;
    if (of_edge) begin
      unique case (in_edge)
        tally_fw_pkg::NeighbourOffset + tally_fw_pkg::NeighbourGidOffset: word = 5'd14;
        tally_fw_pkg::NeighbourOffset + tally_fw_pkg::NeighbourGidOffset + 4: word = 5'd15;
        tally_fw_pkg::NeighbourOffset + tally_fw_pkg::NeighbourGidOffset + 8: word = 5'd16;
        tally_fw_pkg::NeighbourOffset + tally_fw_pkg::NeighbourGidOffset + 12: word = 5'd17;
        tally_fw_pkg::NeighbourOffset + tally_fw_pkg::NeighbourMacOffset: word = 5'd18;
        tally_fw_pkg::NeighbourOffset + tally_fw_pkg::NeighbourMacOffset + 4: word = 5'd19;
        tally_fw_pkg::NeighbourOffset + tally_fw_pkg::NeighbourRemoteIndexOffset: word = 5'd20;
        tally_fw_pkg::EdgeNonceOffset: word = 5'd21;
        tally_fw_pkg::EdgeNonceOffset + 4: word = 5'd22;
        tally_fw_pkg::EdgePeerNonceOffset: word = 5'd23;
        tally_fw_pkg::EdgePeerNonceOffset + 4: word = 5'd24;
        tally_fw_pkg::EdgeKeyOffset: word = 5'd25;
        tally_fw_pkg::EdgeOwnFirstSeqOffset: word = 5'd26;
        tally_fw_pkg::EdgePeerKeyOffset: word = 5'd29;
        tally_fw_pkg::EdgeSubtreeFirstOffset: begin
          word = Nodes;
          bytes = 4'b0011;
        end
        tally_fw_pkg::EdgeSubtreeCountOffset: begin
          word = Nodes;
          bytes = 4'b1100;
          value = {data_i[15:0], 16'd0};
        end
        tally_fw_pkg::EdgeStateOffset: begin
          word = Flags;
          bytes = 4'b0001;
          value = {30'd0, data_i[1:0]};
        end
        tally_fw_pkg::EdgeUnconfirmedOffset: begin
          word = Flags;
          bytes = 4'b0010;
          value = {23'd0, data_i != '0, 8'd0};
        end
        tally_fw_pkg::EdgeAwaitsEpochOffset: begin
          word = Flags;
          bytes = 4'b1100;
          value = {15'd0, data_i == 32'd1, 16'd0};
        end
        default: begin
          word = '0;
          bytes = '0;
        end
      endcase
    end else begin
      unique case (32'(at))
        tally_fw_pkg::SetupOffset + tally_fw_pkg::SetupJidOffset: word = 5'd0;
        tally_fw_pkg::GroupStateOffset: word = 5'd1;
        tally_fw_pkg::GroupFlagsOffset: word = 5'd2;
        tally_fw_pkg::GroupEpochOffset: word = 5'd3;
        tally_fw_pkg::GroupGroupKeyOffset: word = 5'd4;
        tally_fw_pkg::GroupMtuOffset: word = 5'd5;
        tally_fw_pkg::GroupChunkOffset: word = 5'd6;
        tally_fw_pkg::GroupPlanOffset: word = 5'd7;
        tally_fw_pkg::GroupNumSegsOffset: word = 5'd8;
        tally_fw_pkg::GroupNodeOffset: word = 5'd9;
        tally_fw_pkg::GroupNumNodesOffset: word = 5'd10;
        tally_fw_pkg::GroupModesOffset: word = 5'd11;
        tally_fw_pkg::GroupRoundsOffset: word = 5'd12;
        tally_fw_pkg::GroupTotalRanksOffset: word = 5'd13;
        default: begin
          word = '0;
          bytes = '0;
        end
      endcase
    end
  end
  assign mine_o = of_context && bytes != '0;

  // ---- Rows ----
  //
  // The edges of tombstones follow those of groups.
  function automatic logic [AllRowW-1:0] row_of(input logic [ContextW-1:0] of_context_in,
                                                input logic [EdgeW-1:0] edge_in,
                                                input logic [RowW-1:0] row_in);
    row_of = 32'(of_context_in) < Groups ? AllRowW'(row_in) :
             AllRowW'(Rows) + (AllRowW'(of_context_in) - AllRowW'(Groups)) * AllRowW'(EdgesOf) +
             AllRowW'(edge_in);
  endfunction

  // Returns which word of its row a word of an edge is: those of opens_t follow the others.
  function automatic logic [Log-1:0] in_row(input logic [WordW-1:0] of_edge_in);
    in_row = 32'(of_edge_in) < Regs ?
             Log'(of_edge_in - WordW'(GroupWords)) :
             Log'(of_edge_in - WordW'(tally_fw_send_pkg::OpenFirst - EdgeWords));
  endfunction

  logic [31:0] groups_q [Contexts << Log];
  logic [31:0] edges_q [AllRows << Log];
  logic [31:0] group_read_q, edge_read_q;
  logic [ContextW+Log-1:0] group_write_at, group_read_at;
  logic [AllRowW+Log-1:0] edge_write_at, edge_read_at;
  logic is_group;

  assign is_group = 32'(word) < GroupWords;
  assign group_write_at = {context_of, word[Log-1:0]};
  assign group_read_at = {read_context_i, read_i[Log-1:0]};
  assign edge_write_at = {row_of(context_of, edge_of, row_i), in_row(word)};
  assign edge_read_at = {row_of(read_context_i, read_edge_i, read_row_i), in_row(read_i)};
  always_ff @(posedge clk_i) begin
    if (write_i && mine_o && is_group) groups_q[group_write_at] <= data_i;
    for (int unsigned i = 0; i < 4; i++) begin
      if (write_i && mine_o && !is_group && bytes[i]) begin
        edges_q[edge_write_at][8*i+:8] <= value[8*i+:8];
      end
    end
    group_read_q <= groups_q[group_read_at];
    edge_read_q <= edges_q[edge_read_at];
  end

  // ---- Done and limit ----
  logic [63:0] windows_q [Groups];
  logic [63:0] window_read_q, window;
  logic of_tomb_q;
  logic [WordW-1:0] read_q;

  always_ff @(posedge clk_i) begin
    if (moved_valid_i) windows_q[moved_group_i] <= {moved_done_i, moved_limit_i};
    if (read_i == Done) begin
      window_read_q <= windows_q[read_context_i[GroupW-1:0]];
      of_tomb_q <= 32'(read_context_i) >= Groups;
    end
    read_q <= read_i;
  end
  assign window = of_tomb_q ? '0 : window_read_q;

  always_comb begin
    read_o = 32'(read_q) < GroupWords ? group_read_q : edge_read_q;
    if (read_q == Done) read_o = window[63:32];
    if (read_q == Limit) read_o = window[31:0];
  end

  logic unused;
  assign unused = ^rst_ni;

`ifdef FORMAL
  `include "fw_tables_proof.svh"
`endif
endmodule
