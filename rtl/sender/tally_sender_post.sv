// SPDX-License-Identifier: BSD-2-Clause
// The post of a chunk, from the operation of the store until all have been told of it; or the
// refusal of a request. slot_post() of sim/engine/segment.c. docs/rtl-sender.md has its user.
//
// go_*: the next chunk of a request, number go_num_i, its go_sid_i-th from 0 on, is to be posted;
// or the request is to be refused (go_refuse_i, with go_status_i). go_away_i: the store does not do
// the operation, so somebody else carries out the chunk, who hears of it by began_*. The request
// and go_sid_i must be there two clocks before. All of it stays until the clock after done_o, but
// the number, go_last_i and go_status_i only until went_o, with which go_valid_i falls. went_o: the
// store has taken the post a clock before. lost_o: it has no room for a post (room_i), so nothing
// has been done, and go_valid_i falls.
//
// post_*: the operation, with the ranks that give nothing where the store would expect data, those
// that get nothing, and the neighbours that are left out. The store takes it only while it has
// room, and it is withdrawn if room_i is low, which may tell of a clock before. ans_*: the answer,
// two clocks after the post or later, with the slot of the chunk. ref_*: by which entry a rank has
// posted the chunk of the slot; a write in each clock, the last one with the first clock of upd_*.
// began_*: a pulse: the chunk has its number, and the answer of the store, or the request is
// refused. It comes before upd_*, but of a chunk that is away in the clock after it, so that
// whoever carries it out can tell its ends. upd_*: the same for the outcome of the request. With
// upd_ready_i,
// upd_flag_i says that the flag word of the request is due: flag_*. due_*: the ranks that have data
// for the chunk. A post that the store has not taken into the slot is told as begun, but nothing is
// due: the epoch ends. Of a chunk that is away, nothing is due, and no rank is finished.
//
// go_whole_i: the request posts for all ranks of its group here. If each of them gives and gets
// data, and no neighbour is left out, due_* is offered when the store has taken the post, before
// its answer: the masks of no other post can disagree with this one, the store refuses the data of
// a message that it refuses, and no rank is finished by them.
//
// hold_o: the store has taken the post, and tally_status has not been told yet. No result may leave
// for its rank meanwhile, as its reference may be missing, and its end would come before the begin.
// Nothing that this block waits for in these clocks waits for a result.
//
// Time: from the store's answer, one clock for each rank, then one each for upd_* and for flag_* or
// due_*, which is offered in the clock after the post if it does not wait for the answer.
// post_valid_o depends on go_valid_i.
module tally_sender_post #(
  parameter int unsigned Groups = tally_pkg::MaxGroup,
  parameter int unsigned Qps = tally_pkg::MaxQp,
  parameter int unsigned Entries = tally_pkg::MaxRequests,
  parameter int unsigned Slots = tally_pkg::MaxSeg,
  localparam int unsigned GroupW = Groups > 1 ? $clog2(Groups) : 1,
  localparam int unsigned QpW = Qps > 1 ? $clog2(Qps) : 1,
  localparam int unsigned EntryW = $clog2(Entries),
  localparam int unsigned SlotW = $clog2(Slots),
  localparam int unsigned RankW = $clog2(tally_pkg::MaxRanks)
) (
  input  logic                         clk_i,
  input  logic                         rst_ni,

  input  logic                         go_valid_i,
  input  logic                         go_refuse_i,
  input  logic [15:0]                  go_status_i,
  input  logic                         go_away_i,
  input  logic [QpW-1:0]               go_qp_i,
  input  logic [EntryW-1:0]            go_entry_i,
  input  logic [GroupW-1:0]            go_group_i,
  input  tally_sender_pkg::work_t      go_work_i,
  input  logic                         go_whole_i,
  input  logic [31:0]                  go_sid_i,
  input  logic [31:0]                  go_num_i,
  input  logic                         go_last_i,  // of the chunks of the request
  output logic                         went_o,     // these three: pulses, two from registers
  output logic                         lost_o,
  output logic                         done_o,
  output logic                         hold_o,

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
  output tally_sender_pkg::began_t     began_o,
  output logic                         upd_valid_o,
  input  logic                         upd_ready_i,
  input  logic                         upd_flag_i,
  output logic [QpW-1:0]               upd_qp_o,    // these two also of the others
  output logic [EntryW-1:0]            upd_entry_o,
  output tally_sender_pkg::update_t    upd_o,
  output logic                         flag_valid_o,
  input  logic                         flag_ready_i,
  output logic                         due_valid_o,
  input  logic                         due_ready_i,
  output tally_local_pkg::due_t        due_o
);
  typedef enum logic [2:0] {
    StIdle,    // a post is offered as soon as it is to be made
    StLost,    // there was no room for it
    StWent,    // the store has taken it, or has nothing to do with the request
    StAnswer,  // of the store to the post
    StRefs,    // the reference of one rank after the other
    StUpdate,
    StFlag,
    StDue
  } state_e;
  state_e state_d, state_q;

  // ---- Who does what in the chunk ----
  logic [63:0] due, absent, quits;
  logic [6:0] finished, finished_q;
  logic [31:0] first_q, product_q;

  tally_sender_shares u_shares (
    .clk_i, .rst_ni,
    .opcode_i(go_work_i.opcode), .empty_i(go_work_i.empty), .combined_i(go_work_i.combined),
    .ranks_i(go_work_i.ranks), .root_here_i(go_work_i.root_here),
    .root_rank_i(go_work_i.root_rank[5:0]),
    .due_o(due), .absent_o(absent), .quits_o(quits)
  );
  always_ff @(posedge clk_i) begin
    product_q <= go_sid_i * 32'(go_work_i.chunk);
    first_q <= product_q;
    finished_q <= finished;
  end

  logic unused;
  assign unused = ^{go_work_i, ans_i};  // few of their fields are used

  // ---- One rank after the other ----
  logic [63:0] left_q, next_left;
  logic [RankW-1:0] rank;
  logic [6:0] count_q;
  logic at_end;

  always_comb begin
    rank = '0;
    for (int unsigned i = tally_pkg::MaxRanks; i > 0; i--) if (left_q[i-1]) rank = RankW'(i - 1);
  end
  assign next_left = left_q & (left_q - 1'b1);
  assign at_end = next_left == '0;
  always_comb begin
    finished = '0;
    for (int unsigned i = 0; i < tally_pkg::MaxRanks; i++) finished += 7'(quits[i]);
  end

  always_ff @(posedge clk_i) begin
    if (state_q == StAnswer) left_q <= go_work_i.ranks;
    else if (state_q == StRefs) left_q <= next_left;
    if (state_q == StAnswer) count_q <= '0;
    else if (state_q == StRefs) count_q <= count_q + 1'b1;
  end

  // ---- The store ----
  logic idle, offers, posts, leaves, alone, heard, stores, stored_q, refuse_q, away_q;
  logic [SlotW-1:0] slot_q;
  logic [15:0] err_vector_q, status_q;
  logic [7:0] answer_q;
  logic [31:0] num_q, num;
  logic last_q;
  tally_segment_pkg::message_t message;

  assign idle = state_q == StIdle;
  assign leaves = idle && go_valid_i && (go_refuse_i || go_away_i);
  assign offers = idle && go_valid_i && !go_refuse_i && !go_away_i;
  assign posts = offers && post_ready_i;
  assign went_o = state_q == StWent;
  assign alone = refuse_q || away_q;  // the store does not answer
  assign heard = state_q == StAnswer && (alone || ans_valid_i);
  assign lost_o = state_q == StLost;
  assign stores = ans_i.answer == 8'(tally_fw_pkg::StoreAnswerStored) ||
                  ans_i.answer == 8'(tally_fw_pkg::StoreAnswerDuplicate);  // it is open already
  assign num = state_q == StIdle ? go_num_i : num_q;

  always_comb begin
    message = '0;
    message.mode = go_work_i.mode;
    message.opcode = go_work_i.opcode;
    message.op = go_work_i.op;
    message.dtype = go_work_i.dtype;
    message.root_rank = go_work_i.root_rank;
    message.root_node = go_work_i.root_node;
    message.num = num;
    message.mid = go_work_i.mid;
    message.sid = go_sid_i;
    message.total = go_work_i.total;
    message.first = first_q;
    message.count = 32'(go_work_i.chunk);  // of a whole chunk
    post_o = '0;
    post_o.op = 8'(tally_fw_pkg::StoreOpPost);
    post_o.group_ = 16'(go_group_i);
    post_o.message = message;
    post_o.ranks = go_work_i.ranks;
    post_o.absent = absent;
    post_o.quits = quits;
    post_o.out = go_work_i.out;
  end
  assign post_valid_o = offers;

  always_ff @(posedge clk_i) begin
    if (state_q == StIdle) begin
      num_q <= go_num_i;
      last_q <= go_last_i;
      status_q <= go_status_i;
      refuse_q <= go_refuse_i;
      away_q <= go_away_i;
    end
    if (heard) begin
      stored_q <= stores && !alone;
      slot_q <= ans_i.slot[SlotW-1:0];
      err_vector_q <= alone ? '0 : ans_i.err_vector;
      answer_q <= ans_i.answer;
      if (!refuse_q) status_q <= ans_i.status;
    end
  end

  // ---- What is told ----
  logic ref_q, began_q;
  logic [RankW-1:0] rank_q;

  assign ref_valid_o = ref_q;
  assign ref_slot_o = slot_q;
  assign ref_rank_o = rank_q;
  assign ref_entry_o = go_entry_i;
  always_ff @(posedge clk_i) rank_q <= rank;
  assign began_valid_o = began_q;
  always_comb begin
    began_o = '0;
    began_o.refused = refuse_q;
    began_o.here = !alone;
    began_o.num = num_q;
    began_o.status = status_q;
    began_o.answer = answer_q;
    began_o.err_vector = err_vector_q;
  end
  assign upd_valid_o = state_q == StUpdate;
  assign upd_qp_o = go_qp_i;
  assign upd_entry_o = go_entry_i;
  always_comb begin
    upd_o = '0;
    upd_o.refused = refuse_q;
    if (refuse_q) begin
      upd_o.status = status_q;
    end else begin
      upd_o.last = last_q;
      upd_o.num = num_q;
      upd_o.ranks = count_q;
      upd_o.finished = away_q ? '0 : finished_q;
      upd_o.err_vector = err_vector_q;
    end
  end
  assign flag_valid_o = state_q == StFlag;
  assign due_valid_o = due_q;
  assign due_o.group_ = 16'(go_group_i);
  assign due_o.message = message;
  assign due_o.ranks = due;

  // ---- Order of the steps ----
  logic gives, updated, all_get, at_once, due_q, due_left;
  assign all_get = go_work_i.opcode == 8'(tally_pkg::OpcodeAllreduce) ||
                   go_work_i.opcode == 8'(tally_pkg::OpcodeBarrier);
  assign at_once = go_whole_i && all_get && !go_work_i.empty && !go_work_i.combined &&
                   go_work_i.out == '0;
  assign gives = !refuse_q && stored_q && due != '0 && !at_once;
  assign updated = upd_valid_o && upd_ready_i;
  assign due_left = gives || (due_q && !due_ready_i);
  assign done_o = (updated && !upd_flag_i && !due_left) || (flag_valid_o && flag_ready_i) ||
                  (state_q == StDue && due_ready_i);
  assign hold_o = !refuse_q && (state_q == StWent || state_q == StAnswer || state_q == StRefs ||
                                state_q == StUpdate);

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      StIdle: begin
        if (posts || leaves) state_d = StWent;
        else if (offers && !room_i) state_d = StLost;
      end
      StLost: state_d = StIdle;
      StWent: state_d = StAnswer;
      StAnswer: if (heard) state_d = StRefs;
      StRefs: if (at_end) state_d = StUpdate;
      StUpdate: begin
        if (updated && upd_flag_i) state_d = StFlag;
        else if (updated) state_d = due_left ? StDue : StIdle;
      end
      StFlag: if (flag_ready_i) state_d = StIdle;
      default: if (due_ready_i) state_d = StIdle;  // StDue
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= StIdle;
      due_q <= 1'b0;
      ref_q <= 1'b0;
      began_q <= 1'b0;
    end else begin
      state_q <= state_d;
      ref_q <= state_q == StRefs && stored_q;
      began_q <= away_q && !refuse_q ? updated : heard;
      if ((posts && at_once) || (updated && gives)) due_q <= 1'b1;
      else if (due_ready_i) due_q <= 1'b0;
    end
  end

`ifdef FORMAL
  `include "sender_post_proof.svh"
`endif
endmodule
