// SPDX-License-Identifier: BSD-2-Clause
// The segment store of TREE and RING: the map from numbers to slots, the segments with their ALU, the hold side and the
// planners of moves, joined. Requests, local data, packets and acknowledgements come in; packets for neighbours, results
// for local ranks and finished chunks go out. docs/rtl-store.md describes the interfaces.
//
// An operation is a packet of words on in_*, whose header stays the same for all of its words. The store looks up its
// group, its route, its plan and its slot, and then lets the words into the slot; the answer comes when the slot has
// decided. Operations are processed one after another: about 45 clocks each, and one for each further word. What is due
// is sent meanwhile. A post needs post_ready_o; all other operations are always taken in the end, whatever happens to the
// output, so stores that send to each other never wait in a circle.
//
// The firmware writes the tables of a group before it raises the group's limit.
module tally_store #(
  parameter int unsigned Slots = 256,
  parameter int unsigned Groups = 64,
  parameter int unsigned GroupSegs = tally_pkg::MaxGroupSegs,
  parameter int unsigned Words = tally_pkg::MaxMtu / 64,
  parameter int unsigned Width = 512,
  parameter int unsigned Contributors = tally_pkg::MaxContributors,
  parameter int unsigned Ranks = tally_pkg::MaxRanks,
  localparam int unsigned Bytes = Width / 8,
  localparam int unsigned SlotW = $clog2(Slots),
  localparam int unsigned GroupW = $clog2(Groups),
  localparam int unsigned EdgeW = $clog2(Contributors),
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
  input  logic [EdgeW:0]              group_edges_i,  // number of contributors
  input  logic [15:0]                 group_mtu_i,
  input  logic                        route_write_i,  // nodes behind a contributor
  input  logic [GroupW-1:0]           route_group_i,
  input  logic [EdgeW-1:0]            route_edge_i,
  input  logic [NodeW-1:0]            route_first_i,
  input  logic [NodeW-1:0]            route_count_i,
  input  logic                        inverse_write_i,  // of the number of ranks
  input  logic [GroupW-1:0]           inverse_group_i,
  input  logic [DownW-1:0]            inverse_down_i,
  input  logic [InverseW-1:0]         inverse_i,

  // CmdBegin and CmdRaise of tally_segment_map.
  input  logic                        cmd_valid_i,
  output logic                        cmd_ready_o,
  input  logic                        cmd_raise_i,
  input  logic [GroupW-1:0]           cmd_group_i,

  // done and limit of a group, after each command and each finished chunk.
  output logic                        moved_valid_o,
  output logic                        moved_ok_o,
  output logic                        moved_finished_o,  // a chunk is finished
  output logic [GroupW-1:0]           moved_group_o,
  output logic [31:0]                 moved_done_o,
  output logic [31:0]                 moved_limit_o,

  // Operations.
  output logic                        post_ready_o,  // OpPost may be offered
  input  logic                        in_tvalid_i,
  output logic                        in_tready_o,
  input  logic [Width-1:0]            in_tdata_i,
  input  logic [Bytes-1:0]            in_tkeep_i,
  input  logic                        in_tlast_i,
  input  tally_store_pkg::op_e        in_op_i,
  input  logic [GroupW-1:0]           in_group_i,
  input  tally_segment_pkg::message_t in_message_i,  // `first` is computed; requests: `count` of whole chunks
  input  logic                        in_last_i,     // packets: the last chunk of its message
  input  logic [15:0]                 in_bytes_i,    // of the data
  input  logic [15:0]                 in_err_vector_i,
  input  logic [7:0]                  in_edge_i,     // packets: the neighbour; OpData: the rank
  input  logic [Ranks-1:0]            in_ranks_i,    // OpPost: ranks that have posted
  input  logic                        in_rank_i,     // OpTaken: by rank in_edge_i
  input  logic                        in_sum_i,      // OpTaken: the sum was acknowledged

  output logic                        answer_valid_o,
  output tally_store_pkg::answer_e    answer_o,
  output logic [15:0]                 answer_status_o,

  // Packets and results, each with its header.
  output logic                        out_tvalid_o,
  input  logic                        out_tready_i,
  output logic [Width-1:0]            out_tdata_o,
  output logic [Bytes-1:0]            out_tkeep_o,
  output logic                        out_tlast_o,
  output tally_store_pkg::send_e      out_kind_o,
  output logic [7:0]                  out_edge_o,
  output logic [Ranks-1:0]            out_ranks_o,  // SendRanks: to these
  output logic [GroupW-1:0]           out_group_o,
  output tally_segment_pkg::message_t out_message_o,
  output logic [15:0]                 out_err_vector_o
);
  localparam int unsigned PlanGroupW = $bits(group_i);
  localparam int unsigned TableW = PlanGroupW + EdgeW + 1 + 16;
  localparam int unsigned MessageW = $bits(in_message_i);

  typedef enum logic [3:0] {
    StIdle,
    StGroup,    // the group is read
    StRoute,    // the way to the root is looked for
    StAsk,
    StPlan,
    StLook,
    StLooked,
    StEnter,    // the words go into the slot
    StDrain,    // the words are dropped
    StWait,     // for the outcome
    StHold,
    StHeld,
    StClear,    // a slot is free again
    StRelease,  // a chunk is finished
    StReleased,
    StFinish
  } state_e;
  state_e state_d, state_q, back_d, back_q;

  // ---- The operation ----
  tally_store_pkg::op_e op_q;
  tally_segment_pkg::message_t message_q;
  logic [GroupW-1:0] group_q;
  logic [15:0] bytes_q, err_q;
  logic [7:0] edge_q;
  logic [Ranks-1:0] ranks_q;
  logic last_q, rank_q, sum_q, take, request, taken_op;

  assign request = op_q == tally_store_pkg::OpPost || op_q == tally_store_pkg::OpData;
  assign taken_op = op_q == tally_store_pkg::OpTaken;

  always_ff @(posedge clk_i) begin
    if (take) begin
      op_q <= in_op_i;
      message_q <= in_message_i;
      group_q <= in_group_i;
      bytes_q <= in_bytes_i;
      err_q <= in_err_vector_i;
      edge_q <= in_edge_i;
      ranks_q <= in_ranks_i;
      last_q <= in_last_i;
      rank_q <= in_rank_i;
      sum_q <= in_sum_i;
    end else if (state_q == StPlan && place_valid) begin
      message_q.first <= place_first;
      message_q.count <= place_count;
    end
  end

  // ---- Group, route, place and plan ----
  logic [TableW-1:0] table_mem_q [Groups];
  logic [TableW-1:0] table_q;
  tally_plan_pkg::group_t plan_group;
  tally_plan_pkg::chunk_t plan_chunk;
  logic [EdgeW:0] edges;
  logic [15:0] mtu;

  always_ff @(posedge clk_i) begin
    if (group_write_i) table_mem_q[group_index_i] <= {group_i, group_edges_i, group_mtu_i};
    if (take) table_q <= table_mem_q[in_group_i];
  end
  assign {plan_group, edges, mtu} = table_q;

  logic route_ready, route_valid, route_found, asked_q, routed_q, rooted, plan_valid, plan_known, place_valid, place_ok;
  logic [EdgeW-1:0] route_edge, route_q;
  logic place_last, place_ok_q, known_q;
  logic [31:0] place_first, place_count;
  logic [15:0] place_bytes, chunk_bytes_q;
  logic [2:0] size;
  tally_plan_pkg::plan_t plan;
  // The blocks of the plan are as wide as the protocol permits.
  // verilator lint_off UNUSEDSIGNAL
  tally_plan_pkg::plan_t plan_q;
  // verilator lint_on UNUSEDSIGNAL

  assign rooted = message_q.opcode == tally_pkg::OpcodeReduce || message_q.opcode == tally_pkg::OpcodeBcast;

  // verilator lint_off PINCONNECTEMPTY
  tally_route #(.Groups(Groups), .Contributors(Contributors), .Lanes(Contributors <= 8 ? Contributors / 2 : 8)) u_route (
    .clk_i, .rst_ni, .write_i(route_write_i), .write_group_i(route_group_i), .write_edge_i(route_edge_i),
    .write_first_i(route_first_i), .write_count_i(route_count_i),
    .in_valid_i(state_q == StRoute && !asked_q), .in_ready_o(route_ready), .in_group_i(group_q), .in_edges_i(edges),
    .in_node_i(message_q.root_node), .in_tag_i(1'b0),
    .out_valid_o(route_valid), .out_ready_i(1'b1), .out_found_o(route_found), .out_edge_o(route_edge), .out_tag_o()
  );

  // log2 of the bytes of an element: MINLOC and MAXLOC have a value and an index of at least four bytes.
  logic loc;
  assign loc = message_q.op == tally_pkg::OpMinloc || message_q.op == tally_pkg::OpMaxloc;
  assign size = loc ? (message_q.dtype[1:0] == 2'd3 ? 3'd4 : 3'd3) : {1'b0, message_q.dtype[1:0]};

  tally_place u_place (
    .clk_i, .rst_ni, .valid_i(state_q == StAsk), .request_i(request), .last_i(last_q), .sid_i(message_q.sid),
    .count_i(message_q.count), .total_i(message_q.total), .size_i(size), .mtu_i(mtu), .tag_i(1'b0),
    .valid_o(place_valid), .ok_o(place_ok), .first_o(place_first), .count_o(place_count), .last_o(place_last),
    .bytes_o(place_bytes), .tag_o()
  );

  assign plan_chunk = {message_q.mode, message_q.opcode, message_q.root_node, message_q.root_rank, message_q.sid,
                       routed_q, 6'(route_q)};
  tally_plan u_plan (
    .clk_i, .rst_ni, .valid_i(state_q == StAsk), .group_i(plan_group), .chunk_i(plan_chunk), .tag_i(1'b0),
    .valid_o(plan_valid), .known_o(plan_known), .plan_o(plan), .tag_o()
  );
  // verilator lint_on PINCONNECTEMPTY

  logic unused_last;
  assign unused_last = place_last;

  always_ff @(posedge clk_i) begin
    if (take) begin
      asked_q <= 1'b0;
      routed_q <= 1'b0;
    end else if (state_q == StRoute) begin
      if (route_ready) asked_q <= 1'b1;
      if (route_valid) routed_q <= route_found;
      route_q <= route_edge;
    end
    if (place_valid) begin
      place_ok_q <= place_ok;
      chunk_bytes_q <= place_bytes;
    end
    if (plan_valid) begin
      plan_q <= plan;
      known_q <= plan_known && message_q.mode != tally_pkg::ModeExchange;
    end
  end

  // ---- Map ----
  logic looked_valid, map_ready, map_answer, map_answer_ok, freed_valid, freed_ready, own_cmd, own_cmd_q, finish;
  tally_segment_map_pkg::mapped_e looked;
  tally_segment_map_pkg::cmd_e map_cmd;
  logic [SlotW-1:0] looked_slot, slot_q, freed_slot;
  logic [GroupW-1:0] finish_group, cmd_group_q, map_group_q;
  logic [31:0] finish_num, cmd_num_q;
  logic cmd_full_q, cmd_own_q, cmd_raise_q;

  // Commands of the firmware and of finished chunks share a place in front of the map.
  assign own_cmd = state_q == StFinish && !freed_valid;
  assign map_cmd = cmd_own_q ? tally_segment_map_pkg::CmdFinish :
                   cmd_raise_q ? tally_segment_map_pkg::CmdRaise : tally_segment_map_pkg::CmdBegin;
  assign cmd_ready_o = !cmd_full_q && !own_cmd;
  assign finish = own_cmd && !cmd_full_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) cmd_full_q <= 1'b0;
    else if (cmd_full_q) cmd_full_q <= !map_ready;
    else cmd_full_q <= own_cmd || cmd_valid_i;
  end
  always_ff @(posedge clk_i) begin
    if (!cmd_full_q) begin
      cmd_own_q <= own_cmd;
      cmd_raise_q <= cmd_raise_i;
      cmd_group_q <= own_cmd ? finish_group : cmd_group_i;
      cmd_num_q <= finish_num;
    end
    if (map_ready) own_cmd_q <= cmd_own_q;
    if (map_ready) map_group_q <= cmd_group_q;
  end

  tally_segment_map #(.Slots(Slots), .Groups(Groups), .GroupSegs(GroupSegs)) u_map (
    .clk_i, .rst_ni,
    .look_valid_i(state_q == StLook), .look_group_i(group_q), .look_num_i(message_q.num),
    .looked_valid_o(looked_valid), .looked_o(looked), .looked_slot_o(looked_slot),
    .cmd_valid_i(cmd_full_q), .cmd_ready_o(map_ready), .cmd_i(map_cmd), .cmd_group_i(cmd_group_q),
    .cmd_num_i(cmd_num_q),
    .answer_valid_o(map_answer), .answer_ready_i(1'b1), .answer_ok_o(map_answer_ok), .answer_done_o(moved_done_o),
    .answer_limit_o(moved_limit_o),
    .freed_valid_o(freed_valid), .freed_ready_i(freed_ready), .freed_slot_o(freed_slot)
  );
  assign moved_valid_o = map_answer;
  assign moved_ok_o = map_answer_ok;
  assign moved_finished_o = own_cmd_q;
  assign moved_group_o = map_group_q;
  always_ff @(posedge clk_i) begin
    if (looked_valid) slot_q <= looked_slot;
  end

  // ---- Segments ----
  logic seg_valid, seg_ready, outcome_valid, outcome_ready, opened, complete, wrong, released;
  tally_segment_pkg::kind_e seg_kind, kind_of_op, outcome_kind;
  tally_segment_pkg::verdict_e verdict;
  tally_segment_pkg::message_t seg_message, finish_message;
  logic [SlotW-1:0] seg_slot, outcome_slot, finish_slot;
  logic [15:0] status, outcome_err, seg_bytes;
  logic read_valid, read_ready, read_result;
  logic [SlotW-1:0] read_slot_q;

  // A result must come from where it is expected, and a contribution from a contributor. Others count as results of a
  // wrong length, which only open the slot.
  assign wrong = (op_q == tally_store_pkg::OpResult && edge_q != plan_q.down_edge) ||
                 (op_q == tally_store_pkg::OpReduce && edge_q >= 8'(Contributors)) ||
                 (op_q == tally_store_pkg::OpData && edge_q >= 8'(Ranks));
  assign kind_of_op = op_q == tally_store_pkg::OpPost ? tally_segment_pkg::KindPost :
                      op_q == tally_store_pkg::OpResult || wrong ? tally_segment_pkg::KindResult :
                      tally_segment_pkg::KindReduce;

  always_comb begin
    seg_valid = 1'b0;
    seg_kind = kind_of_op;
    seg_slot = slot_q;
    seg_message = message_q;
    seg_bytes = wrong ? 16'hffff : bytes_q;
    unique case (state_q)
      StEnter: seg_valid = in_tvalid_i;
      StClear: begin
        seg_valid = 1'b1;
        seg_kind = tally_segment_pkg::KindClear;
        seg_slot = freed_slot;
      end
      StRelease: begin
        seg_valid = finish_read_q;
        seg_kind = tally_segment_pkg::KindRelease;
        seg_slot = finish_slot;
        seg_message = finish_message;
      end
      default: ;
    endcase
  end

  // verilator lint_off PINCONNECTEMPTY
  tally_segment_alu #(
    .Slots(Slots), .Groups(Groups), .Words(Words), .Width(Width), .Contributors(Contributors), .Ranks(Ranks)
  ) u_segment (
    .clk_i, .rst_ni, .idle_o(),
    .in_tvalid_i(seg_valid), .in_tready_o(seg_ready), .in_tdata_i, .in_tkeep_i,
    .in_tlast_i(state_q != StEnter || in_tlast_i), .in_kind_i(seg_kind), .in_slot_i(seg_slot), .in_group_i(group_q),
    .in_message_i(seg_message), .in_bytes_i(seg_bytes), .in_err_vector_i(err_q),
    .in_rank_i(op_q == tally_store_pkg::OpData), .in_index_i(edge_q[IndexW-1:0]),
    .in_plan_bytes_i(chunk_bytes_q), .in_plan_turns_i(plan_q.turns),
    .in_plan_expected_i(plan_q.down_expected),
    .in_plan_contributors_i(plan_q.up_contributors[Contributors-1:0]), .in_plan_ranks_i(plan_q.up_ranks[Ranks-1:0]),
    .outcome_valid_o(outcome_valid), .outcome_ready_i(outcome_ready), .outcome_kind_o(outcome_kind),
    .outcome_slot_o(outcome_slot), .outcome_verdict_o(verdict), .outcome_status_o(status), .outcome_opened_o(opened),
    .outcome_complete_o(complete), .outcome_err_vector_o(outcome_err), .outcome_contributors_o(), .outcome_ranks_o(),
    .read_valid_i(read_valid), .read_ready_o(read_ready), .read_slot_i(read_slot_q), .read_result_i(read_result),
    .out_tvalid_o, .out_tready_i, .out_tdata_o, .out_tkeep_o, .out_tlast_o,
    .inverse_write_i, .inverse_group_i, .inverse_down_i, .inverse_i
  );
  // verilator lint_on PINCONNECTEMPTY
  assign in_tready_o = (state_q == StEnter && seg_ready) || state_q == StDrain;

  // ---- Headers of the slots ----
  logic [GroupW+8+MessageW-1:0] header_mem_q [Slots];
  logic [15:0] err_mem_q [Slots];
  logic [GroupW+8+MessageW-1:0] finish_header_q, send_header_q;
  logic [15:0] send_err_q;
  logic header_write, own, divided;  // the event of the hold side: the operation's outcome, or a division
  logic [7:0] send_up_edge;
  // verilator lint_off UNUSEDSIGNAL
  logic [7:0] unused_edge;
  // verilator lint_on UNUSEDSIGNAL

  assign own = state_q == StHold && !drained_q && !idle_q;
  assign divided = state_q == StHold && idle_q;
  assign header_write = own && opened;

  // ---- Hold side ----
  logic hold_valid, hold_ready, held_valid, held_ok, held_finished, held_up, posts;
  logic [SlotW-1:0] held_slot;
  logic [Contributors-1:0] held_contributors;
  logic [Ranks-1:0] held_ranks;

  assign hold_valid = state_q == StHold;
  assign posts = own && op_q == tally_store_pkg::OpPost && verdict != tally_segment_pkg::VerdictDisagrees &&
                 verdict != tally_segment_pkg::VerdictDropped;
  assign outcome_ready = (hold_ready && own) || (state_q == StReleased && released) || by_itself;
  assign released = outcome_valid && outcome_kind == tally_segment_pkg::KindRelease;

  tally_segment_hold #(.Slots(Slots), .Contributors(Contributors), .Ranks(Ranks)) u_hold (
    .clk_i, .rst_ni,
    .in_valid_i(hold_valid), .in_ready_o(hold_ready), .in_slot_i(own ? outcome_slot : divided ? divided_slot : slot_q),
    .in_clear_i(1'b0), .in_open_i(own && opened), .in_complete_i((own && complete) || divided),
    .in_have_i(divided || (own && ((complete && plan_q.turns) ||
                                    (op_q == tally_store_pkg::OpResult && !wrong &&
                                     verdict == tally_segment_pkg::VerdictStored)))),
    .in_posted_i(posts ? ranks_q : '0), .in_taken_i(!own && !divided), .in_parent_i(sum_q), .in_rank_i(rank_q),
    .in_index_i(edge_q[IndexW-1:0]), .in_plan_up_i(plan_q.up_send), .in_plan_expected_i(plan_q.down_expected),
    .in_plan_contributors_i(plan_q.down_todo[Contributors-1:0]), .in_plan_ranks_i(plan_q.deliver[Ranks-1:0]),
    .in_plan_local_i(plan_group.rank_mask[Ranks-1:0]),
    .out_valid_o(held_valid), .out_slot_o(held_slot), .out_ok_o(held_ok), .out_finished_o(held_finished),
    .out_up_o(held_up), .out_contributors_o(held_contributors), .out_ranks_o(held_ranks)
  );

  // ---- Divided sums, and slots that are free: their outcomes must not keep the segments from taking words ----
  logic by_itself, divided_valid;
  logic [SlotW-1:0] divided_slot;
  logic [15:0] divided_err;
  assign by_itself = outcome_valid && (outcome_kind == tally_segment_pkg::KindClear ||
                                       outcome_kind == tally_segment_pkg::KindScale);
  // verilator lint_off PINCONNECTEMPTY
  tally_fifo #(.Width(SlotW + 16), .Depth(Slots)) u_divided (
    .clk_i, .rst_ni, .in_valid_i(outcome_valid && outcome_kind == tally_segment_pkg::KindScale), .in_ready_o(),
    .in_i({outcome_slot, outcome_err}), .out_valid_o(divided_valid), .out_ready_i(divided && hold_ready),
    .out_o({divided_slot, divided_err}), .used_o()
  );
  // verilator lint_on PINCONNECTEMPTY

  // ---- Finished chunks ----
  logic finish_valid;
  // verilator lint_off PINCONNECTEMPTY
  tally_fifo #(.Width(SlotW), .Depth(Slots)) u_finished (
    .clk_i, .rst_ni, .in_valid_i(held_valid && held_finished), .in_ready_o(), .in_i(held_slot),
    .out_valid_o(finish_valid), .out_ready_i(finish), .out_o(finish_slot), .used_o()
  );
  // verilator lint_on PINCONNECTEMPTY
  assign {finish_group, unused_edge, finish_message} = finish_header_q;
  assign finish_num = finish_message.num;

  always_ff @(posedge clk_i) begin
    if (header_write) header_mem_q[outcome_slot] <= {group_q, plan_q.up_edge, message_q};
    if (own || divided) err_mem_q[own ? outcome_slot : divided_slot] <= own ? outcome_err : divided_err;
    finish_header_q <= header_mem_q[finish_slot];
    send_header_q <= header_mem_q[send_slot];
    send_err_q <= err_mem_q[send_slot];
  end

  // ---- Control ----
  always_comb begin
    state_d = state_q;
    back_d = back_q;
    take = 1'b0;
    freed_ready = 1'b0;
    unique case (state_q)
      StIdle: begin
        back_d = StIdle;
        if (divided_valid) state_d = StHold;
        else if (freed_valid) state_d = StClear;
        else if (finish_valid) state_d = StRelease;
        else if (in_tvalid_i) begin
          take = 1'b1;
          state_d = StGroup;
        end
      end
      StGroup: begin
        if (taken_op) state_d = StLook;
        else if (rooted && message_q.mode == tally_pkg::ModeTree) state_d = StRoute;
        else state_d = StAsk;
      end
      StRoute: if (route_valid) state_d = StAsk;
      StAsk: state_d = StPlan;
      StPlan: if (plan_valid) state_d = StLook;
      StLook: state_d = StLooked;
      StLooked: begin
        if (looked_valid) begin
          if (taken_op || looked != tally_segment_map_pkg::MapSlot || !known_q || !place_ok_q) state_d = StDrain;
          else state_d = StEnter;
        end
      end
      StEnter: if (in_tvalid_i && seg_ready && in_tlast_i) state_d = StWait;
      StDrain: begin
        if (in_tvalid_i && in_tlast_i) state_d = taken_op && mapped_q ? StHold : StIdle;
        back_d = StIdle;
      end
      StWait: begin
        back_d = StIdle;
        if (outcome_valid && !by_itself) state_d = StHold;
      end
      StHold: if (hold_ready) state_d = StHeld;
      StHeld: if (held_valid) state_d = back_q;
      StClear: begin
        freed_ready = seg_ready;
        if (seg_ready) state_d = back_q;
      end
      StRelease: if (seg_ready && finish_read_q) state_d = StReleased;
      StReleased: if (released) state_d = StFinish;
      default: begin  // StFinish
        back_d = StFinish;
        if (freed_valid) state_d = StClear;
        else if (finish) state_d = StIdle;
      end
    endcase
  end

  logic mapped_q, finish_read_q, drained_q, idle_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= StIdle;
      back_q <= StIdle;
      finish_read_q <= 1'b0;
      drained_q <= 1'b0;
      idle_q <= 1'b0;
    end else begin
      state_q <= state_d;
      back_q <= back_d;
      if (state_q != StHold) drained_q <= state_q == StDrain;  // the event is an OpTaken,
      if (state_q != StHold) idle_q <= state_q == StIdle;      // or a division
      finish_read_q <= state_q == StRelease && state_d == StRelease;
    end
  end
  always_ff @(posedge clk_i) if (looked_valid) mapped_q <= looked == tally_segment_map_pkg::MapSlot;
  assign post_ready_o = due_ready;

  // ---- Answers ----
  logic refuses;
  assign refuses = state_q == StLooked && looked_valid && state_d == StDrain && !(taken_op && looked == tally_segment_map_pkg::MapSlot);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) answer_valid_o <= 1'b0;
    else answer_valid_o <= refuses || (own && hold_ready) ||
                           (state_q == StHeld && held_valid && taking_q);
  end
  logic taking_q;  // the event of the hold side is an OpTaken
  always_ff @(posedge clk_i) begin
    if (state_q == StHold) taking_q <= drained_q;
    answer_status_o <= own ? status : tally_pkg::CollOk;
    if (state_q == StHeld) answer_o <= held_ok ? tally_store_pkg::AnswerStored : tally_store_pkg::AnswerDropped;
    else if (state_q == StLooked) answer_o <= !taken_op && (!known_q || !place_ok_q) ? tally_store_pkg::AnswerBad :
                                              looked == tally_segment_map_pkg::MapPast ? tally_store_pkg::AnswerPast :
                                              tally_store_pkg::AnswerWindow;
    else if (verdict == tally_segment_pkg::VerdictDisagrees) answer_o <= tally_store_pkg::AnswerDisagrees;
    else if (posts || verdict == tally_segment_pkg::VerdictStored) answer_o <= tally_store_pkg::AnswerStored;
    else if (verdict == tally_segment_pkg::VerdictDuplicate && !wrong) answer_o <= tally_store_pkg::AnswerDuplicate;
    else answer_o <= tally_store_pkg::AnswerDropped;
  end

  // ---- Sending ----
  typedef enum logic [1:0] {SendIdle, SendRead, SendWords} send_state_e;
  send_state_e send_q;
  logic due_ready, due_valid;
  logic [SlotW-1:0] send_slot;
  tally_store_pkg::send_e due_kind;
  logic [EdgeW-1:0] due_edge, send_edge_q;
  logic [Ranks-1:0] due_ranks;

  tally_store_send #(.Slots(Slots), .Contributors(Contributors), .Ranks(Ranks)) u_send (
    .clk_i, .rst_ni,
    .in_valid_i(held_valid && (held_up || held_contributors != '0 || held_ranks != '0)), .in_ready_o(due_ready),
    .in_slot_i(held_slot), .in_up_i(held_up), .in_contributors_i(held_contributors), .in_ranks_i(held_ranks),
    .out_valid_o(due_valid), .out_ready_i(send_q == SendIdle), .out_slot_o(send_slot), .out_kind_o(due_kind),
    .out_edge_o(due_edge), .out_ranks_o(due_ranks)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      send_q <= SendIdle;
    end else begin
      unique case (send_q)
        SendIdle: if (due_valid) send_q <= SendRead;
        SendRead: if (read_ready) send_q <= SendWords;
        default: if (out_tvalid_o && out_tready_i && out_tlast_o) send_q <= SendIdle;
      endcase
    end
  end

  assign read_valid = send_q == SendRead;
  assign read_result = out_kind_o != tally_store_pkg::SendSum;
  always_ff @(posedge clk_i) begin
    if (send_q == SendIdle) begin
      read_slot_q <= send_slot;
      out_kind_o <= due_kind;
      send_edge_q <= due_edge;
      out_ranks_o <= due_ranks;
    end
    if (send_q == SendRead) begin
      {out_group_o, send_up_edge, out_message_o} <= send_header_q;
      out_err_vector_o <= send_err_q;
    end
  end
  assign out_edge_o = out_kind_o == tally_store_pkg::SendSum ? send_up_edge : 8'(send_edge_q);

endmodule
