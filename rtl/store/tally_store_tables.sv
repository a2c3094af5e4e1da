// SPDX-License-Identifier: BSD-2-Clause
// Tables of tally_store: of each group what the planners read, and of each round of EXCHANGE the
// neighbours. Part r of a chunk is its partial result after round r, so the row of part r has the
// neighbours that give data to it, and those that get it. Part 0 is the sum of the local ranks. The
// firmware writes the rows before it raises the group's limit.
//
// The row of read_group_i comes a clock later. choose_i, when it is there, chooses the part that an
// operation concerns: the data of ranks go into part 0, those of neighbours into the part of their
// round, and the ranks get the last one. Chunks of other modes have one part. The part comes a
// clock later with its row.
module tally_store_tables #(
  parameter int unsigned Groups = 64,
  parameter int unsigned Parts = 16,
  parameter int unsigned Contributors = tally_pkg::MaxContributors,
  localparam int unsigned GroupW = $clog2(Groups),
  localparam int unsigned EdgeW = $clog2(Contributors),
  localparam int unsigned PartW = $clog2(Parts)
) (
  input  logic                    clk_i,
  // verilator lint_off UNUSEDSIGNAL
  input  logic                    rst_ni,  // for the bench: the block has no state but its memories
  // verilator lint_on UNUSEDSIGNAL

  input  logic                    group_write_i,
  input  logic [GroupW-1:0]       group_index_i,
  input  tally_plan_pkg::group_t  group_i,
  input  logic [EdgeW:0]          group_edges_i,   // number of contributors
  input  logic [15:0]             group_mtu_i,
  input  logic [PartW-1:0]        group_rounds_i,  // of EXCHANGE

  input  logic                    round_write_i,
  input  logic [GroupW-1:0]       round_group_i,
  input  logic [PartW-1:0]        round_part_i,
  input  logic [Contributors-1:0] round_ins_i,   // neighbours that give data to this part
  input  logic [Contributors-1:0] round_outs_i,  // neighbours that get it

  input  logic [GroupW-1:0]       read_group_i,
  output tally_plan_pkg::group_t  read_o,
  output logic [EdgeW:0]          read_edges_o,
  output logic [15:0]             read_mtu_o,
  output logic [PartW-1:0]        read_rounds_o,

  input  logic                    choose_i,
  input  tally_store_pkg::job_e   job_i,
  input  tally_fw_pkg::store_op_e    op_i,
  input  logic                    exchange_i,
  input  logic                    early_i,  // StoreOpPost: ranks that give nothing to part 0
  input  logic [PartW-1:0]        from_i,   // JobOwn: the part that enters the next round
  input  logic [7:0]              round_i,  // of the packet
  input  logic                    rank_i,   // StoreOpTaken: by a rank
  input  logic                    sum_i,    // StoreOpTaken: the packet was a sum
  output logic [PartW-1:0]        part_o,
  output logic                    part_ok_o,  // 0: the mode has no such packet
  output logic [Contributors-1:0] ins_o,
  output logic [Contributors-1:0] outs_o
);
  localparam int unsigned RowW = $bits(group_i) + EdgeW + 1 + 16 + PartW;

  logic [RowW-1:0] group_mem_q [Groups];
  logic [RowW-1:0] group_q;
  logic [2*Contributors-1:0] round_mem_q [Groups*Parts];
  logic [2*Contributors-1:0] round_q;
  logic [PartW-1:0] part, round;
  logic in_rounds, ok;

  assign in_rounds = round_i != '0 && round_i <= 8'(read_rounds_o);
  assign round = PartW'(round_i);

  always_comb begin
    part = '0;
    ok = op_i != tally_fw_pkg::StoreOpReduce || round_i == '0;
    if (exchange_i && job_i == tally_store_pkg::JobOwn) begin
      part = from_i + 1'b1;
      ok = 1'b1;
    end else if (exchange_i) begin
      unique case (op_i)
        tally_fw_pkg::StoreOpReduce: begin
          part = round;
          ok = in_rounds;
        end
        tally_fw_pkg::StoreOpPost: part = early_i ? '0 : read_rounds_o;
        tally_fw_pkg::StoreOpData: part = '0;
        tally_fw_pkg::StoreOpTaken: begin
          // a partial result is sent to the next round
          part = rank_i ? read_rounds_o : round - 1'b1;
          ok = rank_i || (sum_i && in_rounds);
        end
        default: ok = 1'b0;  // results do not travel
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (group_write_i) begin
      group_mem_q[group_index_i] <= {group_i, group_edges_i, group_mtu_i, group_rounds_i};
    end
    group_q <= group_mem_q[read_group_i];
    if (round_write_i) round_mem_q[{round_group_i, round_part_i}] <= {round_ins_i, round_outs_i};
    round_q <= round_mem_q[{read_group_i, choose_i ? part : part_o}];
    if (choose_i) begin
      part_o <= part;
      part_ok_o <= ok;
    end
  end
  assign {read_o, read_edges_o, read_mtu_o, read_rounds_o} = group_q;
  assign {ins_o, outs_o} = round_q;
endmodule
