// SPDX-License-Identifier: BSD-2-Clause
// The segment store of TREE, EXCHANGE and RING: the map from numbers to slots, the segments with
// their ALU, the hold side and the planners of moves, joined. Requests, local data, packets and
// acknowledgements come in; packets for neighbours, results for local ranks and finished chunks go
// out. docs/rtl-store.md describes the interfaces.
//
// An operation is a packet of words on in_*, whose header stays the same for all of its words. It
// goes through three stages, each of which has one at a time: the front looks up its group, its
// route, its plan and its slot (tally_store_front), then the words enter the slot, and when the
// slot has decided, the hold side hears of it, and the answer comes. So an operation of many words
// takes one clock for each of them, and one of few words eight clocks, or more if a plan is made.
// What is due is sent meanwhile. A post needs post_ready_o; all other operations are always taken
// in the end, whatever happens to the output, so stores that send to each other never wait in a
// circle.
//
// A chunk of EXCHANGE, and a reduction of a group in fixed order, has a part for each two inputs
// that are combined, so that its reduction has the fixed shape. Each is a slot of its own in the
// segments and on the hold side, numbered behind the chunk's slot. They share its words: a part has
// 2**group_shift_i of them, so a chunk is not longer than that, and the group does not have more
// parts than fit into Words words.
//
// The firmware writes the tables of a group before it raises the group's limit.
module tally_store #(
  parameter int unsigned Slots = 256,
  parameter int unsigned Parts = tally_fw_pkg::StoreParts,  // of a chunk; a power of two
  parameter int unsigned Groups = 64,
  parameter int unsigned GroupSegs = tally_pkg::MaxGroupSegs,
  parameter int unsigned Words = tally_pkg::MaxMtu / 64,
  parameter int unsigned Width = 512,
  parameter int unsigned Contributors = tally_pkg::MaxContributors,
  parameter int unsigned Ranks = tally_pkg::MaxRanks,
  localparam int unsigned Bytes = Width / 8,
  localparam int unsigned SlotW = $clog2(Slots),
  localparam int unsigned PartW = $clog2(Parts),
  localparam int unsigned Modes = tally_fw_pkg::PartModes,
  localparam int unsigned ModeW = $clog2(Modes),
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
  input  logic                        group_ordered_i,
  input  logic [Modes-1:0][PartW-1:0] group_last_i, // of chunks with parts, with what follows:
  input  logic [ShiftW-1:0]           group_shift_i,   // see tally_store_tables
  input  logic                        part_write_i,
  input  logic [GroupW-1:0]           part_group_i,
  input  logic [ModeW-1:0]            part_mode_i,
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
  input  logic [Modes-1:0][PartW-1:0] edge_part_i,
  input  logic                        rank_write_i,
  input  logic [GroupW-1:0]           rank_group_i,
  input  logic [RankW-1:0]            rank_index_i,
  input  logic [Modes-1:0][PartW-1:0] rank_part_i,
  input  logic [Modes-1:0]            rank_right_i,
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
  // StoreOpPost: ranks that have posted; StoreOpData of a chunk without parts: these, too
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

  // What the firmware reads of a chunk: see tally_store_look.
  input  logic                        read_valid_i,
  output logic                        read_ready_o,
  input  logic [GroupW-1:0]           read_group_i,
  input  logic [31:0]                 read_index_i,
  output logic                        look_valid_o,
  output tally_store_pkg::look_t      look_o,

  // Contributions disagree: an operation with the slot, beside its answer, or a part with the one
  // that it enters. Who disagrees: the contributor, or the ranks, or nobody if it is a part. The
  // next disagreement waits for the ready, and with it all operations.
  output logic                        disagree_valid_o,
  input  logic                        disagree_ready_i,
  output logic [GroupW-1:0]           disagree_group_o,
  output logic [15:0]                 disagree_status_o,
  output logic [31:0]                 disagree_mid_o,
  output logic [31:0]                 disagree_sid_o,
  output logic [63:0]                 disagree_contributors_o,
  output logic [63:0]                 disagree_ranks_o,

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
  localparam int unsigned HeaderW = GroupW + 9 + 9 + 16 + MessageW;
  localparam int unsigned Due = (3 + Parts) * Slots + tally_store_pkg::Inside;
  localparam int unsigned WaitW = $clog2(Slots * Parts + 2);
  localparam int unsigned DueW = $clog2(Due + 1);

  // ---- Operations that enter ----
  //
  // The header of an operation is taken by the front with its first word. Its words wait until the
  // step has come to the next stage.
  localparam int unsigned Depth = 16;  // words, more than come while a step is prepared
  logic first_q, front_ready, words_room, word_valid, word_pop, word_last;
  logic [Width-1:0] word_data;
  logic [Bytes-1:0] word_keep;

  assign in_tready_o = words_room && (!first_q || (front_ready && !stop));
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) first_q <= 1'b1;
    else if (in_tvalid_i && in_tready_o) first_q <= in_tlast_i;
  end
  // verilator lint_off PINCONNECTEMPTY
  tally_fifo #(.Width(Width + Bytes + 1), .Depth(Depth)) u_words (
    .clk_i, .rst_ni, .in_valid_i(in_tvalid_i && in_tready_o), .in_ready_o(words_room),
    .in_i({in_tdata_i, in_tkeep_i, in_tlast_i}), .out_valid_o(word_valid), .out_ready_i(word_pop),
    .out_o({word_data, word_keep, word_last}), .used_o()
  );
  // verilator lint_on PINCONNECTEMPTY

  // ---- What the stages do at a time ----
  typedef enum logic [3:0] {
    EnIdle,
    EnOwn,      // a part is to be read, if it has data
    EnEnter,    // the words go into the slot
    EnDrain,    // the words are dropped
    EnRelease,  // a chunk is finished
    EnFree,     // a slot is free again
    EnClear,
    EnTell,     // the hold side hears of it, if the epoch has ended
    EnCleared
  } enter_e;
  typedef enum logic [2:0] {
    BkIdle,
    BkLoad,  // the header of a slot has been read
    BkWait,  // for the outcome
    BkHold,
    BkHeld
  } back_e;
  enter_e en_d, en_q;
  back_e bk_d, bk_q;
  tally_store_pkg::job_e job, job_q;  // of the last stage

  // ---- What the firmware reads ----
  logic look_busy, peek_valid, peek_ready, peeked_valid, peeked_ok, seg_look_valid, seg_look_ready,
      seg_open, seg_finished, hold_look_valid, hold_look_ready, hold_busy, hold_up, hold_have,
      hold_awaits, header_look_valid, header_look_ready, table_valid, table_ready, table_ordered,
      unused_seg_looked, unused_hold_looked;
  logic [GroupW-1:0] peek_group, table_group;
  logic [31:0] peek_index, peeked_done, peeked_held;
  logic [SlotW-1:0] peeked_slot;
  logic [PlaceW-1:0] look_place;
  logic [Contributors-1:0] seg_lacks, hold_copies, table_ins, table_outs;
  logic [Ranks-1:0] hold_ranks, hold_unposted, table_ranks;
  logic [7:0] table_mode, table_round;
  logic [PartW-1:0] table_part;
  logic [EdgeW-1:0] table_edge;
  logic [Modes-1:0][PartW-1:0] table_last;
  tally_store_look #(
    .Slots(Slots), .Parts(Parts), .Groups(Groups), .Contributors(Contributors), .Ranks(Ranks)
  ) u_look (
    .clk_i, .rst_ni, .busy_o(look_busy), .read_valid_i, .read_ready_o, .read_group_i,
    .read_index_i, .look_valid_o, .look_o,
    .peek_valid_o(peek_valid), .peek_ready_i(peek_ready), .peek_group_o(peek_group),
    .peek_index_o(peek_index), .peeked_valid_i(peeked_valid), .peeked_ok_i(peeked_ok),
    .peeked_done_i(peeked_done), .peeked_held_i(peeked_held), .peeked_slot_i(peeked_slot),
    .place_o(look_place),
    .seg_valid_o(seg_look_valid), .seg_ready_i(seg_look_ready), .seg_busy_i(seg_open),
    .seg_finished_i(seg_finished), .seg_contributors_i(seg_lacks),
    .hold_valid_o(hold_look_valid), .hold_ready_i(hold_look_ready), .hold_busy_i(hold_busy),
    .hold_up_i(hold_up), .hold_have_i(hold_have), .hold_awaits_i(hold_awaits),
    .hold_contributors_i(hold_copies), .hold_ranks_i(hold_ranks),
    .hold_unposted_i(hold_unposted),
    .header_valid_o(header_look_valid), .header_ready_i(header_look_ready),
    .header_group_i(header_group), .header_message_i(header_message),
    .header_up_edge_i(header_up_edge),
    .header_up_i(header_up), .header_down_edge_i(header_down_edge),
    .header_down_i(header_down),
    .table_valid_o(table_valid), .table_ready_i(table_ready), .table_group_o(table_group),
    .table_mode_o(table_mode), .table_part_o(table_part), .table_edge_o(table_edge),
    .table_ordered_i(table_ordered), .table_last_i(table_last), .table_ranks_i(table_ranks),
    .table_ins_i(table_ins), .table_outs_i(table_outs), .table_round_i(table_round)
  );

  // ---- The first stage ----
  logic front_idle, step_valid, step_ready, older, own_valid, own_begins, look_valid;
  logic [GroupW-1:0] look_group, header_group;
  logic [31:0] look_num;
  logic [PlaceW-1:0] own_slot;
  logic [15:0] header_bytes, header_err_q;
  tally_segment_pkg::message_t header_message;
  // verilator lint_off UNUSEDSIGNAL
  tally_store_pkg::step_t step;  // its fields are as wide as the protocol permits
  // verilator lint_on UNUSEDSIGNAL
  tally_store_front #(
    .Slots(Slots), .Parts(Parts), .Groups(Groups), .Words(Words), .Bytes(Bytes),
    .Contributors(Contributors), .Ranks(Ranks)
  ) u_front (
    .clk_i, .rst_ni, .idle_o(front_idle), .group_write_i, .group_index_i, .group_i, .group_edges_i,
    .group_mtu_i, .group_ordered_i, .group_last_i, .group_shift_i, .part_write_i, .part_group_i,
    .part_mode_i, .part_index_i,
    .part_ins_i, .part_outs_i, .part_inner_i, .part_next_i, .part_right_i, .edge_write_i,
    .edge_group_i, .edge_index_i, .edge_round_i, .edge_part_i, .rank_write_i, .rank_group_i,
    .rank_index_i, .rank_part_i, .rank_right_i, .route_write_i, .route_group_i, .route_edge_i,
    .route_first_i, .route_count_i,
    .in_valid_i(in_tvalid_i && first_q && words_room && !stop), .in_ready_o(front_ready), .in_op_i,
    .in_group_i, .in_message_i, .in_last_i, .in_bytes_i, .in_err_vector_i, .in_edge_i,
    .in_round_i, .in_ranks_i, .in_absent_i, .in_quits_i, .in_out_i, .in_rank_i, .in_sum_i,
    .own_valid_i(own_valid && due_ready_q), .own_waits_i(loads), .own_ready_o(own_begins),
    .own_slot_i(own_slot), .header_group_i(header_group), .header_bytes_i(header_bytes),
    .header_err_vector_i(header_err_q), .header_message_i(header_message),
    .look_valid_o(look_valid), .look_group_o(look_group), .look_num_o(look_num),
    .looked_valid_i(found_valid), .looked_i(found), .looked_slot_i(found_slot),
    .freed_valid_i(freed_valid), .freed_ready_i(freed_ready), .older_o(older),
    .ending_i(ending), .ending_group_i(end_group),
    .behind_i(en_q != EnIdle || !bk_rests), .spoilt_i(spoilt_q),
    .table_valid_i(table_valid), .table_ready_o(table_ready), .table_group_i(table_group),
    .table_mode_i(table_mode), .table_part_i(table_part), .table_edge_i(table_edge),
    .table_ordered_o(table_ordered), .table_last_o(table_last), .table_ranks_o(table_ranks),
    .table_ins_o(table_ins), .table_outs_o(table_outs), .table_round_o(table_round),
    .step_valid_o(step_valid), .step_ready_i(step_ready), .step_o(step)
  );

  // ---- The second stage: words enter ----
  //
  // What is to be done there is told to the last stage, in the order of outcomes.
  // verilator lint_off UNUSEDSIGNAL
  tally_store_pkg::step_t en_step_q, rec;
  // verilator lint_on UNUSEDSIGNAL
  logic bk_rests, rec_valid, rec_pop, rec_room, rec_push, rec_finish, begins_free, begins_finish,
      takes_step, enters_own, own_data_q, rec_gives;
  logic [PlaceW-1:0] slot_q;  // of the second stage
  tally_store_pkg::step_t rec_in;
  logic [$clog2(Records+1)-1:0] unused_used;
  localparam int unsigned Records = 4;

  assign begins_free = en_q == EnIdle && freed_valid && !older;
  // A packet that is read once more must not change.
  assign begins_finish = en_q == EnIdle && !begins_free && finish_valid && rec_room &&
                         !(out_busy && out_slot[PartW+:SlotW] == finish_slot) &&
                         !(send_reading && reading_slot[PartW+:SlotW] == finish_slot);
  assign step_ready = en_q == EnIdle && !begins_free && !begins_finish && rec_room;
  assign takes_step = step_valid && step_ready;
  assign enters_own = en_q == EnOwn && en_d == EnEnter;
  assign rec_push = (takes_step && !step.own && !step.drops) || enters_own || begins_finish;
  always_comb begin
    rec_in = en_q == EnOwn ? en_step_q : step;
    if (begins_finish) begin
      rec_in = '0;
      rec_in.slot = 16'({finish_slot, {PartW{1'b0}}});
    end
  end
  tally_fifo #(.Width($bits(rec_in) + 2), .Depth(Records)) u_records (
    .clk_i, .rst_ni, .in_valid_i(rec_push), .in_ready_o(rec_room),
    .in_i({begins_finish, en_q == EnOwn && given_own_q, rec_in}), .out_valid_o(rec_valid),
    .out_ready_i(rec_pop), .out_o({rec_finish, rec_gives, rec}), .used_o(unused_used)
  );

  always_comb begin
    en_d = en_q;
    freed_ready = 1'b0;
    unique case (en_q)
      EnIdle: begin
        if (begins_free) en_d = bk_rests ? EnFree : EnIdle;
        else if (begins_finish) en_d = EnRelease;
        else if (takes_step) en_d = step.own ? EnOwn : step.enters ? EnEnter : EnDrain;
      end
      EnOwn: if (!given_own_q || own_read) en_d = EnEnter;
      EnEnter: if (seg_valid && seg_ready && seg_last) en_d = EnIdle;
      EnDrain: if (word_valid && word_last) en_d = EnIdle;
      EnRelease: if (seg_ready) en_d = EnIdle;
      EnFree: en_d = EnClear;
      EnClear: if (seg_ready) en_d = EnTell;
      EnTell: begin
        freed_ready = last_cleared && !clear_hold;
        en_d = clear_hold ? EnCleared : last_cleared ? EnIdle : EnClear;
      end
      default: begin  // EnCleared
        freed_ready = held_valid && last_cleared;
        if (held_valid) en_d = last_cleared ? EnIdle : EnClear;
      end
    endcase
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) en_q <= EnIdle;
    else en_q <= en_d;
  end
  assign clear_hold = answered_q == tally_fw_pkg::StoreCmdEnd;
  assign last_cleared = slot_q[PartW-1:0] == last_open;
  always_ff @(posedge clk_i) begin
    if (takes_step) en_step_q <= step;
    if (en_q == EnIdle) slot_q <= begins_finish ? {finish_slot, {PartW{1'b0}}} :
                                  step.slot[PlaceW-1:0];
    else if (en_q == EnFree) slot_q <= {freed_slot, {PartW{1'b0}}};
    else if ((en_q == EnTell || en_q == EnCleared) && en_d == EnClear) begin
      slot_q[PartW-1:0] <= slot_q[PartW-1:0] + 1'b1;
    end
    if (en_q == EnOwn) own_data_q <= given_own_q;
  end

  // ---- Map ----
  logic found_valid, map_ready, map_answer, map_answer_ok, freed_valid, freed_ready, own_cmd,
      finished_valid, finish, end_cmd;
  tally_segment_map_pkg::mapped_e found;
  tally_fw_pkg::store_command_e next_cmd, cmd_q, answered_q;
  logic [SlotW-1:0] found_slot, freed_slot;
  logic [GroupW-1:0] end_group, cmd_group_q, map_group_q, finished_group;
  logic [31:0] cmd_num_q, finished_num;
  logic cmd_full_q, is_end, end_ready, ended;

  // Commands of the firmware, of finished chunks and of ended epochs share a place in front of the
  // map.
  assign own_cmd = finished_valid;
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
      cmd_group_q <= own_cmd ? finished_group : end_cmd ? end_group : cmd_group_i;
      cmd_num_q <= own_cmd ? finished_num : cmd_num_i;
    end
    if (map_ready) answered_q <= cmd_q;
    if (map_ready) map_group_q <= cmd_group_q;
  end

  tally_segment_map #(.Slots(Slots), .Groups(Groups), .GroupSegs(GroupSegs)) u_map (
    .clk_i, .rst_ni,
    .look_valid_i(look_valid), .look_group_i(look_group), .look_num_i(look_num),
    .looked_valid_o(found_valid), .looked_o(found), .looked_slot_o(found_slot),
    .cmd_valid_i(cmd_full_q), .cmd_ready_o(map_ready), .cmd_i(cmd_q), .cmd_group_i(cmd_group_q),
    .cmd_num_i(cmd_num_q),
    .answer_valid_o(map_answer), .answer_ready_i(1'b1), .answer_ok_o(map_answer_ok),
    .answer_done_o(moved_done_o),
    .answer_limit_o(moved_limit_o),
    .freed_valid_o(freed_valid), .freed_ready_i(freed_ready), .freed_slot_o(freed_slot),
    .peek_valid_i(peek_valid), .peek_ready_o(peek_ready), .peek_group_i(peek_group),
    .peek_index_i(peek_index), .peeked_valid_o(peeked_valid), .peeked_ok_o(peeked_ok),
    .peeked_done_o(peeked_done), .peeked_held_o(peeked_held), .peeked_slot_o(peeked_slot)
  );
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
  logic [PlaceW-1:0] outcome_slot, read_slot, send_read_slot;
  logic [15:0] status, outcome_err, seg_bytes;
  logic [Width-1:0] seg_data, words_data;
  logic [Bytes-1:0] seg_keep, words_keep;
  logic read_valid, read_result, send_read, send_read_result, send_reading, own,
      own_read, own_words;
  logic words_valid, words_ready, words_last, clear_hold, last_cleared, of_rank, request, has_word;
  tally_fw_pkg::store_op_e op;
  logic [IndexW-1:0] seg_index;
  logic [Ranks-1:0] seg_absent;

  assign own = en_step_q.own;
  assign op = tally_fw_pkg::store_op_e'(en_step_q.op[2:0]);
  assign of_rank = op == tally_fw_pkg::StoreOpData;
  assign request = op == tally_fw_pkg::StoreOpPost || of_rank;
  assign wrong = en_step_q.wrong;
  assign own_read = en_q == EnOwn && given_own_q && !send_reading;
  assign own_words = en_q == EnEnter && own && own_data_q;
  assign seg_index = own || (en_step_q.shaped && of_rank) ? IndexW'(en_step_q.right) :
                     en_step_q.edge_[IndexW-1:0];
  // A part that gives nothing enters as a rank that does so, but nobody has posted.
  assign seg_absent = own ? Ranks'(1) << en_step_q.right : en_step_q.absent[Ranks-1:0];

  always_comb begin
    seg_valid = 1'b0;
    seg_kind = tally_segment_pkg::KindReduce;
    if (own) begin
      if (!own_data_q) seg_kind = tally_segment_pkg::KindPost;
    end else if (op == tally_fw_pkg::StoreOpResult || wrong) begin
      seg_kind = tally_segment_pkg::KindResult;
    end else if (op == tally_fw_pkg::StoreOpPost) seg_kind = tally_segment_pkg::KindPost;
    seg_bytes = wrong ? 16'hffff : en_step_q.bytes;
    seg_last = 1'b1;
    unique case (en_q)
      EnEnter: begin
        seg_valid = own ? words_valid || !own_data_q : en_step_q.early || word_valid;
        seg_last = own ? words_last || !own_data_q : en_step_q.early || word_last;
      end
      EnClear: begin
        seg_valid = 1'b1;
        seg_kind = tally_segment_pkg::KindClear;
      end
      EnRelease: begin
        seg_valid = 1'b1;
        seg_kind = tally_segment_pkg::KindRelease;
      end
      default: ;
    endcase
  end
  // What has no word of its own must not change as others come.
  assign has_word = en_q == EnEnter && (!own || own_data_q);
  assign seg_data = !has_word ? '0 : own ? words_data : word_data;
  assign seg_keep = !has_word ? '0 : own ? words_keep : word_keep;

  // verilator lint_off PINCONNECTEMPTY
  tally_segment_alu #(
    .Slots(Slots * Parts), .Parts(Parts), .Groups(Groups), .Words(Words), .Width(Width),
    .Contributors(Contributors),
    .Ranks(Ranks)
  ) u_segment (
    .clk_i, .rst_ni, .idle_o(seg_idle),
    .in_tvalid_i(seg_valid), .in_tready_o(seg_ready), .in_tdata_i(seg_data), .in_tkeep_i(seg_keep),
    .in_tlast_i(seg_last), .in_kind_i(seg_kind), .in_slot_i(slot_q),
    .in_group_i(en_step_q.group_[GroupW-1:0]),
    .in_message_i(en_step_q.message), .in_bytes_i(seg_bytes),
    .in_err_vector_i(en_step_q.err_vector),
    .in_rank_i(own || of_rank), .in_index_i(seg_index),
    .in_posts_i(!own && request && en_step_q.ranks != '0),
    .in_out_i(en_step_q.out[Contributors-1:0]),
    .in_absent_i(seg_absent),
    .in_plan_bytes_i(en_step_q.chunk_bytes), .in_plan_shift_i(en_step_q.shift[ShiftW-1:0]),
    .in_plan_turns_i(en_step_q.turns), .in_plan_expected_i(en_step_q.expected),
    .in_plan_contributors_i(en_step_q.contributors[Contributors-1:0]),
    .in_plan_ranks_i(en_step_q.givers[Ranks-1:0]),
    .outcome_valid_o(outcome_valid), .outcome_ready_i(outcome_ready), .outcome_kind_o(outcome_kind),
    .outcome_slot_o(outcome_slot), .outcome_verdict_o(verdict), .outcome_status_o(status),
    .outcome_opened_o(opened),
    .outcome_complete_o(complete), .outcome_err_vector_o(outcome_err), .outcome_contributors_o(),
    .outcome_ranks_o(),
    .read_valid_i(read_valid), .read_ready_o(), .read_slot_i(read_slot),
    .read_result_i(read_result),
    .out_tvalid_o(words_valid), .out_tready_i(words_ready), .out_tdata_o(words_data),
    .out_tkeep_o(words_keep),
    .out_tlast_o(words_last),
    .inverse_write_i, .inverse_group_i, .inverse_down_i, .inverse_i,
    .peek_valid_i(seg_look_valid), .peek_ready_o(seg_look_ready), .peek_slot_i(look_place),
    .peeked_valid_o(unused_seg_looked), .peeked_busy_o(seg_open),
    .peeked_finished_o(seg_finished), .peeked_contributors_o(seg_lacks)
  );
  // verilator lint_on PINCONNECTEMPTY
  assign word_pop = (en_q == EnEnter && !own && !en_step_q.early && seg_ready) || en_q == EnDrain;
  // A read begins when all words of the one before have come, so the segments are ready.
  assign read_valid = own_read || send_read;
  assign read_slot = own_read ? {slot_q[PartW+:SlotW], en_step_q.from_part[PartW-1:0]} :
                     send_read_slot;
  assign read_result = !own_read && send_read_result;
  assign words_ready = !own_words || seg_ready;

  // ---- Headers of the slots ----
  logic [HeaderW-1:0] header_mem_q [Slots*Parts];
  logic [15:0] err_mem_q [Slots*Parts];
  logic [HeaderW-1:0] header_q, send_header_q;
  logic [15:0] send_err_q, send_bytes;
  logic [GroupW-1:0] send_group;
  tally_segment_pkg::message_t send_message;
  logic [PlaceW-1:0] send_slot, header_slot;
  logic [7:0] send_up_edge, send_down_edge, header_up_edge, header_down_edge;
  logic send_up, send_down, header_up, header_down;

  assign {header_group, header_up, header_up_edge, header_down, header_down_edge, header_bytes,
          header_message} = header_q;
  assign {send_group, send_up, send_up_edge, send_down, send_down_edge, send_bytes,
          send_message} = send_header_q;
  logic unused_header;
  assign unused_header = ^{send_up, send_down, send_down_edge, send_bytes};
  // The last stage reads headers ahead of the first one, and both ahead of the firmware.
  assign header_look_ready = !loads && !own_begins;
  assign header_slot = loads ? bk_slot : own_begins ? own_slot : look_place;

  always_ff @(posedge clk_i) begin
    if (fresh && opened) begin
      header_mem_q[bk_slot_q] <= {rec.group_[GroupW-1:0], rec.chunk_up, rec.up_edge,
                                  rec.chunk_down, rec.down_edge, rec.chunk_bytes, rec.message};
    end
    if (fresh || divided) err_mem_q[bk_slot_q] <= fresh ? outcome_err : divided_err_q;
    if (loads || own_begins || header_look_valid) header_q <= header_mem_q[header_slot];
    if (own_begins) header_err_q <= err_mem_q[own_slot];
    send_header_q <= header_mem_q[send_slot];
    send_err_q <= err_mem_q[send_slot];
  end

  // ---- Whether anybody has given data to a sum, of those that are left out ----
  //
  // A sum of nobody is not sent on: the request of the neighbour has left this node out. A part of
  // nobody gives nothing to the one that it enters.
  logic [0:0] given_mem_q [Slots*Parts];
  logic given_q, given_own_q, gives, given, nothing;

  assign gives = rec.own ? rec_gives : verdict == tally_segment_pkg::VerdictStored && !rec.wrong &&
                                       (bk_op == tally_fw_pkg::StoreOpReduce ||
                                        bk_op == tally_fw_pkg::StoreOpData);
  assign given = gives || (given_q && !opened);
  assign nothing = complete && !given && rec_message.mode == tally_pkg::ModeTree;
  always_ff @(posedge clk_i) begin
    if (fresh) given_mem_q[bk_slot_q] <= given;
    if (bk_q == BkWait) given_q <= given_mem_q[bk_slot_q];
    if (en_q == EnIdle) given_own_q <= given_mem_q[{step.slot[PartW+:SlotW],
                                                    step.from_part[PartW-1:0]}];
  end

  // ---- The last stage: what becomes of it ----
  //
  // A step whose words have entered waits for its outcome. Then the hold side hears of it. The same
  // is told of sums that have been divided, and of receivers that have their copies.
  logic begins, clears, loads, divided, fresh, taking, of_record, bk_finish, bk_refuses, bk_ends;
  logic spoilt_q, disagrees;  // the last step that has entered
  logic outcome_now, holding, waited_q;
  logic [PlaceW-1:0] bk_slot, bk_slot_q;
  logic [GroupW-1:0] bk_group;
  logic [15:0] divided_err_q;
  logic [7:0] bk_edge;
  logic bk_sum, bk_rank;
  tally_segment_pkg::message_t rec_message, bk_message;
  tally_fw_pkg::store_op_e bk_op;

  assign clears = en_q == EnFree || en_q == EnClear || en_q == EnTell || en_q == EnCleared;
  assign begins = bk_q == BkIdle && !clears && (divided_valid || acked_valid_i || rec_valid);
  assign acked_ready_o = begins && !divided_valid && acked_valid_i;
  assign loads = begins && (divided_valid || acked_valid_i || rec_finish);
  assign of_record = job_q == tally_store_pkg::JobOp;
  assign bk_finish = of_record && rec_finish;
  assign bk_refuses = of_record && !rec_finish && !rec.enters && !rec.holds;
  assign bk_op = tally_fw_pkg::store_op_e'(rec.op[2:0]);
  assign bk_rests = bk_q == BkIdle && !begins;
  // The hold side hears of an outcome in the clock in which it is there. waited_q: the slot has
  // been read by then.
  assign outcome_now = bk_q == BkWait && waited_q && !bk_finish && rec.enters && outcome_valid &&
                       !by_itself;
  assign holding = bk_q == BkHold || outcome_now;
  always_comb begin
    job = tally_store_pkg::JobOp;
    bk_slot = rec.slot[PlaceW-1:0];
    if (divided_valid) begin
      job = tally_store_pkg::JobDivided;
      bk_slot = divided_slot;
    end else if (acked_valid_i) begin
      job = tally_store_pkg::JobAcked;
      bk_slot = acked_slot_i;
    end
  end

  always_comb begin
    bk_d = bk_q;
    unique case (bk_q)
      BkIdle: if (begins) bk_d = loads ? BkLoad : BkWait;
      BkLoad: bk_d = of_record ? BkWait : BkHold;
      BkWait: begin
        if (bk_refuses || (bk_finish && released)) bk_d = BkIdle;
        else if (outcome_now && hold_goes) bk_d = BkHeld;
        else if (!bk_finish && (rec.holds || (outcome_valid && !by_itself))) bk_d = BkHold;
      end
      BkHold: if (hold_goes) bk_d = BkHeld;
      default: if (held_valid) bk_d = BkIdle;  // BkHeld
    endcase
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) bk_q <= BkIdle;
    else bk_q <= bk_d;
  end
  always_ff @(posedge clk_i) waited_q <= bk_q == BkWait;
  assign bk_ends = bk_q != BkIdle && bk_d == BkIdle;
  assign rec_pop = bk_ends && of_record;

  // The chunk of a division or an acknowledgement, and of one that is finished.
  logic [GroupW-1:0] load_group_q;
  tally_segment_pkg::message_t load_message_q;
  logic [7:0] acked_edge_q;
  logic acked_sum_q;
  always_ff @(posedge clk_i) begin
    if (begins) begin
      job_q <= job;
      bk_slot_q <= bk_slot;
      divided_err_q <= divided_err;
      acked_edge_q <= acked_edge_i;
      acked_sum_q <= acked_sum_i;
    end else if (bk_q == BkWait && of_record && rec.holds) begin
      // What ranks have taken is the last part that is open.
      bk_slot_q[PartW-1:0] <= last_open;
    end
    if (bk_q == BkLoad) begin
      load_group_q <= header_group;
      load_message_q <= header_message;
    end
    if (fresh) spoilt_q <= disagrees;
  end
  assign bk_group = of_record ? rec.group_[GroupW-1:0] : load_group_q;
  assign rec_message = rec.message;
  assign bk_message = of_record ? rec_message : load_message_q;
  assign bk_edge = of_record ? rec.edge_ : acked_edge_q;
  assign bk_sum = of_record ? rec.sum : acked_sum_q;
  assign bk_rank = of_record && rec.rank;

  // ---- Hold side ----
  logic hold_valid, hold_ready, held_valid, held_ok, held_finished, held_up, posts, taken_op;
  logic hold_clears, clears_q;  // clears_q: it was so a clock ago, and nothing holds yet
  logic hold_waits, hold_goes;  // for who must hear of the disagreement before; the step goes on
  logic [PlaceW-1:0] held_slot;
  logic [Contributors-1:0] held_contributors;
  logic [Ranks-1:0] held_ranks;

  assign taken_op = job_q == tally_store_pkg::JobAcked || (of_record && rec.holds);
  assign taking = bk_q == BkHold && taken_op;
  assign divided = bk_q == BkHold && job_q == tally_store_pkg::JobDivided;
  assign fresh = holding && of_record && rec.enters;
  assign hold_waits = fresh && disagrees && disagree_valid_o;
  assign hold_goes = hold_ready && !hold_waits;
  // Nothing is inside of the hold side while slots are cleared, so it is ready.
  assign hold_clears = en_q == EnTell && clear_hold;
  always_ff @(posedge clk_i) clears_q <= clears;
  assign hold_valid = (holding && !hold_waits) || hold_clears;
  assign posts = fresh && !rec.own && !rec.early &&
                 (bk_op == tally_fw_pkg::StoreOpPost ||
                  (bk_op == tally_fw_pkg::StoreOpData && rec.ranks != '0)) &&
                 verdict != tally_segment_pkg::VerdictDisagrees &&
                 verdict != tally_segment_pkg::VerdictDropped;
  assign released = outcome_valid && outcome_kind == tally_segment_pkg::KindRelease;
  assign outcome_ready = (hold_goes && fresh) || (bk_q == BkWait && bk_finish && released) ||
                         by_itself;

  tally_segment_hold #(.Slots(Slots * Parts), .Contributors(Contributors), .Ranks(Ranks)) u_hold (
    .clk_i, .rst_ni,
    .in_valid_i(hold_valid), .in_ready_o(hold_ready),
    .in_slot_i(clears_q ? slot_q : bk_slot_q),
    .in_clear_i(hold_clears), .in_open_i(fresh && opened),
    .in_complete_i((fresh && complete) || divided),
    .in_have_i(divided || (fresh && ((complete && (rec.turns || rec.exchange)) ||
                                     (!rec.own && bk_op == tally_fw_pkg::StoreOpResult &&
                                      !rec.wrong &&
                                      verdict == tally_segment_pkg::VerdictStored)))),
    .in_nothing_i(fresh && nothing), .in_out_i(posts ? rec.out[Contributors-1:0] : '0),
    .in_posted_i(posts ? rec.ranks[Ranks-1:0] : '0),
    .in_quits_i(posts ? rec.quits[Ranks-1:0] : '0), .in_taken_i(taking),
    .in_parent_i(bk_sum && bk_message.mode != tally_pkg::ModeExchange), .in_rank_i(bk_rank),
    .in_index_i(bk_edge[IndexW-1:0]), .in_plan_up_i(rec.up_send),
    .in_plan_expected_i(rec.result), .in_plan_contributors_i(rec.copies[Contributors-1:0]),
    .in_plan_ranks_i(rec.deliver[Ranks-1:0]), .in_plan_local_i(rec.local_[Ranks-1:0]),
    .out_valid_o(held_valid), .out_slot_o(held_slot), .out_ok_o(held_ok),
    .out_finished_o(held_finished),
    .out_up_o(held_up), .out_contributors_o(held_contributors), .out_ranks_o(held_ranks),
    .peek_valid_i(hold_look_valid), .peek_ready_o(hold_look_ready), .peek_slot_i(look_place),
    .peeked_valid_o(unused_hold_looked), .peeked_busy_o(hold_busy), .peeked_up_o(hold_up),
    .peeked_have_o(hold_have), .peeked_awaits_o(hold_awaits),
    .peeked_contributors_o(hold_copies), .peeked_ranks_o(hold_ranks),
    .peeked_unposted_o(hold_unposted)
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
    .out_ready_i(begins), .out_o({divided_slot, divided_err}), .used_o()
  );

  // ---- Parts that enter others ----
  logic [$clog2(Slots*Parts+1)-1:0] own_used;
  tally_fifo #(.Width(PlaceW), .Depth(Slots * Parts)) u_own (
    .clk_i, .rst_ni, .in_valid_i(fresh && hold_goes && complete && rec.shaped && !rec.ends),
    .in_ready_o(),
    .in_i(bk_slot_q), .out_valid_o(own_valid), .out_ready_i(own_begins), .out_o(own_slot),
    .used_o(own_used)
  );

  // ---- Finished chunks: released in their slots, then told to the map ----
  logic finish_valid, all_finished;
  logic [SlotW-1:0] finish_slot;
  logic [PartW-1:0] last_open;
  tally_fifo #(.Width(SlotW), .Depth(Slots)) u_finished (
    .clk_i, .rst_ni, .in_valid_i(all_finished), .in_ready_o(), .in_i(bk_slot_q[PartW+:SlotW]),
    .out_valid_o(finish_valid), .out_ready_i(begins_finish), .out_o(finish_slot),
    .used_o()
  );
  tally_fifo #(.Width(GroupW + 32), .Depth(Slots)) u_told (
    .clk_i, .rst_ni, .in_valid_i(rec_pop && rec_finish), .in_ready_o(),
    .in_i({load_group_q, load_message_q.num}), .out_valid_o(finished_valid), .out_ready_i(finish),
    .out_o({finished_group, finished_num}), .used_o()
  );
  // verilator lint_on PINCONNECTEMPTY

  logic opened_q;
  always_ff @(posedge clk_i) if (holding) opened_q <= fresh && opened;
  tally_store_parts #(.Slots(Slots), .Parts(Parts)) u_parts (
    .clk_i, .rst_ni, .read_i(begins || holding || en_q == EnFree),
    .read_slot_i(en_q == EnFree ? freed_slot : begins ? bk_slot[PartW+:SlotW] :
                 bk_slot_q[PartW+:SlotW]), .last_o(last_open),
    .write_i((bk_q == BkHeld && held_valid && (opened_q || held_finished)) || freed_ready),
    .write_slot_i(freed_ready ? freed_slot : bk_slot_q[PartW+:SlotW]), .clear_i(freed_ready),
    .open_i(opened_q),
    .last_i(rec.last_part[PartW-1:0]), .finish_i(held_finished), .finished_o(all_finished)
  );

  // ---- Ends of epochs ----
  logic stop, ending, send_pop, send_idle, send_mark, send_old, due_ready, due_ready_q, quiet;
  logic [DueW-1:0] send_used;
  tally_store_end #(.Groups(Groups), .GroupSegs(GroupSegs), .Ranks(Ranks), .Due(Due)) u_end (
    .clk_i, .rst_ni, .cmd_valid_i(cmd_valid_i && is_end), .cmd_ready_o(end_ready), .cmd_group_i,
    .stop_o(stop), .quiet_i(quiet), .ending_o(ending), .group_o(end_group),
    .due_valid_i(bk_q == BkHeld && held_valid &&
                 (held_ranks != '0 || (taken_op && bk_rank && held_ok))),
    .due_group_i(bk_group), .due_ranks_i(held_ranks), .due_taken_i(taken_op),
    .send_used_i(send_used), .send_pop_i(send_pop), .send_looks_i(out_busy),
    .send_reads_i(send_reading), .send_mark_o(send_mark), .send_old_i(send_old),
    .own_used_i(DueW'(own_used)),
    .own_pop_i(own_begins), .wait_used_i(DueW'(wait_used)), .wait_pop_i(woken && woken_ready),
    .wake_o(end_wakes),
    .map_valid_o(end_cmd), .map_ready_i(!cmd_full_q && !own_cmd), .map_done_i(ended)
  );
  assign quiet = front_idle && first_q && en_q == EnIdle && bk_rests && !freed_valid &&
                 !finish_valid && !finished_valid && !outcome_valid && seg_idle;

  logic commanded_q;  // a command is in the map
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) commanded_q <= 1'b0;
    else commanded_q <= (cmd_full_q && map_ready) || (commanded_q && !map_answer);
  end
  assign idle_o = quiet && !stop && !ending && !cmd_full_q && !commanded_q && send_used == '0 &&
                  send_idle && own_used == '0 && !wait_busy && !answer_valid_o &&
                  !disagree_valid_o && !look_busy;

  // More may be inside when the list of what is due becomes long: see tally_store_send.
  // Another one does no harm in the clock in which it falls, as so many are not inside.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) due_ready_q <= 1'b0;
    else due_ready_q <= due_ready;
  end
  assign post_ready_o = due_ready_q;

  // ---- Answers ----
  assign there_valid_o = bk_q == BkHeld && held_valid && held_ok &&
                         job_q == tally_store_pkg::JobAcked;
  assign there_group_o = bk_group;
  assign there_message_o = bk_message;
  assign there_edge_o = bk_edge;
  assign there_sum_o = bk_sum;
  assign disagrees = verdict == tally_segment_pkg::VerdictDisagrees;
  always_ff @(posedge clk_i) begin
    if (!disagree_valid_o) begin
      disagree_group_o <= bk_group;
      disagree_status_o <= status;
      disagree_mid_o <= rec_message.mid;
      disagree_sid_o <= rec_message.sid;
      disagree_contributors_o <= '0;
      disagree_ranks_o <= '0;
      if (!rec.own) begin
        unique case (bk_op)
          tally_fw_pkg::StoreOpPost: disagree_ranks_o <= rec.ranks;
          tally_fw_pkg::StoreOpData: disagree_ranks_o <= 64'(1) << bk_edge[5:0];
          default: begin  // a packet; the parent has no bit
            if (bk_edge < 8'd64) disagree_contributors_o <= 64'(1) << bk_edge[5:0];
          end
        endcase
      end
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      answer_valid_o <= 1'b0;
      disagree_valid_o <= 1'b0;
    end else begin
      answer_valid_o <= (bk_q == BkWait && bk_refuses) ||
                        (fresh && !rec.own && hold_goes && (!rec.early || disagrees)) ||
                        (bk_q == BkHeld && held_valid && of_record && rec.holds);
      disagree_valid_o <= (fresh && hold_goes && disagrees) ||
                          (disagree_valid_o && !disagree_ready_i);
    end
  end
  always_ff @(posedge clk_i) begin
    answer_status_o <= fresh ? status : tally_pkg::CollOk;
    answer_err_vector_o <= fresh ? outcome_err : '0;
    answer_slot_o <= bk_slot_q[PartW+:SlotW];
    if (bk_q == BkHeld) begin
      answer_o <= held_ok ? tally_fw_pkg::StoreAnswerStored : tally_fw_pkg::StoreAnswerDropped;
    end else if (bk_refuses) answer_o <= tally_fw_pkg::store_answer_e'(rec.answer[2:0]);
    else if (disagrees) answer_o <= tally_fw_pkg::StoreAnswerDisagrees;
    else if ((posts && bk_op == tally_fw_pkg::StoreOpPost) ||
             verdict == tally_segment_pkg::VerdictStored) begin
      answer_o <= tally_fw_pkg::StoreAnswerStored;
    end else if (verdict == tally_segment_pkg::VerdictDuplicate && !rec.wrong) begin
      answer_o <= tally_fw_pkg::StoreAnswerDuplicate;
    end else answer_o <= tally_fw_pkg::StoreAnswerDropped;
  end

  // ---- Sending ----
  logic due_valid, send_ready, held_due, woken, woken_ready, woken_sum, due_sum, wait_busy,
      wait_begin, wait_valid, wait_ready, wait_sum, end_wakes, out_busy;
  tally_fw_pkg::store_send_e due_kind;
  logic [PlaceW-1:0] woken_slot, due_slot, out_slot, res_slot, reading_slot;
  logic [Contributors-1:0] woken_contributors;
  logic [EdgeW-1:0] due_edge, wait_edge;
  logic [Ranks-1:0] due_ranks;
  logic [WaitW-1:0] wait_used;

  // What has waited comes behind what is due, in a clock in which the hold side says nothing.
  assign held_due = held_up || held_contributors != '0 || held_ranks != '0;
  assign woken_ready = !held_valid;
  assign due_sum = held_valid ? held_up : woken_sum;
  tally_store_send #(.Slots(Slots), .Parts(Parts), .Contributors(Contributors),
                     .Ranks(Ranks)) u_send (
    .clk_i, .rst_ni,
    .in_valid_i(held_valid ? held_due : woken),
    .in_ready_o(due_ready),
    .in_slot_i(held_valid ? held_slot : woken_slot), .in_up_i(due_sum),
    .in_contributors_i(held_valid ? held_contributors : woken_contributors),
    .in_ranks_i(held_valid ? held_ranks : '0),
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
    .clk_i, .rst_ni, .idle_o(send_idle), .mark_i(send_mark), .old_o(send_old),
    .busy_o(out_busy), .slot_o(out_slot),
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
    .read_taken_i(en_q == EnOwn || own_words), .read_busy_o(send_reading),
    .busy_slot_o(reading_slot),
    .read_valid_o(send_read),
    .read_ready_i(1'b1), .read_slot_o(send_read_slot), .read_result_o(send_read_result),
    .words_valid_i(words_valid && !own_words), .words_data_i(words_data), .words_keep_i(words_keep),
    .words_last_i(words_last),
    .out_tvalid_o, .out_tready_i, .out_tdata_o, .out_tkeep_o, .out_tlast_o,
    .res_tvalid_o, .res_tready_i, .res_tdata_o, .res_tkeep_o, .res_tlast_o, .res_slot_o(res_slot),
    .res_ranks_o, .res_ended_o, .res_group_o, .res_message_o, .res_err_vector_o
  );
  assign ask_slot_o = out_slot;
  assign res_slot_o = res_slot[PartW+:SlotW];
  logic unused_part;
  assign unused_part = ^{res_slot[PartW-1:0], reading_slot[PartW-1:0]};

endmodule
