// SPDX-License-Identifier: BSD-2-Clause
// The segment store with what it needs in the NIC: its registers (tally_store_regs), and what
// enters it (tally_store_in). Numbers of groups and edges are those of the firmware's map;
// operations and results are the records of tally_store_pkg. docs/rtl-store.md describes the ports.
// res_* are results for ranks, with the slot of their chunk. What is for a neighbour is offered as
// chunk_*, and its words follow on words_* once its header has left (EndSent); tally_send forms it.
// wake_i: what may not leave yet (EndWaits) is offered again. Epochs, segments and finished chunks
// are those of all groups; moved_here_o: the group is one that the store does. disagree_* are those
// of tally_store: what enters the store waits for the ready.
module tally_store_unit #(
  parameter int unsigned Groups = tally_pkg::MaxGroup,
  parameter int unsigned Slots = tally_pkg::MaxSeg,
  parameter int unsigned Flights = 8,
  localparam int unsigned FlightW = $clog2(Flights),
  localparam int unsigned SlotW = $clog2(Slots),
  localparam int unsigned GroupW = $clog2(Groups)
) (
  input  logic                               clk_i,
  input  logic                               rst_ni,
  output logic                               idle_o,

  // Registers.
  input  logic                               axil_awvalid_i,
  output logic                               axil_awready_o,
  input  logic [31:0]                        axil_awaddr_i,
  input  logic                               axil_wvalid_i,
  output logic                               axil_wready_o,
  input  logic [31:0]                        axil_wdata_i,
  input  logic [3:0]                         axil_wstrb_i,
  output logic                               axil_bvalid_o,
  input  logic                               axil_bready_i,
  output logic [1:0]                         axil_bresp_o,
  output logic                               mine_o,
  input  logic                               taken_i,

  // Records, payloads and ends of flights of tally_edge_gate.
  input  logic                               rec_valid_i,
  output logic                               rec_ready_o,
  input  tally_net_pkg::rx_hdr_t             rec_i,
  input  tally_admission_pkg::admission_t    adm_i,
  input  logic                               flight_valid_i,
  input  logic [FlightW-1:0]                 flight_i,
  input  logic                               pay_tvalid_i,
  output logic                               pay_tready_o,
  input  logic [tally_net_pkg::WordBits-1:0] pay_tdata_i,
  input  logic [tally_net_pkg::WordBytes-1:0] pay_tkeep_i,
  input  logic                               pay_tlast_i,
  output logic                               end_valid_o,
  input  logic                               end_ready_i,
  output logic [FlightW-1:0]                 end_flight_o,
  output logic                               end_stored_o,

  // The same, for the units that do the other packets.
  output logic                               out_valid_o,
  input  logic                               out_ready_i,
  output tally_net_pkg::rx_hdr_t             out_o,
  output tally_admission_pkg::admission_t    out_admission_o,
  output logic                               out_flight_valid_o,
  output logic [FlightW-1:0]                 out_flight_o,
  output logic                               out_here_o,
  output logic                               dat_tvalid_o,
  input  logic                               dat_tready_i,
  output logic [tally_net_pkg::WordBits-1:0] dat_tdata_o,
  output logic [tally_net_pkg::WordBytes-1:0] dat_tkeep_o,
  output logic                               dat_tlast_o,
  input  logic                               other_valid_i,
  output logic                               other_ready_o,
  input  logic [FlightW-1:0]                 other_flight_i,
  input  logic                               other_stored_i,

  // Operations and commands, and what comes of them.
  input  logic                               loc_valid_i,
  output logic                               loc_ready_o,
  input  tally_store_pkg::operation_t        loc_i,
  input  logic [tally_net_pkg::WordBits-1:0] loc_tdata_i,
  input  logic [tally_net_pkg::WordBytes-1:0] loc_tkeep_i,
  input  logic                               loc_tlast_i,
  output logic                               room_o,  // for a StoreOpPost
  input  logic                               post_valid_i,
  output logic                               post_ready_o,
  input  tally_store_pkg::operation_t        post_i,
  output logic                               ans_valid_o,
  input  logic                               ans_ready_i,
  output tally_store_pkg::answer_t           ans_o,
  input  logic                               cmd_valid_i,
  output logic                               cmd_ready_o,
  input  tally_store_pkg::command_t          cmd_i,
  output logic                               moved_valid_o,
  output tally_store_pkg::moved_t            moved_o,
  output logic                               moved_raised_o,  // the limit, by a command
  output logic                               moved_here_o,
  output logic                               res_tvalid_o,
  input  logic                               res_tready_i,
  output logic [tally_net_pkg::WordBits-1:0] res_tdata_o,
  output logic [tally_net_pkg::WordBytes-1:0] res_tkeep_o,
  output logic                               res_tlast_o,
  output tally_store_pkg::result_t           res_o,
  output logic [SlotW-1:0]                   res_slot_o,

  // Sums and results for neighbours, on their way to tally_send.
  output logic                               does_write_o,
  output logic [GroupW-1:0]                  does_group_o,
  output logic                               does_o,
  input  logic                               wake_i,
  output logic                               chunk_valid_o,
  input  logic                               chunk_ready_i,
  input  tally_head_pkg::end_e               chunk_end_i,
  output tally_head_pkg::source_t            chunk_o,
  output logic                               words_tvalid_o,
  input  logic                               words_tready_i,
  output logic [tally_net_pkg::WordBits-1:0] words_tdata_o,
  output logic [tally_net_pkg::WordBytes-1:0] words_tkeep_o,
  output logic                               words_tlast_o,

  // What becomes of them; references are those of the store.
  input  logic                               acked_valid_i,
  output logic                               acked_ready_o,
  input  tally_edge_pkg::sent_t              acked_i,
  input  logic                               again_valid_i,
  output logic                               again_ready_o,
  input  tally_edge_pkg::sent_t              again_i,

  // The same for those who follow chunks: it leaves, or is there.
  output logic                               left_valid_o,
  output tally_store_pkg::passage_t          left_o,
  output logic                               there_valid_o,
  output tally_store_pkg::passage_t          there_o,

  // What the firmware reads of a chunk: see tally_store_look.
  input  logic                               read_valid_i,
  output logic                               read_ready_o,
  input  logic [GroupW-1:0]                  read_group_i,
  input  logic [31:0]                        read_index_i,
  output logic                               look_valid_o,
  output tally_store_pkg::look_t             look_o,

  // Contributions disagree, so the epoch ends.
  output logic                               disagree_valid_o,
  input  logic                               disagree_ready_i,
  output logic [GroupW-1:0]                  disagree_group_o,
  output logic [15:0]                        disagree_status_o,
  output logic [31:0]                        disagree_mid_o,
  output logic [31:0]                        disagree_sid_o,
  output logic [63:0]                        disagree_contributors_o,
  output logic [63:0]                        disagree_ranks_o
);
  localparam int unsigned Parts = tally_fw_pkg::StoreParts;
  localparam int unsigned PartW = $clog2(Parts);
  localparam int unsigned Modes = tally_fw_pkg::PartModes;
  localparam int unsigned ShiftW = $clog2($clog2(tally_pkg::MaxMtu / 64) + 1);
  localparam int unsigned PlaceW = $clog2(Slots * Parts);
  localparam int unsigned EdgeW = $clog2(tally_pkg::MaxContributors);
  localparam int unsigned RankW = $clog2(tally_pkg::MaxRanks);
  localparam int unsigned NodeW = tally_plan_pkg::NodeW;
  localparam int unsigned DownW = $clog2(tally_alu_pkg::DivisorW);
  localparam int unsigned InverseW = tally_alu_pkg::InverseW;

  // ---- Registers ----
  logic group_write, route_write, inverse_write, regs_busy, in_busy, store_idle, read_tree,
      read_ring, read_exchange, part_write, part_right, edge_write, rank_write;
  logic [GroupW-1:0] part_group, edge_group, rank_group;
  logic [Modes-1:0][PartW-1:0] group_last, edge_part, rank_part;
  logic [Modes-1:0] rank_right;
  logic [$clog2(Modes)-1:0] part_mode;
  logic [PartW-1:0] part_index, part_next;
  logic [ShiftW-1:0] group_shift;
  logic [tally_pkg::MaxContributors-1:0] part_ins, part_outs;
  logic [1:0] part_inner;
  logic [EdgeW-1:0] edge_index;
  logic [7:0] edge_round, in_round;
  logic [RankW-1:0] rank_index;
  logic [GroupW-1:0] group_index, route_group, inverse_group, read_group;
  tally_plan_pkg::group_t group;
  logic [EdgeW:0] group_edges;
  logic [15:0] group_mtu;
  logic group_ordered;
  logic [EdgeW-1:0] route_edge;
  logic [NodeW-1:0] route_first, route_count, read_nodes;
  logic [DownW-1:0] inverse_down;
  logic [InverseW-1:0] inverse;

  tally_store_regs #(.Groups(Groups)) u_regs (
    .clk_i, .rst_ni, .busy_o(regs_busy),
    .axil_awvalid_i, .axil_awready_o, .axil_awaddr_i, .axil_wvalid_i, .axil_wready_o,
    .axil_wdata_i, .axil_wstrb_i, .axil_bvalid_o, .axil_bready_i, .axil_bresp_o, .mine_o,
    .taken_i,
    .group_write_o(group_write), .group_index_o(group_index), .group_o(group),
    .group_edges_o(group_edges), .group_mtu_o(group_mtu), .group_ordered_o(group_ordered),
    .group_last_o(group_last),
    .group_shift_o(group_shift),
    .part_write_o(part_write), .part_group_o(part_group), .part_mode_o(part_mode),
    .part_index_o(part_index),
    .part_ins_o(part_ins), .part_outs_o(part_outs), .part_inner_o(part_inner),
    .part_next_o(part_next), .part_right_o(part_right),
    .edge_write_o(edge_write), .edge_group_o(edge_group), .edge_index_o(edge_index),
    .edge_round_o(edge_round), .edge_part_o(edge_part),
    .rank_write_o(rank_write), .rank_group_o(rank_group), .rank_index_o(rank_index),
    .rank_part_o(rank_part), .rank_right_o(rank_right), .route_write_o(route_write),
    .route_group_o(route_group), .route_edge_o(route_edge), .route_first_o(route_first),
    .route_count_o(route_count), .inverse_write_o(inverse_write),
    .inverse_group_o(inverse_group), .inverse_down_o(inverse_down), .inverse_o(inverse),
    .does_write_o, .does_group_o, .does_o,
    .read_group_i(read_group), .read_tree_o(read_tree), .read_ring_o(read_ring),
    .read_exchange_o(read_exchange), .read_nodes_o(read_nodes)
  );

  // ---- Which groups it does ----
  logic [GroupW-1:0] moved_group;
  logic [0:0] here_mem_q [Groups];
  always_ff @(posedge clk_i) if (does_write_o) here_mem_q[does_group_o] <= does_o;
  assign moved_here_o = here_mem_q[moved_group];

  // ---- What enters ----
  logic post_room, in_tvalid, in_tready, in_tlast, in_last, in_rank, in_sum, answer_valid;
  logic [tally_net_pkg::WordBits-1:0] in_tdata;
  logic [tally_net_pkg::WordBytes-1:0] in_tkeep;
  tally_fw_pkg::store_op_e in_op;
  logic [GroupW-1:0] in_group;
  tally_segment_pkg::message_t in_message, chunk_message, res_message;
  logic [15:0] in_bytes, in_err_vector, answer_status, answer_err_vector;
  logic [7:0] in_edge;
  logic [tally_pkg::MaxRanks-1:0] in_ranks, in_absent, in_quits;
  logic [tally_pkg::MaxContributors-1:0] in_out;
  tally_fw_pkg::store_answer_e answer;
  logic [SlotW-1:0] answer_slot;

  tally_store_in #(.Groups(Groups), .Flights(Flights), .Slots(Slots)) u_in (
    .clk_i, .rst_ni, .busy_o(in_busy),
    .rec_valid_i, .rec_ready_o, .rec_i, .adm_i, .flight_valid_i, .flight_i, .pay_tvalid_i,
    .pay_tready_o, .pay_tdata_i, .pay_tkeep_i, .pay_tlast_i, .end_valid_o, .end_ready_i,
    .end_flight_o, .end_stored_o, .out_valid_o, .out_ready_i, .out_o, .out_admission_o,
    .out_flight_valid_o, .out_flight_o, .out_here_o, .dat_tvalid_o, .dat_tready_i, .dat_tdata_o,
    .dat_tkeep_o, .dat_tlast_o, .other_valid_i, .other_ready_o, .other_flight_i, .other_stored_i,
    .read_group_o(read_group), .read_tree_i(read_tree), .read_ring_i(read_ring),
    .read_exchange_i(read_exchange), .read_nodes_i(read_nodes),
    .loc_valid_i, .loc_ready_o, .loc_i, .loc_tdata_i, .loc_tkeep_i, .loc_tlast_i,
    .post_valid_i, .post_ready_o, .post_i, .ans_valid_o, .ans_ready_i, .ans_o,
    .post_room_i(post_room), .in_tvalid_o(in_tvalid), .in_tready_i(in_tready),
    .in_tdata_o(in_tdata), .in_tkeep_o(in_tkeep), .in_tlast_o(in_tlast), .in_op_o(in_op),
    .in_group_o(in_group), .in_message_o(in_message), .in_last_o(in_last),
    .in_bytes_o(in_bytes), .in_err_vector_o(in_err_vector), .in_edge_o(in_edge),
    .in_round_o(in_round), .in_ranks_o(in_ranks), .in_absent_o(in_absent),
    .in_quits_o(in_quits), .in_out_o(in_out), .in_rank_o(in_rank), .in_sum_o(in_sum),
    .answer_valid_i(answer_valid), .answer_i(answer), .answer_status_i(answer_status),
    .answer_err_vector_i(answer_err_vector), .answer_slot_i(answer_slot)
  );

  // ---- The store ----
  logic [GroupW-1:0] chunk_group, res_group;
  tally_fw_pkg::store_send_e chunk_kind;
  logic chunk_again, chunk_sum;
  logic [7:0] chunk_edge;
  logic [15:0] chunk_err;
  logic [31:0] chunk_seq;
  logic [PlaceW-1:0] chunk_slot;

  // Acknowledgements get a register slice: the last stage decides by them what it does next.
  logic acked_valid, acked_ready, acked_sum;
  logic [PlaceW-1:0] acked_slot;
  logic [7:0] acked_edge;
  tally_skid #(.Width(PlaceW + 1 + 8)) u_acked (
    .clk_i, .rst_ni, .in_valid_i(acked_valid_i), .in_ready_o(acked_ready_o),
    .in_i({acked_i.ref_[PlaceW-1:0], acked_i.ref_[tally_head_pkg::RefSumBit], acked_i.edge_}),
    .out_valid_o(acked_valid), .out_ready_i(acked_ready),
    .out_o({acked_slot, acked_sum, acked_edge})
  );

  logic [GroupW-1:0] there_group;
  tally_segment_pkg::message_t there_message;
  // verilator lint_off PINCONNECTEMPTY
  tally_store #(.Slots(Slots), .Parts(Parts), .Groups(Groups)) u_store (
    .clk_i, .rst_ni, .idle_o(store_idle),
    .group_write_i(group_write), .group_index_i(group_index), .group_i(group),
    .group_edges_i(group_edges), .group_mtu_i(group_mtu), .group_ordered_i(group_ordered),
    .group_last_i(group_last),
    .group_shift_i(group_shift),
    .part_write_i(part_write), .part_group_i(part_group), .part_mode_i(part_mode),
    .part_index_i(part_index),
    .part_ins_i(part_ins), .part_outs_i(part_outs), .part_inner_i(part_inner),
    .part_next_i(part_next), .part_right_i(part_right),
    .edge_write_i(edge_write), .edge_group_i(edge_group), .edge_index_i(edge_index),
    .edge_round_i(edge_round), .edge_part_i(edge_part),
    .rank_write_i(rank_write), .rank_group_i(rank_group), .rank_index_i(rank_index),
    .rank_part_i(rank_part), .rank_right_i(rank_right),
    .route_write_i(route_write), .route_group_i(route_group), .route_edge_i(route_edge),
    .route_first_i(route_first), .route_count_i(route_count),
    .inverse_write_i(inverse_write), .inverse_group_i(inverse_group),
    .inverse_down_i(inverse_down), .inverse_i(inverse),
    .cmd_valid_i, .cmd_ready_o, .cmd_i(tally_fw_pkg::store_command_e'(cmd_i.cmd[1:0])),
    .cmd_group_i(GroupW'(cmd_i.group_)), .cmd_num_i(cmd_i.num),
    .moved_valid_o, .moved_ok_o(moved_o.ok), .moved_finished_o(moved_o.finished),
    .moved_ended_o(moved_o.ended), .moved_raised_o, .moved_group_o(moved_group),
    .moved_done_o(moved_o.done),
    .moved_limit_o(moved_o.limit),
    .post_ready_o(post_room), .in_tvalid_i(in_tvalid), .in_tready_o(in_tready),
    .in_tdata_i(in_tdata), .in_tkeep_i(in_tkeep), .in_tlast_i(in_tlast), .in_op_i(in_op),
    .in_group_i(in_group), .in_message_i(in_message), .in_last_i(in_last),
    .in_bytes_i(in_bytes), .in_err_vector_i(in_err_vector), .in_edge_i(in_edge),
    .in_round_i(in_round), .in_ranks_i(in_ranks), .in_absent_i(in_absent),
    .in_quits_i(in_quits), .in_out_i(in_out), .in_rank_i(in_rank), .in_sum_i(in_sum),
    .answer_valid_o(answer_valid), .answer_o(answer), .answer_status_o(answer_status),
    .answer_err_vector_o(answer_err_vector), .answer_slot_o(answer_slot),
    .acked_valid_i(acked_valid), .acked_ready_o(acked_ready), .acked_slot_i(acked_slot),
    .acked_sum_i(acked_sum), .acked_edge_i(acked_edge),
    .there_valid_o, .there_group_o(there_group), .there_message_o(there_message),
    .there_edge_o(there_o.edge_), .there_sum_o(there_o.sum),
    .again_valid_i, .again_ready_o, .again_slot_i(again_i.ref_[PlaceW-1:0]),
    .again_sum_i(again_i.ref_[tally_head_pkg::RefSumBit]),
    .again_group_i(GroupW'(again_i.context_)), .again_edge_i(again_i.edge_),
    .again_seq_i(again_i.seq),
    .wake_i, .ask_valid_o(chunk_valid_o), .ask_ready_i(chunk_ready_i), .ask_end_i(chunk_end_i),
    .ask_again_o(chunk_again), .ask_seq_o(chunk_seq), .ask_sum_o(chunk_sum),
    .ask_slot_o(chunk_slot), .ask_kind_o(chunk_kind), .ask_edge_o(chunk_edge),
    .ask_group_o(chunk_group), .ask_message_o(chunk_message), .ask_err_vector_o(chunk_err),
    .read_valid_i, .read_ready_o, .read_group_i, .read_index_i, .look_valid_o, .look_o,
    .disagree_valid_o, .disagree_ready_i, .disagree_group_o, .disagree_status_o,
    .disagree_mid_o, .disagree_sid_o, .disagree_contributors_o, .disagree_ranks_o,
    .out_tvalid_o(words_tvalid_o), .out_tready_i(words_tready_i), .out_tdata_o(words_tdata_o),
    .out_tkeep_o(words_tkeep_o), .out_tlast_o(words_tlast_o),
    .res_tvalid_o, .res_tready_i, .res_tdata_o, .res_tkeep_o, .res_tlast_o, .res_slot_o,
    .res_ranks_o(res_o.ranks), .res_ended_o(res_o.ended), .res_group_o(res_group),
    .res_message_o(res_message), .res_err_vector_o(res_o.err_vector)
  );
  // verilator lint_on PINCONNECTEMPTY
  assign room_o = post_room;
  assign moved_o.group_ = 16'(moved_group);
  assign res_o.group_ = 16'(res_group);
  assign res_o.message = res_message;

  // ---- What goes to neighbours ----
  always_comb begin
    chunk_o = '0;
    chunk_o.kind = chunk_kind == tally_fw_pkg::StoreSendSum ? 8'(tally_pkg::KindReduce) :
                   8'(tally_pkg::KindResult);
    chunk_o.chunk = 1'b1;
    chunk_o.again = chunk_again;
    chunk_o.context_ = 16'(chunk_group);
    chunk_o.edge_ = chunk_edge;
    chunk_o.ref_[PlaceW-1:0] = chunk_slot;
    chunk_o.ref_[tally_head_pkg::RefSumBit] = chunk_sum;
    chunk_o.ref_[tally_head_pkg::RefStoreBit] = 1'b1;
    chunk_o.seq = chunk_seq;
    chunk_o.message = chunk_message;
    chunk_o.err_vector = chunk_err;
  end

  assign left_valid_o = chunk_valid_o && chunk_ready_i && chunk_end_i == tally_head_pkg::EndSent;
  assign left_o.again = chunk_again;
  assign left_o.sum = chunk_sum;
  assign left_o.group_ = 16'(chunk_group);
  assign left_o.edge_ = chunk_edge;
  assign left_o.num = chunk_message.num;
  assign left_o.mid = chunk_message.mid;
  assign there_o.again = 1'b0;
  assign there_o.group_ = 16'(there_group);
  assign there_o.num = there_message.num;
  assign there_o.mid = there_message.mid;

  logic unused;
  assign unused = ^{cmd_i.cmd[7:2], cmd_i.group_, acked_i, again_i, there_message};

  // Whether anything is inside, a clock later; what comes in this clock counts.
  logic comes, idle_q;
  assign comes = axil_awvalid_i || taken_i || rec_valid_i || loc_valid_i || post_valid_i ||
                 cmd_valid_i || wake_i || acked_valid_i || again_valid_i || read_valid_i;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) idle_q <= 1'b0;
    else idle_q <= store_idle && !in_busy && !regs_busy && !acked_valid && !comes;
  end
  assign idle_o = idle_q;
endmodule
