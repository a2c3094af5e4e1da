// SPDX-License-Identifier: BSD-2-Clause
// Segments with a reduce ALU and a divider for AVG of their own: tally_segment, tally_alu and
// tally_scale, whose headers apply. Both results come after the same number of clocks, Latency.
// Words of the same place follow one another after Latency + 1 clocks. The firmware writes the
// inverse of the number of ranks (tally_scale_inverse) of each group before the group's first AVG.
module tally_segment_alu #(
  parameter int unsigned Slots = 256,
  parameter int unsigned Parts = 1,  // slots that share a payload, a power of two
  parameter int unsigned Groups = 64,
  parameter int unsigned Words = tally_pkg::MaxMtu / 64,
  parameter int unsigned Width = 512,
  parameter int unsigned Contributors = tally_pkg::MaxContributors,
  parameter int unsigned Ranks = tally_pkg::MaxRanks,
  localparam int unsigned Bytes = Width / 8,
  localparam int unsigned SlotW = $clog2(Slots),
  localparam int unsigned GroupW = $clog2(Groups),
  localparam int unsigned IndexW = $clog2(Contributors > Ranks ? Contributors : Ranks),
  localparam int unsigned ShiftW = $clog2($clog2(Words) + 1),
  localparam int unsigned DownW = $clog2(tally_alu_pkg::DivisorW),
  localparam int unsigned InverseW = tally_alu_pkg::InverseW
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  output logic                        idle_o,  // no packet is inside

  input  logic                        in_tvalid_i,
  output logic                        in_tready_o,
  input  logic [Width-1:0]            in_tdata_i,
  input  logic [Bytes-1:0]            in_tkeep_i,
  input  logic                        in_tlast_i,
  input  tally_segment_pkg::kind_e    in_kind_i,
  input  logic [SlotW-1:0]            in_slot_i,
  input  logic [GroupW-1:0]           in_group_i,
  input  tally_segment_pkg::message_t in_message_i,
  input  logic [15:0]                 in_bytes_i,  // of this packet
  input  logic [15:0]                 in_err_vector_i,
  input  logic                        in_rank_i,  // in_index_i is a local rank
  input  logic [IndexW-1:0]           in_index_i,
  input  logic                        in_posts_i,
  input  logic [Contributors-1:0]     in_out_i,
  input  logic [Ranks-1:0]            in_absent_i,
  // The plan of the chunk, for its opening.
  input  logic [15:0]                 in_plan_bytes_i,
  input  logic [ShiftW-1:0]           in_plan_shift_i,  // log2 of the words of a part
  input  logic                        in_plan_turns_i,
  input  logic                        in_plan_expected_i,  // this node receives a result
  input  logic [Contributors-1:0]     in_plan_contributors_i,
  input  logic [Ranks-1:0]            in_plan_ranks_i,

  output logic                        outcome_valid_o,
  input  logic                        outcome_ready_i,
  output tally_segment_pkg::kind_e    outcome_kind_o,
  output logic [SlotW-1:0]            outcome_slot_o,
  output tally_segment_pkg::verdict_e outcome_verdict_o,
  output logic [15:0]                 outcome_status_o,
  output logic                        outcome_opened_o,    // this packet opened the slot
  output logic                        outcome_complete_o,  // this packet completed the sum
  output logic [15:0]                 outcome_err_vector_o,  // error vector of the slot
  output logic [Contributors-1:0]     outcome_contributors_o,  // not yet arrived
  output logic [Ranks-1:0]            outcome_ranks_o,

  // Reads the sum or the result. Words come from the second clock after the request on.
  input  logic                        read_valid_i,
  output logic                        read_ready_o,
  input  logic [SlotW-1:0]            read_slot_i,
  input  logic                        read_result_i,
  output logic                        out_tvalid_o,
  input  logic                        out_tready_i,
  output logic [Width-1:0]            out_tdata_o,
  output logic [Bytes-1:0]            out_tkeep_o,
  output logic                        out_tlast_o,

  // See tally_segment.
  input  logic                        peek_valid_i,
  output logic                        peek_ready_o,
  input  logic [SlotW-1:0]            peek_slot_i,
  output logic                        peeked_valid_o,
  output logic                        peeked_busy_o,
  output logic                        peeked_finished_o,
  output logic [Contributors-1:0]     peeked_contributors_o,

  input  logic                        inverse_write_i,
  input  logic [GroupW-1:0]           inverse_group_i,
  input  logic [DownW-1:0]            inverse_down_i,
  input  logic [InverseW-1:0]         inverse_i
);
  localparam int unsigned Latency = tally_alu_pkg::ScaleLatency;
  // clocks that the ALU is quicker
  localparam int unsigned Wait = Latency - tally_alu_pkg::Latency;

  logic alu_valid, alu_scale, scale_valid;
  logic [GroupW-1:0] alu_group;
  logic [7:0] alu_op, alu_dtype;
  logic [Width-1:0] alu_a, alu_b, alu_result, reduced, scaled;
  logic [15:0] alu_flags, reduced_flags, scaled_flags;

  tally_segment #(
    .Slots(Slots), .Parts(Parts), .Groups(Groups), .Words(Words), .Width(Width),
    .Contributors(Contributors),
    .Ranks(Ranks), .AluLatency(Latency)
  ) u_segment (
    .clk_i, .rst_ni, .idle_o, .in_tvalid_i, .in_tready_o, .in_tdata_i, .in_tkeep_i, .in_tlast_i,
    .in_kind_i,
    .in_slot_i, .in_group_i, .in_message_i, .in_bytes_i, .in_err_vector_i, .in_rank_i, .in_index_i,
    .in_posts_i, .in_out_i, .in_absent_i, .in_plan_bytes_i, .in_plan_shift_i, .in_plan_turns_i,
    .in_plan_expected_i, .in_plan_contributors_i, .in_plan_ranks_i, .outcome_valid_o,
    .outcome_ready_i, .outcome_kind_o, .outcome_slot_o, .outcome_verdict_o, .outcome_status_o,
    .outcome_opened_o,
    .outcome_complete_o, .outcome_err_vector_o, .outcome_contributors_o, .outcome_ranks_o,
    .read_valid_i,
    .read_ready_o, .read_slot_i, .read_result_i, .out_tvalid_o, .out_tready_i, .out_tdata_o,
    .out_tkeep_o,
    .out_tlast_o,
    .peek_valid_i, .peek_ready_o, .peek_slot_i, .peeked_valid_o, .peeked_busy_o,
    .peeked_finished_o, .peeked_contributors_o,
    .alu_valid_o(alu_valid), .alu_scale_o(alu_scale), .alu_group_o(alu_group), .alu_op_o(alu_op),
    .alu_dtype_o(alu_dtype), .alu_a_o(alu_a), .alu_b_o(alu_b), .alu_result_i(alu_result),
    .alu_flags_i(alu_flags)
  );

  // The ALU and the divider stand still while no word is inside.
  logic [Latency:0] inside_q;
  logic alu_clk;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) inside_q <= '0;
    else inside_q <= (Latency+1)'({inside_q, alu_valid});
  end
  tally_clock_gate u_gate (.clk_i, .en_i(alu_valid || inside_q != '0), .clk_o(alu_clk));

  // The segments count the latency themselves, and only reduce pairs of operation and type that the
  // ALU has.
  // verilator lint_off PINCONNECTEMPTY
  tally_alu #(.Width(Width)) u_alu (
    .clk_i(alu_clk), .rst_ni, .valid_i(alu_valid && !alu_scale), .op_i(alu_op), .type_i(alu_dtype),
    .a_i(alu_a), .b_i(alu_b),
    .tag_i(1'b0), .valid_o(), .error_o(), .result_o(reduced), .flags_o(reduced_flags), .tag_o()
  );
  // verilator lint_on PINCONNECTEMPTY

  logic [DownW+InverseW-1:0] inverse_mem_q [Groups];
  logic [DownW+InverseW-1:0] inverse_read_q;
  always_ff @(posedge clk_i) begin
    if (inverse_write_i) inverse_mem_q[inverse_group_i] <= {inverse_down_i, inverse_i};
    inverse_read_q <= inverse_mem_q[alu_group];
  end

  // verilator lint_off PINCONNECTEMPTY
  tally_scale #(.Width(Width)) u_scale (
    .clk_i(alu_clk), .rst_ni, .valid_i(alu_valid && alu_scale), .type_i(alu_dtype), .a_i(alu_a),
    .down_i(inverse_read_q[InverseW+:DownW]), .inverse_i(inverse_read_q[InverseW-1:0]),
    .tag_i(1'b0),
    .valid_o(scale_valid), .result_o(scaled), .flags_o(scaled_flags), .tag_o()
  );
  // verilator lint_on PINCONNECTEMPTY

  logic [Wait*(Width+16)-1:0] reduced_q;
  always_ff @(posedge clk_i) reduced_q <= (Wait*(Width+16))'({reduced_q, reduced_flags, reduced});
  assign {alu_flags, alu_result} = scale_valid ? {scaled_flags, scaled} :
                                   reduced_q[(Wait-1)*(Width+16)+:Width+16];
endmodule
