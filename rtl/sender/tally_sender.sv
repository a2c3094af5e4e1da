// SPDX-License-Identifier: BSD-2-Clause
// The second half of the request sender: begins requests when it is the turn of their ranks, and
// posts their chunks. sender_pump() of sim/engine/sender.c. docs/rtl-sender.md has the rules of a
// visit, and what the neighbours do.
//
// it_*: what has happened to a queue pair; always taken, not while the block is busy, and at least
// six clocks after the one before. moved_*: done or limit of a group has changed; always taken.
// row_*, got_*: reads the row of an entry; one read at a time, answered later.
// room_i, post_*, ans_*, ref_*, began_*, upd_*, flag_*, due_*, hold_o: see tally_sender_post.
// A visit does not begin without room_i, a clock before. Chunks of operations that the segment
// store does not do are away.
// hand_*, with upd_qp_o and upd_entry_o: a triggered descriptor which is the first request of its
// queue pair that has not begun, while the epoch of the group runs. If hand_took_i, it has begun,
// as began_* tells. Otherwise nothing behind it begins, and mark_*, a pulse, says when its queue
// pair is to be visited again.
// ask_*: pulses: the group would have use for segments of numbers below ask_top_o.
//
// Of the firmware:
// cmd_*: to a queue pair, between two visits; it is passed on (pass_*, with the same fields), and
// taken when this has been taken. After CommandCreate and in RESET its list is empty. After
// CommandEnd nothing is done until it has been in RESET.
// epoch_*: the epoch of a group begins, or ends; messages and numbers of its ranks begin with 0,
// and moved_* has told done and limit before.
// tab_*: what else is known of a queue pair, written before its first request: ranks that only it
// may post for, whether it has several, whether another queue pair has some of them, and whether
// there is no other queue pair in its group.
// link_*: queue pairs of a group (tally_sender_ready).
// look_*: a queue pair at which it should look: the first of its requests that have not begun has
// begun to wait for its turn, or does so no more; or it has several ranks, and a visit has ended
// without progress.
//
// Time: 11 clocks from it_* to post_valid_o, if nothing else is in progress and the row is there
// one clock after row_*; one more for each further rank. After a reset the block is busy for as
// many clocks as there are groups or queue pairs. cmd_ready_o depends on pass_ready_i, tab_ready_o
// and epoch_ready_o on valid inputs.
module tally_sender #(
  parameter int unsigned Groups = tally_pkg::MaxGroup,
  parameter int unsigned Qps = tally_pkg::MaxQp,
  parameter int unsigned Entries = tally_pkg::MaxRequests,
  parameter int unsigned Slots = tally_pkg::MaxSeg,
  parameter int unsigned Word = 32,  // of tally_marks
  localparam int unsigned GroupW = Groups > 1 ? $clog2(Groups) : 1,
  localparam int unsigned QpW = Qps > 1 ? $clog2(Qps) : 1,
  localparam int unsigned EntryW = $clog2(Entries),
  localparam int unsigned SlotW = $clog2(Slots),
  localparam int unsigned SegsW = $clog2(tally_pkg::MaxGroupSegs + 1),
  localparam int unsigned RankW = $clog2(tally_pkg::MaxRanks),
  localparam int unsigned IndexW = GroupW > QpW ? GroupW : QpW
) (
  input  logic                         clk_i,
  input  logic                         rst_ni,
  output logic                         busy_o,
  output logic                         active_o,  // it needs its clock

  input  logic                         it_valid_i,
  input  tally_sender_pkg::event_e     it_i,
  input  logic [QpW-1:0]               it_qp_i,
  input  logic [EntryW-1:0]            it_entry_i,  // of EventTaken
  input  logic                         moved_valid_i,
  input  logic [GroupW-1:0]            moved_group_i,
  input  logic [31:0]                  moved_done_i,
  input  logic [31:0]                  moved_limit_i,

  output logic                         row_valid_o,
  input  logic                         row_ready_i,
  output logic [EntryW-1:0]            row_entry_o,
  input  logic                         got_valid_i,
  input  tally_request_pkg::request_t  got_i,
  input  tally_local_pkg::row_t        got_row_i,

  input  logic                         room_i,
  output logic                         post_valid_o,
  input  logic                         post_ready_i,
  output tally_store_pkg::operation_t  post_o,
  input  logic                         ans_valid_i,
  input  tally_store_pkg::answer_t     ans_i,
  output logic                         ref_valid_o,
  output logic [SlotW-1:0]             ref_slot_o,
  output logic [RankW-1:0]             ref_rank_o,
  output logic [EntryW-1:0]            ref_entry_o,
  output logic                         began_valid_o,
  output tally_sender_pkg::began_t     began_o,  // upd_qp_o and upd_entry_o are its, too
  output logic                         upd_valid_o,
  input  logic                         upd_ready_i,
  input  logic                         upd_flag_i,
  output logic [QpW-1:0]               upd_qp_o,
  output logic [EntryW-1:0]            upd_entry_o,
  output tally_sender_pkg::update_t    upd_o,
  output logic                         hand_valid_o,
  input  logic                         hand_ready_i,
  input  logic                         hand_took_i,
  input  logic                         mark_valid_i,
  input  logic [QpW-1:0]               mark_qp_i,
  output logic                         flag_valid_o,
  input  logic                         flag_ready_i,
  output logic                         due_valid_o,
  input  logic                         due_ready_i,
  output tally_local_pkg::due_t        due_o,
  output logic                         hold_o,

  output logic                         ask_valid_o,
  output logic [GroupW-1:0]            ask_group_o,
  output logic [31:0]                  ask_top_o,

  input  logic                         cmd_valid_i,
  output logic                         cmd_ready_o,
  input  tally_sender_pkg::command_e   cmd_i,
  input  logic [QpW-1:0]               cmd_qp_i,
  input  logic [7:0]                   cmd_state_i,  // tally_pkg::qp_state_e
  input  logic [GroupW-1:0]            cmd_group_i,  // of CommandCreate
  output logic                         pass_valid_o,
  input  logic                         pass_ready_i,
  input  logic                         epoch_valid_i,
  output logic                         epoch_ready_o,
  input  logic                         epoch_begin_i,
  input  logic [GroupW-1:0]            epoch_group_i,
  input  logic [SegsW-1:0]             epoch_max_segs_i,
  input  logic                         tab_valid_i,
  output logic                         tab_ready_o,
  input  logic [QpW-1:0]               tab_qp_i,
  input  logic [tally_pkg::MaxRanks-1:0] tab_sole_i,
  input  logic                         tab_shared_i,
  input  logic                         tab_others_i,
  input  logic                         tab_alone_i,
  input  logic                         link_valid_i,
  output logic                         link_ready_o,
  input  logic                         link_first_i,
  input  logic [IndexW-1:0]            link_index_i,
  input  logic                         link_end_i,
  input  logic [QpW-1:0]               link_qp_i,
  output logic                         look_valid_o,
  input  logic                         look_ready_i,
  output logic [QpW-1:0]               look_qp_o,

  // Which ranks have begun a message, for the firmware: see tally_sender_turn.
  input  logic                         peek_valid_i,
  output logic                         peek_ready_o,
  input  logic [GroupW-1:0]            peek_group_i,
  input  logic [31:0]                  peek_mid_i,
  output logic                         peeked_valid_o,
  output logic [tally_pkg::MaxRanks-1:0] peeked_begun_o
);
  localparam int unsigned TabW = tally_pkg::MaxRanks + 3;

  typedef enum logic [3:0] {
    StInit,     // after a reset: no queue pair works
    StIdle,
    StTable,    // tab_* is written, and the group of the queue pair is marked
    StCommand,  // the state of the queue pair is written
    StClear,    // the list is being emptied
    StForget,
    StList,     // the next entry of the list is looked up
    StRow,
    StGot,      // its row is being read
    StHand,     // it is a descriptor, and is offered
    StAsk,      // what may be done with it, unless it was asked when the row came
    StVerdict,
    StPost,     // the chunk is posted and told, or the request is refused
    StEnd       // of the visit
  } state_e;
  state_e state_d, state_q;

  logic [GroupW-1:0] group_mem_q [2**QpW];
  logic works_mem_q [2**QpW];
  logic fails_mem_q [2**QpW];
  logic waits_mem_q [2**QpW];  // the first request that has not begun, for its turn
  logic [TabW-1:0] tab_mem_q [2**QpW];

  // ---- What is done next: a command, or a visit ----
  logic idle, commands, tables, begins, turn_cmd, turn_cmd_ready, mark_q, pass_q, it_q, room_q;
  logic ready_valid, ready_busy, lists_busy, turn_busy, op_ready;
  logic [QpW-1:0] ready_qp, qp_q, read_qp;

  assign idle = state_q == StIdle && !mark_q;
  assign commands = idle && cmd_valid_i && !pass_q;
  assign turn_cmd = idle && !commands && epoch_valid_i;
  assign epoch_ready_o = turn_cmd && turn_cmd_ready;
  assign tables = idle && !commands && !epoch_valid_i && tab_valid_i;
  assign begins = idle && !commands && !epoch_valid_i && !tab_valid_i && ready_valid && room_q &&
                  op_ready && !it_q;
  assign tab_ready_o = state_q == StTable;
  assign pass_valid_o = pass_q;
  assign cmd_ready_o = pass_q && pass_ready_i;
  always_ff @(posedge clk_i) room_q <= room_i;

  // ---- What has happened ----
  tally_sender_pkg::event_e it_is_q;
  logic [QpW-1:0] it_qp_q;
  logic [EntryW-1:0] it_entry_q;
  logic hears, appends, told_q, tells, tell_now, refuses, hands_q;

  assign hears = it_q && !told_q && state_q != StCommand && !refuses;
  assign appends = hears && it_is_q == tally_sender_pkg::EventTaken;

  always_ff @(posedge clk_i) begin
    if (it_valid_i) begin
      it_is_q <= it_i;
      it_qp_q <= it_qp_i;
      it_entry_q <= it_entry_i;
    end
  end

  // ---- The queue pair ----
  logic works_q, fails_q, shared_q, others_q, alone_q, was_waiting_q, whole_q;
  logic [GroupW-1:0] group_q;
  logic [tally_pkg::MaxRanks-1:0] sole_q;

  always_comb begin
    read_qp = qp_q;
    if (state_q == StIdle) read_qp = tables ? tab_qp_i : ready_qp;
  end
  always_ff @(posedge clk_i) begin
    if (begins) qp_q <= ready_qp;
    works_q <= works_mem_q[read_qp];
    fails_q <= fails_mem_q[read_qp];
    was_waiting_q <= waits_mem_q[read_qp];
    group_q <= group_mem_q[read_qp];
    {sole_q, shared_q, others_q, alone_q} <= tab_mem_q[read_qp];
  end

  // ---- Its list ----
  logic op_valid, op_todo_q, answered, found, any, listed_q, listed, issues;
  tally_sender_pkg::list_op_e op, op_kind_q;
  logic [EntryW-1:0] entry, entry_q;
  logic [31:0] begun, begun_q;

  assign op_valid = begins || op_todo_q || state_q == StClear;
  always_comb begin
    op = op_kind_q;
    if (begins) op = tally_sender_pkg::ListFirst;
    else if (state_q == StClear) op = tally_sender_pkg::ListClear;
  end
  assign issues = op_valid && op_ready;
  assign listed = listed_q || answered;

  tally_sender_lists #(.Qps(Qps), .Entries(Entries)) u_lists (
    .clk_i, .rst_ni, .busy_o(lists_busy),
    .append_valid_i(appends), .append_qp_i(it_qp_q), .append_entry_i(it_entry_q),
    .op_valid_i(op_valid), .op_ready_o(op_ready), .op_i(op),
    .op_qp_i(begins ? ready_qp : cmd_qp_i),
    .ans_valid_o(answered), .found_o(found), .entry_o(entry), .begun_o(begun), .any_o(any)
  );

  // ---- The next entry of the list, and its row ----
  tally_sender_pkg::work_t work, work_q;
  logic hit, is_descriptor, away_q, hands, runs, unused;

  assign hit = state_q == StList && listed && works_q && found && (begun != '0 || !fails_q);
  assign row_valid_o = hit || state_q == StRow;
  assign row_entry_o = entry;
  assign unused = ^{got_i, got_row_i};  // few of their fields are used
  always_comb begin
    work = work_q;
    if (state_q == StGot) begin
      work.opcode = got_i.opcode;
      work.op = got_i.op;
      work.dtype = got_i.dtype;
      work.mode = got_i.mode;
      work.root_node = got_i.root_node;
      work.root_rank = got_i.root_rank;
      work.root_here = got_row_i.root;
      work.empty = got_i.flags[tally_pkg::WqeFEmptyBit];
      work.combined = got_i.flags[tally_pkg::WqeFCombinedBit];
      work.mid = got_i.mid;
      work.ranks = got_i.rank_mask;
      work.out = got_i.edges;
      work.total = got_i.total;
      work.chunk = got_i.chunk;
      work.chunks = got_i.chunks;
      work.seg_count = got_i.seg_count;
    end
  end
  assign is_descriptor = got_i.opcode == 8'(tally_pkg::OpcodeReduceMp) ||
                         got_i.opcode == 8'(tally_pkg::OpcodeBcastMp) ||
                         got_i.opcode == 8'(tally_pkg::OpcodePutMp);
  assign hand_valid_o = state_q == StHand;
  assign hands = hand_valid_o && hand_ready_i && hand_took_i;
  always_ff @(posedge clk_i) begin
    if (row_valid_o) begin
      entry_q <= entry;
      begun_q <= begun;
    end
    work_q <= work;
    whole_q <= alone_q && work_q.ranks == sole_q;
    away_q <= work_q.opcode != 8'(tally_pkg::OpcodeAllreduce) &&
              work_q.opcode != 8'(tally_pkg::OpcodeReduce) &&
              work_q.opcode != 8'(tally_pkg::OpcodeBcast) &&
              work_q.opcode != 8'(tally_pkg::OpcodeBarrier);
  end

  // ---- What may be done with it ----
  logic asks, ask_ready, verdict_valid, verdict_taken, last, borrows, has_begun, went, lost, done;
  logic is_post, is_refusal, is_shut, borrows_q;
  tally_turn_pkg::verdict_e verdict;
  logic [15:0] status;
  logic [31:0] num;

  assign asks = state_q == StAsk || (state_q == StGot && got_valid_i && !is_descriptor);
  assign has_begun = begun_q != '0;
  assign is_post = verdict == tally_turn_pkg::VerdictPost;
  assign is_shut = verdict == tally_turn_pkg::VerdictShut;
  assign is_refusal = verdict == tally_turn_pkg::VerdictRefuse;
  assign verdict_taken = state_q == StVerdict && verdict_valid &&
                         ((!is_post && !is_refusal) || went || lost);
  assign refuses = verdict_valid && is_refusal;  // some clocks
  assign ask_valid_o = borrows_q;
  assign ask_group_o = group_q;

  tally_sender_turn #(.Groups(Groups)) u_turn (
    .clk_i, .rst_ni, .busy_o(turn_busy),
    .cmd_valid_i(turn_cmd), .cmd_ready_o(turn_cmd_ready), .cmd_begin_i(epoch_begin_i),
    .cmd_group_i(epoch_group_i), .cmd_max_segs_i(epoch_max_segs_i),
    .moved_valid_i, .moved_group_i, .moved_done_i, .moved_limit_i,
    .look_group_i(group_q), .look_runs_o(runs),
    .ask_valid_i(asks), .ask_ready_o(ask_ready), .ask_group_i(group_q),
    .ask_mid_i(work.mid), .ask_ranks_i(work.ranks), .ask_sole_i(sole_q),
    .ask_chunks_i(work.chunks), .ask_begun_i(begun_q), .ask_seg_count_i(work.seg_count),
    .verdict_valid_o(verdict_valid), .verdict_ready_i(verdict_taken), .verdict_posted_i(went),
    .verdict_o(verdict), .status_o(status), .num_o(num), .last_o(last), .borrow_o(borrows),
    .top_o(ask_top_o),
    .peek_valid_i, .peek_ready_o, .peek_group_i, .peek_mid_i, .peeked_valid_o, .peeked_begun_o
  );

  logic go, post_began;
  tally_sender_pkg::began_t post_is;
  assign began_valid_o = post_began || hands_q;
  assign began_o = hands_q ? '0 : post_is;
  assign go = verdict_valid && (is_post || is_refusal);
  tally_sender_post #(.Groups(Groups), .Qps(Qps), .Entries(Entries), .Slots(Slots)) u_post (
    .clk_i, .rst_ni,
    .go_valid_i(go), .go_refuse_i(is_refusal), .go_status_i(status), .go_away_i(away_q),
    .go_qp_i(qp_q), .go_entry_i(entry_q), .go_group_i(group_q), .go_work_i(work_q),
    .go_whole_i(whole_q), .go_sid_i(begun_q),
    .go_num_i(num), .go_last_i(last), .went_o(went), .lost_o(lost), .done_o(done), .hold_o,
    .room_i(room_q), .post_valid_o, .post_ready_i, .post_o, .ans_valid_i, .ans_i,
    .ref_valid_o, .ref_slot_o, .ref_rank_o, .ref_entry_o,
    .began_valid_o(post_began), .began_o(post_is),
    .upd_valid_o, .upd_ready_i, .upd_flag_i, .upd_qp_o, .upd_entry_o, .upd_o,
    .flag_valid_o, .flag_ready_i, .due_valid_o, .due_ready_i, .due_o
  );

  always_ff @(posedge clk_i) begin
    if (state_q == StVerdict && verdict_taken) begin
      if (went) op_kind_q <= is_refusal || last ? tally_sender_pkg::ListDrop :
                                                  tally_sender_pkg::ListPosted;
      else op_kind_q <= tally_sender_pkg::ListNext;
    end else if (hands) begin
      op_kind_q <= tally_sender_pkg::ListDrop;
    end
  end

  // ---- What the visit leads to ----
  logic posted_q, lost_q, fresh_q, waiting_q, changed_q, judged, waits, left, ends;
  logic looks, began_q, stands;

  assign judged = verdict_taken && !has_begun && verdict != tally_turn_pkg::VerdictEnded && !lost;
  assign waits = verdict == tally_turn_pkg::VerdictAhead;
  assign left = any || fresh_q;  // what was appended late has set the bit
  assign tells = state_q == StEnd ? !left || posted_q || lost_q : state_q == StForget;
  assign tell_now = tells && !it_q && !told_q && listed;
  assign ends = state_q == StEnd && listed && (!tells || tell_now);
  assign stands = works_q && !fails_q && left && !posted_q && !lost_q;
  assign looks = ends && (changed_q || (shared_q && stands));

  always_ff @(posedge clk_i) begin
    if (begins) begin
      posted_q <= 1'b0;
      lost_q <= 1'b0;
      fresh_q <= 1'b0;
      changed_q <= 1'b0;
    end else begin
      posted_q <= posted_q || (went && !is_refusal);
      lost_q <= lost_q || (state_q == StVerdict && lost);
      fresh_q <= fresh_q || (appends && it_qp_q == qp_q);
      changed_q <= changed_q || (judged && waits != waiting_q);
    end
    began_q <= begins;
    if (began_q) waiting_q <= was_waiting_q;
    else if (judged) waiting_q <= waits;
  end

  // ---- Who has to be visited ----
  logic list_event, list_any, group_ready, ready_active, looks_busy;
  logic [QpW-1:0] list_qp;
  logic [GroupW-1:0] mark_group_q;

  assign list_event = appends || tell_now;
  assign list_any = appends || (state_q == StEnd && left);
  always_comb begin
    list_qp = qp_q;
    if (appends) list_qp = it_qp_q;
    else if (state_q == StForget) list_qp = cmd_qp_i;
  end

  tally_sender_ready #(.Groups(Groups), .Qps(Qps), .Word(Word)) u_ready (
    .clk_i, .rst_ni, .busy_o(ready_busy), .active_o(ready_active),
    .list_valid_i(list_event), .list_any_i(list_any), .list_qp_i(list_qp),
    .moved_valid_i, .moved_group_i,
    .group_valid_i(mark_q), .group_ready_o(group_ready), .group_i(mark_group_q),
    .mark_valid_i, .mark_qp_i,
    .link_valid_i, .link_ready_o, .link_first_i, .link_index_i, .link_end_i, .link_qp_i,
    .out_valid_o(ready_valid), .out_ready_i(begins), .out_qp_o(ready_qp)
  );

  logic unused_searches;
  tally_marks #(.Num(Qps), .Word(Word)) u_looks (
    .clk_i, .rst_ni, .busy_o(looks_busy),
    .mark_valid_i(looks), .mark_i(qp_q), .searches_o(unused_searches),
    .out_valid_o(look_valid_o), .out_ready_i(look_ready_i), .out_o(look_qp_o)
  );

  always_ff @(posedge clk_i) begin
    if (!mark_q) mark_group_q <= state_q == StIdle ? epoch_group_i : group_q;
  end

  // ---- Order of the steps ----
  logic [QpW-1:0] init_q;
  logic marks, is_state, resets;
  assign marks = (epoch_ready_o && epoch_begin_i) || state_q == StTable ||
                 (ends && posted_q && others_q);
  assign is_state = cmd_i == tally_sender_pkg::CommandCreate ||
                    cmd_i == tally_sender_pkg::CommandState;
  assign resets = cmd_i == tally_sender_pkg::CommandCreate ||
                  (is_state && cmd_state_i == tally_pkg::QpsReset);

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      StInit: begin
        if (init_q == {QpW{1'b1}} && !lists_busy && !ready_busy && !turn_busy) state_d = StIdle;
      end
      StIdle: begin
        if (commands) state_d = StCommand;
        else if (tables) state_d = StTable;
        else if (begins) state_d = StList;
      end
      StTable: state_d = StIdle;
      StCommand: state_d = resets ? StClear : StIdle;
      StClear: if (op_ready) state_d = StForget;
      StForget: if (tell_now) state_d = StIdle;
      StList: begin
        if (hit) state_d = row_ready_i ? StGot : StRow;
        else if (listed) state_d = StEnd;
      end
      StRow: if (row_ready_i) state_d = StGot;
      StGot: begin
        if (got_valid_i && is_descriptor) state_d = runs ? StHand : StEnd;
        else if (got_valid_i) state_d = ask_ready ? StVerdict : StAsk;
      end
      StHand: if (hand_ready_i) state_d = hand_took_i ? StList : StEnd;
      StAsk: if (ask_ready) state_d = StVerdict;
      StVerdict: begin
        if (verdict_taken) begin
          if (went) state_d = StPost;
          else state_d = is_shut && has_begun ? StList : StEnd;
        end
      end
      StPost: if (done) state_d = StList;  // behind a refused request none begins
      default: if (ends) state_d = StIdle;  // StEnd
    endcase
  end

  logic adds_op, passes;
  assign adds_op = hands || (verdict_taken && (went || (is_shut && has_begun)));
  assign passes = (state_q == StCommand && !resets) || (state_q == StForget && tell_now);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= StInit;
      init_q <= '0;
      it_q <= 1'b0;
      told_q <= 1'b0;
      mark_q <= 1'b0;
      pass_q <= 1'b0;
      op_todo_q <= 1'b0;
      listed_q <= 1'b0;
      borrows_q <= 1'b0;
      hands_q <= 1'b0;
    end else begin
      state_q <= state_d;
      if (state_q == StInit && init_q != {QpW{1'b1}}) init_q <= init_q + 1'b1;
      it_q <= it_valid_i || (it_q && !hears);
      told_q <= list_event;
      mark_q <= marks || (mark_q && !group_ready);
      pass_q <= passes || (pass_q && !pass_ready_i);
      op_todo_q <= adds_op || (op_todo_q && !issues);
      listed_q <= listed && !adds_op && !issues;
      borrows_q <= verdict_taken && borrows;
      hands_q <= hands;
    end
  end
  assign busy_o = state_q == StInit;
  assign active_o = state_q != StIdle || it_q || mark_q || pass_q || op_todo_q || lists_busy ||
                    turn_busy || ready_active || looks_busy;

  // ---- Memories ----
  logic inits, is_command, ends_epoch;
  logic works_write, fails_write, waits_write, works_value, fails_value, waits_value;
  logic [QpW-1:0] works_at, fails_at, waits_at;

  assign inits = state_q == StInit;
  assign is_command = state_q == StCommand;
  assign ends_epoch = cmd_i == tally_sender_pkg::CommandEnd;
  always_comb begin
    works_at = it_qp_q;
    works_value = 1'b0;
    works_write = hears && it_is_q == tally_sender_pkg::EventError;
    fails_at = it_qp_q;
    fails_value = 1'b1;
    fails_write = hears && it_is_q == tally_sender_pkg::EventFails;
    waits_at = qp_q;
    waits_value = waiting_q;
    waits_write = ends;
    if (inits) begin
      works_at = init_q;
      fails_at = init_q;
      waits_at = init_q;
      fails_value = 1'b0;
      waits_value = 1'b0;
    end else if (is_command) begin
      works_at = cmd_qp_i;
      fails_at = cmd_qp_i;
      waits_at = cmd_qp_i;
      works_value = is_state && cmd_state_i == tally_pkg::QpsRts;
      fails_value = 1'b0;
      waits_value = 1'b0;
    end else if (refuses) begin
      fails_at = qp_q;
      fails_write = 1'b1;
    end
    if (inits || (is_command && (is_state || ends_epoch))) works_write = 1'b1;
    if (inits || (is_command && resets)) begin
      fails_write = 1'b1;
      waits_write = 1'b1;
    end
  end
  always_ff @(posedge clk_i) begin
    if (works_write) works_mem_q[works_at] <= works_value;
    if (fails_write) fails_mem_q[fails_at] <= fails_value;
    if (waits_write) waits_mem_q[waits_at] <= waits_value;
    if (is_command && cmd_i == tally_sender_pkg::CommandCreate) begin
      group_mem_q[cmd_qp_i] <= cmd_group_i;
    end
    if (tab_ready_o) begin
      tab_mem_q[tab_qp_i] <= {tab_sole_i, tab_shared_i, tab_others_i, tab_alone_i};
    end
  end
endmodule
