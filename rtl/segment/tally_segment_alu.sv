// SPDX-License-Identifier: BSD-2-Clause
// Segments of a group with a reduce ALU of their own: tally_segment and tally_alu, whose headers apply. Words of the
// same place follow one another after tally_alu_pkg::Latency + 1 clocks.
module tally_segment_alu #(
  parameter int unsigned Slots = 16,
  parameter int unsigned Words = tally_pkg::MaxMtu / 64,
  parameter int unsigned Width = 512,
  parameter int unsigned Contributors = tally_pkg::MaxContributors,
  parameter int unsigned Ranks = tally_pkg::MaxRanks,
  localparam int unsigned Bytes = Width / 8,
  localparam int unsigned SlotW = $clog2(Slots),
  localparam int unsigned IndexW = $clog2(Contributors > Ranks ? Contributors : Ranks)
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  input  logic                        clear_i,  // begins a new epoch; only while idle_o
  output logic                        idle_o,   // no packet is inside
  output logic [31:0]                 done_o,

  // Opens the slot of a chunk. The answers come in the order of the requests.
  input  logic                        open_valid_i,
  output logic                        open_ready_o,
  input  tally_segment_pkg::message_t open_message_i,
  input  logic [15:0]                 open_bytes_i,  // bytes of the chunk
  input  logic                        open_turns_i,
  input  logic                        open_expected_i,  // this node receives a result
  input  logic [Contributors-1:0]     open_contributors_i,
  input  logic [Ranks-1:0]            open_ranks_i,
  output logic                        opened_valid_o,
  input  logic                        opened_ready_i,
  output tally_segment_pkg::verdict_e opened_verdict_o,
  output logic [15:0]                 opened_status_o,
  output logic                        opened_complete_o,  // the chunk needs no contribution

  input  logic                        in_tvalid_i,
  output logic                        in_tready_o,
  input  logic [Width-1:0]            in_tdata_i,
  input  logic [Bytes-1:0]            in_tkeep_i,
  input  logic                        in_tlast_i,
  input  tally_segment_pkg::message_t in_message_i,
  input  logic [15:0]                 in_bytes_i,
  input  logic [15:0]                 in_err_vector_i,
  input  tally_segment_pkg::kind_e    in_kind_i,
  input  logic                        in_rank_i,  // in_index_i is a local rank
  input  logic [IndexW-1:0]           in_index_i,

  output logic                        outcome_valid_o,
  input  logic                        outcome_ready_i,
  output logic [SlotW-1:0]            outcome_slot_o,
  output tally_segment_pkg::verdict_e outcome_verdict_o,
  output logic [15:0]                 outcome_status_o,
  output logic                        outcome_complete_o,
  output logic [15:0]                 outcome_err_vector_o,  // error vector of the slot

  // All receivers have the result. The release is taken when the slot is complete and has the expected result.
  input  logic                        release_valid_i,
  output logic                        release_ready_o,
  input  logic [SlotW-1:0]            release_slot_i,

  // Reads the sum or the result. The request is taken with the last word.
  input  logic                        read_valid_i,
  output logic                        read_ready_o,
  input  logic [SlotW-1:0]            read_slot_i,
  input  logic                        read_result_i,
  output logic                        out_tvalid_o,
  input  logic                        out_tready_i,
  output logic [Width-1:0]            out_tdata_o,
  output logic [Bytes-1:0]            out_tkeep_o,
  output logic                        out_tlast_o,

  // State of a slot in the last cycle.
  input  logic [SlotW-1:0]            query_slot_i,
  output logic [7:0]                  query_state_o,
  output logic                        query_complete_o,
  output logic                        query_have_o,
  output logic [Contributors-1:0]     query_contributors_o,  // not yet arrived
  output logic [Ranks-1:0]            query_ranks_o
);
  logic alu_valid;
  logic [7:0] alu_op, alu_dtype;
  logic [Width-1:0] alu_a, alu_b, alu_result;
  logic [15:0] alu_flags;

  tally_segment #(
    .Slots(Slots), .Words(Words), .Width(Width), .Contributors(Contributors), .Ranks(Ranks),
    .AluLatency(tally_alu_pkg::Latency)
  ) u_segment (
    .clk_i, .rst_ni, .clear_i, .idle_o, .done_o, .open_valid_i, .open_ready_o, .open_message_i, .open_bytes_i,
    .open_turns_i, .open_expected_i, .open_contributors_i, .open_ranks_i, .opened_valid_o, .opened_ready_i,
    .opened_verdict_o, .opened_status_o, .opened_complete_o, .in_tvalid_i, .in_tready_o, .in_tdata_i,
    .in_tkeep_i, .in_tlast_i, .in_message_i, .in_bytes_i, .in_err_vector_i, .in_kind_i, .in_rank_i,
    .in_index_i, .outcome_valid_o, .outcome_ready_i, .outcome_slot_o, .outcome_verdict_o, .outcome_status_o,
    .outcome_complete_o, .outcome_err_vector_o, .release_valid_i, .release_ready_o, .release_slot_i,
    .read_valid_i, .read_ready_o, .read_slot_i, .read_result_i, .out_tvalid_o, .out_tready_i, .out_tdata_o,
    .out_tkeep_o, .out_tlast_o, .query_slot_i, .query_state_o, .query_complete_o, .query_have_o,
    .query_contributors_o, .query_ranks_o,
    .alu_valid_o(alu_valid), .alu_op_o(alu_op), .alu_dtype_o(alu_dtype), .alu_a_o(alu_a), .alu_b_o(alu_b),
    .alu_result_i(alu_result), .alu_flags_i(alu_flags)
  );

  // The segments count the ALU's latency themselves, and only reduce pairs of operation and type that the ALU has.
  // verilator lint_off PINCONNECTEMPTY
  tally_alu #(.Width(Width)) u_alu (
    .clk_i, .rst_ni, .valid_i(alu_valid), .op_i(alu_op), .type_i(alu_dtype), .a_i(alu_a), .b_i(alu_b), .tag_i(1'b0),
    .valid_o(), .error_o(), .result_o(alu_result), .flags_o(alu_flags), .tag_o()
  );
  // verilator lint_on PINCONNECTEMPTY
endmodule
