// SPDX-License-Identifier: BSD-2-Clause
// Jobs of tally_local: each is one access to the memory of a rank, from its begin until all who
// must know of its end have been told. docs/rtl-sender.md has the neighbours.
//
// new_*: a job begins, with its access; job_o is its number, which is the tag of the access. At
// most Reads jobs of JobGive are inside. One without an access has ended at once; if it is a
// JobGive, gave_* ends it. An access is offered at acc_*. word_* are the words of the results that
// are written, in the order of their jobs, and may come after new_* only; dat_* are these and flag
// words.
//
// done_*: an access has ended: each write, and a read that is refused. gave_*: what has become of
// the data of a rank that were read, or are none. Both are always taken.
//
// A job that has ended is told to tally_status (end_*), if its rank has finished the chunk with it,
// and to the store (take_*), if it was a result. If end_flag_i is high when an end is taken, the
// job then writes the flag word of the request, whose row it reads (row_*, got_*; answered later,
// one at a time). A read that is refused is told by fault_*, with the ranks and the message of its
// request; its rank never finishes the chunk. A new JobFlag without an access, with `tells` low,
// writes the flag word of its request: tally_sender begins it if an update was answered with
// upd_flag_o.
//
// room_reads_o, room_writes_o: whether a JobGive, and a write, may be offered at new_*. any_o: a
// job is inside. quiet_o: no job of the queue pair quiet_qp_i, of the clock before, is inside.
// These depend on registers. written_o: no JobGet of group written_group_i is inside; it depends on
// that group, too. A job that writes the flag word behind its result is none any more.
//
// Time: an access is offered in the clock after its job has begun, and one begins every second
// clock. What is told of an end follows in the clock after it if it is that of an access and no
// other one waits, else two clocks after it, one after the other; the flag word takes the clocks of
// the row and two more. new_ready_o depends on registers.
// busy_o is low if nothing happens without an input.
module tally_local_jobs #(
  parameter int unsigned Jobs = 24,
  parameter int unsigned Reads = 8,
  parameter int unsigned Qps = tally_pkg::MaxQp,
  parameter int unsigned Entries = tally_pkg::MaxRequests,
  parameter int unsigned Groups = tally_pkg::MaxGroup,
  parameter int unsigned WordBytes = 64,
  localparam int unsigned JobW = $clog2(Jobs),
  localparam int unsigned QpW = Qps > 1 ? $clog2(Qps) : 1,
  localparam int unsigned EntryW = $clog2(Entries),
  localparam int unsigned GroupW = Groups > 1 ? $clog2(Groups) : 1
) (
  input  logic                         clk_i,
  input  logic                         rst_ni,
  output logic                         busy_o,

  input  logic                         new_valid_i,
  output logic                         new_ready_o,
  input  logic [QpW-1:0]               new_qp_i,
  input  logic [EntryW-1:0]            new_entry_i,
  input  tally_local_pkg::job_t        new_i,
  input  tally_local_pkg::access_t     access_i,
  output logic [JobW-1:0]              job_o,
  output logic                         room_reads_o,
  output logic                         room_writes_o,
  output logic                         any_o,
  input  logic                         word_valid_i,
  output logic                         word_ready_o,
  input  logic [8*WordBytes-1:0]       word_i,

  output logic                         acc_valid_o,
  input  logic                         acc_ready_i,
  output tally_local_pkg::access_t     acc_o,
  output logic [JobW-1:0]              acc_job_o,
  output logic                         dat_valid_o,
  input  logic                         dat_ready_i,
  output logic [8*WordBytes-1:0]       dat_o,
  input  logic                         done_valid_i,
  input  logic [JobW-1:0]              done_job_i,
  input  logic                         done_failed_i,

  input  logic                         gave_valid_i,
  input  logic [JobW-1:0]              gave_job_i,
  input  tally_local_pkg::gave_e       gave_i,
  input  logic [15:0]                  gave_err_vector_i,

  output logic                         end_valid_o,
  input  logic                         end_ready_i,
  output logic [QpW-1:0]               end_qp_o,
  output logic [EntryW-1:0]            end_entry_o,
  output tally_sender_pkg::end_t       end_o,
  input  logic                         end_flag_i,
  output logic                         take_valid_o,
  input  logic                         take_ready_i,
  output logic [15:0]                  take_group_o,
  output logic [31:0]                  take_num_o,
  output logic [5:0]                   take_rank_o,
  output logic                         fault_valid_o,
  input  logic                         fault_ready_i,
  output logic [15:0]                  fault_group_o,
  output logic [63:0]                  fault_ranks_o,
  output logic [31:0]                  fault_mid_o,

  output logic                         row_valid_o,
  input  logic                         row_ready_i,
  output logic [EntryW-1:0]            row_entry_o,
  input  logic                         got_valid_i,
  input  tally_request_pkg::request_t  got_i,
  input  tally_local_pkg::row_t        got_row_i,

  input  logic [QpW-1:0]               quiet_qp_i,
  output logic                         quiet_o,
  input  logic [GroupW-1:0]            written_group_i,
  output logic                         written_o
);
  localparam int unsigned RowW = QpW + EntryW + 86;
  localparam int unsigned ReadsW = $clog2(Reads + 1);
  localparam int unsigned LaneW = $clog2(WordBytes);
  localparam int unsigned WordsW = 13 - LaneW + 1;
  localparam int unsigned Waiting = 4;  // writes before their words
  localparam int unsigned FlagBytes = 4;

  typedef struct packed {
    logic [QpW-1:0]        qp;
    logic [EntryW-1:0]     entry;
    tally_local_pkg::job_t job;
  } held_t;

  typedef enum logic [2:0] {
    StIdle,
    StJob,    // the row of a job that has ended is there
    StEnd,    // its end could not be told at once
    StTake,
    StRow,    // reads the row of its request
    StGot,
    StFlag,   // the flag word
    StFault
  } state_e;
  state_e state_q, state_d;

  logic [RowW-1:0] job_mem_q [Jobs];
  logic [15:0] err_mem_q [Jobs];

  // ---- Which jobs are free, and which have ended ----
  logic [Jobs-1:0] used_q, ended_q, failed_q, lost_q, frees, ends, picked;
  logic [Jobs-1:0] gets_q;  // jobs of results
  logic [Jobs-1:0] asked_q;  // jobs of quiet_qp_i, of the clock before
  logic full_q, fills;
  logic [Jobs-1:0][QpW-1:0] qp_q;
  logic [Jobs-1:0][GroupW-1:0] group_q;
  logic [ReadsW-1:0] reads_q;
  logic [JobW-1:0] free, at_q, pick, next;
  logic begins, begins_read, ends_read, pick_valid, picks, is_give, room, serves_flag, done_fails;
  logic gave_refused, passes;

  always_comb begin
    free = '0;
    for (int unsigned i = Jobs; i > 0; i--) if (!used_q[i-1]) free = JobW'(i - 1);
  end
  assign is_give = new_i.kind == tally_local_pkg::JobGive;
  // A register, so a number that has become free is used a clock later.
  assign fills = (~used_q & (~used_q - 1'b1)) == '0;  // one is free at most
  assign new_ready_o = !full_q && !acc_valid_o && !serves_flag;
  assign room_reads_o = reads_q != ReadsW'(Reads);
  assign room_writes_o = room;
  assign any_o = used_q != '0;
  assign begins = new_valid_i && new_ready_o;
  assign begins_read = begins && is_give;
  assign job_o = free;
  assign done_fails = done_valid_i && done_failed_i;
  assign gave_refused = gave_i == tally_local_pkg::GaveRefused;

  always_comb begin
    for (int unsigned i = 0; i < Jobs; i++) begin
      ends[i] = (done_valid_i && done_job_i == JobW'(i)) ||
                (gave_valid_i && gave_job_i == JobW'(i)) ||
                (begins && free == JobW'(i) && access_i.none && !is_give);
    end
  end
  tally_rr_arbiter #(.Num(Jobs)) u_pick (
    .clk_i, .rst_ni, .request_valid_i(ended_q), .request_ready_o(picked),
    .grant_valid_o(pick_valid), .grant_ready_i(is_idle), .grant_o(pick)
  );
  assign is_idle = state_q == StIdle;
  // An access that ends while no other job waits has its turn at once.
  assign passes = done_valid_i && is_idle && ended_q == '0;
  assign next = passes ? done_job_i : pick;
  assign picks = is_idle && (pick_valid || passes);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      used_q <= '0;
      full_q <= 1'b0;
      ended_q <= '0;
      reads_q <= '0;
    end else begin
      full_q <= used_q == {Jobs{1'b1}} || (fills && begins);
      for (int unsigned i = 0; i < Jobs; i++) begin
        used_q[i] <= (used_q[i] && !frees[i]) || (begins && free == JobW'(i));
        ended_q[i] <= (ended_q[i] && !picked[i]) ||
                      (ends[i] && !(passes && done_job_i == JobW'(i)));
      end
      reads_q <= reads_q + ReadsW'(begins_read) - ReadsW'(ends_read);
    end
  end
  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < Jobs; i++) begin
      asked_q[i] <= (begins && free == JobW'(i) ? new_qp_i : qp_q[i]) == quiet_qp_i;
      if (begins && free == JobW'(i)) begin
        qp_q[i] <= new_qp_i;
        group_q[i] <= new_i.group_[GroupW-1:0];
        gets_q[i] <= new_i.kind == tally_local_pkg::JobGet;
      end else if (writes_flag && at_q == JobW'(i)) begin
        gets_q[i] <= 1'b0;
      end
      if (ends[i]) begin
        failed_q[i] <= (done_fails && done_job_i == JobW'(i)) ||
                       (gave_valid_i && gave_refused && gave_job_i == JobW'(i));
        lost_q[i] <= gave_valid_i && gave_i == tally_local_pkg::GaveLost && gave_job_i == JobW'(i);
      end
    end
  end
  always_comb begin
    quiet_o = 1'b1;
    written_o = 1'b1;
    for (int unsigned i = 0; i < Jobs; i++) begin
      if (used_q[i] && asked_q[i]) quiet_o = 1'b0;
      if (used_q[i] && gets_q[i] && group_q[i] == written_group_i) written_o = 1'b0;
    end
  end

  // ---- A job that has ended ----
  held_t held_q;
  logic [RowW-1:0] raw_q, raw_new;
  logic [15:0] err_q;
  logic failed, tells, flag_q, gives, gets, is_flag, writes_flag, ends_job, is_idle;
  logic reads_first;
  held_t held_new;

  assign held_q = raw_q;
  assign gives = held_q.job.kind == tally_local_pkg::JobGive;
  assign gets = held_q.job.kind == tally_local_pkg::JobGet;
  assign is_flag = held_q.job.kind == tally_local_pkg::JobFlag;
  assign failed = failed_q[at_q];
  assign tells = held_q.job.tells && !lost_q[at_q];

  always_comb begin
    state_d = state_q;
    ends_job = 1'b0;
    unique case (state_q)
      StIdle: if (picks) state_d = StJob;
      StJob: begin
        if (reads_first) state_d = StRow;
        else if (tells) state_d = StEnd;
        else if (gets) state_d = StTake;
        else ends_job = 1'b1;
      end
      StEnd: ;
      StTake: begin
        if (take_ready_i) begin
          if (flag_q) state_d = StRow;
          else ends_job = 1'b1;
        end
      end
      StRow: if (row_ready_i) state_d = StGot;
      StGot: if (got_valid_i) state_d = flag_q || is_flag ? StFlag : StFault;
      StFlag: if (writes_flag) state_d = StIdle;
      default: if (fault_ready_i) ends_job = 1'b1;  // StFault
    endcase
    if (end_valid_o && end_ready_i) begin
      if (gets) state_d = StTake;
      else if (end_flag_i) state_d = StRow;
      else ends_job = 1'b1;
    end
    if (ends_job) state_d = StIdle;
  end
  assign ends_read = gives && (ends_job || writes_flag);
  always_comb begin
    frees = '0;
    frees[at_q] = ends_job;
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) state_q <= StIdle;
    else state_q <= state_d;
  end
  always_ff @(posedge clk_i) begin
    if (state_q == StIdle) begin
      at_q <= next;
      flag_q <= 1'b0;
      raw_q <= job_mem_q[next];
      err_q <= err_mem_q[next];
    end else if (end_valid_o && end_ready_i) begin
      flag_q <= end_flag_i;
    end
  end

  // ---- What is told ----
  assign reads_first = (gives && failed) || (is_flag && !held_q.job.tells);
  assign end_valid_o = state_q == StEnd || (state_q == StJob && tells && !reads_first);
  assign end_qp_o = held_q.qp;
  assign end_entry_o = held_q.entry;
  always_comb begin
    end_o.flag = is_flag;
    end_o.failed = failed;
    end_o.ranks = 7'(!is_flag);
    end_o.bytes = gets ? held_q.job.bytes : '0;
    end_o.err_vector = gives ? err_q : held_q.job.err_vector;
  end
  assign take_valid_o = state_q == StTake;
  assign take_group_o = held_q.job.group_;
  assign take_num_o = held_q.job.num;
  assign take_rank_o = held_q.job.rank;

  // ---- The row of its request ----
  logic [63:0] addr_q, ranks_q;
  logic [31:0] lkey_q, value_q, mid_q;
  logic [15:0] pd_q;

  assign row_valid_o = state_q == StRow;
  assign row_entry_o = held_q.entry;
  always_ff @(posedge clk_i) begin
    if (got_valid_i) begin
      addr_q <= got_i.flag_addr;
      lkey_q <= got_i.flag_lkey;
      value_q <= got_i.flag_value;
      ranks_q <= got_i.rank_mask;
      mid_q <= got_i.mid;
      pd_q <= got_row_i.pd;
    end
  end
  assign fault_valid_o = state_q == StFault;
  assign fault_group_o = held_q.job.group_;
  assign fault_ranks_o = ranks_q;
  assign fault_mid_o = mid_q;

  // ---- Accesses ----
  tally_local_pkg::access_t access_q, access_flag;
  logic [JobW-1:0] access_job_q;
  logic access_valid_q;

  assign serves_flag = state_q == StFlag;
  assign writes_flag = serves_flag && !access_valid_q && room;
  always_comb begin
    access_flag.none = 1'b0;
    access_flag.write = 1'b1;
    access_flag.pd = pd_q;
    access_flag.lkey = lkey_q;
    access_flag.addr = addr_q;
    access_flag.len = 13'(FlagBytes);
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) access_valid_q <= 1'b0;
    else if (access_valid_q) access_valid_q <= !acc_ready_i;
    else access_valid_q <= writes_flag || (begins && !access_i.none);
  end
  always_ff @(posedge clk_i) begin
    if (!access_valid_q) begin
      access_q <= serves_flag ? access_flag : access_i;
      access_job_q <= serves_flag ? at_q : free;
    end
  end
  assign acc_valid_o = access_valid_q;
  assign acc_o = access_q;
  assign acc_job_o = access_job_q;

  always_comb begin
    held_new.qp = new_qp_i;
    held_new.entry = new_entry_i;
    held_new.job = new_i;
    if (serves_flag) begin
      held_new = held_q;
      held_new.job.kind = tally_local_pkg::JobFlag;
      held_new.job.tells = 1'b1;
      held_new.job.err_vector = '0;
    end
  end
  assign raw_new = held_new;
  always_ff @(posedge clk_i) begin
    if (begins || writes_flag) job_mem_q[serves_flag ? at_q : free] <= raw_new;
    if (gave_valid_i) err_mem_q[gave_job_i] <= gave_err_vector_i;
  end

  // ---- Words of writes, in the order of their accesses ----
  logic order_valid, order_flag, order_pops, word_moves, adds;
  logic [31:0] order_value;
  logic [WordsW-1:0] add_words, order_words, word_q;
  logic [WordsW+32:0] order_add, order;
  logic [$clog2(Waiting+1)-1:0] order_used;
  logic [13:0] rounded;

  assign rounded = 14'(access_i.len) + 14'(WordBytes - 1);
  assign add_words = serves_flag ? WordsW'(1) : WordsW'(rounded >> LaneW);
  assign adds = writes_flag || (begins && access_i.write && !access_i.none);
  tally_fifo #(.Width(33 + WordsW), .Depth(Waiting)) u_order (
    .clk_i, .rst_ni, .in_valid_i(adds), .in_ready_o(room),
    .in_i(order_add), .out_valid_o(order_valid), .out_ready_i(order_pops), .out_o(order),
    .used_o(order_used)
  );
  assign order_add = {serves_flag, value_q, add_words};
  assign {order_flag, order_value, order_words} = order;
  assign dat_valid_o = order_valid && (order_flag || word_valid_i);
  assign dat_o = order_flag ? (8*WordBytes)'(order_value) : word_i;
  assign word_ready_o = order_valid && !order_flag && dat_ready_i;
  assign word_moves = dat_valid_o && dat_ready_i;
  assign order_pops = word_moves && word_q + 1'b1 == order_words;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) word_q <= '0;
    else if (word_moves) word_q <= order_pops ? '0 : word_q + 1'b1;
  end

  assign busy_o = state_q != StIdle || ended_q != '0 || access_valid_q || dat_valid_o;
  logic unused;
  assign unused = ^{got_i, got_row_i, order_used, rounded};

`ifdef FORMAL
  `include "local_jobs_proof.svh"
`endif
endmodule
