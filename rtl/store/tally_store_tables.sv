// SPDX-License-Identifier: BSD-2-Clause
// Tables of tally_store: of each group what the planners read, and the parts of a chunk whose
// reduction has a fixed shape. A part combines two inputs, which are data of neighbours, of local
// ranks or earlier parts
// (docs/rtl-store.md). Its row names the neighbours that give data to it, those that get it, and
// where it enters a later part. Each edge and each rank has a row that tells which part its data
// enter. Each mode has a shape, and thus parts of its own: what is indexed by Modes, and part_mode,
// begins with TREE, as in enum mode. The firmware writes the rows before it raises the group's
// limit.
//
// The row of read_group_i comes a clock later. load_i is there in this clock, choose_i in the next
// one, mode_i in both. It chooses the part that an operation concerns: data go into the part of
// their edge or rank, the ranks post the last one, and the result comes to it. Other chunks have
// one part. The part comes a clock later with its row.
module tally_store_tables #(
  parameter int unsigned Groups = 64,
  parameter int unsigned Parts = 16,
  parameter int unsigned Contributors = tally_pkg::MaxContributors,
  parameter int unsigned Ranks = tally_pkg::MaxRanks,
  parameter int unsigned ShiftW = 3,
  localparam int unsigned Modes = tally_fw_pkg::PartModes,
  localparam int unsigned ModeW = $clog2(Modes),
  localparam int unsigned GroupW = $clog2(Groups),
  localparam int unsigned EdgeW = $clog2(Contributors),
  localparam int unsigned RankW = $clog2(Ranks),
  localparam int unsigned PartW = $clog2(Parts)
) (
  input  logic                    clk_i,
  // verilator lint_off UNUSEDSIGNAL
  input  logic                    rst_ni,  // for the bench: the block has no state but its memories
  // verilator lint_on UNUSEDSIGNAL

  input  logic                    group_write_i,
  input  logic [GroupW-1:0]       group_index_i,
  input  tally_plan_pkg::group_t  group_i,
  input  logic [EdgeW:0]          group_edges_i,  // number of contributors
  input  logic [15:0]             group_mtu_i,
  input  logic                    group_ordered_i,  // reductions have parts in any mode
  input  logic [Modes-1:0][PartW-1:0] group_last_i,  // the last part
  input  logic [ShiftW-1:0]       group_shift_i,  // log2 of the words of a part

  input  logic                    part_write_i,
  input  logic [GroupW-1:0]       part_group_i,
  input  logic [ModeW-1:0]        part_mode_i,
  input  logic [PartW-1:0]        part_index_i,
  input  logic [Contributors-1:0] part_ins_i,    // neighbours that give data to this part
  input  logic [Contributors-1:0] part_outs_i,   // neighbours that get it
  input  logic [1:0]              part_inner_i,  // inputs of ranks and parts: the left, the right
  input  logic [PartW-1:0]        part_next_i,   // the part that it enters
  input  logic                    part_right_i,  // as the right input

  input  logic                    edge_write_i,
  input  logic [GroupW-1:0]       edge_group_i,
  input  logic [EdgeW-1:0]        edge_index_i,
  input  logic [7:0]              edge_round_i,  // of its packets; 0: they are not of EXCHANGE
  input  logic [Modes-1:0][PartW-1:0] edge_part_i,

  input  logic                    rank_write_i,
  input  logic [GroupW-1:0]       rank_group_i,
  input  logic [RankW-1:0]        rank_index_i,
  input  logic [Modes-1:0][PartW-1:0] rank_part_i,
  input  logic [Modes-1:0]        rank_right_i,

  input  logic [GroupW-1:0]       read_group_i,
  output tally_plan_pkg::group_t  read_o,
  output logic [EdgeW:0]          read_edges_o,
  output logic [15:0]             read_mtu_o,
  output logic                    read_ordered_o,
  output logic [PartW-1:0]        read_last_o,  // in the mode
  output logic [ShiftW-1:0]       read_shift_o,
  output logic [Modes-1:0][PartW-1:0] read_lasts_o,  // in each mode
  output logic [7:0]              read_round_o,  // of from_edge_i, a clock before

  input  logic [7:0]              mode_i,  // of the chunk
  input  logic                    load_i,
  input  logic [PartW-1:0]        from_i,  // JobOwn: the part that enters another one
  // neighbour or rank that gives data; only the neighbour may be too large a number
  input  logic [7:0]              from_edge_i,
  input  logic                    choose_i,
  input  tally_store_pkg::job_e   job_i,
  input  tally_fw_pkg::store_op_e op_i,
  input  logic                    shaped_i,  // the chunk has parts
  // StoreOpPost: that from_edge_i gives nothing, which is a rank or a neighbour
  input  logic                    early_i,
  input  logic                    early_rank_i,
  input  logic [7:0]              round_i,  // of the packet
  input  logic                    rank_i,   // StoreOpTaken: of a rank
  output logic [PartW-1:0]        part_o,
  output logic                    part_ok_o,  // 0: the mode has no such packet
  output logic                    right_o,    // of an input that is a rank's or a part's
  output logic [Contributors-1:0] ins_o,
  output logic [Contributors-1:0] outs_o,
  output logic [1:0]              inner_o
);
  localparam int unsigned RowW = $bits(group_i) + EdgeW + 1 + 16 + 1 + Modes * PartW + ShiftW;
  localparam int unsigned PartRowW = 2 * Contributors + 2 + PartW + 1;

  logic [RowW-1:0] group_mem_q [Groups];
  logic [RowW-1:0] group_q;
  logic [PartRowW-1:0] part_mem_q [Modes*Groups*Parts];
  logic [PartRowW-1:0] row_q;
  logic [Modes*PartW+7:0] edge_mem_q [Groups*Contributors];
  logic [Modes*(PartW+1)-1:0] rank_mem_q [Groups*Ranks];
  logic [Modes-1:0][PartW-1:0] last, edge_parts, rank_parts;
  logic [Modes-1:0] rank_rights;
  logic [ModeW-1:0] mode;
  logic [PartW-1:0] part, next, edge_part, rank_part, at;
  logic [7:0] edge_round;
  logic right, ok, next_right, rank_right, exchange;

  // What has a mode that there is not is refused, whichever part it is for.
  assign exchange = mode_i == 8'(tally_pkg::ModeExchange);
  assign mode = exchange ? ModeW'(1) : mode_i == 8'(tally_pkg::ModeRing) ? ModeW'(2) : '0;
  assign read_last_o = last[mode];
  assign read_lasts_o = last;
  assign read_round_o = edge_round;
  assign edge_part = edge_parts[mode];
  assign rank_part = rank_parts[mode];
  assign rank_right = rank_rights[mode];

  always_comb begin
    part = '0;
    right = rank_right;
    ok = 1'b1;
    if (job_i == tally_store_pkg::JobOwn) begin
      part = next;
      right = next_right;
    end else begin
      unique case (op_i)
        tally_fw_pkg::StoreOpReduce: begin
          part = edge_part;
          ok = exchange ? round_i != '0 && round_i == edge_round : round_i == '0;
        end
        tally_fw_pkg::StoreOpPost: part = !early_i ? read_last_o :
                                          early_rank_i ? rank_part : edge_part;
        tally_fw_pkg::StoreOpData: part = rank_part;
        // Of the neighbours of a round, the slots of their packets tell.
        tally_fw_pkg::StoreOpTaken: ok = rank_i || !exchange;
        default: begin  // StoreOpResult, which does not travel in EXCHANGE
          part = read_last_o;
          ok = !exchange;
        end
      endcase
    end
    if (!shaped_i) part = '0;
  end

  assign at = load_i ? from_i : choose_i ? part : part_o;
  always_ff @(posedge clk_i) begin
    if (group_write_i) begin
      group_mem_q[group_index_i] <= {group_i, group_edges_i, group_mtu_i, group_ordered_i,
                                     group_last_i, group_shift_i};
    end
    if (part_write_i) begin
      part_mem_q[{part_mode_i, part_group_i, part_index_i}] <= {
        part_ins_i, part_outs_i, part_inner_i, part_next_i, part_right_i
      };
    end
    if (edge_write_i) edge_mem_q[{edge_group_i, edge_index_i}] <= {edge_round_i, edge_part_i};
    if (rank_write_i) rank_mem_q[{rank_group_i, rank_index_i}] <= {rank_part_i, rank_right_i};
    group_q <= group_mem_q[read_group_i];
    row_q <= part_mem_q[{mode, read_group_i, at}];
    {edge_round, edge_parts} <= edge_mem_q[{read_group_i, from_edge_i[EdgeW-1:0]}];
    {rank_parts, rank_rights} <= rank_mem_q[{read_group_i, from_edge_i[RankW-1:0]}];
    if (choose_i) begin
      part_o <= part;
      part_ok_o <= ok;
      right_o <= right;
    end
  end
  assign {read_o, read_edges_o, read_mtu_o, read_ordered_o, last, read_shift_o} = group_q;
  assign {ins_o, outs_o, inner_o, next, next_right} = row_q;

  logic unused;
  assign unused = ^from_edge_i;
endmodule
