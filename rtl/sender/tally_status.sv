// SPDX-License-Identifier: BSD-2-Clause
// Status update (sim/engine/status.c, wr.c): the outcome of requests, their retirement in the order
// of their queue pair, and their completions. docs/rtl-sender.md has its neighbours.
//
// Operations, one after the other, in this order if several wait:
//   cmd_*   The firmware has created a queue pair (cmd_places_i: its request entries by eights,
//           2 to the power of cmd_places_log_i of them), changed its state, reported the end of its
//           epoch, or answered its QUERY. Before all but the last, the accesses of the queue pair
//           have ended, but flag words before the end of an epoch. cmd_state_i is the new state.
//   end_*   Ranks of a request have finished a chunk, or its flag word is in memory.
//   upd_*   A chunk of a request has begun, or the request is refused: before it begins, or with
//           CollMismatch, when its completion names the contributors that disagree.
//   in_*    What tally_requests has of a queue pair, in the order of the indices: a parsed request
//           with its verdict, or (in_skip_i) one that was answered ahead of its turn, which has
//           retired if in_passes_i. A request that is taken in gets its entry, in_entry_o, in the
//           clock in which it is taken; in_row_o: the row of the entry must be written by then.
//           in_ask_o: the firmware must answer this QUERY, or carry out this ABORT.
//
// In the clock in which an end or an update is taken, end_flag_o or upd_flag_o says that the flag
// word of the request must be written now. The user names entries by their queue pair and number.
// posted_*: the count of posted requests has moved.
//
// row_*, got_*: reads the row of an entry, which comes in the next clock. cpl_*: completions.
// tell_*: what the fetcher must know; begin_*: a request is ready to begin. fail_*: a queue pair
// has retired a request with a failure. The firmware then puts it into ERROR by a command, which
// the sender hears first; requests behind are flushed from then on, so none of them is begun.
// free_*: an entry has no request any more, as it has retired, or as its queue pair is in RESET.
// Counts of messages are pulses.
//
// peek_*: what the firmware reads of a queue pair (posted_on() of sim/engine/late.c): for which
// ranks it has requests of message peek_mid_i that may begin, peeked_ranks_o, and whether requests
// that are not taken in may be of it (peeked_more_o). The block looks at one request after the
// other when no operation is offered, six clocks for each; the answer is a pulse. It is that of one
// moment if nothing happens to the queue pair meanwhile.
//
// Requests retire from the head of the queue pair of each operation on. A request that has begun
// retires with the report if its epoch has ended, unless its flag word is being written. One that
// has not begun is flushed in ERROR. group_write_i: the firmware writes a group, before CREATE.
//
// Time: four clocks for an operation, and in RESET two for each request that is forgotten; two more
// if nothing retires, and seven for each request that retires, if nobody makes it wait. An end
// reads the row of its request while it is carried out, so if it gives the oldest request its
// outcome, the completion is offered two clocks after it was taken. That of a request whose last
// chunk begins and ends with an update is offered nine clocks after that.
// The ready outputs depend on all valid inputs. busy_o is low if nothing happens without an input,
// and depends on registers only. After a reset the block takes nothing for as many clocks as there
// are queue pairs.
module tally_status #(
  parameter int unsigned Qps = tally_pkg::MaxQp,
  parameter int unsigned Groups = tally_pkg::MaxGroup,
  parameter int unsigned NumCq = tally_pkg::MaxCq,
  parameter int unsigned Entries = tally_pkg::MaxRequests,
  parameter int unsigned CountW = 32,
  localparam int unsigned QpW = Qps > 1 ? $clog2(Qps) : 1,
  localparam int unsigned GroupW = Groups > 1 ? $clog2(Groups) : 1,
  localparam int unsigned CqnW = NumCq > 1 ? $clog2(NumCq) : 1,
  localparam int unsigned EntryW = $clog2(Entries),
  localparam int unsigned StepW = $clog2(tally_pkg::RequestStep),
  localparam int unsigned PlaceW = EntryW - StepW,
  localparam int unsigned Places = tally_pkg::QpRequests / tally_pkg::RequestStep,
  localparam int unsigned PlacesW = Places * PlaceW
) (
  input  logic                            clk_i,
  input  logic                            rst_ni,
  output logic                            busy_o,

  input  logic                            group_write_i,
  input  logic [GroupW-1:0]               group_index_i,
  input  tally_sender_pkg::group_t        group_i,

  input  logic                            cmd_valid_i,
  output logic                            cmd_ready_o,
  input  tally_sender_pkg::command_e      cmd_i,
  input  logic [QpW-1:0]                  cmd_qp_i,
  input  logic [7:0]                      cmd_state_i,   // tally_pkg::qp_state_e
  input  logic [GroupW-1:0]               cmd_group_i,   // these four: of CommandCreate
  input  logic [CqnW-1:0]                 cmd_cqn_i,
  input  logic [PlacesW-1:0]              cmd_places_i,
  input  logic [1:0]                      cmd_places_log_i,
  input  tally_sender_pkg::report_t       cmd_report_i,
  input  logic [7:0]                      cmd_flags_i,   // of the completion of a QUERY

  input  logic                            end_valid_i,
  output logic                            end_ready_o,
  input  logic [QpW-1:0]                  end_qp_i,
  input  logic [EntryW-1:0]               end_entry_i,
  input  tally_sender_pkg::end_t          end_i,
  output logic                            end_flag_o,

  input  logic                            upd_valid_i,
  output logic                            upd_ready_o,
  input  logic [QpW-1:0]                  upd_qp_i,
  input  logic [EntryW-1:0]               upd_entry_i,
  input  tally_sender_pkg::update_t       upd_i,
  output logic                            upd_flag_o,

  input  logic                            in_valid_i,
  output logic                            in_ready_o,
  input  logic [QpW-1:0]                  in_qp_i,
  input  logic                            in_skip_i,
  input  logic                            in_passes_i,
  input  tally_fw_pkg::verdict_e          in_verdict_i,
  input  tally_request_pkg::request_t     in_i,
  output logic [EntryW-1:0]               in_entry_o,
  output logic                            in_row_o,
  output logic                            in_ask_o,

  input  logic                            posted_valid_i,
  input  logic [QpW-1:0]                  posted_qp_i,
  input  logic [CountW-1:0]               posted_count_i,

  output logic                            row_valid_o,
  input  logic                            row_ready_i,
  output logic [EntryW-1:0]               row_entry_o,
  input  logic                            got_valid_i,
  input  tally_request_pkg::request_t     got_i,

  output logic                            cpl_valid_o,
  input  logic                            cpl_ready_i,
  output logic [CqnW-1:0]                 cpl_cqn_o,
  output tally_pkg::cqe_t                 cpl_o,         // but timestamp, elapsed and owner
  output logic                            cpl_solicited_o,

  output logic                            tell_valid_o,
  input  logic                            tell_ready_i,
  output logic [QpW-1:0]                  tell_qp_o,
  output tally_sender_pkg::tell_e         tell_o,

  output logic                            fail_valid_o,
  input  logic                            fail_ready_i,
  output logic [QpW-1:0]                  fail_qp_o,
  output logic [15:0]                     fail_status_o,
  output logic [63:0]                     fail_ranks_o,
  output logic [31:0]                     fail_mid_o,

  output logic                            free_valid_o,   // pulses, two clocks apart at least
  output logic [EntryW-1:0]               free_entry_o,
  output logic                            begin_valid_o,  // pulses
  output logic [QpW-1:0]                  begin_qp_o,
  output logic [EntryW-1:0]               begin_entry_o,
  output logic                            message_o,
  output logic                            message_failed_o,

  input  logic                            peek_valid_i,
  output logic                            peek_ready_o,
  input  logic [QpW-1:0]                  peek_qp_i,
  input  logic [31:0]                     peek_mid_i,
  output logic                            peeked_valid_o,
  output logic [63:0]                     peeked_ranks_o,
  output logic                            peeked_more_o
);
  // Ranks of chunks that have begun and not finished, at most.
  localparam int unsigned WaitsW = $clog2(tally_pkg::MaxGroupSegs * tally_pkg::MaxRanks + 1);
  localparam int unsigned IndexW = $clog2(Places);
  localparam int unsigned AskW = CountW + 33;
  localparam int unsigned ReportW = 192;
  localparam int unsigned RowW = 8 + 4 + 2 * CountW + GroupW + CqnW + 2 * AskW + ReportW;
  localparam int unsigned OutcomeW = 3 + 3 + WaitsW + 16 + 16 + 32 + 32;
  localparam int unsigned SegW = $clog2(tally_pkg::MaxGroupSegs);
  localparam int unsigned GroupRowW = 95;

  typedef struct packed {
    logic [CountW-1:0] index;
    logic [31:0]       mid;
    logic              solicited;
  } ask_t;

  typedef struct packed {
    logic [7:0]                state;
    logic                      failing;   // no further request begins
    logic                      left;      // its epoch has ended; until RESET
    logic                      asked;     // `question` waits for its answer
    logic                      aborting;  // `abort_` completes when all others have
    logic [CountW-1:0]         head;      // retired
    logic [CountW-1:0]         admit;     // taken in
    logic [GroupW-1:0]         group_;
    logic [CqnW-1:0]           cqn;
    ask_t                      question;
    ask_t                      abort_;
    logic [ReportW-1:0]        report;
  } qp_t;

  typedef enum logic [2:0] {
    IsReady,   // not begun
    IsActive,
    IsDone,    // its outcome is known
    IsSkip     // retires without a completion
  } is_e;

  typedef struct packed {
    logic [2:0]        is;
    logic              has_flag;  // it has a flag word
    logic              flag;      // which is being written
    logic              all;       // its last chunk has begun
    logic [WaitsW-1:0] waits;
    logic [15:0]       status;
    logic [15:0]       err_vector;
    logic [31:0]       bytes;
    logic [31:0]       begun;     // chunks
  } outcome_t;

  typedef enum logic [4:0] {
    StIdle,
    StRead,      // the rows are there after this clock
    StApply,     // the operation
    StDrop,      // forgets the entry at the head
    StDropped,
    StFails,     // tells that a request has failed
    StAnswered,  // tells that a QUERY is answered
    StLook,      // reads the entry at the head
    StJudge,     // whether it retires
    StRow,       // reads its row
    StGot,
    StForm,      // forms another completion
    StCqe,
    StFail,      // the queue pair fails
    StError,
    StRetire,
    StAbort,     // whether an ABORT completes
    StPeek,      // the next request that the firmware looks at
    StPeekAt,    // whether it is taken in
    StPeekRow,
    StPeekGot,
    StPeekUse,
    StPeeked,    // all requests have been looked at
    StWrite
  } state_e;

  typedef enum logic [1:0] {
    OpCommand,
    OpEnd,
    OpUpdate,
    OpIn
  } op_e;

  // Why a completion is formed.
  typedef enum logic [1:0] {
    ForRequest,
    ForFlush,
    ForAnswer,
    ForAbort
  } for_e;

  logic [RowW-1:0] qp_mem_q [2**QpW];
  logic [PlacesW+1:0] place_mem_q [2**QpW];
  logic [OutcomeW-1:0] outcome_mem_q [2**EntryW];
  logic [GroupRowW-1:0] group_mem_q [2**GroupW];
  logic [CountW-1:0] posted_mem_q [2**QpW];
  logic [63:0] why_mem_q [2**EntryW];  // contributors that disagree
  logic [SegW-1:0] seg_mem_q [2**EntryW];  // segment of the newest chunk, if one has begun

  state_e state_q, state_d;
  op_e op, op_q;
  for_e for_q, for_d;
  logic [QpW:0] init_q;
  logic [QpW-1:0] qp, at_q;
  logic [EntryW-1:0] entry, entry_q;
  logic [RowW-1:0] read_q;
  logic [PlacesW+1:0] place_q;
  logic [OutcomeW-1:0] outcome_raw_q;
  logic [GroupRowW-1:0] group_raw_q;
  logic [CountW-1:0] posted_q;
  qp_t read, cur_q, cur_d;
  outcome_t out_q, out_d;
  tally_sender_pkg::group_t group_;
  tally_sender_pkg::report_t report;
  logic any, applies, answers;

  assign read = read_q;
  assign out_q = outcome_raw_q;
  assign group_ = group_raw_q;
  assign report = cur_q.report;

  // ---- Choice of an operation ----
  assign any = cmd_valid_i || end_valid_i || upd_valid_i || in_valid_i;
  always_comb begin
    op = OpIn;
    qp = in_qp_i;
    if (cmd_valid_i) begin
      op = OpCommand;
      qp = cmd_qp_i;
    end else if (end_valid_i) begin
      op = OpEnd;
      qp = end_qp_i;
    end else if (upd_valid_i) begin
      op = OpUpdate;
      qp = upd_qp_i;
    end else if (!in_valid_i) begin
      qp = peek_qp_q;
    end
  end
  assign entry = op == OpEnd ? end_entry_i : upd_entry_i;

  assign applies = state_q == StApply;
  assign answers = op_q == OpCommand && cmd_i == tally_sender_pkg::CommandAnswer;
  assign cmd_ready_o = applies && op_q == OpCommand;
  assign end_ready_o = applies && op_q == OpEnd;
  assign upd_ready_o = applies && op_q == OpUpdate;
  assign in_ready_o = applies && op_q == OpIn;

  // ---- What the firmware reads ----
  logic peeking_q, peek_first_q, peek_waits_q, peek_may, peek_opens, peek_ends, triggered;
  logic [QpW-1:0] peek_qp_q;
  logic [31:0] peek_mid_q;
  logic [CountW-1:0] peek_index_q;

  function automatic logic is_before(input logic [31:0] a, input logic [31:0] b);
    // verilator lint_off UNUSEDSIGNAL
    logic [31:0] distance;
    // verilator lint_on UNUSEDSIGNAL
    distance = a - b;
    is_before = distance[31];
  endfunction

  assign peek_ready_o = !peeking_q && init_q[QpW];
  // No request of a queue pair that fails begins any more.
  assign peek_may = read.state == tally_pkg::QpsRts && !read.failing;
  assign peek_opens = out_q.is == IsReady || out_q.is == IsActive;
  assign triggered = opcode_q >= 8'(tally_pkg::OpcodeReduceMp) &&
                     opcode_q <= 8'(tally_pkg::OpcodePutMp);
  // A request behind one that waits for an earlier message never begins.
  assign peek_ends = state_q == StPeekUse && !triggered && out_q.is == IsReady &&
                     is_before(peek_mid_q, mid_q);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      peeking_q <= 1'b0;
      peeked_valid_o <= 1'b0;
    end else begin
      if (peek_ready_o) peeking_q <= peek_valid_i;
      else if (state_q == StPeeked || peek_ends || (state_q == StPeek && !peek_may))
        peeking_q <= 1'b0;
      peeked_valid_o <= state_q == StPeeked || peek_ends || (state_q == StPeek && !peek_may);
    end
  end
  always_ff @(posedge clk_i) begin
    if (peek_ready_o) begin
      peek_qp_q <= peek_qp_i;
      peek_mid_q <= peek_mid_i;
      peek_first_q <= 1'b1;
      peek_waits_q <= 1'b0;
      if (peek_valid_i) {peeked_ranks_o, peeked_more_o} <= '0;
    end
    unique case (state_q)
      StPeek: begin
        peek_first_q <= 1'b0;
        if (peek_first_q || CountW'(peek_index_q - read.head) > CountW'(read.admit - read.head))
          peek_index_q <= read.head;
        if (!peek_may) peeked_ranks_o <= '0;
      end
      StPeekRow: if (!peek_opens) peek_index_q <= peek_index_q + 1'b1;
      StPeekUse: begin
        peek_index_q <= peek_index_q + 1'b1;
        if (!triggered && !peek_ends) begin
          if (mid_q == peek_mid_q) peeked_ranks_o <= peeked_ranks_o | ranks_mask_q;
          // Its result needs the data of every rank, of this message or an earlier one.
          if (out_q.is == IsActive && !is_before(mid_q, peek_mid_q) &&
              opcode_q != tally_pkg::OpcodeBcast && opcode_q != tally_pkg::OpcodeScatter)
            peek_waits_q <= 1'b1;
        end
      end
      StPeeked: begin
        peeked_more_o <= cur_q.admit != posted_q &&
                         !(peek_waits_q &&
                           CountW'(cur_q.admit - cur_q.head) == CountW'(tally_pkg::QpRequests));
      end
      default: ;
    endcase
  end

  // ---- The entry of a request ----
  logic [StepW+IndexW-1:0] of_index;
  logic [IndexW-1:0] place_index;
  logic [EntryW-1:0] index_entry;
  always_comb begin
    of_index = cur_q.head[StepW+IndexW-1:0];
    if (state_q == StPeekAt) of_index = peek_index_q[StepW+IndexW-1:0];
    if (state_q == StRead) begin
      of_index = op_q == OpIn ? read.admit[StepW+IndexW-1:0] : read.head[StepW+IndexW-1:0];
    end
  end
  assign place_index = of_index[StepW+:IndexW] & ~({IndexW{1'b1}} << place_q[1:0]);
  assign index_entry = {place_q[2 + 32'(place_index) * PlaceW +: PlaceW], of_index[StepW-1:0]};

  // An end that gives the oldest request its outcome goes on to its completion at once.
  logic looks_ahead, is_head_q, completes_head, ahead_q;
  assign looks_ahead = state_q == StRead && op_q == OpEnd;
  assign completes_head = applies && op_q == OpEnd && finishes && is_head_q && !fails;
  always_ff @(posedge clk_i) begin
    is_head_q <= index_entry == entry_q && read.head != read.admit;
    ahead_q <= completes_head || (ahead_q && state_q != StLook);
  end

  // ---- The entry behind an end or an update ----
  logic counts, completes, flags, finishes, spares, saturates;
  logic [32:0] bytes;
  outcome_t moved;
  // What ends for a request whose epoch has ended is of no use to it, but its flag word.
  assign counts = out_q.is == IsActive && (!cur_q.left || out_q.flag);
  always_comb begin
    moved = out_q;
    if (op_q == OpEnd) begin
      moved.waits = out_q.waits - WaitsW'(end_i.ranks);
      moved.err_vector = out_q.err_vector | end_i.err_vector;
      moved.bytes = saturates ? {32{1'b1}} : bytes[31:0];
      if (end_i.failed && out_q.status == tally_pkg::CollOk) begin
        moved.status = tally_pkg::CollDmaError;
      end
    end else begin
      moved.is = IsActive;
      moved.all = upd_i.last;
      moved.begun = out_q.begun + 1'b1;
      moved.waits = out_q.waits + WaitsW'(upd_i.ranks) - WaitsW'(upd_i.finished);
      if (upd_i.finished != '0) moved.err_vector = out_q.err_vector | upd_i.err_vector;
    end
  end
  assign bytes = 33'(out_q.bytes) + 33'(end_i.bytes);
  assign saturates = bytes[32];
  assign completes = moved.all && moved.waits == '0 && !out_q.flag;
  assign flags = completes && out_q.has_flag && moved.status == tally_pkg::CollOk;

  // An entry changes in one of these ways.
  logic takes, asks, refuses, judged;
  assign takes = op_q == OpIn && !in_skip_i && (in_verdict_i == tally_fw_pkg::VerdictTake ||
                                                in_verdict_i == tally_fw_pkg::VerdictAsk);
  assign refuses = op_q == OpUpdate && upd_i.refused;
  assign judged = cur_q.state == tally_pkg::QpsRts && !cur_q.failing;
  assign asks = op_q == OpIn && !in_skip_i &&
                (in_verdict_i == tally_fw_pkg::VerdictAhead ||
                 (in_verdict_i == tally_fw_pkg::VerdictAsk && judged &&
                  in_i.status == tally_pkg::CollOk));
  assign in_entry_o = entry_q;
  assign in_row_o = in_ready_o && takes;
  assign in_ask_o = in_ready_o && asks;

  logic out_write;
  always_comb begin
    out_d = out_q;
    out_write = 1'b0;
    finishes = 1'b0;
    unique case (op_q)
      OpIn: begin
        out_d = '0;
        out_d.is = IsReady;
        out_d.has_flag = in_i.flags[tally_pkg::WqeFFlagWordBit];
        if (in_skip_i || asks) begin
          out_d.is = IsSkip;
        end else if (judged && in_i.status != tally_pkg::CollOk) begin
          out_d.is = IsDone;
          out_d.status = in_i.status;
        end
        out_write = takes || (in_skip_i && !in_passes_i);
      end
      OpEnd: begin
        out_write = counts;
        finishes = counts && (end_i.flag || (completes && !flags));
        out_d = moved;
        out_d.flag = !end_i.flag && (out_q.flag || flags);
        if (finishes) out_d.is = IsDone;
      end
      OpUpdate: begin
        out_write = 1'b1;
        finishes = refuses || (completes && !flags);
        if (refuses) begin
          if (out_q.status == tally_pkg::CollOk) out_d.status = upd_i.status;
          out_d.err_vector = out_q.err_vector | upd_i.err_vector;
        end else begin
          out_d = moved;
          out_d.flag = flags;
        end
        if (finishes) out_d.is = IsDone;
      end
      default: ;  // OpCommand
    endcase
  end
  assign end_flag_o = end_ready_o && counts && flags;
  assign upd_flag_o = upd_ready_o && flags && !refuses;

  // ---- The queue pair behind the operation ----
  logic forgets, is_query, passes_head, fails, leaves, aborts;
  ask_t asked;
  assign is_query = in_i.opcode == tally_pkg::OpcodeQuery;
  assign asked = {CountW'(in_i.index), in_i.mid, in_i.flags[tally_pkg::WqeFSolicitedBit]};
  assign forgets = cmd_i == tally_sender_pkg::CommandCreate ||
                   (cmd_i == tally_sender_pkg::CommandState && cmd_state_i == tally_pkg::QpsReset);
  // What was flushed, or answered, when nothing else was inside.
  assign passes_head = op_q == OpIn && (in_skip_i ? in_passes_i :
                                        in_verdict_i == tally_fw_pkg::VerdictFlush);
  assign fails = applies && finishes && !spares;
  assign leaves = op_q == OpCommand && cmd_i == tally_sender_pkg::CommandEnd &&
                  cur_q.state != tally_pkg::QpsReset;

  logic by_epoch, head_flushes, head_done, head_skips, retires, drops;
  assign by_epoch = out_q.is == IsActive && cur_q.left && !out_q.flag;
  assign head_flushes = out_q.is == IsReady && cur_q.state == tally_pkg::QpsError;
  assign head_done = out_q.is == IsDone || by_epoch;
  assign head_skips = out_q.is == IsSkip;
  assign retires = state_q == StRetire && tell_ready_i;
  assign drops = state_q == StDrop && cur_q.head != cur_q.admit;
  assign free_valid_o = retires || drops;
  assign free_entry_o = drops ? index_entry : entry_q;
  assign aborts = cur_q.aborting && cur_q.left && cur_q.head == posted_q;

  always_comb begin
    cur_d = cur_q;
    if (applies) begin
      unique case (op_q)
        OpCommand: begin
          unique case (cmd_i)
            tally_sender_pkg::CommandCreate, tally_sender_pkg::CommandState: begin
              if (forgets) begin
                cur_d.left = 1'b0;
                cur_d.failing = 1'b0;
                cur_d.asked = 1'b0;
                cur_d.aborting = 1'b0;
              end
              cur_d.report = cmd_state_i == tally_pkg::QpsError ? cmd_report_i : '0;
              if (cmd_i == tally_sender_pkg::CommandCreate) begin
                cur_d.group_ = cmd_group_i;
                cur_d.cqn = cmd_cqn_i;
              end
              cur_d.state = cmd_state_i;
            end
            tally_sender_pkg::CommandEnd: begin
              cur_d.report = cmd_report_i;
              if (leaves) begin
                cur_d.failing = 1'b1;
                cur_d.left = 1'b1;
                cur_d.state = tally_pkg::QpsError;
              end
            end
            default: cur_d.asked = 1'b0;  // CommandAnswer
          endcase
        end
        OpIn: begin
          if (takes || in_skip_i || passes_head) cur_d.admit = cur_q.admit + 1'b1;
          if (passes_head) cur_d.head = cur_q.head + 1'b1;
          if (takes && judged && in_i.status != tally_pkg::CollOk) cur_d.failing = 1'b1;
          if (asks && is_query) begin
            cur_d.asked = 1'b1;
            cur_d.question = asked;
          end
          if (asks && !is_query) begin
            cur_d.aborting = 1'b1;
            cur_d.abort_ = asked;
          end
        end
        default: if (fails) cur_d.failing = 1'b1;
      endcase
    end else if (state_q == StDrop) begin
      cur_d.head = drops ? cur_q.head + 1'b1 : '0;
      if (!drops) cur_d.admit = '0;
    end else if (retires) begin
      cur_d.head = cur_q.head + 1'b1;
    end else if (state_q == StAbort && aborts) begin
      cur_d.aborting = 1'b0;
    end
  end

  // ---- The completion ----
  logic [7:0] opcode_q, wc, flags_q;
  logic [31:0] mid_q, unused_quotient, sid_q, sid;
  logic [63:0] ranks_mask_q;
  logic [CountW-1:0] index_q, index_d;
  logic [63:0] why_q;
  logic solicited_q, signaled_q, of_entry_q, reported, other, wanted, disagrees;
  logic [15:0] status, status_q, status_in;
  tally_sender_pkg::report_t shown, answer_q;

  // What an end has changed of the request that completes with it. The rest of its outcome, which
  // was read before, is as it was.
  logic [15:0] late_status_q, late_err_q, out_status, out_err;
  logic [31:0] late_bytes_q, out_bytes;
  assign out_status = ahead_q ? late_status_q : out_q.status;
  assign out_err = ahead_q ? late_err_q : out_q.err_vector;
  assign out_bytes = ahead_q ? late_bytes_q : out_q.bytes;
  always_ff @(posedge clk_i) begin
    if (applies) begin
      late_status_q <= out_d.status;
      late_err_q <= out_d.err_vector;
      late_bytes_q <= out_d.bytes;
    end
  end

  // ForRequest of an epoch that has ended, ForFlush: with the report, if there is one.
  assign reported = for_q == ForAnswer ||
      (report.status != '0 && (for_q == ForFlush || (for_q == ForRequest && by_epoch)));
  assign shown = for_q == ForAnswer && report.status == '0 ? answer_q : report;
  always_comb begin
    unique case (for_q)
      ForRequest: status = by_epoch ? report.status : out_status;
      ForFlush: status = report.status != '0 ? report.status : 16'(tally_pkg::CollFlushed);
      default: status = tally_pkg::CollOk;
    endcase
  end
  assign other = by_epoch && for_q == ForRequest &&
                 (report.detector != group_.node || (report.ranks & ranks_mask_q) == '0);
  assign disagrees = for_q == ForRequest && status_q == tally_pkg::CollMismatch;
  assign wanted = for_q != ForRequest || status_q != tally_pkg::CollOk || signaled_q;
  assign sid = out_q.begun == '0 ? '0 : out_q.begun - 1'b1;

  assign status_in = applies ? out_d.status : status_q;
  assign spares = status_in == tally_pkg::CollOk || status_in == tally_pkg::CollMismatch;
  tally_status_wc u_wc (.clk_i, .rst_ni, .status_i(status), .other_i(other), .wc_o(wc));

  // The segment of the newest chunk is computed when the chunk begins, by a division that takes
  // longer than what a completion needs after it. dividing_q: clocks until it can be read.
  localparam int unsigned DivideClocks = tally_plan_pkg::ModuloLatency;
  localparam int unsigned DivideW = $clog2(DivideClocks + 1);
  logic divides, seg_valid, divided;
  logic [DivideW-1:0] dividing_q;
  logic [EntryW-1:0] seg_entry;
  logic [31:0] remainder;
  logic [SegW-1:0] seg_q;
  assign divides = upd_ready_o && !refuses;
  tally_modulo #(.TagW(EntryW)) u_seg (
    .clk_i, .rst_ni, .valid_i(divides), .value_i(upd_i.num),
    .divisor_i(32'(group_.max_segs)), .inverse_i(group_.inverse), .shift_i(group_.shift),
    .tag_i(entry_q), .valid_o(seg_valid), .quotient_o(unused_quotient), .remainder_o(remainder),
    .tag_o(seg_entry)
  );
  assign divided = dividing_q == '0;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) dividing_q <= '0;
    else if (divides) dividing_q <= DivideW'(DivideClocks);
    else if (!divided) dividing_q <= dividing_q - 1'b1;
  end
  always_ff @(posedge clk_i) begin
    if (seg_valid) seg_mem_q[seg_entry] <= remainder[SegW-1:0];
    seg_q <= seg_mem_q[entry_q];
  end

  always_comb begin
    cpl_o = '0;
    cpl_o.qpn = 32'(at_q);
    cpl_o.wqe_index = 32'(index_q);
    cpl_o.jid = group_.jid;
    cpl_o.mid = mid_q;
    cpl_o.opcode = opcode_q;
    cpl_o.coll_status = status_q;
    cpl_o.status = for_q == ForFlush ? tally_pkg::WcWrFlushErr : wc;
    cpl_o.flags = flags_q;
    cpl_o.detector = reported ? shown.detector : group_.node;
    cpl_o.contributors = reported ? shown.contributors : disagrees ? why_q : '0;
    cpl_o.ranks = reported ? shown.ranks : '0;
    cpl_o.sid = reported ? shown.sid : sid_q;
    if (for_q == ForRequest) begin
      cpl_o.seg = out_q.begun == '0 ? '0 : 16'(seg_q);
      cpl_o.byte_cnt = out_bytes;
      cpl_o.err_vector = out_err;
    end
  end
  assign cpl_valid_o = state_q == StCqe && wanted;
  assign cpl_cqn_o = cur_q.cqn;
  assign cpl_solicited_o = solicited_q || status_q != tally_pkg::CollOk;

  logic formed;
  assign formed = state_q == StCqe && (!wanted || cpl_ready_i);
  assign message_o = formed && for_q == ForRequest && status_q == tally_pkg::CollOk;
  assign message_failed_o = formed && for_q == ForRequest && status_q != tally_pkg::CollOk;

  // What the completion repeats of the request.
  always_comb begin
    for_d = for_q;
    index_d = index_q;
    if (applies) begin
      for_d = completes_head ? ForRequest : op_q == OpCommand ? ForAnswer : ForFlush;
      index_d = op_q == OpCommand ? cur_q.question.index : cur_q.head;
    end else if (state_q == StJudge) begin
      for_d = head_done ? ForRequest : ForFlush;
      index_d = cur_q.head;
    end else if (state_q == StAbort) begin
      for_d = ForAbort;
      index_d = cur_q.abort_.index;
    end
  end
  always_ff @(posedge clk_i) begin
    for_q <= for_d;
    index_q <= index_d;
    of_entry_q <= state_q == StJudge || completes_head ||
                  (of_entry_q && !applies && state_q != StAbort);
    if (got_valid_i) begin
      opcode_q <= got_i.opcode;
      mid_q <= got_i.mid;
      ranks_mask_q <= got_i.rank_mask;
      solicited_q <= got_i.flags[tally_pkg::WqeFSolicitedBit];
      signaled_q <= got_i.flags[tally_pkg::WqeFSignaledBit];
      sid_q <= applies || for_q == ForRequest ? sid : '0;
      if (applies) flags_q <= '0;
    end else if (applies) begin
      flags_q <= op_q == OpCommand ? tally_pkg::CqeFNoRetire | cmd_flags_i : '0;
      opcode_q <= op_q == OpCommand ? tally_pkg::OpcodeQuery : in_i.opcode;
      mid_q <= op_q == OpCommand ? cur_q.question.mid : in_i.mid;
      solicited_q <= op_q == OpCommand ? cur_q.question.solicited : 1'b1;
      answer_q <= cmd_report_i;
      sid_q <= '0;
    end else if (state_q == StJudge) begin
      flags_q <= '0;
    end else if (state_q == StAbort) begin
      flags_q <= tally_pkg::CqeFNoRetire;
      opcode_q <= tally_pkg::OpcodeAbort;
      mid_q <= cur_q.abort_.mid;
      solicited_q <= cur_q.abort_.solicited;
      sid_q <= '0;
    end
    if (state_q == StGot || state_q == StForm) status_q <= status;
  end

  // ---- Its row ----
  logic got_q;  // its status is formed with what it tells
  assign row_valid_o = state_q == StRow || looks_ahead || (state_q == StPeekRow && peek_opens);
  assign row_entry_o = entry_q;
  always_ff @(posedge clk_i) got_q <= applies || (state_q == StGot && (got_q || got_valid_i));

  // ---- What is told ----
  assign tell_valid_o = state_q == StFails || state_q == StAnswered || state_q == StError ||
                        state_q == StRetire;
  assign tell_qp_o = at_q;
  always_comb begin
    unique case (state_q)
      StFails: tell_o = tally_sender_pkg::TellFails;
      StAnswered: tell_o = tally_sender_pkg::TellAnswered;
      StError: tell_o = tally_sender_pkg::TellError;
      default: tell_o = tally_sender_pkg::TellRetired;
    endcase
  end
  assign fail_valid_o = state_q == StFail;
  assign fail_qp_o = at_q;
  assign fail_status_o = status_q;
  assign fail_ranks_o = ranks_mask_q;
  assign fail_mid_o = mid_q;
  assign begin_valid_o = in_row_o && judged && !asks && in_i.status == tally_pkg::CollOk;
  assign begin_qp_o = at_q;
  assign begin_entry_o = entry_q;

  // ---- Order of the steps ----
  always_comb begin
    state_d = state_q;
    unique case (state_q)
      StIdle: begin
        if (init_q[QpW]) state_d = any ? StRead : peeking_q ? StPeek : StIdle;
      end
      StRead: if (!looks_ahead || row_ready_i) state_d = StApply;
      StApply: begin
        state_d = StLook;
        if (op_q == OpCommand && forgets) state_d = StDrop;
        else if (answers) state_d = StAnswered;
        else if (passes_head && !in_skip_i) state_d = StForm;
        else if (fails) state_d = StFails;
        else if (leaves) state_d = StError;
        else if (completes_head) state_d = StGot;
      end
      StDrop: state_d = drops ? StDropped : posted_valid_i ? StDrop : StLook;
      StDropped: state_d = StDrop;
      StFails: if (tell_ready_i) state_d = StLook;
      StAnswered: if (tell_ready_i) state_d = StForm;
      StLook: state_d = cur_q.head == cur_q.admit ? StAbort : StJudge;
      StJudge: begin
        state_d = StAbort;
        if (head_skips) state_d = StRetire;
        else if (head_done || head_flushes) state_d = StRow;
      end
      StRow: if (row_ready_i) state_d = StGot;
      StGot: if (got_q && divided) state_d = StCqe;
      StForm: state_d = StCqe;
      StCqe: begin
        if (formed) begin
          state_d = of_entry_q ? StRetire : StLook;
          if (for_q == ForRequest && !spares) state_d = cur_q.left ? StError : StFail;
          if (for_q == ForAbort) state_d = StWrite;
        end
      end
      StFail: if (fail_ready_i) state_d = StError;
      StError: if (tell_ready_i) state_d = of_entry_q ? StRetire : StLook;
      StRetire: if (tell_ready_i) state_d = StLook;
      StAbort: state_d = aborts ? StForm : StWrite;
      StPeek: state_d = peek_may ? StPeekAt : StIdle;
      StPeekAt: state_d = peek_index_q == cur_q.admit ? StPeeked : StPeekRow;
      StPeekRow: state_d = !peek_opens ? StIdle : row_ready_i ? StPeekGot : StPeekRow;
      StPeekGot: state_d = StPeekUse;
      StPeekUse, StPeeked: state_d = StIdle;
      default: state_d = StIdle;  // StWrite
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= StIdle;
      init_q <= '0;
    end else begin
      state_q <= state_d;
      if (!init_q[QpW]) init_q <= init_q + 1'b1;
    end
  end
  always_ff @(posedge clk_i) begin
    if (state_q == StIdle) begin
      op_q <= op;
      at_q <= qp;
    end
    cur_q <= state_q == StRead || state_q == StPeek ? read : cur_d;
    if (state_q == StIdle) entry_q <= entry;
    else if (state_q == StLook || state_q == StPeekAt || (state_q == StRead && op_q == OpIn))
      entry_q <= index_entry;
  end
  assign busy_o = state_q != StIdle || !init_q[QpW] || peeking_q || peeked_valid_o;

  // ---- Memories ----
  logic [QpW-1:0] row_at;
  logic creates;
  assign row_at = init_q[QpW] ? at_q : init_q[QpW-1:0];
  assign creates = cmd_ready_o && cmd_i == tally_sender_pkg::CommandCreate;
  always_ff @(posedge clk_i) begin
    if (state_q == StIdle) begin
      read_q <= qp_mem_q[qp];
      place_q <= place_mem_q[qp];
    end
    if (state_q == StWrite || !init_q[QpW]) qp_mem_q[row_at] <= init_q[QpW] ? cur_q : '0;
    if (creates) place_mem_q[at_q] <= {cmd_places_i, cmd_places_log_i};
    if (state_q == StIdle || state_q == StLook || state_q == StPeekAt) begin
      outcome_raw_q <= outcome_mem_q[state_q == StIdle ? entry : index_entry];
    end
    if (applies && out_write) outcome_mem_q[entry_q] <= out_d;
    if (upd_ready_o && refuses) why_mem_q[entry_q] <= upd_i.contributors;
    if (row_valid_o) why_q <= why_mem_q[entry_q];
    if (state_q == StRead) group_raw_q <= group_mem_q[read.group_];
    if (group_write_i) group_mem_q[group_index_i] <= group_i;
    posted_q <= posted_mem_q[at_q];
    // Nothing is posted to a queue pair that is forgotten; what is told meanwhile goes first.
    if (posted_valid_i) posted_mem_q[posted_qp_i] <= posted_count_i;
    else if (state_q == StDrop && !drops) posted_mem_q[at_q] <= '0;
  end

  logic unused;
  assign unused = ^{in_i, got_i, unused_quotient, remainder, shown};

`ifdef FORMAL
  `include "status_proof.svh"
`endif
endmodule
