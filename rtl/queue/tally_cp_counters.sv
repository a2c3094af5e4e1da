// SPDX-License-Identifier: BSD-2-Clause
// CP counters of all ports (001 3.1 (1); the part "Counting" of sim/engine/rmq.c).
//
// A counter counts the contributors of which at least one message waits. For each contributor the
// block keeps two numbers: its waiting messages without data (alone, at most Alone), and its
// waiting messages that count and are part of an intermediate result (kept, at most Kept). The
// contributor counts once while the sum of both is not zero. Both numbers are undefined while it
// does not count. The contributors that count are a doubly linked list, in the order in which they
// began to count.
//
// Operations; op_i is taken when op_ready_o is high: CpMessage  port, counter, contributor.
//   alone_i: the message has no data, and err_vector_i is added to that of the
//              counter. counts_i: it counts. If keep_i is low in the clock of the decision, nothing
//              changes.
//   CpLook     port, counter. Nothing changes.
//   CpFire     port, counter. A firing takes cpcnt_i counts: first one of each contributor in
//              of_sum_i, in order of their numbers, then those of the contributors that began to
//              count first. of_sum_i has the contributors of the intermediate result whose messages
//              count; all of these counts are taken, even if there are more than cpcnt_i. A message
//              without data is taken before one of an intermediate result; the latter is named at
//              out_*. If swapped_i is high, contributors of counts beyond cpcnt_i, and those named
//              at out_*, are collected in spoil_o.
//   CpClear    port. Clears all its counters.
//
// answer_o is high from the second clock after an operation was taken on (for CpClear, Counters
// clocks later) until go_i, which is the decision: cpcnt_i, of_sum_i, swapped_i, keep_i and
// err_vector_i belong to its clock. With answer_o, count_o is the count (for CpMessage: with the
// message), full_o means that a message without data finds Alone of its kind, and err_vector_o is
// the error vector of messages without data since the last firing. A firing then takes one clock,
// and three for each count, four if the contributor remains in the list at another place. done_o
// comes with the last clock; spoil_o is valid then and until the next firing. After reset the block
// is not ready for Ports * Counters clocks, both rounded up to powers of two.
module tally_cp_counters #(
  parameter int unsigned Ports = tally_pkg::MaxQp,
  parameter int unsigned Counters = tally_pkg::NumCpCounters,
  parameter int unsigned Contributors = tally_pkg::ContribSelf + 1,
  parameter int unsigned Alone = 255,
  parameter int unsigned Kept = tally_pkg::RmqPortCap + 1,
  localparam int unsigned PortW = Ports > 1 ? $clog2(Ports) : 1,
  localparam int unsigned CounterW = Counters > 1 ? $clog2(Counters) : 1,
  localparam int unsigned ContribW = Contributors > 1 ? $clog2(Contributors) : 1,
  localparam int unsigned CountW = $clog2(Contributors + 1)
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,

  input  logic                    op_valid_i,
  output logic                    op_ready_o,
  input  logic [1:0]              op_i,       // tally_queue_pkg::cp_op_e
  input  logic [PortW-1:0]        port_i,
  input  logic [CounterW-1:0]     counter_i,
  input  logic [ContribW-1:0]     contributor_i,
  input  logic                    alone_i,
  input  logic                    counts_i,

  output logic                    answer_o,
  output logic                    full_o,
  output logic [CountW-1:0]       count_o,
  output logic [15:0]             err_vector_o,
  input  logic                    go_i,
  input  logic                    keep_i,
  input  logic [15:0]             err_vector_i,
  input  logic [CountW-1:0]       cpcnt_i,
  input  logic [Contributors-1:0] of_sum_i,
  input  logic                    swapped_i,

  output logic                    out_valid_o,
  input  logic                    out_ready_i,
  output logic [ContribW-1:0]     out_contributor_o,
  output logic                    done_o,
  output logic [Contributors-1:0] spoil_o
);
  localparam int unsigned EntryW = PortW + CounterW;
  localparam int unsigned Entries = 2 ** EntryW;
  localparam int unsigned Octets = (Contributors + 7) / 8;
  localparam int unsigned AloneW = $clog2(Alone + 1);
  localparam int unsigned KeptW = $clog2(Kept + 1);
  localparam int unsigned SumW = (AloneW > KeptW ? AloneW : KeptW) + 1;
  localparam int unsigned WordW = 16 + CountW + 2 * ContribW + Contributors;
  localparam logic [EntryW-1:0] LastEntry = EntryW'(Entries - 1);
  localparam logic [CounterW-1:0] LastCounter = CounterW'(Counters - 1);

  typedef enum logic [3:0] {
    StInit,
    StIdle,
    StLook,    // the counter's word is read
    StClear,
    StDecide,
    StPick,    // chooses the next count of a firing
    StFetch,   // its contributor's words are read
    StTake,
    StAsk,     // an intermediate result of the list loses the count
    StAppend   // the contributor goes to the end of the list
  } state_e;

  // Lowest bit that is set: in each group of 8 bits, and then of the groups.
  function automatic logic [ContribW-1:0] lowest(logic [Contributors-1:0] bits);
    logic [8*Octets-1:0] all;
    logic [Octets-1:0][2:0] low;
    all = (8 * Octets)'(bits);
    lowest = '0;
    for (int unsigned i = Octets; i > 0; i--) begin
      low[i-1] = '0;
      for (int unsigned k = 8; k > 0; k--) if (all[8*(i-1)+k-1]) low[i-1] = 3'(k - 1);
      if (all[8*(i-1) +: 8] != '0) lowest = ContribW'(8 * (i - 1) + 32'(low[i-1]));
    end
  endfunction

  // error vector, count, first, last, contributors
  logic [WordW-1:0] word_q [Entries];
  logic [AloneW+KeptW-1:0] numbers_q [Entries << ContribW];
  logic [ContribW-1:0] next_q [Entries << ContribW];
  logic [ContribW-1:0] before_q [Entries << ContribW];

  // ---- State: the counter in work, and its contributor ----
  state_e state_q;
  logic [1:0] op_q;
  logic [EntryW-1:0] entry, entry_q, init_q;
  logic [ContribW-1:0] who, who_q, first_q, last_q, first_d, last_d;
  logic [CountW-1:0] count_q, count_d, more_q;
  logic [Contributors-1:0] counted_q, counted_d, left_q, bit_of, spoil_q;
  logic [2**ContribW-1:0] all_counted;
  logic [15:0] err_q, err_d;
  logic alone_q, counts_q, has_q, of_sum_q, swapped_q, again_q, accept;
  logic is_message, is_fire, begins, take, fires, cleared;

  assign op_ready_o = state_q == StIdle;
  assign cleared = state_q == StClear && entry_q[CounterW-1:0] == LastCounter;
  assign accept = op_valid_i && op_ready_o;
  assign entry = op_ready_o ? {port_i, counter_i} : entry_q;
  assign who = op_ready_o ? contributor_i : who_q;
  assign bit_of = Contributors'(1) << who_q;
  assign is_message = op_q == tally_queue_pkg::CpMessage;
  assign is_fire = op_q == tally_queue_pkg::CpFire;

  // ---- Memories: read at the place in work in each clock ----
  logic [WordW-1:0] read_q, word_d;
  logic [AloneW+KeptW-1:0] numbers_read_q, numbers_d;
  logic [ContribW-1:0] next_read_q, before_read_q, next_at, next_d, before_at, before_d;
  logic word_write, numbers_write, next_write, before_write;
  always_ff @(posedge clk_i) begin
    read_q <= word_q[entry];
    if (state_q == StInit) word_q[init_q] <= '0;
    else if (word_write) word_q[entry_q] <= word_d;
  end
  always_ff @(posedge clk_i) begin
    numbers_read_q <= numbers_q[{entry, who}];
    if (numbers_write) numbers_q[{entry_q, who_q}] <= numbers_d;
  end
  always_ff @(posedge clk_i) begin
    next_read_q <= next_q[{entry, who}];
    if (next_write) next_q[{entry_q, next_at}] <= next_d;
  end
  always_ff @(posedge clk_i) begin
    before_read_q <= before_q[{entry, who}];
    if (before_write) before_q[{entry_q, before_at}] <= before_d;
  end

  // ---- Numbers of the contributor: undefined while it does not count ----
  logic [AloneW-1:0] alone;
  logic [KeptW-1:0] kept;
  logic takes_alone, again, is_first, is_last;
  assign {alone, kept} = numbers_read_q & {(AloneW + KeptW){has_q}};
  assign takes_alone = !of_sum_q && alone != '0;
  assign again = SumW'(alone) + SumW'(kept) != SumW'(1);
  assign is_first = who_q == first_q;
  assign is_last = who_q == last_q;

  // It is state_q == StDecide, in a register of its own, as all else waits for it.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) answer_o <= 1'b0;
    else answer_o <= state_q == StLook || cleared || (answer_o && !go_i);
  end
  assign full_o = alone_q && alone == AloneW'(Alone);
  assign begins = is_message && counts_q && !has_q;
  assign count_o = count_q + CountW'(begins);
  assign err_vector_o = err_q;
  assign take = state_q == StTake;
  assign out_valid_o = state_q == StAsk;
  assign out_contributor_o = who_q;
  assign fires = state_q == StPick && left_q == '0 && more_q == '0;
  assign done_o = fires;
  assign spoil_o = spoil_q;

  // Changes of the counter.
  logic kept_message;
  assign kept_message = answer_o && go_i && is_message && keep_i && counts_q;
  always_comb begin
    first_d = first_q;
    last_d = last_q;
    count_d = count_q;
    counted_d = counted_q;
    err_d = err_q;
    if (kept_message) begin
      if (alone_q) err_d = err_q | err_vector_i;
      counted_d = counted_q | bit_of;
      count_d = count_o;
      if (begins) last_d = who_q;
      if (begins && count_q == '0) first_d = who_q;
    end else if (answer_o && go_i && is_fire) begin
      err_d = '0;
    end else if (take && !(again && is_last)) begin
      if (is_first) first_d = next_read_q;
      if (is_last) last_d = before_read_q;
      if (!again) begin
        count_d = count_q - 1'b1;
        counted_d = counted_q & ~bit_of;
      end
    end else if (state_q == StAppend) begin
      last_d = who_q;
    end
  end
  assign word_d = state_q == StClear ? '0 : {err_d, count_d, first_d, last_d, counted_d};
  assign word_write = kept_message || fires || state_q == StClear;

  always_comb begin
    numbers_write = kept_message || take;
    if (kept_message) numbers_d = {alone + AloneW'(alone_q), kept + KeptW'(!alone_q)};
    else numbers_d = {alone - AloneW'(takes_alone), kept - KeptW'(!takes_alone)};
  end

  // A contributor that leaves its place: its neighbours become neighbours of each other.
  always_comb begin
    next_at = last_q;
    next_d = who_q;
    next_write = (kept_message && begins) || state_q == StAppend;
    before_at = who_q;
    before_d = last_q;
    before_write = next_write;
    if (take) begin
      next_at = before_read_q;
      next_d = next_read_q;
      next_write = !is_first && !is_last;
      before_at = next_read_q;
      before_d = before_read_q;
      before_write = !is_first && !is_last;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= StInit;
      init_q <= '0;
    end else begin
      unique case (state_q)
        StInit: begin
          init_q <= init_q + 1'b1;
          if (init_q == LastEntry) state_q <= StIdle;
        end
        StIdle: if (accept) state_q <= op_i == tally_queue_pkg::CpClear ? StClear : StLook;
        StLook: state_q <= StDecide;
        StClear: if (cleared) state_q <= StDecide;
        StDecide: if (go_i) state_q <= is_fire ? StPick : StIdle;
        StPick: state_q <= fires ? StIdle : StFetch;
        StFetch: state_q <= StTake;
        StTake: begin
          if (!of_sum_q && !takes_alone) state_q <= StAsk;
          else state_q <= again && !is_last ? StAppend : StPick;
        end
        StAsk: if (out_ready_i) state_q <= again_q ? StAppend : StPick;
        default: state_q <= StPick;  // StAppend
      endcase
    end
  end

  assign all_counted = (2 ** ContribW)'(read_q[Contributors-1:0]);
  always_ff @(posedge clk_i) begin
    if (accept) begin
      op_q <= op_i;
      entry_q <= op_i == tally_queue_pkg::CpClear ? {port_i, CounterW'(0)} : entry;
      who_q <= contributor_i;
      alone_q <= alone_i;
      counts_q <= counts_i;
    end
    if (state_q == StLook) begin
      {err_q, count_q, first_q, last_q, counted_q} <= read_q;
      has_q <= all_counted[who_q];
    end else begin
      err_q <= err_d;
      count_q <= count_d;
      first_q <= first_d;
      last_q <= last_d;
      counted_q <= counted_d;
    end
    if (state_q == StClear) entry_q <= entry_q + 1'b1;
    if (answer_o && go_i) begin
      left_q <= of_sum_i;
      more_q <= cpcnt_i;
      swapped_q <= swapped_i;
      if (is_fire) spoil_q <= '0;
    end
    if (state_q == StPick) begin
      of_sum_q <= left_q != '0;
      has_q <= 1'b1;
      who_q <= left_q != '0 ? lowest(left_q) : first_q;
    end
    if (take) begin
      if (of_sum_q) left_q <= left_q & ~bit_of;
      if (more_q != '0) more_q <= more_q - 1'b1;
      again_q <= again && !is_last;
      if (swapped_q && !takes_alone && (!of_sum_q || more_q == '0)) spoil_q <= spoil_q | bit_of;
    end
  end

`ifdef FORMAL
  `include "cp_counters_proof.svh"
`endif
endmodule
