// SPDX-License-Identifier: BSD-2-Clause
// Sending side of all edges: it numbers packets, keeps what each number stands for until it is
// acknowledged, and says when to send it again (edge_send(), edge_ack(), edge_busy(), retransmit()
// and sent_before() of sim/engine/edge.c). It has the transmit windows (tally_edge_tx), the send
// lists, the retransmission timers (tally_edge_timers), and the rows of open edges
// (tally_edge_rows).
//
// All offers stay unchanged until they are taken; those of the inputs are taken when the operation
// is done. Groups are less than Groups, edges less than EdgesOf.
//   set_*      what the registers want of an edge, tally_edge_pkg::set_op_e. set_seq_i: SetOpen:
//              its first number; set_rto_i, set_cap_i, set_limit_i: first and longest time-out in
//              picoseconds, and number of retries. set_failed_o: it is done, but no row was left.
//              set_row_o: else its row, if it has one, or has had it before SetClose. taken_o: with
//              it, it has got the row. gone_o: it has given it back. stopped_o: it is closed, and
//              keeps the row.
//   look_*     see tally_edge_rows
//   reply_*    an acknowledgement, reply_seq_i the newest number, bit i of reply_seen_i the number
//              i before it; or BUSY for a number. Those for an edge without a row change nothing.
//   ask_*      a packet wants its number, tally_edge_pkg::ask_t. When it is taken: ask_ok_o: it may
//              leave, with number ask_seq_o; a TRIGGER names number ask_before_o, which must be
//              stored before it: the newest one before with the same tag that may be in flight, or
//              its own. Otherwise the edge is closed, its window is full (ask_full_o), or, again,
//              the packet has been acknowledged.
//   acked_*    a packet was acknowledged, once each. Replies wait while it is not taken.
//   again_*    a packet is to be sent again, because it was overtaken, or of a time-out. It asks
//              for its number again. Numbers that are acknowledged meanwhile are left out, apart
//              from the one that is offered.
//   expired_*  a time-out of an edge.
// What waits to be sent again is bits of the edges, and a list of edges with such bits, so replies
// never wait for departures.
//
// now_i: the time in picoseconds. deadline_*: when a time-out is due; no earlier one is missed if
// the clock stops until then while busy_o is low. busy_o does not depend on the offers of inputs.
//
// An operation takes 12 clocks, and 5 without a row. A packet whose row is known takes three less;
// one that is not a TRIGGER and leaves for the first time takes one less, and has its number three
// clocks before the end, while it is entered. A TRIGGER takes three more for each packet with
// another tag in its way, an acknowledgement three for each number.
module tally_edge_send #(
  parameter int unsigned Groups = tally_pkg::MaxGroup,
  parameter int unsigned EdgesOf = tally_pkg::MaxContributors + 1,
  parameter int unsigned Rows = tally_pkg::MaxEdges,
  parameter int unsigned Window = tally_pkg::EdgeWindow,  // a power of two
  // those of ask_i, acked_o and again_o are numbers of 32 bits in any case
  parameter int unsigned SeqW = 32,
  parameter int unsigned TimeW = 64,
  localparam int unsigned GroupW = $clog2(Groups),
  localparam int unsigned EdgeW = $clog2(EdgesOf),
  localparam int unsigned RowW = $clog2(Rows)
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  output logic                        busy_o,
  input  logic [TimeW-1:0]            now_i,
  output logic                        deadline_valid_o,
  output logic [TimeW-1:0]            deadline_o,

  input  logic                        set_valid_i,
  output logic                        set_ready_o,
  output logic                        set_failed_o,
  input  tally_edge_pkg::set_op_e     set_op_i,
  input  logic [GroupW-1:0]           set_group_i,
  input  logic [EdgeW-1:0]            set_edge_i,
  input  logic [SeqW-1:0]             set_seq_i,
  input  logic [TimeW-1:0]            set_rto_i,
  input  logic [TimeW-1:0]            set_cap_i,
  input  logic [8:0]                  set_limit_i,
  output logic [RowW-1:0]             set_row_o,
  output logic                        taken_o,
  output logic                        gone_o,
  output logic                        stopped_o,

  input  logic                        look_valid_i,
  output logic                        look_ready_o,
  input  logic [GroupW-1:0]           look_group_i,
  input  logic [EdgeW-1:0]            look_edge_i,
  output logic [RowW-1:0]             look_row_o,
  output logic                        look_found_o,

  input  logic                        reply_valid_i,
  output logic                        reply_ready_o,
  input  tally_edge_pkg::reply_e      reply_i,
  input  logic [GroupW-1:0]           reply_group_i,
  input  logic [EdgeW-1:0]            reply_edge_i,
  input  logic [SeqW-1:0]             reply_seq_i,
  input  logic [Window-1:0]           reply_seen_i,

  input  logic                        ask_valid_i,
  output logic                        ask_ready_o,
  input  tally_edge_pkg::ask_t        ask_i,
  output logic                        ask_ok_o,
  output logic                        ask_full_o,
  output logic [SeqW-1:0]             ask_seq_o,
  output logic [SeqW-1:0]             ask_before_o,

  output logic                        acked_valid_o,
  input  logic                        acked_ready_i,
  output tally_edge_pkg::sent_t       acked_o,
  output logic                        again_valid_o,
  input  logic                        again_ready_i,
  output tally_edge_pkg::sent_t       again_o,
  output logic                        expired_valid_o,
  input  logic                        expired_ready_i,
  output tally_edge_pkg::expired_t    expired_o
);
  localparam int unsigned AgeW = $clog2(Window);
  localparam int unsigned TagW = 24;
  localparam int unsigned EntryW = 16 + TagW;  // reference and tag
  localparam int unsigned TriesW = 9;

  typedef enum logic [2:0] {
    Idle = 3'd0,   // an operation is chosen
    Find = 3'd1,   // the row of its edge is looked for
    Ask = 3'd2,    // the window is asked
    Wait = 3'd3,   // and answers
    Act = 3'd4,    // the tables and the timer follow
    Walk = 3'd5,   // the next number of a set, and
    Entry = 3'd6,  // its entry of the send list
    Done = 3'd7    // the offer is taken
  } state_e;

  typedef enum logic [2:0] {
    JobSet = 3'd0,
    JobReply = 3'd1,
    JobAsk = 3'd2,
    JobExpire = 3'd3,
    JobAgain = 3'd4   // the first edge of the list of those with something to be sent again
  } job_e;

  state_e state_q, state_d;
  job_e job_q, job;
  logic start, done, unused_look_ready;
  logic given, answered_q;  // a new number is given before the end; it was
  tally_edge_pkg::ask_t ask_q;  // of JobAsk

  // ---- Choice of the operation ----
  logic timer_valid, timer_over, stale_q, stale, again_turn_q, ring_any, wants_again;
  logic [RowW-1:0] timer_row, ring_first;
  logic [TriesW-1:0] timer_tries;

  assign wants_again = ring_any && !again_valid_o;
  always_comb begin
    job = JobAgain;
    if (timer_valid && !expired_valid_o) job = JobExpire;
    else if (set_valid_i) job = JobSet;
    else if (reply_valid_i) job = JobReply;
    else if (ask_valid_i && !(again_turn_q && wants_again)) job = JobAsk;
  end
  assign start = state_q == Idle && (job != JobAgain || wants_again);
  // Looks wait for each operation that begins, so that they do not depend on what it is.
  assign look_ready_o = !start;
  assign done = state_q == Done;
  assign set_ready_o = done && job_q == JobSet;
  assign reply_ready_o = done && job_q == JobReply;
  assign ask_ready_o = (done && job_q == JobAsk) || given;

  // ---- Rows ----
  logic sets_up;  // an edge that has no row gets one
  logic find_valid, find_answer, found, taken, fresh, found_q, taken_q, fresh_q;
  tally_edge_pkg::row_op_e find_op;
  logic [GroupW-1:0] find_group, name_group;
  logic [EdgeW-1:0] find_edge, name_edge;
  logic [RowW-1:0] found_row, row_q;
  logic knows, known_q, name_used, ours;  // ours: the row that was known is still that of the edge
  logic [1:0] looking_q;  // a look is answered

  assign sets_up = set_op_i == tally_edge_pkg::SetOpen || set_op_i == tally_edge_pkg::SetRow;
  assign knows = job == JobAsk && ask_i.known;
  assign find_valid = start && !knows && (job == JobSet || job == JobReply || job == JobAsk);
  assign ours = !known_q || (name_used && name_group == GroupW'(ask_q.context_) &&
                             name_edge == EdgeW'(ask_q.edge_));
  always_comb begin
    find_op = tally_edge_pkg::RowFind;
    find_group = GroupW'(ask_i.context_);
    find_edge = EdgeW'(ask_i.edge_);
    if (job == JobSet) begin
      find_group = set_group_i;
      find_edge = set_edge_i;
      unique case (set_op_i)
        tally_edge_pkg::SetClose: find_op = tally_edge_pkg::RowGive;
        tally_edge_pkg::SetStop: find_op = tally_edge_pkg::RowFind;
        default: find_op = tally_edge_pkg::RowTake;  // SetOpen, SetRow
      endcase
    end else if (job == JobReply) begin
      find_group = reply_group_i;
      find_edge = reply_edge_i;
    end
  end

  tally_edge_rows #(
    .Groups(Groups), .EdgesOf(EdgesOf), .Rows(Rows)
  ) u_rows (
    .clk_i, .rst_ni,
    .op_valid_i(find_valid),
    .op_i(find_op),
    .op_group_i(find_group),
    .op_edge_i(find_edge),
    .answer_valid_o(find_answer),
    .found_o(found),
    .taken_o(taken),
    .fresh_o(fresh),
    .row_o(found_row),
    .look_valid_i, .look_ready_o(unused_look_ready), .look_group_i, .look_edge_i, .look_row_o,
    .look_found_o,
    .name_row_i(state_q == Idle ? ask_i.row_[RowW-1:0] : row_q),
    .name_group_o(name_group),
    .name_edge_o(name_edge),
    .name_used_o(name_used)
  );

  // ---- The window ----
  logic tx_answer, tx_ok, tx_idle, tx_gave;
  tally_edge_pkg::tx_op_e tx_op;
  logic [SeqW-1:0] tx_seq, tx_early, tx_given, tx_una, tx_next, next_q;
  logic [Window-1:0] tx_held, tx_acked, tx_hurry, held_q, acked_q, hurry_q;
  logic ok_q, idle_q, full_q, unused;

  always_comb begin
    tx_seq = reply_seq_i;
    unique case (job_q)
      JobSet: begin
        tx_op = set_op_i == tally_edge_pkg::SetOpen ? tally_edge_pkg::TxOpen :
                tally_edge_pkg::TxClose;
        tx_seq = set_seq_i;
      end
      JobReply: begin
        tx_op = reply_i == tally_edge_pkg::ReplyAck ? tally_edge_pkg::TxAck :
                tally_edge_pkg::TxBusy;
      end
      JobAsk: tx_op = ask_q.again ? tally_edge_pkg::TxLook : tally_edge_pkg::TxSend;
      default: tx_op = tally_edge_pkg::TxLook;
    endcase
  end

  tally_edge_tx #(
    .Edges(Rows), .Window(Window), .SeqW(SeqW)
  ) u_tx (
    .clk_i, .rst_ni,
    .op_valid_i(state_q == Ask && ours),
    .op_i(tx_op),
    .op_edge_i(row_q),
    .op_seq_i(tx_seq),
    .op_seen_i(reply_seen_i),
    .gave_valid_o(tx_gave),
    .gave_seq_o(tx_early),
    .answer_valid_o(tx_answer),
    .ok_o(tx_ok),
    .idle_o(tx_idle),
    .seq_o(tx_given),
    .una_o(tx_una),
    .next_o(tx_next),
    .held_o(tx_held),
    .acked_o(tx_acked),
    .hurry_o(tx_hurry)
  );
  assign unused = ^{tx_given, ask_q.known, ask_q.context_, ask_q.edge_, ask_q.row_, ask_i.row_};

  // ---- What else is known of a row ----
  //
  // Numbers to be sent again, whether the row is in the list of those, and which numbers are those
  // of TRIGGERs. Bits are by number modulo Window. Only numbers that are held are to be sent again:
  // an acknowledgement takes its bits away.
  typedef struct packed {
    logic listed;
    logic [Window-1:0] again;
    logic [Window-1:0] triggers;
  } more_t;
  localparam int unsigned MoreW = 1 + 2 * Window;

  logic [MoreW-1:0] more_mem_q [Rows];
  logic [MoreW-1:0] more_read_q;
  more_t more, more_new;
  logic more_write, enlists, again_ends;
  logic [AgeW-1:0] own;
  logic [Window-1:0] own_bit, at_bit;

  assign more = more_read_q;
  assign own = next_q[AgeW-1:0] - 1'b1;  // place of the number that was assigned last
  always_comb begin
    for (int unsigned b = 0; b < Window; b++) own_bit[b] = AgeW'(b) == own;
  end

  // ---- Sets of numbers ----
  //
  // A set is walked from the lowest bit. For a TRIGGER, bit j is the number 1 + j before the next
  // one, so the newest comes first; otherwise the number j behind the oldest that may be held.
  logic is_new, is_again, seeks, still_held;
  logic [SeqW-1:0] own_seq, back;    // again: how far the number is behind the newest one
  logic [Window-1:0] chosen, turned, set_q, lowest;
  logic [AgeW-1:0] index, behind, place;
  logic [SeqW-1:0] at, at_q, before_q, seq_q;

  assign is_new = job_q == JobAsk && !ask_q.again;
  assign is_again = job_q == JobAsk && ask_q.again;
  assign own_seq = SeqW'(ask_q.seq);
  assign back = next_q - SeqW'(1) - own_seq;
  assign still_held = back < SeqW'(Window) && held_q[own_seq[AgeW-1:0]];
  assign seeks = job_q == JobAsk && ask_q.is_trigger;

  always_comb begin
    unique case (job_q)
      JobReply: chosen = acked_q;
      JobAgain: chosen = more.again;
      default: chosen = more.triggers & held_q;
    endcase
    turned = Window'({chosen, chosen} >> next_q[AgeW-1:0]);
  end

  assign lowest = set_q & (~set_q + 1'b1);
  always_comb begin
    index = '0;
    for (int unsigned b = 0; b < Window; b++) begin
      if (lowest[b]) index = index | AgeW'(b);
    end
  end
  assign behind = seeks ? ~index : index;
  assign at = next_q - SeqW'(Window) + SeqW'(behind);
  assign place = at[AgeW-1:0];
  always_comb begin
    for (int unsigned b = 0; b < Window; b++) at_bit[b] = AgeW'(b) == place;
  end

  // ---- Send lists ----
  logic [EntryW-1:0] list_q [Rows*Window];
  logic [EntryW-1:0] entry_q;
  logic [RowW+AgeW-1:0] list_at;
  logic enters;

  assign list_at = {row_q, enters ? own : place};
  assign enters = state_q == Act && is_new && ok_q;

  always_ff @(posedge clk_i) begin
    if (enters) list_q[list_at] <= {ask_q.ref_, ask_q.tag};
    if (state_q == Walk) entry_q <= list_q[list_at];
  end

  // ---- What follows from the answer ----
  logic timer_cmd, timer_fresh;
  tally_edge_pkg::timer_op_e timer_op;

  always_comb begin
    more_new = more;
    more_write = 1'b0;
    timer_cmd = 1'b0;
    timer_op = tally_edge_pkg::TimerStart;
    if (state_q == Act) begin
      unique case (job_q)
        JobSet: begin
          more_write = 1'b1;
          more_new.listed = more.listed && !fresh_q;
          more_new.again = '0;
          more_new.triggers = '0;
          timer_cmd = 1'b1;
          timer_op = sets_up ? tally_edge_pkg::TimerConfig : tally_edge_pkg::TimerStop;
        end
        JobReply: begin
          more_write = ok_q || hurry_q != '0;
          more_new.again = (more.again | hurry_q) & held_q;
          more_new.listed = more.listed || more_new.again != '0;
          timer_cmd = ok_q;
          if (held_q == '0) timer_op = tally_edge_pkg::TimerStop;
        end
        JobAsk: begin
          more_write = enters;
          more_new.triggers = ask_q.is_trigger ? more.triggers | own_bit :
                              more.triggers & ~own_bit;
          timer_cmd = enters && idle_q;
        end
        JobExpire: begin
          more_write = !timer_over;
          more_new.again = held_q;
          more_new.listed = 1'b1;
        end
        default: ;  // JobAgain
      endcase
    end else if (again_ends) begin
      more_write = 1'b1;
      more_new.again = more.again & ~(set_q == '0 ? '0 : at_bit);
      more_new.listed = (set_q & ~lowest) != '0;  // the set is that of `again`
    end
  end
  assign timer_fresh = fresh_q && job_q == JobSet;
  assign again_ends = state_q == Walk && job_q == JobAgain;
  assign enlists = more_write && more_new.listed && (!more.listed || job_q == JobAgain);

  always_ff @(posedge clk_i) begin
    if (more_write) more_mem_q[row_q] <= more_new;
    more_read_q <= more_mem_q[row_q];
  end

  // ---- Edges with something to be sent again: a ring, each row once ----
  logic [RowW-1:0] ring_q [Rows];
  logic [RowW-1:0] ring_head_q, ring_tail_q;
  logic [RowW:0] ring_count_q;
  logic ring_pop;

  assign ring_any = ring_count_q != '0;
  assign ring_pop = start && job == JobAgain;
  function automatic logic [RowW-1:0] after(input logic [RowW-1:0] place_in_ring);
    after = place_in_ring == RowW'(Rows - 1) ? '0 : place_in_ring + 1'b1;
  endfunction

  always_ff @(posedge clk_i) begin
    if (enlists) ring_q[ring_tail_q] <= row_q;
    ring_first <= ring_q[ring_pop ? after(ring_head_q) : ring_head_q];
  end

  // ---- Timers ----
  logic timers_busy;

  tally_edge_timers #(
    .Edges(Rows), .TimeW(TimeW), .TriesW(TriesW)
  ) u_timers (
    .clk_i, .rst_ni,
    .busy_o(timers_busy),
    .now_i, .deadline_valid_o, .deadline_o,
    .cmd_valid_i(timer_cmd),
    .cmd_fresh_i(timer_fresh),
    .cmd_op_i(timer_op),
    .cmd_edge_i(row_q),
    .cmd_rto_i(set_rto_i),
    .cmd_cap_i(set_cap_i),
    .cmd_limit_i(set_limit_i),
    .expired_valid_o(timer_valid),
    .expired_ready_i(done && job_q == JobExpire),
    .expired_edge_o(timer_row),
    .expired_tries_o(timer_tries),
    .expired_over_o(timer_over)
  );

  // An expiry that waits here is of no meaning once its timer has had another command. One that is
  // given in the clock of the expiry comes after it.
  logic last_cmd_q;
  logic [RowW-1:0] last_row_q;
  assign stale = timer_valid && (stale_q || (last_cmd_q && last_row_q == timer_row));

  // ---- Steps ----
  logic to_find, to_walk;

  // an edge that has its row stays as it is
  assign to_find = found &&
                   !(job_q == JobSet && set_op_i == tally_edge_pkg::SetRow && !taken);
  assign to_walk = job_q == JobReply || job_q == JobAgain || (seeks && (is_again ? still_held :
                   ok_q));
  always_comb begin
    state_d = state_q;
    unique case (state_q)
      Idle: begin
        if (find_valid) state_d = Find;
        else if (start) state_d = job == JobExpire && stale ? Done : Ask;
      end
      Find: if (find_answer) state_d = to_find ? Ask : Done;
      Ask: state_d = ours ? Wait : Done;
      Wait: if (tx_answer) state_d = Act;
      Act: state_d = answered_q ? Idle : to_walk ? Walk : Done;
      Walk: state_d = set_q == '0 ? Done : Entry;
      Entry: begin
        unique case (job_q)
          JobReply: if (acked_ready_i) state_d = Walk;
          JobAsk: state_d = entry_q[TagW-1:0] == ask_q.tag ? Done : Walk;
          default: state_d = Done;  // JobAgain
        endcase
      end
      default: state_d = Idle;  // Done
    endcase
  end

  assign given = tx_gave && is_new && !seeks;

  always_ff @(posedge clk_i) begin
    if (start) begin
      job_q <= job;
      ask_q <= ask_i;
      known_q <= knows;
      row_q <= job == JobExpire ? timer_row : knows ? ask_i.row_[RowW-1:0] : ring_first;
    end
    if (state_q == Ask && known_q) found_q <= ours;
    if (find_answer) begin
      row_q <= found_row;
      found_q <= found;
      taken_q <= taken;
      fresh_q <= fresh;
    end
    if (tx_answer) begin
      ok_q <= tx_ok;
      idle_q <= tx_idle;
      full_q <= tx_next - tx_una == SeqW'(Window);
      next_q <= tx_next;
      held_q <= tx_held;
      acked_q <= tx_acked;
      hurry_q <= tx_hurry;
    end
    if (state_q == Act) begin
      seq_q <= is_again ? own_seq : next_q - SeqW'(1);
      before_q <= is_again ? own_seq : next_q - SeqW'(1);
      for (int unsigned b = 0; b < Window; b++) begin
        // the numbers before that of the TRIGGER, from the newest on
        if (seeks) set_q[b] <= turned[Window-1-b] && (is_again ? SeqW'(b) > back : b != 0);
        else set_q[b] <= turned[b];
      end
      if (is_again) ok_q <= still_held;
    end
    if (state_q == Walk) begin
      set_q <= set_q & ~lowest;
      at_q <= at;
    end
    if (state_q == Entry && job_q == JobAsk && state_d == Done) before_q <= at_q;
  end

  // ---- Outputs ----
  assign set_failed_o = set_ready_o && sets_up && !found_q;
  assign set_row_o = row_q;
  assign taken_o = set_ready_o && taken_q;
  assign gone_o = set_ready_o && set_op_i == tally_edge_pkg::SetClose && found_q;
  assign stopped_o = set_ready_o && set_op_i == tally_edge_pkg::SetStop && found_q;
  assign ask_ok_o = given || (found_q && ok_q);
  assign ask_full_o = !given && found_q && !ok_q && full_q && !ask_q.again;
  assign ask_seq_o = given ? tx_early : seq_q;
  assign ask_before_o = before_q;
  assign acked_valid_o = state_q == Entry && job_q == JobReply;
  always_comb begin
    acked_o.context_ = 16'(name_group);
    acked_o.edge_ = 8'(name_edge);
    acked_o.ref_ = entry_q[EntryW-1:TagW];
    acked_o.seq = 32'(at_q);
  end

  always_ff @(posedge clk_i) begin
    if (state_q == Entry && job_q == JobAgain) again_o <= acked_o;
    if (state_q == Act && job_q == JobExpire) begin
      expired_o.context_ <= 16'(name_group);
      expired_o.edge_ <= 8'(name_edge);
      expired_o.tries <= timer_tries;
      expired_o.over <= timer_over;
    end
    last_row_q <= row_q;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= Idle;
      answered_q <= 1'b0;
      again_turn_q <= 1'b0;
      again_valid_o <= 1'b0;
      expired_valid_o <= 1'b0;
      ring_head_q <= '0;
      ring_tail_q <= '0;
      ring_count_q <= '0;
      looking_q <= '0;
      last_cmd_q <= 1'b0;
      stale_q <= 1'b0;
    end else begin
      state_q <= state_d;
      if (start) again_turn_q <= job == JobAsk;
      answered_q <= given || (answered_q && !start);
      again_valid_o <= (state_q == Entry && job_q == JobAgain) ||
                       (again_valid_o && !again_ready_i);
      expired_valid_o <= (state_q == Act && job_q == JobExpire) ||
                         (expired_valid_o && !expired_ready_i);
      if (ring_pop) ring_head_q <= after(ring_head_q);
      if (enlists) ring_tail_q <= after(ring_tail_q);
      ring_count_q <= ring_count_q + (RowW + 1)'(enlists) - (RowW + 1)'(ring_pop);
      looking_q <= {looking_q[0], look_valid_i && look_ready_o};
      last_cmd_q <= timer_cmd;
      stale_q <= stale && !(done && job_q == JobExpire);
    end
  end

  assign busy_o = state_q != Idle || looking_q != '0 || ring_any || again_valid_o ||
                  expired_valid_o || timers_busy;

`ifdef FORMAL
  `include "edge_send_proof.svh"
`endif
endmodule
