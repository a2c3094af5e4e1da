// SPDX-License-Identifier: BSD-2-Clause
// The segment store of TREE, EXCHANGE and RING: the map from numbers to slots, the segments with
// their ALU, the hold side and the planners of moves, joined. Requests, local data, packets and
// acknowledgements come in; packets for neighbours, results for local ranks and finished chunks go
// out. docs/rtl-store.md describes the interfaces.
//
// An operation is a packet of words on in_*, whose header stays the same for all of its words. The
// store looks up its group, its route, its plan and its slot, and then lets the words into the
// slot; the answer comes when the slot has decided. Operations are processed one after another:
// about 20 clocks each, and one for each further word; ten more if a plan is made, and 13 if words
// are combined or divided. What is due is sent meanwhile. A post needs
// post_ready_o; all other operations are always taken in the end, whatever happens to the output,
// so stores that send to each other never wait in a circle.
//
// A chunk of EXCHANGE has a part for each two inputs that are combined, so that its reduction has
// the fixed shape. Each is a slot of its own in the segments and on the hold side, numbered behind
// the chunk's slot. They share its words: a part has 2**group_shift_i of them, so a chunk is not
// longer than that, and the group does not have more parts than fit into Words words.
//
// The firmware writes the tables of a group before it raises the group's limit.
module tally_store #(
  parameter int unsigned Slots = 256,
  parameter int unsigned Parts = tally_fw_pkg::StoreParts,  // of EXCHANGE; a power of two
  parameter int unsigned Groups = 64,
  parameter int unsigned GroupSegs = tally_pkg::MaxGroupSegs,
  parameter int unsigned Words = tally_pkg::MaxMtu / 64,
  parameter int unsigned Width = 512,
  parameter int unsigned Contributors = tally_pkg::MaxContributors,
  parameter int unsigned Ranks = tally_pkg::MaxRanks,
  localparam int unsigned Bytes = Width / 8,
  localparam int unsigned SlotW = $clog2(Slots),
  localparam int unsigned PartW = $clog2(Parts),
  localparam int unsigned PlaceW = SlotW + PartW,
  localparam int unsigned GroupW = $clog2(Groups),
  localparam int unsigned EdgeW = $clog2(Contributors),
  localparam int unsigned RankW = $clog2(Ranks),
  localparam int unsigned ShiftW = $clog2($clog2(Words) + 1),
  localparam int unsigned IndexW = $clog2(Contributors > Ranks ? Contributors : Ranks),
  localparam int unsigned NodeW = tally_plan_pkg::NodeW,
  localparam int unsigned DownW = $clog2(tally_alu_pkg::DivisorW),
  localparam int unsigned InverseW = tally_alu_pkg::InverseW
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,

  // Tables of the groups, from the firmware.
  input  logic                        group_write_i,
  input  logic [GroupW-1:0]           group_index_i,
  input  tally_plan_pkg::group_t      group_i,
  input  logic [EdgeW:0]              group_edges_i,   // number of contributors
  input  logic [15:0]                 group_mtu_i,
  input  logic [PartW-1:0]            group_last_i,    // EXCHANGE, with what follows:
  input  logic [ShiftW-1:0]           group_shift_i,   // see tally_store_tables
  input  logic                        part_write_i,
  input  logic [GroupW-1:0]           part_group_i,
  input  logic [PartW-1:0]            part_index_i,
  input  logic [Contributors-1:0]     part_ins_i,
  input  logic [Contributors-1:0]     part_outs_i,
  input  logic [1:0]                  part_inner_i,
  input  logic [PartW-1:0]            part_next_i,
  input  logic                        part_right_i,
  input  logic                        edge_write_i,
  input  logic [GroupW-1:0]           edge_group_i,
  input  logic [EdgeW-1:0]            edge_index_i,
  input  logic [7:0]                  edge_round_i,
  input  logic [PartW-1:0]            edge_part_i,
  input  logic                        rank_write_i,
  input  logic [GroupW-1:0]           rank_group_i,
  input  logic [RankW-1:0]            rank_index_i,
  input  logic [PartW-1:0]            rank_part_i,
  input  logic                        rank_right_i,
  input  logic                        route_write_i,  // nodes behind a contributor
  input  logic [GroupW-1:0]           route_group_i,
  input  logic [EdgeW-1:0]            route_edge_i,
  input  logic [NodeW-1:0]            route_first_i,
  input  logic [NodeW-1:0]            route_count_i,
  input  logic                        inverse_write_i,  // of the number of ranks
  input  logic [GroupW-1:0]           inverse_group_i,
  input  logic [DownW-1:0]            inverse_down_i,
  input  logic [InverseW-1:0]         inverse_i,

  // nothing is inside but chunks that wait; depends on registers only
  output logic                        idle_o,

  // StoreCmdBegin, StoreCmdRaise and StoreCmdEnd of tally_segment_map, and StoreCmdFinish for a
  // chunk of which another unit has taken care. One epoch ends at a time; a command waits for that
  // only if it is a StoreCmdEnd itself.
  input  logic                        cmd_valid_i,
  output logic                        cmd_ready_o,
  input  tally_fw_pkg::store_command_e cmd_i,
  input  logic [GroupW-1:0]           cmd_group_i,
  input  logic [31:0]                 cmd_num_i,     // StoreCmdFinish: number of the chunk

  // done and limit of a group, after each command and each finished chunk.
  output logic                        moved_valid_o,
  output logic                        moved_ok_o,
  output logic                        moved_finished_o,  // a chunk is finished
  output logic                        moved_ended_o,     // an epoch has ended
  output logic                        moved_raised_o,    // it was StoreCmdRaise
  output logic [GroupW-1:0]           moved_group_o,
  output logic [31:0]                 moved_done_o,
  output logic [31:0]                 moved_limit_o,

  // Operations.
  output logic                        post_ready_o,  // an operation that posts may be offered
  input  logic                        in_tvalid_i,
  output logic                        in_tready_o,
  input  logic [Width-1:0]            in_tdata_i,
  input  logic [Bytes-1:0]            in_tkeep_i,
  input  logic                        in_tlast_i,
  input  tally_fw_pkg::store_op_e        in_op_i,
  input  logic [GroupW-1:0]           in_group_i,
  // `first` is computed; requests: `count` of whole chunks
  input  tally_segment_pkg::message_t in_message_i,
  input  logic                        in_last_i,     // packets: the last chunk of its message
  input  logic [15:0]                 in_bytes_i,    // of the data
  input  logic [15:0]                 in_err_vector_i,
  // packets: the neighbour; StoreOpData: the rank
  input  logic [7:0]                  in_edge_i,
  // EXCHANGE: round of a packet of kind REDUCE
  input  logic [7:0]                  in_round_i,
  // StoreOpPost: ranks that have posted; StoreOpData, not of EXCHANGE: these have posted, too
  input  logic [Ranks-1:0]            in_ranks_i,
  // of these, those that give no data, and those that get no result; contributors that they leave
  // out, in TREE: they give no data, and get no result
  input  logic [Ranks-1:0]            in_absent_i,
  input  logic [Ranks-1:0]            in_quits_i,
  input  logic [Contributors-1:0]     in_out_i,
  input  logic                        in_rank_i,     // StoreOpTaken: rank in_edge_i
  input  logic                        in_sum_i,      // StoreOpTaken: by the parent, of the sum

  output logic                        answer_valid_o,
  output tally_fw_pkg::store_answer_e    answer_o,
  output logic [15:0]                 answer_status_o,
  output logic [15:0]                 answer_err_vector_o,  // of the chunk by now, if it is open
  output logic [SlotW-1:0]            answer_slot_o,        // of the chunk, likewise

  // A neighbour has a sum or a result. The slot and the edge are those of its packet.
  input  logic                        acked_valid_i,
  output logic                        acked_ready_o,
  input  logic [PlaceW-1:0]           acked_slot_i,
  input  logic                        acked_sum_i,
  input  logic [7:0]                  acked_edge_i,
  // This was due to the neighbour: its chunk, some clocks later.
  output logic                        there_valid_o,
  output logic [GroupW-1:0]           there_group_o,
  output tally_segment_pkg::message_t there_message_o,
  output logic [7:0]                  there_edge_o,
  output logic                        there_sum_o,

  // A packet is to be sent again: see tally_store_out.
  input  logic                        again_valid_i,
  output logic                        again_ready_o,
  input  logic [PlaceW-1:0]           again_slot_i,
  input  logic                        again_sum_i,
  input  logic [GroupW-1:0]           again_group_i,
  input  logic [7:0]                  again_edge_i,
  input  logic [31:0]                 again_seq_i,

  // What is for a neighbour asks whether it may leave: see tally_store_out. wake_i: it is to ask
  // again if it may not.
  input  logic                        wake_i,
  output logic                        ask_valid_o,
  input  logic                        ask_ready_i,
  input  tally_head_pkg::end_e        ask_end_i,
  output logic                        ask_again_o,
  output logic [31:0]                 ask_seq_o,
  output logic                        ask_sum_o,
  output logic [PlaceW-1:0]           ask_slot_o,
  output tally_fw_pkg::store_send_e   ask_kind_o,
  output logic [7:0]                  ask_edge_o,
  output logic [GroupW-1:0]           ask_group_o,
  output tally_segment_pkg::message_t ask_message_o,
  output logic [15:0]                 ask_err_vector_o,

  // Contributions disagree: an operation with the slot, or a part with the one that it enters.
  output logic                        disagree_valid_o,
  output logic [GroupW-1:0]           disagree_group_o,
  output logic [31:0]                 disagree_num_o,
  output logic [15:0]                 disagree_status_o,

  // The words of what may leave, and results for ranks with their headers.
  output logic                        out_tvalid_o,
  input  logic                        out_tready_i,
  output logic [Width-1:0]            out_tdata_o,
  output logic [Bytes-1:0]            out_tkeep_o,
  output logic                        out_tlast_o,
  output logic                        res_tvalid_o,
  input  logic                        res_tready_i,
  output logic [Width-1:0]            res_tdata_o,
  output logic [Bytes-1:0]            res_tkeep_o,
  output logic                        res_tlast_o,
  output logic [SlotW-1:0]            res_slot_o,   // of the chunk
  output logic [Ranks-1:0]            res_ranks_o,  // to these
  output logic                        res_ended_o,  // the epoch ends: not to be written
  output logic [GroupW-1:0]           res_group_o,
  output tally_segment_pkg::message_t res_message_o,
  output logic [15:0]                 res_err_vector_o
);
  localparam int unsigned MessageW = $bits(in_message_i);
  localparam int unsigned HeaderW = GroupW + 8 + 16 + MessageW;
  localparam int unsigned Due = (3 + Parts) * Slots + 1;
  localparam int unsigned WaitW = $clog2(Slots * Parts + 2);
  localparam int unsigned DueW = $clog2(Due + 1);

  typedef enum logic [4:0] {
    StIdle,
    StLoad,     // the header of a slot has been read
    StTable,    // the group is read
    StGroup,
    StRoute,    // the way to the root is looked for
    StAsk,
    StPlan,     // for the plan, the place and the slot
    StLooked,
    StOwn,      // a part is to be read, if it has data
    StEnter,    // the words go into the slot
    StDrain,    // the words are dropped
    StWait,     // for the outcome
    StHold,
    StHeld,
    StFree,     // a slot is free again
    StClear,
    StCleared,
    StRelease,  // a chunk is finished
    StReleased,
    StFinish
  } state_e;
  state_e state_d, state_q, back_d, back_q;

  // ---- The operation, or the slot that has something to do ----
  tally_store_pkg::job_e job, job_q;
  tally_fw_pkg::store_op_e op_q;
  tally_segment_pkg::message_t message_q, header_message;
  logic [PlaceW-1:0] slot_q, job_slot;  // with the part
  logic [GroupW-1:0] group_q, header_group;
  logic [15:0] bytes_q, err_q, header_bytes, job_err_q;
  logic [7:0] edge_q, round_q;
  logic [Ranks-1:0] ranks_q, absent_q, quits_q;
  logic [Contributors-1:0] out_q;
  logic last_q, rank_q, sum_q, begin_job, take, request, taken_op, exchange;
  // A post of EXCHANGE goes to the last part. Before, it enters the part of each rank that gives
  // nothing; its word stays.
  logic early_q, second_q, goes_on, drains;
  logic [Ranks-1:0] later_absent;
  logic [7:0] early_rank;

  assign later_absent = absent_q & (absent_q - 1'b1);
  always_comb begin
    early_rank = '0;
    for (int unsigned i = Ranks; i > 0; i--) if (absent_q[i-1]) early_rank = 8'(i - 1);
  end

  assign take = begin_job && job == tally_store_pkg::JobOp;
  assign request = op_q == tally_fw_pkg::StoreOpPost || op_q == tally_fw_pkg::StoreOpData;
  assign taken_op = op_q == tally_fw_pkg::StoreOpTaken &&
                    (job_q == tally_store_pkg::JobOp || job_q == tally_store_pkg::JobAcked);
  assign exchange = message_q.mode == tally_pkg::ModeExchange;

  always_ff @(posedge clk_i) begin
    if (begin_job) job_q <= job;
    if (take) begin
      op_q <= in_op_i;
      message_q <= in_message_i;
      group_q <= in_group_i;
      bytes_q <= in_bytes_i;
      err_q <= in_err_vector_i;
      edge_q <= in_edge_i;
      round_q <= in_round_i;
      ranks_q <= in_ranks_i;
      absent_q <= in_absent_i;
      quits_q <= in_quits_i;
      early_q <= in_op_i == tally_fw_pkg::StoreOpPost && in_absent_i != '0 &&
                 in_message_i.mode == tally_pkg::ModeExchange;
      out_q <= in_out_i;
      last_q <= in_last_i;
      rank_q <= in_rank_i;
      sum_q <= in_sum_i;
      second_q <= 1'b0;
    end else if (goes_on) begin
      absent_q <= later_absent;
      early_q <= later_absent != '0;
      second_q <= 1'b1;
    end else if (acked_ready_o) begin
      op_q <= tally_fw_pkg::StoreOpTaken;
      edge_q <= acked_edge_i;
      rank_q <= 1'b0;
      sum_q <= acked_sum_i;
    end else if (state_q == StLoad) begin
      message_q <= header_message;
      group_q <= header_group;
      bytes_q <= header_bytes;
      err_q <= job_err_q;
    end else if (place_valid) begin
      message_q.first <= place_first;
      message_q.count <= place_count;
    end
  end

  // ---- Group, and part of the chunk ----
  tally_plan_pkg::group_t group;
  logic [EdgeW:0] edges;
  logic [15:0] mtu;
  logic [PartW-1:0] exchange_last, last_part, part_q;
  logic [ShiftW-1:0] shift;
  logic [Contributors-1:0] ins, outs;
  logic [1:0] inner;
  logic part_ok_q, right_q;

  tally_store_tables #(.Groups(Groups), .Parts(Parts), .Contributors(Contributors), .Ranks(Ranks),
                       .ShiftW(ShiftW)) u_tables (
    .clk_i, .rst_ni, .group_write_i, .group_index_i, .group_i, .group_edges_i, .group_mtu_i,
    .group_last_i, .group_shift_i,
    .part_write_i, .part_group_i, .part_index_i, .part_ins_i, .part_outs_i, .part_inner_i,
    .part_next_i, .part_right_i,
    .edge_write_i, .edge_group_i, .edge_index_i, .edge_round_i, .edge_part_i,
    .rank_write_i, .rank_group_i, .rank_index_i, .rank_part_i, .rank_right_i,
    .read_group_i(group_q), .read_o(group), .read_edges_o(edges), .read_mtu_o(mtu),
    .read_last_o(exchange_last), .read_shift_o(shift),
    .load_i(state_q == StTable), .from_i(PartW'(slot_q)),
    .from_edge_i(early_q ? early_rank : edge_q),
    .choose_i(state_q == StGroup), .job_i(job_q), .op_i(op_q), .exchange_i(exchange),
    .early_i(early_q), .round_i(round_q), .rank_i(rank_q), .part_o(part_q),
    .part_ok_o(part_ok_q), .right_o(right_q), .ins_o(ins), .outs_o(outs), .inner_o(inner)
  );
  assign last_part = exchange ? exchange_last : '0;

  // ---- Route, place and plan ----
  logic route_ready, route_valid, route_found, asked_q, routed_q, rooted, plan_valid, plan_known,
      planned_q, place_valid, place_ok, placed_q;
  logic [EdgeW-1:0] route_edge, route_q;
  logic place_last, place_ok_q, plan_known_q, known_q;
  logic [31:0] place_first, place_count;
  logic [15:0] place_bytes, chunk_bytes_q;
  tally_plan_pkg::chunk_t plan_chunk;
  tally_plan_pkg::plan_t plan;
  // The plan of TREE is the same for all chunks of a group with this opcode and root, so the plan
  // of the operation before is used again, until a table is written.
  localparam int unsigned KeyW = GroupW + 8 + 8 + NodeW + 8;
  logic [KeyW-1:0] plan_key, plan_key_q;
  logic plan_kept_q, plan_again, written, written_q;  // a table is, since the operation was taken
  // The blocks of the plan are as wide as the protocol permits.
  // verilator lint_off UNUSEDSIGNAL
  tally_plan_pkg::plan_t plan_q;
  // verilator lint_on UNUSEDSIGNAL

  assign rooted = message_q.opcode == tally_pkg::OpcodeReduce ||
                  message_q.opcode == tally_pkg::OpcodeBcast;

  // verilator lint_off PINCONNECTEMPTY
  tally_route #(.Groups(Groups), .Contributors(Contributors),
                .Lanes(Contributors <= 8 ? Contributors / 2 : 8)) u_route (
    .clk_i, .rst_ni, .write_i(route_write_i), .write_group_i(route_group_i),
    .write_edge_i(route_edge_i),
    .write_first_i(route_first_i), .write_count_i(route_count_i),
    .in_valid_i(state_q == StRoute && !asked_q), .in_ready_o(route_ready), .in_group_i(group_q),
    .in_edges_i(edges),
    .in_node_i(message_q.root_node), .in_tag_i(1'b0),
    .out_valid_o(route_valid), .out_ready_i(1'b1), .out_found_o(route_found),
    .out_edge_o(route_edge), .out_tag_o()
  );

  // log2 of the bytes of an element: MINLOC and MAXLOC have a value and an index of at least four
  // bytes.
  logic loc;
  logic [2:0] size;
  assign loc = message_q.op == tally_pkg::OpMinloc || message_q.op == tally_pkg::OpMaxloc;
  assign size = loc ? (message_q.dtype[1:0] == 2'd3 ? 3'd4 : 3'd3) : {1'b0, message_q.dtype[1:0]};

  tally_place u_place (
    .clk_i, .rst_ni, .valid_i(state_q == StGroup && !own && !taken_op && !second_q),
    .request_i(request),
    .last_i(last_q),
    .sid_i(message_q.sid),
    .count_i(message_q.count), .total_i(message_q.total), .size_i(size), .mtu_i(mtu), .tag_i(1'b0),
    .valid_o(place_valid), .ok_o(place_ok), .first_o(place_first), .count_o(place_count),
    .last_o(place_last),
    .bytes_o(place_bytes), .tag_o()
  );

  assign plan_chunk = {message_q.mode, message_q.opcode, message_q.root_node, message_q.root_rank,
                       message_q.sid,
                       routed_q, 6'(route_q)};
  tally_plan u_plan (
    .clk_i, .rst_ni, .valid_i(state_q == StAsk), .group_i(group), .chunk_i(plan_chunk),
    .tag_i(1'b0),
    .valid_o(plan_valid), .known_o(plan_known), .plan_o(plan), .tag_o()
  );
  // verilator lint_on PINCONNECTEMPTY

  logic unused_last;
  assign unused_last = place_last;

  assign plan_key = {group_q, message_q.mode, message_q.opcode, message_q.root_node,
                     message_q.root_rank};
  assign plan_again = plan_kept_q && plan_key == plan_key_q &&
                      message_q.mode == tally_pkg::ModeTree;
  assign written = group_write_i || route_write_i;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) plan_kept_q <= 1'b0;
    else plan_kept_q <= (plan_kept_q || (state_q == StAsk && !written_q)) && !written;
  end

  always_ff @(posedge clk_i) begin
    if (take) begin
      asked_q <= 1'b0;
      routed_q <= 1'b0;
      placed_q <= 1'b0;
      planned_q <= 1'b0;
    end else if (state_q == StRoute) begin
      if (route_ready) asked_q <= 1'b1;
      if (route_valid) routed_q <= route_found;
      route_q <= route_edge;
    end
    if (state_q == StLoad) chunk_bytes_q <= header_bytes;
    written_q <= written || (written_q && !take);
    if (state_q == StAsk) plan_key_q <= plan_key;
    if (place_valid) begin
      placed_q <= 1'b1;
      place_ok_q <= place_ok && (!exchange || place_bytes <= 16'(Bytes) << shift);
      chunk_bytes_q <= place_bytes;
    end
    if (state_q == StGroup && plan_again) planned_q <= 1'b1;
    if (plan_valid) begin
      planned_q <= 1'b1;
      plan_q <= plan;
      plan_known_q <= plan_known;
    end
    known_q <= (plan_valid ? plan_known : plan_known_q) && part_ok_q;
  end

  // The plan of the part.
  logic plan_turns, plan_expected, ends_here;
  logic [Contributors-1:0] plan_contributors, plan_copies;
  logic [Ranks-1:0] plan_ranks, plan_deliver;
  assign ends_here = part_q == last_part;
  assign plan_turns = exchange ? ends_here : plan_q.turns;
  assign plan_expected = exchange ? ends_here : plan_q.down_expected;
  assign plan_contributors = exchange ? ins : plan_q.up_contributors[Contributors-1:0];
  // Ranks and parts that enter this one are its left and its right input.
  assign plan_ranks = exchange ? Ranks'(inner) : plan_q.up_ranks[Ranks-1:0];
  assign plan_copies = exchange ? (ends_here ? '0 : outs) : plan_q.down_todo[Contributors-1:0];
  assign plan_deliver = !exchange ? plan_q.deliver[Ranks-1:0] : ends_here ?
                        group.rank_mask[Ranks-1:0] : '0;

  // ---- Map ----
  logic found_valid, looked_q, map_ready, map_answer, map_answer_ok, freed_valid, freed_ready,
      own_cmd, finish, end_cmd;
  tally_segment_map_pkg::mapped_e found, found_q;
  tally_fw_pkg::store_command_e next_cmd, cmd_q, answered_q;
  logic [SlotW-1:0] found_slot, found_slot_q, freed_slot;
  logic [GroupW-1:0] end_group, cmd_group_q, map_group_q;
  logic [31:0] cmd_num_q;
  logic cmd_full_q, is_end, end_ready, ended;

  // Commands of the firmware, of finished chunks and of ended epochs share a place in front of the
  // map.
  assign own_cmd = state_q == StFinish && !freed_valid;
  assign is_end = cmd_i == tally_fw_pkg::StoreCmdEnd;
  assign next_cmd = own_cmd ? tally_fw_pkg::StoreCmdFinish : end_cmd ?
                    tally_fw_pkg::StoreCmdEnd : cmd_i;
  assign cmd_ready_o = is_end ? end_ready : !cmd_full_q && !own_cmd && !end_cmd;
  assign finish = own_cmd && !cmd_full_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) cmd_full_q <= 1'b0;
    else if (cmd_full_q) cmd_full_q <= !map_ready;
    else cmd_full_q <= own_cmd || end_cmd || (cmd_valid_i && !is_end);
  end
  always_ff @(posedge clk_i) begin
    if (!cmd_full_q) begin
      cmd_q <= next_cmd;
      cmd_group_q <= own_cmd ? group_q : end_cmd ? end_group : cmd_group_i;
      cmd_num_q <= own_cmd ? message_q.num : cmd_num_i;
    end
    if (map_ready) answered_q <= cmd_q;
    if (map_ready) map_group_q <= cmd_group_q;
  end

  tally_segment_map #(.Slots(Slots), .Groups(Groups), .GroupSegs(GroupSegs)) u_map (
    .clk_i, .rst_ni,
    .look_valid_i(state_q == StTable && !own && !second_q), .look_group_i(group_q),
    .look_num_i(message_q.num),
    .looked_valid_o(found_valid), .looked_o(found), .looked_slot_o(found_slot),
    .cmd_valid_i(cmd_full_q), .cmd_ready_o(map_ready), .cmd_i(cmd_q), .cmd_group_i(cmd_group_q),
    .cmd_num_i(cmd_num_q),
    .answer_valid_o(map_answer), .answer_ready_i(1'b1), .answer_ok_o(map_answer_ok),
    .answer_done_o(moved_done_o),
    .answer_limit_o(moved_limit_o),
    .freed_valid_o(freed_valid), .freed_ready_i(freed_ready), .freed_slot_o(freed_slot)
  );
  // The slot is looked up at once. It may be freed while the plan is made, but is cleared after
  // this operation.
  always_ff @(posedge clk_i) begin
    if (take) looked_q <= 1'b0;
    else if (found_valid) looked_q <= 1'b1;
    if (found_valid) found_q <= found;
    if (found_valid) found_slot_q <= found_slot;
  end
  assign moved_valid_o = map_answer;
  assign moved_ok_o = map_answer_ok;
  assign moved_finished_o = answered_q == tally_fw_pkg::StoreCmdFinish;
  assign moved_ended_o = answered_q == tally_fw_pkg::StoreCmdEnd;
  assign moved_raised_o = answered_q == tally_fw_pkg::StoreCmdRaise;
  assign moved_group_o = map_group_q;
  assign ended = map_answer && moved_ended_o;

  // ---- Segments ----
  logic seg_valid, seg_ready, seg_idle, seg_last, outcome_valid, outcome_ready, opened, complete,
      wrong, released;
  tally_segment_pkg::kind_e seg_kind, outcome_kind;
  tally_segment_pkg::verdict_e verdict;
  logic [PlaceW-1:0] seg_slot, outcome_slot, read_slot, send_read_slot;
  logic [15:0] status, outcome_err, seg_bytes;
  logic [Width-1:0] seg_data, words_data;
  logic [Bytes-1:0] seg_keep, words_keep;
  logic read_valid, read_ready, read_result, send_read, send_read_result, send_reading, own,
      own_read, own_words;
  logic words_valid, words_ready, words_last, clear_hold, of_rank, own_data_q;
  logic [IndexW-1:0] seg_index;
  logic [Ranks-1:0] seg_absent;
  logic [PartW-1:0] clear_q;

  // A result must come from where it is expected, and a contribution from a contributor. Others
  // count as results of a wrong length, which only open the slot.
  assign own = job_q == tally_store_pkg::JobOwn;
  assign of_rank = op_q == tally_fw_pkg::StoreOpData;
  assign wrong = !own && ((op_q == tally_fw_pkg::StoreOpResult && edge_q != plan_q.down_edge) ||
                          (op_q == tally_fw_pkg::StoreOpReduce && edge_q >= 8'(Contributors)) ||
                          (of_rank && edge_q >= 8'(Ranks)));
  assign own_read = state_q == StOwn && given_read_q && !send_reading;
  assign own_words = state_q == StEnter && own && own_data_q;
  assign seg_index = exchange && (own || of_rank) ? IndexW'(right_q) : edge_q[IndexW-1:0];
  // A part that gives nothing enters as the post of a rank that does so.
  assign seg_absent = own || early_q ? Ranks'(1) << right_q : absent_q;

  always_comb begin
    seg_valid = 1'b0;
    seg_kind = tally_segment_pkg::KindReduce;
    if (own) begin
      if (!own_data_q) seg_kind = tally_segment_pkg::KindPost;
    end else if (op_q == tally_fw_pkg::StoreOpResult || wrong) begin
      seg_kind = tally_segment_pkg::KindResult;
    end else if (op_q == tally_fw_pkg::StoreOpPost) seg_kind = tally_segment_pkg::KindPost;
    seg_slot = slot_q;
    seg_bytes = wrong ? 16'hffff : bytes_q;
    seg_last = 1'b1;
    unique case (state_q)
      StEnter: begin
        seg_valid = own ? words_valid || !own_data_q : early_q || in_tvalid_i;
        seg_last = own ? words_last || !own_data_q : early_q || in_tlast_i;
      end
      StClear: begin
        seg_valid = !clear_hold || hold_ready;
        seg_kind = tally_segment_pkg::KindClear;
        seg_slot = {freed_slot, clear_q};
      end
      StRelease: begin
        seg_valid = 1'b1;
        seg_kind = tally_segment_pkg::KindRelease;
      end
      default: ;
    endcase
  end
  assign seg_data = own ? words_data : in_tdata_i;
  assign seg_keep = own ? words_keep : in_tkeep_i;

  // verilator lint_off PINCONNECTEMPTY
  tally_segment_alu #(
    .Slots(Slots * Parts), .Parts(Parts), .Groups(Groups), .Words(Words), .Width(Width),
    .Contributors(Contributors),
    .Ranks(Ranks)
  ) u_segment (
    .clk_i, .rst_ni, .idle_o(seg_idle),
    .in_tvalid_i(seg_valid), .in_tready_o(seg_ready), .in_tdata_i(seg_data), .in_tkeep_i(seg_keep),
    .in_tlast_i(seg_last), .in_kind_i(seg_kind), .in_slot_i(seg_slot), .in_group_i(group_q),
    .in_message_i(message_q), .in_bytes_i(seg_bytes), .in_err_vector_i(err_q),
    .in_rank_i(own || of_rank), .in_index_i(seg_index),
    .in_posts_i(own ? !own_data_q : request && ranks_q != '0), .in_out_i(own ? '0 : out_q),
    .in_absent_i(seg_absent),
    .in_plan_bytes_i(chunk_bytes_q), .in_plan_shift_i(shift), .in_plan_turns_i(plan_turns),
    .in_plan_expected_i(plan_expected),
    .in_plan_contributors_i(plan_contributors), .in_plan_ranks_i(plan_ranks),
    .outcome_valid_o(outcome_valid), .outcome_ready_i(outcome_ready), .outcome_kind_o(outcome_kind),
    .outcome_slot_o(outcome_slot), .outcome_verdict_o(verdict), .outcome_status_o(status),
    .outcome_opened_o(opened),
    .outcome_complete_o(complete), .outcome_err_vector_o(outcome_err), .outcome_contributors_o(),
    .outcome_ranks_o(),
    .read_valid_i(read_valid), .read_ready_o(read_ready), .read_slot_i(read_slot),
    .read_result_i(read_result),
    .out_tvalid_o(words_valid), .out_tready_i(words_ready), .out_tdata_o(words_data),
    .out_tkeep_o(words_keep),
    .out_tlast_o(words_last),
    .inverse_write_i, .inverse_group_i, .inverse_down_i, .inverse_i
  );
  // verilator lint_on PINCONNECTEMPTY
  assign in_tready_o = (state_q == StEnter && !own && !early_q && seg_ready) ||
                       state_q == StDrain;
  assign read_valid = own_read || send_read;
  assign read_slot = own_read ? slot_q : send_read_slot;
  assign read_result = !own_read && send_read_result;
  assign words_ready = !own_words || seg_ready;

  // ---- Headers of the slots ----
  logic [HeaderW-1:0] header_mem_q [Slots*Parts];
  logic [15:0] err_mem_q [Slots*Parts];
  logic [HeaderW-1:0] header_q, send_header_q;
  logic [15:0] send_err_q, send_bytes;
  logic [GroupW-1:0] send_group;
  tally_segment_pkg::message_t send_message;
  logic [PlaceW-1:0] send_slot;
  logic [7:0] send_up_edge, header_up_edge;
  logic divided, fresh;

  assign {header_group, header_up_edge, header_bytes, header_message} = header_q;
  assign {send_group, send_up_edge, send_bytes, send_message} = send_header_q;
  logic unused_header;
  assign unused_header = ^{header_up_edge, send_bytes};

  always_ff @(posedge clk_i) begin
    if (fresh && opened) begin
      header_mem_q[slot_q] <= {group_q, plan_q.up_edge, chunk_bytes_q, message_q};
    end
    if (fresh || divided) err_mem_q[slot_q] <= fresh ? outcome_err : err_q;
    header_q <= header_mem_q[job_slot];
    if (begin_job) begin
      job_err_q <= job == tally_store_pkg::JobDivided ? divided_err : err_mem_q[job_slot];
    end
    send_header_q <= header_mem_q[send_slot];
    send_err_q <= err_mem_q[send_slot];
  end

  // ---- Whether anybody has given data to a sum, of those that are left out ----
  //
  // A sum of nobody is not sent on: the request of the neighbour has left this node out. A part of
  // nobody gives nothing to the one that it enters.
  logic [0:0] given_mem_q [Slots*Parts];
  logic given_read_q, gives, given, nothing;

  assign gives = own ? own_data_q : (verdict == tally_segment_pkg::VerdictStored && !wrong &&
                         (op_q == tally_fw_pkg::StoreOpReduce ||
                          op_q == tally_fw_pkg::StoreOpData));
  assign given = gives || (given_read_q && !opened);
  assign nothing = complete && !given && message_q.mode == tally_pkg::ModeTree;
  always_ff @(posedge clk_i) begin
    if (fresh) given_mem_q[slot_q] <= given;
    if (state_q == StWait || state_q == StTable) given_read_q <= given_mem_q[slot_q];
    if (state_q == StOwn) own_data_q <= given_read_q;
  end

  // ---- Hold side ----
  logic hold_valid, hold_ready, held_valid, held_ok, held_finished, held_up, posts, taking;
  logic [PlaceW-1:0] held_slot;
  logic [Contributors-1:0] held_contributors;
  logic [Ranks-1:0] held_ranks;

  // The event is the outcome of an operation or of a round, a division, or that a receiver has its
  // copy.
  assign taking = state_q == StHold && taken_op;
  assign divided = state_q == StHold && job_q == tally_store_pkg::JobDivided;
  assign fresh = state_q == StHold && !taken_op && job_q != tally_store_pkg::JobDivided;
  assign hold_valid = state_q == StHold || (state_q == StClear && clear_hold && seg_ready);
  assign posts = fresh && !own && !early_q && (op_q == tally_fw_pkg::StoreOpPost ||
                                   (op_q == tally_fw_pkg::StoreOpData && ranks_q != '0)) &&
                 verdict != tally_segment_pkg::VerdictDisagrees &&
                 verdict != tally_segment_pkg::VerdictDropped;
  assign outcome_ready = (hold_ready && fresh) || (state_q == StReleased && released) || by_itself;
  assign released = outcome_valid && outcome_kind == tally_segment_pkg::KindRelease;

  tally_segment_hold #(.Slots(Slots * Parts), .Contributors(Contributors), .Ranks(Ranks)) u_hold (
    .clk_i, .rst_ni,
    .in_valid_i(hold_valid), .in_ready_o(hold_ready),
    .in_slot_i(state_q == StClear ? {freed_slot, clear_q} : slot_q),
    .in_clear_i(state_q == StClear), .in_open_i(fresh && opened),
    .in_complete_i((fresh && complete) || divided),
    .in_have_i(divided || (fresh && ((complete && (plan_turns || exchange)) ||
                                     (!own && op_q == tally_fw_pkg::StoreOpResult && !wrong &&
                                      verdict == tally_segment_pkg::VerdictStored)))),
    .in_nothing_i(fresh && nothing), .in_out_i(posts ? out_q : '0),
    .in_posted_i(posts ? ranks_q : '0), .in_quits_i(posts ? quits_q : '0), .in_taken_i(taking),
    .in_parent_i(sum_q && !exchange),
    .in_rank_i(rank_q),
    .in_index_i(edge_q[IndexW-1:0]), .in_plan_up_i(!exchange && plan_q.up_send),
    .in_plan_expected_i(exchange || plan_q.down_expected), .in_plan_contributors_i(plan_copies),
    .in_plan_ranks_i(plan_deliver), .in_plan_local_i(ends_here ? group.rank_mask[Ranks-1:0] : '0),
    .out_valid_o(held_valid), .out_slot_o(held_slot), .out_ok_o(held_ok),
    .out_finished_o(held_finished),
    .out_up_o(held_up), .out_contributors_o(held_contributors), .out_ranks_o(held_ranks)
  );

  // ---- Divided sums, and slots that are free: outcomes that must not stop the segments ----
  logic by_itself, divided_valid;
  logic [PlaceW-1:0] divided_slot;
  logic [15:0] divided_err;
  assign by_itself = outcome_valid && (outcome_kind == tally_segment_pkg::KindClear ||
                                       outcome_kind == tally_segment_pkg::KindScale);
  // verilator lint_off PINCONNECTEMPTY
  tally_fifo #(.Width(PlaceW + 16), .Depth(Slots)) u_divided (
    .clk_i, .rst_ni, .in_valid_i(outcome_valid && outcome_kind == tally_segment_pkg::KindScale),
    .in_ready_o(),
    .in_i({outcome_slot, outcome_err}), .out_valid_o(divided_valid),
    .out_ready_i(begin_job && job == tally_store_pkg::JobDivided),
    .out_o({divided_slot, divided_err}), .used_o()
  );

  // ---- Parts that enter others ----
  logic own_valid, own_begins;
  logic [PlaceW-1:0] own_slot;
  logic [$clog2(Slots*Parts+1)-1:0] own_used;
  tally_fifo #(.Width(PlaceW), .Depth(Slots * Parts)) u_own (
    .clk_i, .rst_ni, .in_valid_i(fresh && hold_ready && complete && exchange && !ends_here),
    .in_ready_o(),
    .in_i(slot_q), .out_valid_o(own_valid), .out_ready_i(own_begins), .out_o(own_slot),
    .used_o(own_used)
  );

  // ---- Finished chunks ----
  logic finish_valid, all_finished;
  logic [SlotW-1:0] finish_slot;
  logic [PartW-1:0] clear_last;
  tally_fifo #(.Width(SlotW), .Depth(Slots)) u_finished (
    .clk_i, .rst_ni, .in_valid_i(all_finished), .in_ready_o(), .in_i(slot_q[PartW+:SlotW]),
    .out_valid_o(finish_valid), .out_ready_i(begin_job && job == tally_store_pkg::JobFinish),
    .out_o(finish_slot),
    .used_o()
  );
  // verilator lint_on PINCONNECTEMPTY

  logic opened_q;
  always_ff @(posedge clk_i) if (state_q == StHold) opened_q <= fresh && opened;
  tally_store_parts #(.Slots(Slots), .Parts(Parts)) u_parts (
    .clk_i, .rst_ni, .read_i(state_q == StHold || state_q == StFree || state_q == StLooked),
    .read_slot_i(state_q == StFree ? freed_slot : state_q == StLooked ? found_slot_q :
                 slot_q[PartW+:SlotW]), .last_o(clear_last),
    .write_i((state_q == StHeld && held_valid && (opened_q || held_finished)) || freed_ready),
    .write_slot_i(freed_ready ? freed_slot : slot_q[PartW+:SlotW]), .clear_i(freed_ready),
    .open_i(opened_q),
    .last_i(last_part), .finish_i(held_finished), .finished_o(all_finished)
  );

  // ---- Ends of epochs ----
  logic stop, ending, refused, send_pop, send_idle, due_ready;
  logic [DueW-1:0] send_used;
  tally_store_end #(.Groups(Groups), .GroupSegs(GroupSegs), .Ranks(Ranks), .Due(Due)) u_end (
    .clk_i, .rst_ni, .cmd_valid_i(cmd_valid_i && is_end), .cmd_ready_o(end_ready), .cmd_group_i,
    .stop_o(stop), .quiet_i(quiet), .ending_o(ending), .group_o(end_group),
    .due_valid_i(state_q == StHeld && held_valid &&
                 (held_ranks != '0 || (taken_op && rank_q && held_ok))),
    .due_group_i(group_q), .due_ranks_i(held_ranks), .due_taken_i(taken_op),
    .send_used_i(send_used), .send_pop_i(send_pop), .send_idle_i(send_idle),
    .own_used_i(DueW'(own_used)),
    .own_pop_i(own_begins), .wait_used_i(DueW'(wait_used)), .wait_pop_i(woken && woken_ready),
    .wake_o(end_wakes),
    .map_valid_o(end_cmd), .map_ready_i(!cmd_full_q && !own_cmd), .map_done_i(ended)
  );
  assign refused = ending && group_q == end_group && !(taken_op && rank_q);
  logic quiet;
  assign quiet = state_q == StIdle && !divided_valid && !freed_valid && !finish_valid &&
                 !outcome_valid && seg_idle && !acked_valid_i;

  logic commanded_q;  // a command is in the map
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) commanded_q <= 1'b0;
    else commanded_q <= (cmd_full_q && map_ready) || (commanded_q && !map_answer);
  end
  assign idle_o = quiet && !stop && !ending && !cmd_full_q && !commanded_q && send_used == '0 &&
                  send_idle && own_used == '0 && !wait_busy && !answer_valid_o &&
                  !disagree_valid_o;

  // ---- Control ----
  assign own_begins = begin_job && job == tally_store_pkg::JobOwn;
  assign acked_ready_o = begin_job && job == tally_store_pkg::JobAcked;
  always_comb begin
    job = tally_store_pkg::JobOp;
    job_slot = own_slot;
    if (divided_valid) begin
      job = tally_store_pkg::JobDivided;
      job_slot = divided_slot;
    end else if (finish_valid && !(out_busy && out_slot[PartW+:SlotW] == finish_slot)) begin
      // a packet that is read once more must not change
      job = tally_store_pkg::JobFinish;
      job_slot = {finish_slot, {PartW{1'b0}}};
    end else if (acked_valid_i) begin
      job = tally_store_pkg::JobAcked;
      job_slot = acked_slot_i;
    end else if (own_valid && due_ready) begin
      job = tally_store_pkg::JobOwn;
    end
    begin_job = state_q == StIdle && !freed_valid &&
                (job != tally_store_pkg::JobOp || (in_tvalid_i && !stop));
  end

  always_comb begin
    state_d = state_q;
    back_d = back_q;
    freed_ready = 1'b0;
    unique case (state_q)
      StIdle: begin
        back_d = StIdle;
        if (freed_valid) state_d = StFree;
        else if (begin_job) state_d = job == tally_store_pkg::JobOp ? StTable : StLoad;
      end
      StLoad: begin
        unique case (job_q)
          tally_store_pkg::JobDivided, tally_store_pkg::JobAcked: state_d = StHold;
          tally_store_pkg::JobFinish: state_d = StRelease;
          default: state_d = StTable;
        endcase
      end
      StTable: state_d = StGroup;
      StGroup: begin
        if (own) state_d = refused ? StIdle : StOwn;
        else if (taken_op || plan_again || second_q) state_d = StPlan;
        else if (rooted && message_q.mode == tally_pkg::ModeTree) state_d = StRoute;
        else state_d = StAsk;
      end
      StRoute: if (route_valid) state_d = StAsk;
      StAsk: state_d = StPlan;
      StPlan: begin
        if ((looked_q || found_valid) &&
            (taken_op || ((placed_q || place_valid) && (planned_q || plan_valid)))) begin
          state_d = StLooked;
        end
      end
      StLooked: state_d = enters ? StEnter : StDrain;
      StOwn: if (!given_read_q || (own_read && read_ready)) state_d = StEnter;
      StEnter: if (seg_valid && seg_ready && seg_last) state_d = StWait;
      StDrain: if (in_tvalid_i && in_tlast_i) state_d = holds_q ? StHold : StIdle;
      StWait: if (outcome_valid && !by_itself) state_d = StHold;
      StHold: if (hold_ready) state_d = StHeld;
      StHeld: if (held_valid) state_d = goes_on ? StTable : drains ? StDrain : StIdle;
      StFree: state_d = StClear;
      StClear: begin
        if (seg_ready && (!clear_hold || hold_ready)) begin
          freed_ready = clear_q == clear_last && !clear_hold;
          state_d = clear_hold ? StCleared : clear_q == clear_last ? back_q : StClear;
        end
      end
      StCleared: begin
        freed_ready = held_valid && clear_q == clear_last;
        if (held_valid) state_d = clear_q == clear_last ? back_q : StClear;
      end
      StRelease: if (seg_ready) state_d = StReleased;
      StReleased: if (released) state_d = StFinish;
      default: begin  // StFinish
        back_d = StFinish;
        if (freed_valid) state_d = StFree;
        else if (finish) state_d = StIdle;
      end
    endcase
  end

  // An operation enters the segments, or is that of a receiver that has its copy; or it is refused.
  logic enters, holds, holds_q, here;
  assign here = found_q == tally_segment_map_pkg::MapSlot && part_ok_q && !refused;
  assign holds = here && taken_op;
  assign enters = here && !taken_op && known_q && place_ok_q && !stranger;
  logic spoilt_q;  // what has entered disagrees
  logic stranger;  // EXCHANGE: not a neighbour that gives data
  assign stranger = exchange && op_q == tally_fw_pkg::StoreOpReduce &&
                    (edge_q >= 8'(Contributors) || !ins[edge_q[EdgeW-1:0]]);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= StIdle;
      back_q <= StIdle;
    end else begin
      state_q <= state_d;
      back_q <= back_d;
    end
  end
  assign goes_on = state_q == StHeld && held_valid && early_q && !own && !spoilt_q &&
                   job_q == tally_store_pkg::JobOp;
  assign drains = early_q && spoilt_q && !own && job_q == tally_store_pkg::JobOp;
  always_ff @(posedge clk_i) if (fresh) spoilt_q <= disagrees;
  assign clear_hold = answered_q == tally_fw_pkg::StoreCmdEnd;
  always_ff @(posedge clk_i) begin
    if (begin_job) slot_q <= job_slot;
    if (state_q == StOwn && state_d == StEnter) slot_q[PartW-1:0] <= part_q;
    if (state_q == StLooked) slot_q <= {found_slot_q, part_q};
    // What ranks have taken is the last part that is open.
    if (state_q == StDrain && holds_q) slot_q[PartW-1:0] <= clear_last;
    if (state_q == StLooked) holds_q <= holds;
    if (state_q == StFree) clear_q <= '0;
    else if (state_q == StCleared ? held_valid : state_q == StClear && state_d == StClear &&
             seg_ready)
      clear_q <= clear_q + 1'b1;
  end
  assign post_ready_o = due_ready;

  // ---- Answers ----
  logic disagrees;
  assign there_valid_o = state_q == StHeld && held_valid && held_ok &&
                         job_q == tally_store_pkg::JobAcked;
  assign there_group_o = group_q;
  assign there_message_o = message_q;
  assign there_edge_o = edge_q;
  assign there_sum_o = sum_q;
  assign disagrees = verdict == tally_segment_pkg::VerdictDisagrees;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      answer_valid_o <= 1'b0;
      disagree_valid_o <= 1'b0;
    end else begin
      answer_valid_o <= (state_q == StLooked && !enters && !holds) ||
                        (fresh && !own && hold_ready && (!early_q || disagrees)) ||
                        (state_q == StHeld && held_valid && taken_op &&
                         job_q == tally_store_pkg::JobOp);
      disagree_valid_o <= fresh && hold_ready && disagrees;
    end
  end
  always_ff @(posedge clk_i) begin
    answer_status_o <= fresh ? status : tally_pkg::CollOk;
    answer_err_vector_o <= fresh ? outcome_err : '0;
    answer_slot_o <= slot_q[PartW+:SlotW];
    disagree_group_o <= group_q;
    disagree_num_o <= message_q.num;
    disagree_status_o <= status;
    if (state_q == StHeld) begin
      answer_o <= held_ok ? tally_fw_pkg::StoreAnswerStored : tally_fw_pkg::StoreAnswerDropped;
    end else if (state_q == StLooked && refused) answer_o <= tally_fw_pkg::StoreAnswerEnded;
    else if (state_q == StLooked && found_q == tally_segment_map_pkg::MapSlot && taken_op) begin
      answer_o <= tally_fw_pkg::StoreAnswerDropped;
    end else if (state_q == StLooked) answer_o <= !taken_op &&
        (!known_q || !place_ok_q || stranger) ? tally_fw_pkg::StoreAnswerBad :
                                              found_q == tally_segment_map_pkg::MapPast ?
                                                  tally_fw_pkg::StoreAnswerPast :
                                              tally_fw_pkg::StoreAnswerWindow;
    else if (disagrees) answer_o <= tally_fw_pkg::StoreAnswerDisagrees;
    else if ((posts && op_q == tally_fw_pkg::StoreOpPost) ||
             verdict == tally_segment_pkg::VerdictStored) begin
      answer_o <= tally_fw_pkg::StoreAnswerStored;
    end else if (verdict == tally_segment_pkg::VerdictDuplicate && !wrong) begin
      answer_o <= tally_fw_pkg::StoreAnswerDuplicate;
    end else answer_o <= tally_fw_pkg::StoreAnswerDropped;
  end

  // ---- Sending ----
  logic due_valid, send_ready, held_due, woken, woken_ready, woken_sum, due_sum, wait_busy,
      wait_begin, wait_valid, wait_ready, wait_sum, end_wakes, out_busy;
  tally_fw_pkg::store_send_e due_kind;
  logic [PlaceW-1:0] woken_slot, due_slot, out_slot, res_slot;
  logic [Contributors-1:0] woken_contributors;
  logic [EdgeW-1:0] due_edge, wait_edge;
  logic [Ranks-1:0] due_ranks;
  logic [WaitW-1:0] wait_used;

  // What has waited comes behind what is due, in a clock in which nothing becomes due.
  assign held_due = held_valid && (held_up || held_contributors != '0 || held_ranks != '0);
  assign woken_ready = !held_due;
  assign due_sum = held_due ? held_up : woken_sum;
  tally_store_send #(.Slots(Slots), .Parts(Parts), .Contributors(Contributors),
                     .Ranks(Ranks)) u_send (
    .clk_i, .rst_ni,
    .in_valid_i(held_due || woken),
    .in_ready_o(due_ready),
    .in_slot_i(held_due ? held_slot : woken_slot), .in_up_i(due_sum),
    .in_contributors_i(held_due ? held_contributors : woken_contributors),
    .in_ranks_i(held_due ? held_ranks : '0),
    .out_valid_o(due_valid), .out_ready_i(send_ready), .out_slot_o(due_slot),
    .out_kind_o(due_kind),
    .out_edge_o(due_edge), .out_ranks_o(due_ranks), .used_o(send_used), .pop_o(send_pop)
  );

  tally_store_wait #(.Slots(Slots * Parts), .Contributors(Contributors)) u_wait (
    .clk_i, .rst_ni, .busy_o(wait_busy),
    .begin_i(wait_begin), .wake_i(wake_i || end_wakes), .wait_valid_i(wait_valid),
    .wait_ready_o(wait_ready), .wait_slot_i(out_slot), .wait_sum_i(wait_sum),
    .wait_edge_i(wait_edge),
    .due_valid_o(woken), .due_ready_i(woken_ready), .due_slot_o(woken_slot),
    .due_sum_o(woken_sum), .due_contributors_o(woken_contributors), .used_o(wait_used)
  );

  tally_store_out #(
    .Slots(Slots * Parts), .Groups(Groups), .Words(Words), .Width(Width),
    .Contributors(Contributors),
    .Ranks(Ranks)
  ) u_out (
    .clk_i, .rst_ni, .idle_o(send_idle), .busy_o(out_busy), .slot_o(out_slot),
    .again_valid_i, .again_ready_o, .again_slot_i, .again_sum_i, .again_group_i, .again_edge_i,
    .again_seq_i,
    .due_valid_i(due_valid), .due_ready_o(send_ready), .due_slot_i(due_slot),
    .due_kind_i(due_kind),
    .due_edge_i(due_edge), .due_ranks_i(due_ranks), .header_slot_o(send_slot),
    .header_group_i(send_group),
    .header_up_edge_i(send_up_edge),
    .header_message_i(send_message), .header_err_vector_i(send_err_q), .ending_i(ending),
    .ending_group_i(end_group),
    .ask_valid_o, .ask_ready_i, .ask_end_i, .ask_again_o, .ask_seq_o, .ask_sum_o, .ask_kind_o,
    .ask_edge_o, .ask_group_o, .ask_message_o, .ask_err_vector_o,
    .wait_begin_o(wait_begin), .wait_valid_o(wait_valid), .wait_ready_i(wait_ready),
    .wait_sum_o(wait_sum), .wait_edge_o(wait_edge),
    .read_taken_i(state_q == StOwn || own_words), .read_busy_o(send_reading),
    .read_valid_o(send_read),
    .read_ready_i(read_ready), .read_slot_o(send_read_slot), .read_result_o(send_read_result),
    .words_valid_i(words_valid && !own_words), .words_data_i(words_data), .words_keep_i(words_keep),
    .words_last_i(words_last),
    .out_tvalid_o, .out_tready_i, .out_tdata_o, .out_tkeep_o, .out_tlast_o,
    .res_tvalid_o, .res_tready_i, .res_tdata_o, .res_tkeep_o, .res_tlast_o, .res_slot_o(res_slot),
    .res_ranks_o, .res_ended_o, .res_group_o, .res_message_o, .res_err_vector_o
  );
  assign ask_slot_o = out_slot;
  assign res_slot_o = res_slot[PartW+:SlotW];
  logic unused_part;
  assign unused_part = ^res_slot[PartW-1:0];

endmodule
