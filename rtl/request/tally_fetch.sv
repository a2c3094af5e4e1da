// SPDX-License-Identifier: BSD-2-Clause
// Fetcher of work requests (sim/engine/fetch.c, sim/nic/qp.c): decides for each queue pair which
// entry of its send queue is read next. At most one entry of a queue pair is being fetched, and at
// most Window are taken in and have not retired. QUERY and ABORT do not wait for earlier requests,
// so while the window is full or nothing else is to be taken in, the fetcher looks through the
// queue ahead of it, and notes in a bitmap what has been answered out of turn. In ERROR it fetches
// the entries that are left one by one, to flush them.
//
// Operations, one after the other, in this order if several wait:
//   set_*     Puts a queue pair into a state. In RESET it forgets everything; set_create_i also
//             gives it a send queue.
//   res_*     The entry fetched for a queue pair was parsed, or could not be: whether it is good,
//             and a QUERY or an ABORT. In the clock in which it is taken, res_verdict_o says what
//             becomes of the request (verdict_e of tally_fw_pkg).
//   retire_*  The oldest request of a queue pair has retired.
//   told_*    The QUERY of a queue pair was answered, or (told_fails_i) a request has failed, so
//             that no more are taken in.
//   db_*      The doorbell: the count of posted requests, and the buffer of tally_push if the last
//             one was pushed.
//
// fetch_* is an entry to be read: at fetch_addr_o of the send queue, or from a buffer. All entries
// are answered by res_*, in any order, also after the queue pair was reset; the answer is then
// void. skip_valid_o: the entry at hand was answered out of turn, and retires in its turn without a
// completion; with skip_passes_o, in ERROR, it has retired. posted_valid_o: the count of posted
// requests has moved. free_valid_o: a buffer whose request is not read. over_valid_o: the queue
// pair was overrun, and is in ERROR now. Nobody can delay these four.
//
// Nothing that leaves can block the fetcher: the queue of fetches has a place for each queue pair.
// An operation takes four clocks, one more if an entry was answered ahead, one more while entries
// have been looked at ahead of their turn, and two more for each entry that is skipped; a reset
// takes Depth / 64 more. All ready outputs depend on all valid inputs. busy_o is low if nothing
// happens without an input; it depends on registers only. After reset the block takes nothing for
// as many clocks as there are queue pairs.
module tally_fetch #(
  parameter int unsigned Qps = tally_pkg::MaxQp,
  parameter int unsigned Window = tally_pkg::MaxRanks,
  // entries of a send queue, at most; 64 or more
  parameter int unsigned Depth = tally_pkg::MaxSqDepth,
  parameter int unsigned Buffers = 64,
  parameter int unsigned CountW = 32,
  // where the send queue is: as set_ring_o of tally_request_regs
  parameter int unsigned RingW = 64 + $clog2(tally_pkg::MemLevels + 1) +
                                 $clog2(tally_pkg::MaxPageShift - tally_pkg::MinPageShift + 1),
  localparam int unsigned QpW = Qps > 1 ? $clog2(Qps) : 1,
  localparam int unsigned BufferW = Buffers > 1 ? $clog2(Buffers) : 1,
  localparam int unsigned DepthW = $clog2(Depth),
  localparam int unsigned LogW = 4
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  output logic               busy_o,

  input  logic               set_valid_i,
  output logic               set_ready_o,
  input  logic [QpW-1:0]     set_qp_i,
  input  logic [7:0]         set_state_i,       // tally_pkg::qp_state_e
  input  logic               set_create_i,
  input  logic [RingW-1:0]   set_ring_i,        // kept for fetch_ring_o
  input  logic [63:0]        set_base_i,        // address of the send queue, a multiple of an entry
  input  logic [LogW-1:0]    set_depth_log_i,   // of its number of entries
  input  logic [LogW-1:0]    set_stride_log_i,  // of the bytes of an entry

  input  logic               res_valid_i,
  output logic               res_ready_o,
  input  logic [QpW-1:0]     res_qp_i,
  input  logic               res_good_i,
  input  logic               res_query_i,
  input  logic               res_abort_i,
  output tally_fw_pkg::verdict_e res_verdict_o,
  output logic [CountW-1:0]  res_index_o,       // of the entry

  input  logic               retire_valid_i,
  output logic               retire_ready_o,
  input  logic [QpW-1:0]     retire_qp_i,

  input  logic               told_valid_i,
  output logic               told_ready_o,
  input  logic [QpW-1:0]     told_qp_i,
  input  logic               told_fails_i,

  input  logic               db_valid_i,
  output logic               db_ready_o,
  input  logic [QpW-1:0]     db_qp_i,
  input  logic [63:0]        db_count_i,
  input  logic               db_pushed_i,
  input  logic [BufferW-1:0] db_buffer_i,

  output logic               fetch_valid_o,
  input  logic               fetch_ready_i,
  output logic [QpW-1:0]     fetch_qp_o,
  output logic [CountW-1:0]  fetch_index_o,
  output logic               fetch_pushed_o,    // from the buffer
  output logic [BufferW-1:0] fetch_buffer_o,
  output logic [RingW-1:0]   fetch_ring_o,
  output logic [63:0]        fetch_addr_o,
  output logic [13:0]        fetch_length_o,

  output logic               skip_valid_o,
  output logic [QpW-1:0]     skip_qp_o,
  output logic [CountW-1:0]  skip_index_o,
  output logic               skip_passes_o,
  output logic               posted_valid_o,
  output logic [QpW-1:0]     posted_qp_o,
  output logic [CountW-1:0]  posted_count_o,
  output logic               free_valid_o,
  output logic [BufferW-1:0] free_buffer_o,
  output logic               over_valid_o,
  output logic [QpW-1:0]     over_qp_o
);
  localparam int unsigned WordsOfQp = Depth / 64;
  localparam int unsigned WordW = WordsOfQp > 1 ? $clog2(WordsOfQp) : 1;
  localparam int unsigned MapW = QpW + WordW;
  localparam int unsigned StateW = 8 + 7 + BufferW + 64 + 6 * CountW + RingW + 64 + 2 * LogW;
  localparam int unsigned FetchW = QpW + CountW + 1 + BufferW + RingW + 64 + LogW;
  localparam logic [CountW-1:0] WindowC = CountW'(Window);

  typedef struct packed {
    logic [7:0]         state;
    logic               cleared;   // the bitmap has been, since the reset
    logic               failing;   // no more requests are taken in
    logic               fetching;
    logic               stale;     // what is being fetched is of the time before a reset
    logic               asked;     // a QUERY waits for its answer
    logic               aborting;
    logic               pushed;    // the entry at `copy` is in a buffer
    logic [BufferW-1:0] buffer;
    logic [63:0]        seen;      // highest count of a doorbell
    logic [CountW-1:0]  posted;
    logic [CountW-1:0]  admit;     // taken in
    logic [CountW-1:0]  scan;      // looked through
    logic [CountW-1:0]  head;      // retired
    logic [CountW-1:0]  fetch;     // entry that is being fetched
    logic [CountW-1:0]  copy;
    logic [RingW-1:0]   ring;
    logic [63:0]        base;
    logic [LogW-1:0]    depth_log;
    logic [LogW-1:0]    stride_log;
  } qp_t;

  typedef enum logic [2:0] {
    StIdle,    // the state is read
    StApply,   // of the operation
    StMark,    // notes that an entry was answered ahead
    StClear,   // of the bitmap
    StLook,    // fetch the next entry, or do nothing, if none was looked at ahead of its turn
    StNext,    // fetch it, skip it because it was answered, or do nothing
    StWrite
  } state_e;

  typedef enum logic [2:0] {
    OpSet,
    OpResult,
    OpRetire,
    OpTold,
    OpDoorbell
  } op_e;

  // Whether a count comes before another one.
  function automatic logic is_before(input logic [CountW-1:0] a, input logic [CountW-1:0] b);
    logic [CountW-1:0] less;
    less = a - b;
    is_before = less[CountW-1];
  endfunction

  // Whether a further entry may be taken in; whether the oldest one is flushed.
  function automatic logic room_of(input logic [CountW-1:0] admit, input logic [CountW-1:0] head);
    room_of = admit - head < WindowC;
  endfunction
  function automatic logic flushes_of(input logic [7:0] state, input logic [CountW-1:0] head,
                                      input logic [CountW-1:0] admit,
                                      input logic [CountW-1:0] posted);
    flushes_of = state == tally_pkg::QpsError && head == admit && head != posted;
  endfunction

  logic [StateW-1:0] qp_q [Qps];
  logic [63:0] map_q [Qps << WordW];

  state_e state_q, state_d;
  op_e op, op_q;
  qp_t cur_q, cur, cur_d;
  logic [QpW-1:0] qp, at_q;
  logic [StateW-1:0] read_q;
  logic [63:0] word_q, bit_of;
  logic [WordW-1:0] clear_q;
  logic clearing, written;
  logic [MapW-1:0] map_at;
  logic any, applies, in_room, has_next, flushes, is_answered, passed, decides, copied, do_fetch,
      map_write, frees, clears;
  logic [CountW-1:0] next, count32;
  logic [63:0] map_data;
  logic [BufferW-1:0] freed;
  tally_fw_pkg::verdict_e verdict;
  logic over, skips, moves;

  // ---- Choice of an operation ----
  assign any = set_valid_i || res_valid_i || retire_valid_i || told_valid_i || db_valid_i;
  always_comb begin
    op = OpDoorbell;
    qp = db_qp_i;
    if (set_valid_i) begin
      op = OpSet;
      qp = set_qp_i;
    end else if (res_valid_i) begin
      op = OpResult;
      qp = res_qp_i;
    end else if (retire_valid_i) begin
      op = OpRetire;
      qp = retire_qp_i;
    end else if (told_valid_i) begin
      op = OpTold;
      qp = told_qp_i;
    end
  end

  // An operation is taken when it is applied. This is a bit of its own, as much follows from it.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) applies <= 1'b0;
    else applies <= state_d == StApply;
  end
  assign set_ready_o = applies && op_q == OpSet;
  assign res_ready_o = applies && op_q == OpResult;
  assign retire_ready_o = applies && op_q == OpRetire;
  assign told_ready_o = applies && op_q == OpTold;
  assign db_ready_o = applies && op_q == OpDoorbell;

  // In the clock of the operation, the state comes from the memory.
  always_comb begin
    cur = cur_q;
    if (applies) cur = written ? read_q : '0;
  end

  // ---- What the next entry is, in the clocks behind the operation ----
  assign in_room = room_of(cur_q.admit, cur_q.head);
  assign flushes = flushes_of(cur_q.state, cur_q.head, cur_q.admit, cur_q.posted);
  assign passed = is_before(cur_q.admit, cur_q.scan);
  always_comb begin
    next = cur_q.admit;  // in ERROR it is the head
    has_next = 1'b0;
    if (!cur_q.fetching && cur_q.state == tally_pkg::QpsRts && !cur_q.failing && !cur_q.asked) begin
      if (cur_q.admit != cur_q.posted && in_room) begin
        has_next = 1'b1;
      end else begin
        if (passed) next = cur_q.scan;
        has_next = next != cur_q.posted && !cur_q.aborting;
      end
    end else if (!cur_q.fetching && flushes) begin
      has_next = 1'b1;
    end
  end

  // Only entries in their turn can have been answered, and only if the scan has passed them.
  assign bit_of = 64'd1 << next[5:0];
  assign is_answered = (word_q & bit_of) != '0 && next == cur_q.admit &&
                       (flushes || (cur_q.admit != cur_q.posted && in_room));
  assign copied = cur_q.pushed && cur_q.copy == next;
  assign decides = state_q == StNext || (state_q == StLook && !passed);
  assign do_fetch = decides && has_next && !(passed && is_answered);
  assign skips = state_q == StNext && has_next && is_answered;
  assign skip_valid_o = skips;
  assign skip_qp_o = at_q;
  assign skip_index_o = next;
  assign skip_passes_o = flushes;

  // ---- Results ----
  logic in_turn, asks;
  assign asks = res_good_i && (res_query_i || res_abort_i);
  assign in_turn = cur.fetch == cur.admit && room_of(cur.admit, cur.head);
  always_comb begin
    verdict = tally_fw_pkg::VerdictDrop;
    if (!cur.fetching || cur.stale) begin
      verdict = tally_fw_pkg::VerdictDrop;
    end else if (flushes_of(cur.state, cur.head, cur.admit, cur.posted) &&
                 cur.fetch == cur.head) begin
      verdict = tally_fw_pkg::VerdictFlush;
    end else if (cur.state == tally_pkg::QpsRts && !cur.failing) begin
      // What was not fetched in its turn was fetched to be looked at.
      if (in_turn && asks) verdict = tally_fw_pkg::VerdictAsk;
      else if (in_turn) verdict = tally_fw_pkg::VerdictTake;
      else if (asks) verdict = tally_fw_pkg::VerdictAhead;
      else verdict = tally_fw_pkg::VerdictLater;
    end
  end
  assign res_verdict_o = verdict;
  assign res_index_o = cur.fetch;

  // ---- The state behind the operation ----
  assign clears = set_create_i || set_state_i == tally_pkg::QpsReset || !cur.cleared;
  assign count32 = CountW'(db_count_i);
  always_comb begin
    cur_d = cur;
    frees = 1'b0;
    freed = cur.buffer;
    over = 1'b0;
    moves = 1'b0;
    if (applies) begin
      unique case (op_q)
        OpSet: begin
          cur_d.state = set_state_i;
          if (set_create_i || set_state_i == tally_pkg::QpsReset) begin
            cur_d = '0;
            cur_d.state = set_state_i;
            cur_d.fetching = cur.fetching;
            cur_d.stale = cur.fetching;
            cur_d.ring = set_create_i ? set_ring_i : cur.ring;
            cur_d.base = set_create_i ? set_base_i : cur.base;
            cur_d.depth_log = set_create_i ? set_depth_log_i : cur.depth_log;
            cur_d.stride_log = set_create_i ? set_stride_log_i : cur.stride_log;
            frees = cur.pushed;
          end
          cur_d.cleared = 1'b1;
        end
        OpResult: begin
          cur_d.fetching = 1'b0;
          cur_d.stale = 1'b0;
          unique case (verdict)
            tally_fw_pkg::VerdictTake, tally_fw_pkg::VerdictAsk: begin
              cur_d.admit = cur.admit + 1'b1;
              cur_d.failing = !res_good_i;
            end
            tally_fw_pkg::VerdictAhead, tally_fw_pkg::VerdictLater: begin
              cur_d.scan = cur.scan + 1'b1;
            end
            tally_fw_pkg::VerdictFlush: begin
              cur_d.head = cur.head + 1'b1;
              cur_d.admit = cur.head + 1'b1;
            end
            default: ;
          endcase
          if (verdict == tally_fw_pkg::VerdictAsk ||
              verdict == tally_fw_pkg::VerdictAhead) begin
            cur_d.asked = cur.asked || res_query_i;
            cur_d.aborting = cur.aborting || !res_query_i;
          end
        end
        OpRetire: cur_d.head = cur.head + 1'b1;
        OpTold: begin
          if (told_fails_i) cur_d.failing = 1'b1;
          else cur_d.asked = 1'b0;
        end
        default: begin  // OpDoorbell
          frees = db_pushed_i;
          freed = db_buffer_i;
          if (cur.state != tally_pkg::QpsReset && db_count_i > cur.seen) begin
            cur_d.seen = db_count_i;
            frees = cur.pushed;
            freed = cur.buffer;
            cur_d.pushed = db_pushed_i;
            cur_d.buffer = db_buffer_i;
            cur_d.copy = count32 - 1'b1;
            if (is_before(cur.posted, count32)) begin
              if (count32 - cur.head <= CountW'(1) << cur.depth_log) begin
                cur_d.posted = count32;
                moves = 1'b1;
              end else if (cur.state == tally_pkg::QpsRts) begin
                cur_d.state = tally_pkg::QpsError;
                over = 1'b1;
              end
            end
          end
        end
      endcase
    end else if (decides) begin
      if (skips) begin
        cur_d.admit = cur.admit + 1'b1;
        if (flushes) cur_d.head = cur.head + 1'b1;
      end
      if (do_fetch) begin
        cur_d.fetching = 1'b1;
        cur_d.fetch = next;
        if (copied) cur_d.pushed = 1'b0;
      end
      if (!passed) cur_d.scan = cur_q.admit;  // what is behind was not looked at
    end
  end

  assign free_valid_o = frees;
  assign free_buffer_o = freed;
  assign posted_valid_o = moves;
  assign posted_qp_o = at_q;
  assign posted_count_o = count32;
  assign over_valid_o = over;
  assign over_qp_o = at_q;

  // ---- Order of the steps ----
  always_comb begin
    state_d = state_q;
    unique case (state_q)
      StIdle: if (any && !clearing) state_d = StApply;
      StApply: begin
        state_d = StLook;
        if (op_q == OpSet && clears) begin
          state_d = StClear;
        end else if (op_q == OpResult && verdict == tally_fw_pkg::VerdictAhead) begin
          state_d = StMark;
        end
      end
      StMark: state_d = StLook;
      StClear: if (clear_q == WordW'(WordsOfQp - 1)) state_d = StWrite;
      StLook: state_d = passed ? StNext : StWrite;
      StNext: state_d = skips ? StLook : StWrite;
      default: state_d = StIdle;  // StWrite
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= StIdle;
    end else begin
      state_q <= state_d;
    end
  end

  always_ff @(posedge clk_i) begin
    if (state_q == StIdle) begin
      op_q <= op;
      at_q <= qp;
    end
    clear_q <= state_q == StClear ? clear_q + 1'b1 : '0;
    cur_q <= cur_d;
  end

  // ---- Memories ----
  logic [WordW-1:0] next_word, fetch_word;
  always_ff @(posedge clk_i) begin
    if (state_q == StIdle) read_q <= qp_q[qp];
    if (state_q == StWrite) qp_q[at_q] <= cur_q;
  end
  tally_written #(.Rows(Qps)) u_written (
    .clk_i, .rst_ni, .busy_o(clearing), .write_i(state_q == StWrite), .write_at_i(at_q),
    .read_i(state_q == StIdle), .read_at_i(qp), .written_o(written)
  );

  if (WordsOfQp > 1) begin : gen_word
    assign next_word = next[DepthW-1:6];
    assign fetch_word = cur.fetch[DepthW-1:6];
  end else begin : gen_no_word
    assign next_word = '0;
    assign fetch_word = '0;
  end

  // A word of the bitmap is read in the clock before it is changed.
  logic [63:0] mark_bit;
  assign mark_bit = 64'd1 << cur.fetch[5:0];
  always_comb begin
    map_write = 1'b1;
    map_at = {at_q, next_word};
    map_data = word_q & ~bit_of;
    if (state_q == StClear) begin
      map_at = {at_q, clear_q};
      map_data = '0;
    end else if (state_q == StMark) begin
      map_at = {at_q, fetch_word};
      map_data = word_q | mark_bit;
    end else begin
      map_write = skips;
    end
  end
  always_ff @(posedge clk_i) begin
    if (map_write) map_q[map_at] <= map_data;
    else word_q <= map_q[{at_q, applies ? fetch_word : next_word}];
  end

  // ---- Fetches ----
  logic fetched_q, fetched_copy_q, unused_room, offers, queued, queues, loads, fetch_valid_q;
  logic [FetchW-1:0] new_fetch, oldest, fetch_q;
  logic [$clog2(Qps+1)-1:0] unused_used;
  logic [BufferW-1:0] fetched_buffer_q;
  logic [CountW-1:0] place;
  logic [63:0] address;
  logic [LogW-1:0] length_log;
  assign place = cur.fetch & ~({CountW{1'b1}} << cur.depth_log);
  assign address = cur.base + (64'(place) << cur.stride_log);
  always_ff @(posedge clk_i) begin
    fetched_q <= do_fetch;
    fetched_copy_q <= copied;
    fetched_buffer_q <= cur.buffer;
  end

  // The next one is in a register, which it enters at once if no other is before it, so that those
  // who read entries need not wait for the memory of the queue. The queue has a place for the one
  // entry of each queue pair.
  assign offers = fetched_q && state_q == StWrite;
  assign queues = offers && (queued || fetch_valid_q);
  assign loads = !fetch_valid_q || fetch_ready_i;
  assign new_fetch = {at_q, cur.fetch, fetched_copy_q, fetched_buffer_q, cur.ring, address,
                      cur.stride_log};
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) fetch_valid_q <= 1'b0;
    else fetch_valid_q <= !loads || queued || (offers && !queues);
  end
  always_ff @(posedge clk_i) if (loads) fetch_q <= queued ? oldest : new_fetch;
  tally_fifo #(
    .Width(FetchW),
    .Depth(Qps)
  ) u_fetches (
    .clk_i,
    .rst_ni,
    .in_valid_i(queues),
    .in_ready_o(unused_room),
    .in_i(new_fetch),
    .out_valid_o(queued),
    .out_ready_i(loads),
    .out_o(oldest),
    .used_o(unused_used)
  );
  assign fetch_valid_o = fetch_valid_q;
  assign {fetch_qp_o, fetch_index_o, fetch_pushed_o, fetch_buffer_o, fetch_ring_o, fetch_addr_o,
          length_log} = fetch_q;
  assign fetch_length_o = 14'd1 << length_log;
  assign busy_o = state_q != StIdle || clearing || queued || fetch_valid_q;

`ifdef FORMAL
  `include "fetch_proof.svh"
`endif
endmodule
