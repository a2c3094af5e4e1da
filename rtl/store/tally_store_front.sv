// SPDX-License-Identifier: BSD-2-Clause
// Prepares what enters the segments: an operation from outside, or a part that enters another one.
// It looks up the group, the part, the slot, the place of the chunk, the way to the root and the
// plan, and gives all of it to the next stage as a step (step_*), while the words of the operation
// before still enter. Its words follow in the same order.
//
// in_*: the header of an operation, as tally_store has it; it is taken with the first word. own_*:
// the part own_slot_i is complete, and enters the next one; header_* has its header a clock after
// it was taken; own_waits_i: it cannot be read in this clock. look_*, looked_*: see
// tally_segment_map. If a chunk has parts, a post with ranks that give nothing, or with neighbours
// that are left out, becomes a step for the part of each of them (early), and then one for the last
// part. Between them the front waits until nothing is behind it (behind_i); if one of them has
// disagreed (spoilt_i), the last step only drops the word.
//
// older_o: the step that is prepared was looked up before the slot freed_valid_i was free, so this
// slot must not be cleared before the step has entered. ending_i: the epoch of ending_group_i ends,
// so its operations are refused, and its parts enter nothing.
//
// An operation takes 6 clocks if its plan is the one before, and 4 if it is also of the first chunk
// of its message. A plan takes 8 more.
module tally_store_front #(
  parameter int unsigned Slots = 256,
  parameter int unsigned Parts = 8,
  parameter int unsigned Groups = 64,
  parameter int unsigned Words = tally_pkg::MaxMtu / 64,
  parameter int unsigned Bytes = 64,  // of a word
  parameter int unsigned Contributors = tally_pkg::MaxContributors,
  parameter int unsigned Ranks = tally_pkg::MaxRanks,
  localparam int unsigned SlotW = $clog2(Slots),
  localparam int unsigned PartW = $clog2(Parts),
  localparam int unsigned Modes = tally_fw_pkg::PartModes,
  localparam int unsigned ModeW = $clog2(Modes),
  localparam int unsigned PlaceW = SlotW + PartW,
  localparam int unsigned GroupW = $clog2(Groups),
  localparam int unsigned EdgeW = $clog2(Contributors),
  localparam int unsigned RankW = $clog2(Ranks),
  localparam int unsigned ShiftW = $clog2($clog2(Words) + 1),
  localparam int unsigned NodeW = tally_plan_pkg::NodeW
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,
  output logic                           idle_o,

  // Tables of the groups, as of tally_store.
  input  logic                           group_write_i,
  input  logic [GroupW-1:0]              group_index_i,
  input  tally_plan_pkg::group_t         group_i,
  input  logic [EdgeW:0]                 group_edges_i,
  input  logic [15:0]                    group_mtu_i,
  input  logic                           group_ordered_i,
  input  logic [Modes-1:0][PartW-1:0] group_last_i,
  input  logic [ShiftW-1:0]              group_shift_i,
  input  logic                           part_write_i,
  input  logic [GroupW-1:0]              part_group_i,
  input  logic [ModeW-1:0]               part_mode_i,
  input  logic [PartW-1:0]               part_index_i,
  input  logic [Contributors-1:0]        part_ins_i,
  input  logic [Contributors-1:0]        part_outs_i,
  input  logic [1:0]                     part_inner_i,
  input  logic [PartW-1:0]               part_next_i,
  input  logic                           part_right_i,
  input  logic                           edge_write_i,
  input  logic [GroupW-1:0]              edge_group_i,
  input  logic [EdgeW-1:0]               edge_index_i,
  input  logic [7:0]                     edge_round_i,
  input  logic [Modes-1:0][PartW-1:0] edge_part_i,
  input  logic                           rank_write_i,
  input  logic [GroupW-1:0]              rank_group_i,
  input  logic [RankW-1:0]               rank_index_i,
  input  logic [Modes-1:0][PartW-1:0] rank_part_i,
  input  logic [Modes-1:0]               rank_right_i,
  input  logic                           route_write_i,
  input  logic [GroupW-1:0]              route_group_i,
  input  logic [EdgeW-1:0]               route_edge_i,
  input  logic [NodeW-1:0]               route_first_i,
  input  logic [NodeW-1:0]               route_count_i,

  input  logic                           in_valid_i,
  output logic                           in_ready_o,
  input  tally_fw_pkg::store_op_e        in_op_i,
  input  logic [GroupW-1:0]              in_group_i,
  input  tally_segment_pkg::message_t    in_message_i,
  input  logic                           in_last_i,
  input  logic [15:0]                    in_bytes_i,
  input  logic [15:0]                    in_err_vector_i,
  input  logic [7:0]                     in_edge_i,
  input  logic [7:0]                     in_round_i,
  input  logic [Ranks-1:0]               in_ranks_i,
  input  logic [Ranks-1:0]               in_absent_i,
  input  logic [Ranks-1:0]               in_quits_i,
  input  logic [Contributors-1:0]        in_out_i,
  input  logic                           in_rank_i,
  input  logic                           in_sum_i,

  input  logic                           own_valid_i,
  input  logic                           own_waits_i,
  output logic                           own_ready_o,
  input  logic [PlaceW-1:0]              own_slot_i,
  input  logic [GroupW-1:0]              header_group_i,
  input  logic [15:0]                    header_bytes_i,
  input  logic [15:0]                    header_err_vector_i,
  input  tally_segment_pkg::message_t    header_message_i,

  output logic                           look_valid_o,
  output logic [GroupW-1:0]              look_group_o,
  output logic [31:0]                    look_num_o,
  input  logic                           looked_valid_i,
  input  tally_segment_map_pkg::mapped_e looked_i,
  input  logic [SlotW-1:0]               looked_slot_i,
  input  logic                           freed_valid_i,
  input  logic                           freed_ready_i,
  output logic                           older_o,

  input  logic                           ending_i,
  input  logic [GroupW-1:0]              ending_group_i,
  input  logic                           behind_i,
  input  logic                           spoilt_i,

  // What the firmware reads: see tally_store_look. The answer comes a clock later.
  input  logic                           table_valid_i,
  output logic                           table_ready_o,
  input  logic [GroupW-1:0]              table_group_i,
  input  logic [7:0]                     table_mode_i,
  input  logic [PartW-1:0]               table_part_i,
  input  logic [EdgeW-1:0]               table_edge_i,
  output logic                           table_ordered_o,
  output logic [Modes-1:0][PartW-1:0]    table_last_o,
  output logic [Ranks-1:0]               table_ranks_o,
  output logic [Contributors-1:0]        table_ins_o,
  output logic [Contributors-1:0]        table_outs_o,
  output logic [7:0]                     table_round_o,

  output logic                           step_valid_o,
  input  logic                           step_ready_i,
  output tally_store_pkg::step_t         step_o
);
  typedef enum logic [3:0] {
    StIdle,
    StLoad,   // the header of a part has been read
    StTable,  // the group is read
    StGroup,
    StRoute,  // the way to the root is looked for
    StAsk,
    StPlan,   // for the plan, the place and the slot
    StReady,
    StEarly   // until it is known what has become of the step
  } state_e;
  state_e state_d, state_q;

  // ---- The operation ----
  tally_store_pkg::job_e job_q;
  tally_fw_pkg::store_op_e op_q;
  tally_segment_pkg::message_t message_q;
  logic [PlaceW-1:0] slot_q;  // of the part that enters another one
  logic [GroupW-1:0] group_q;
  logic [15:0] bytes_q, err_q;
  logic [7:0] edge_q, round_q, early_index_q;
  logic [Ranks-1:0] ranks_q, absent_q, quits_q;
  // contributors that are left out, and those of which a step is still to come
  logic [Contributors-1:0] out_q, left_q;
  logic rank_q, sum_q, take, own, post, taken_op, exchange, reduces, shaped;
  logic early, early_rank, second_q, drops_q, goes_on, leaves;

  // What the firmware reads of the tables, while no operation needs them.
  logic looks;
  assign table_ready_o = state_q == StIdle;
  assign looks = table_valid_i && table_ready_o;

  assign own_ready_o = state_q == StIdle && own_valid_i && !own_waits_i;
  assign in_ready_o = state_q == StIdle && !own_valid_i;
  assign take = in_valid_i && in_ready_o;
  assign own = job_q == tally_store_pkg::JobOwn;
  assign taken_op = !own && op_q == tally_fw_pkg::StoreOpTaken;
  assign exchange = message_q.mode == tally_pkg::ModeExchange;
  assign reduces = message_q.opcode == tally_pkg::OpcodeAllreduce ||
                   message_q.opcode == tally_pkg::OpcodeReduce;
  assign shaped = exchange || (ordered && reduces);  // the chunk has parts
  assign goes_on = state_q == StEarly && !behind_i;
  assign post = !own && op_q == tally_fw_pkg::StoreOpPost;
  assign early_rank = absent_q != '0;
  assign early = post && shaped && !drops_q && (early_rank || left_q != '0);

  // The lowest rank or else contributor of which a step is to come. It is looked for in the clock
  // before the tables are read: as an operation comes, and in StEarly.
  logic [Ranks-1:0] named_ranks;
  logic [Contributors-1:0] named_out;

  // The lowest bit, in two levels of eight each.
  function automatic logic [5:0] lowest(input logic [63:0] bits);
    logic [7:0][2:0] low;
    logic [2:0] high;
    high = '0;
    for (int unsigned i = 8; i > 0; i--) begin
      low[i-1] = '0;
      for (int unsigned k = 8; k > 0; k--) if (bits[8*(i-1)+k-1]) low[i-1] = 3'(k - 1);
      if (bits[8*(i-1)+:8] != '0) high = 3'(i - 1);
    end
    lowest = {high, low[high]};
  endfunction

  assign named_ranks = state_q == StIdle ? in_absent_i : absent_q;
  assign named_out = state_q == StIdle ? in_out_i : left_q;
  always_ff @(posedge clk_i) begin
    early_index_q <= {2'b00, named_ranks != '0 ? lowest(64'(named_ranks)) : lowest(64'(named_out))};
  end

  always_ff @(posedge clk_i) begin
    if (take) begin
      job_q <= tally_store_pkg::JobOp;
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
      out_q <= in_out_i;
      left_q <= in_out_i;
      rank_q <= in_rank_i;
      sum_q <= in_sum_i;
    end else if (own_ready_o) begin
      job_q <= tally_store_pkg::JobOwn;
      slot_q <= own_slot_i;
    end else if (leaves && early) begin
      absent_q <= absent_q & (absent_q - 1'b1);
      if (!early_rank) left_q <= left_q & (left_q - 1'b1);
    end else if (state_q == StLoad) begin
      message_q <= header_message_i;
      group_q <= header_group_i;
      bytes_q <= header_bytes_i;
      err_q <= header_err_vector_i;
    end else if (place_valid) begin
      message_q.first <= place_first;
      message_q.count <= place_count;
    end
    if (take || own_ready_o) begin
      second_q <= 1'b0;
      drops_q <= 1'b0;
    end else if (goes_on) begin
      second_q <= 1'b1;
      drops_q <= spoilt_i;
    end
  end

  // ---- Group, and part of the chunk ----
  tally_plan_pkg::group_t group;
  logic [EdgeW:0] edges;
  logic [15:0] mtu;
  logic ordered;
  logic [PartW-1:0] read_last, last_q, last_part, part_q;
  logic [ShiftW-1:0] shift;
  logic [Contributors-1:0] ins, outs;
  logic [1:0] inner;
  logic part_ok_q, right_q;

  tally_store_tables #(.Groups(Groups), .Parts(Parts), .Contributors(Contributors), .Ranks(Ranks),
                       .ShiftW(ShiftW)) u_tables (
    .clk_i, .rst_ni, .group_write_i, .group_index_i, .group_i, .group_edges_i, .group_mtu_i,
    .group_ordered_i, .group_last_i, .group_shift_i,
    .part_write_i, .part_group_i, .part_mode_i, .part_index_i, .part_ins_i, .part_outs_i,
    .part_inner_i, .part_next_i, .part_right_i,
    .edge_write_i, .edge_group_i, .edge_index_i, .edge_round_i, .edge_part_i,
    .rank_write_i, .rank_group_i, .rank_index_i, .rank_part_i, .rank_right_i,
    .read_group_i(looks ? table_group_i : group_q), .read_o(group), .read_edges_o(edges),
    .read_mtu_o(mtu),
    .read_ordered_o(ordered), .read_last_o(read_last), .read_shift_o(shift),
    .read_lasts_o(table_last_o), .read_round_o(table_round_o),
    .mode_i(looks ? table_mode_i : message_q.mode), .load_i(looks || state_q == StTable),
    .from_i(looks ? table_part_i : slot_q[PartW-1:0]),
    .from_edge_i(looks ? 8'(table_edge_i) : post ? early_index_q : edge_q),
    .choose_i(state_q == StGroup), .job_i(job_q), .op_i(op_q), .shaped_i(shaped),
    .early_i(early), .early_rank_i(early_rank),
    .round_i(round_q), .rank_i(rank_q), .part_o(part_q),
    .part_ok_o(part_ok_q), .right_o(right_q), .ins_o(ins), .outs_o(outs), .inner_o(inner)
  );

  always_ff @(posedge clk_i) if (state_q == StGroup) last_q <= read_last;

  assign table_ordered_o = ordered;
  assign table_ranks_o = group.rank_mask[Ranks-1:0];
  assign table_ins_o = ins;
  assign table_outs_o = outs;

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
  assign loc = in_message_i.op == tally_pkg::OpMinloc || in_message_i.op == tally_pkg::OpMaxloc;
  assign size = loc ? (in_message_i.dtype[1:0] == 2'd3 ? 3'd4 : 3'd3) :
                      {1'b0, in_message_i.dtype[1:0]};

  // It begins with the operation, before its group is read.
  tally_place u_place (
    .clk_i, .rst_ni, .valid_i(take && in_op_i != tally_fw_pkg::StoreOpTaken),
    .request_i(in_op_i == tally_fw_pkg::StoreOpPost || in_op_i == tally_fw_pkg::StoreOpData),
    .last_i(in_last_i),
    .sid_i(in_message_i.sid),
    .count_i(in_message_i.count), .total_i(in_message_i.total), .size_i(size), .mtu_i(mtu),
    .valid_o(place_valid), .ok_o(place_ok), .first_o(place_first), .count_o(place_count),
    .last_o(place_last),
    .bytes_o(place_bytes)
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
    if (take || own_ready_o) begin
      asked_q <= 1'b0;
      routed_q <= 1'b0;
      placed_q <= 1'b0;
      planned_q <= 1'b0;
    end else if (state_q == StRoute) begin
      if (route_ready) asked_q <= 1'b1;
      if (route_valid) routed_q <= route_found;
      route_q <= route_edge;
    end
    if (state_q == StLoad) chunk_bytes_q <= header_bytes_i;
    written_q <= written || (written_q && !take);
    if (state_q == StAsk) plan_key_q <= plan_key;
    if (place_valid) begin
      placed_q <= 1'b1;
      place_ok_q <= place_ok && (!shaped || place_bytes <= 16'(Bytes) << shift);
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

  // ---- The slot, which is looked up at once, and may be free when the step leaves ----
  tally_segment_map_pkg::mapped_e found_q;
  logic [SlotW-1:0] found_slot_q;
  logic looked_q, asks_q, old_q;
  assign look_valid_o = state_q == StTable && !own && !second_q;
  assign look_group_o = group_q;
  assign look_num_o = message_q.num;
  assign older_o = asks_q && old_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) asks_q <= 1'b0;
    else asks_q <= look_valid_o || (asks_q && state_q != StIdle);
  end
  always_ff @(posedge clk_i) begin
    if (take) looked_q <= 1'b0;
    else if (looked_valid_i) looked_q <= 1'b1;
    if (looked_valid_i) found_q <= looked_i;
    if (looked_valid_i) found_slot_q <= looked_slot_i;
    // What is looked up while a slot is free has not found it, but maybe the one that is free next.
    if (look_valid_o) old_q <= !freed_valid_i || freed_ready_i;
    else if (freed_ready_i) old_q <= 1'b1;
  end

  // ---- Steps ----
  always_comb begin
    state_d = state_q;
    unique case (state_q)
      StIdle: if (own_ready_o) state_d = StLoad;
              else if (take) state_d = StTable;
      StLoad: state_d = StTable;
      StTable: state_d = StGroup;
      StGroup: begin
        if (own && exchange) state_d = StReady;
        else if (taken_op || plan_again || second_q) state_d = StPlan;
        else if (rooted && message_q.mode == tally_pkg::ModeTree) state_d = StRoute;
        else state_d = StAsk;
      end
      StRoute: if (route_valid) state_d = StAsk;
      StAsk: state_d = StPlan;
      StPlan: begin
        if ((own || looked_q || looked_valid_i) &&
            (taken_op || ((own || placed_q || place_valid) && (planned_q || plan_valid)))) begin
          state_d = StReady;
        end
      end
      StReady: if (leaves) state_d = early && enters ? StEarly : StIdle;
      default: if (goes_on) state_d = StTable;  // StEarly
    endcase
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) state_q <= StIdle;
    else state_q <= state_d;
  end
  assign idle_o = state_q == StIdle;

  // A step enters the segments, or is that of a receiver that has its copy; or it is refused.
  logic refused, here, enters, stranger, ends_here;
  assign refused = ending_i && group_q == ending_group_i && !(taken_op && rank_q);
  assign here = found_q == tally_segment_map_pkg::MapSlot && part_ok_q && !refused && !drops_q;
  assign enters = own ? !refused : here && !taken_op && known_q && place_ok_q && !stranger;
  // a chunk with parts: not a neighbour that gives data
  assign stranger = shaped && op_q == tally_fw_pkg::StoreOpReduce &&
                    (edge_q >= 8'(Contributors) || !ins[edge_q[EdgeW-1:0]]);
  assign last_part = shaped ? last_q : '0;
  assign ends_here = part_q == last_part;
  // A part of an epoch that ends enters nothing.
  assign step_valid_o = state_q == StReady && !(own && refused);
  assign leaves = state_q == StReady && (step_ready_i || (own && refused));

  always_comb begin
    step_o = '0;
    step_o.own = own;
    step_o.early = early;
    step_o.drops = drops_q;
    step_o.enters = enters;
    step_o.holds = !own && here && taken_op;
    step_o.op = 8'(op_q);
    step_o.group_ = 16'(group_q);
    step_o.slot = 16'({found_slot_q, part_q});
    if (own) step_o.slot = 16'({slot_q[PartW+:SlotW], part_q});
    step_o.from_part = 8'(slot_q[PartW-1:0]);
    step_o.message = message_q;
    step_o.bytes = bytes_q;
    step_o.err_vector = err_q;
    step_o.edge_ = edge_q;
    step_o.right = right_q;
    step_o.rank = rank_q;
    step_o.sum = sum_q;
    step_o.ranks = 64'(ranks_q);
    step_o.absent = 64'(absent_q);
    if (early) step_o.absent = early_rank ? 64'(1) << right_q : '0;
    step_o.quits = 64'(quits_q);
    step_o.out = 64'(out_q);
    // A result must come from where it is expected, and a contribution from a contributor. Others
    // count as results of a wrong length, which only open the slot.
    step_o.wrong = !own &&
                   ((op_q == tally_fw_pkg::StoreOpResult && edge_q != plan_q.down_edge) ||
                    (op_q == tally_fw_pkg::StoreOpReduce && edge_q >= 8'(Contributors)) ||
                    (op_q == tally_fw_pkg::StoreOpData && edge_q >= 8'(Ranks)));
    // The plan of the part. The last one has the moves of the chunk, the others only combine.
    step_o.exchange = exchange;
    step_o.shaped = shaped;
    step_o.last_part = 8'(last_part);
    step_o.ends = ends_here;
    step_o.chunk_bytes = chunk_bytes_q;
    step_o.shift = 8'(shift);
    step_o.turns = ends_here && (exchange || plan_q.turns);
    step_o.expected = ends_here && (exchange || plan_q.down_expected);
    step_o.result = exchange || step_o.expected;
    step_o.up_send = ends_here && !exchange && plan_q.up_send;
    step_o.up_edge = plan_q.up_edge;
    step_o.down_edge = plan_q.down_edge;
    step_o.chunk_up = plan_q.up_send;
    step_o.chunk_down = plan_q.down_expected;
    step_o.contributors = exchange ? 64'(ins) : plan_q.up_contributors;
    if (shaped) step_o.contributors = step_o.contributors & 64'(ins);
    // Ranks and parts that enter this one are its left and its right input.
    step_o.givers = shaped ? 64'(inner) : plan_q.up_ranks;
    if (ends_here) step_o.copies = exchange ? '0 : plan_q.down_todo;
    else step_o.copies = exchange ? 64'(outs) : '0;
    if (ends_here) step_o.deliver = exchange ? 64'(group.rank_mask) : plan_q.deliver;
    step_o.local_ = ends_here ? 64'(group.rank_mask) : '0;
    if (refused) step_o.answer = 8'(tally_fw_pkg::StoreAnswerEnded);
    else if (found_q == tally_segment_map_pkg::MapSlot && taken_op) begin
      step_o.answer = 8'(tally_fw_pkg::StoreAnswerDropped);
    end else if (!taken_op && (!known_q || !place_ok_q || stranger)) begin
      step_o.answer = 8'(tally_fw_pkg::StoreAnswerBad);
    end else if (found_q == tally_segment_map_pkg::MapPast) begin
      step_o.answer = 8'(tally_fw_pkg::StoreAnswerPast);
    end else step_o.answer = 8'(tally_fw_pkg::StoreAnswerWindow);
  end

  logic unused;
  assign unused = place_last;
endmodule
