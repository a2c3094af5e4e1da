// SPDX-License-Identifier: BSD-2-Clause
// Intermediate results of the receive message queue (001 figure 3; place_of(), append(),
// rmq_wait(), take_out() and rmq_flush() of sim/engine/rmq.c): a list for each counter of each
// port, and the one that a descriptor of the counter waits for. A place is the number of an
// intermediate result; its words are elsewhere.
//
// The block takes an operation when op_ready_o is high. done_o is high from its last clock until
// go_i, which ends the operation; only then anything changes, except that a flush has removed
// everything by then.
//
//   LsFind     port, counter, contributor. found_o: there is a place for the contributor's next
//              message, the first that is open, behind all that have a message of the contributor.
//              at_o is the place, sum_o its intermediate result, awaited_o says that a descriptor
//              waits for it. With go_i, store_i stores store_sum_i there or, if nothing was found,
//              at place_i, which is appended to the list.
//   LsAwait    port, counter, place. A descriptor waits for the first of the list, which leaves the
//              list, and found_o is high. If the list is empty, it waits for a new one at place_i
//              (at the clock of go_i).
//   LsAwaited  port, counter. at_o and sum_o are those of the one that a descriptor waits for.
//              store_i as above.
//   LsFire     port, counter. The same; with go_i, no descriptor waits any more.
//   LsCount    port, counter, contributor: the first of the list with a message of the contributor
//              that counts, which must exist. The message counts no more.
//   LsOut      the same, and the message is taken out. Its intermediate result is spoilt; if it has
//              no other message, it leaves the list, and gone_valid_o names its place at go_i.
//   LsFlush    port. gone_valid_o names each place, one in a clock; gone_awaited_o: a descriptor
//              has waited for it.
//
// Time until done_o: three clocks, and one for each further intermediate result that is looked at.
// A flush takes one for each place and two for each counter. init_... empties a list after reset.
//
// A sum is: filled (1 bit), op (8), dtype (8), count (32), error vector (16), contributors that
// disagree, Branch (8), number of messages, number of those that count, contributors, contributors
// that count.
module tally_rmq_lists #(
  parameter int unsigned Ports = tally_pkg::MaxQp,
  parameter int unsigned Counters = tally_pkg::NumCpCounters,
  parameter int unsigned Contributors = tally_pkg::ContribSelf + 1,
  parameter int unsigned Places = tally_pkg::RmqCells + 256,
  localparam int unsigned PortW = Ports > 1 ? $clog2(Ports) : 1,
  localparam int unsigned CounterW = Counters > 1 ? $clog2(Counters) : 1,
  localparam int unsigned ContribW = Contributors > 1 ? $clog2(Contributors) : 1,
  localparam int unsigned CountW = $clog2(Contributors + 1),
  localparam int unsigned Named = Contributors < tally_pkg::MaxContributors ? Contributors :
                                  tally_pkg::MaxContributors,
  localparam int unsigned PlaceW = Places > 1 ? $clog2(Places) : 1,
  localparam int unsigned ListW = PortW + CounterW,
  localparam int unsigned SumW = 73 + Named + 2 * CountW + 2 * Contributors
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                init_valid_i,
  input  logic [ListW-1:0]    init_list_i,

  input  logic                op_valid_i,
  output logic                op_ready_o,
  input  logic [2:0]          op_i,       // tally_queue_pkg::ls_op_e
  input  logic [PortW-1:0]    port_i,
  input  logic [CounterW-1:0] counter_i,
  input  logic [ContribW-1:0] contributor_i,

  output logic                done_o,
  output logic                found_o,
  output logic                awaited_o,
  output logic [PlaceW-1:0]   at_o,
  output logic [SumW-1:0]     sum_o,      // zero if nothing was found
  input  logic                go_i,
  input  logic                store_i,
  input  logic [SumW-1:0]     store_sum_i,
  input  logic [PlaceW-1:0]   place_i,

  output logic                gone_valid_o,
  output logic                gone_awaited_o,
  output logic [PlaceW-1:0]   gone_place_o
);
  localparam int unsigned Lists = 2 ** ListW;
  localparam int unsigned ListWordW = 2 + 3 * PlaceW;
  localparam logic [CounterW-1:0] LastCounter = CounterW'(Counters - 1);

  typedef enum logic [2:0] {
    StIdle,
    StList,   // the list's word is read
    StWalk,   // looks at an intermediate result
    StDone,
    StFlush
  } state_e;

  // a descriptor waits, for which place; not empty, first, last
  logic [ListWordW-1:0] list_q [Lists];
  logic [PlaceW-1:0] link_q [Places];
  logic [SumW-1:0] sum_q [Places];

  // ---- State: the list in work, and the place that is looked at ----
  state_e state_q, state_d;
  logic [2:0] op_q;
  logic [PortW-1:0] port_q;
  logic [CounterW-1:0] counter_q, counter_d;
  logic [ContribW-1:0] contributor_q;
  logic accept, awaits_q, any_q, at_awaited_q, found_q, awaited_q;
  logic [PlaceW-1:0] awaits_for_q, first_q, last_q, at_q, at_d, before_q, place_q;
  logic before_valid_q;
  logic [SumW-1:0] found_sum_q;

  assign op_ready_o = state_q == StIdle;
  assign accept = op_valid_i && op_ready_o;
  always_comb begin
    counter_d = counter_q;
    if (op_ready_o) counter_d = op_i == tally_queue_pkg::LsFlush ? '0 : counter_i;
    else if (state_q == StFlush && flushed) counter_d = counter_q + 1'b1;
  end

  // ---- Memories: the list in work and the place that is looked at are read in each clock ----
  logic [ListW-1:0] list_read;
  logic [ListWordW-1:0] list_read_q, list_d;
  logic [PlaceW-1:0] link_read_q, link_at, link_d, sum_at;
  logic [SumW-1:0] sum_read_q, sum_d;
  logic list_write, link_write, sum_write;
  logic list_awaits, list_any;
  logic [PlaceW-1:0] list_awaits_for, list_first;
  assign list_read = {op_ready_o ? port_i : port_q, counter_d};
  assign {list_awaits, list_awaits_for, list_any, list_first} = list_read_q[ListWordW-1:PlaceW];
  always_ff @(posedge clk_i) begin
    list_read_q <= list_q[list_read];
    if (init_valid_i) list_q[init_list_i] <= '0;
    else if (list_write) list_q[{port_q, counter_q}] <= list_d;
  end
  always_ff @(posedge clk_i) begin
    link_read_q <= link_q[at_d];
    if (link_write) link_q[link_at] <= link_d;
  end
  always_ff @(posedge clk_i) begin
    sum_read_q <= sum_q[at_d];
    if (sum_write) sum_q[sum_at] <= sum_d;
  end

  // ---- The intermediate result that is looked at ----
  logic filled, is_open, has, counts, hit, at_end;
  logic [7:0] op, dtype, branch;
  logic [31:0] count;
  logic [15:0] err;
  logic [Named-1:0] disagree, named_bit;
  logic [CountW-1:0] messages, number;
  logic [Contributors-1:0] from, counted, bit_of;
  logic [2**ContribW-1:0] all_from, all_counted;
  logic is_find, is_await, is_awaited, is_fire, is_out, is_flush, to_awaited;
  assign {filled, op, dtype, count, err, disagree, branch, messages, number, from, counted} =
      sum_read_q;
  assign all_from = (2 ** ContribW)'(from);
  assign all_counted = (2 ** ContribW)'(counted);
  assign has = all_from[contributor_q];
  assign counts = all_counted[contributor_q];
  assign is_open = branch == '0 || 8'(messages) < branch;
  assign is_find = op_q == tally_queue_pkg::LsFind;
  assign is_await = op_q == tally_queue_pkg::LsAwait;
  assign is_awaited = op_q == tally_queue_pkg::LsAwaited;
  assign is_fire = op_q == tally_queue_pkg::LsFire;
  assign is_out = op_q == tally_queue_pkg::LsOut;
  assign is_flush = op_q == tally_queue_pkg::LsFlush;
  assign to_awaited = list_awaits && (is_find || is_awaited || is_fire);
  // An operation on a single place ends there, and one that takes a count where it finds it.
  assign at_end = is_find ? (at_awaited_q ? !any_q : at_q == last_q) : is_await || is_awaited ||
                  is_fire || counts;
  assign hit = is_find ? !has && is_open && !found_q : at_end;

  always_comb begin
    at_d = at_q;
    unique case (state_q)
      StList: at_d = to_awaited ? list_awaits_for : list_first;
      StWalk: if (!at_end) at_d = at_awaited_q ? first_q : link_read_q;
      StFlush: if (!awaits_q && any_q) at_d = link_read_q;
      default: ;
    endcase
  end

  logic walks, flushed;
  assign walks = to_awaited || list_any;
  assign flushed = !awaits_q && !any_q;
  always_comb begin
    state_d = state_q;
    unique case (state_q)
      StIdle: if (accept) state_d = StList;
      StList: state_d = is_flush ? StFlush : walks ? StWalk : StDone;
      StWalk: if (at_end) state_d = StDone;
      StFlush: if (flushed) state_d = counter_q == LastCounter ? StDone : StList;
      default: if (go_i) state_d = StIdle;  // StDone
    endcase
  end
  // done_o is state_q == StDone, in a register of its own, as all else waits for it.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= StIdle;
      done_o <= 1'b0;
    end else begin
      state_q <= state_d;
      done_o <= state_d == StDone;
    end
  end

  always_ff @(posedge clk_i) begin
    at_q <= at_d;
    counter_q <= counter_d;
    if (accept) begin
      op_q <= op_i;
      port_q <= port_i;
      contributor_q <= contributor_i;
    end
    if (state_q == StList) begin
      {awaits_q, awaits_for_q, any_q, first_q, last_q} <= list_read_q;
      at_awaited_q <= to_awaited;
      before_valid_q <= 1'b0;
      found_q <= 1'b0;
      found_sum_q <= '0;
    end
    if (state_q == StWalk) begin
      at_awaited_q <= 1'b0;
      if (!at_end) begin
        before_q <= at_q;
        before_valid_q <= 1'b1;
      end
      if (hit) begin
        found_q <= 1'b1;
        awaited_q <= at_awaited_q;
        place_q <= at_q;
        found_sum_q <= sum_read_q;
      end else if (is_find && has) begin
        found_q <= 1'b0;
        found_sum_q <= '0;
      end
    end
    if (state_q == StFlush) begin
      awaits_q <= 1'b0;
      if (!awaits_q && at_q == last_q) any_q <= 1'b0;
    end
  end

  assign found_o = found_q;
  assign awaited_o = awaited_q;
  assign at_o = place_q;
  assign sum_o = found_sum_q;

  // ---- Messages that are no longer counted, or taken out ----
  logic [SumW-1:0] less;
  logic left_filled, empty;
  logic [7:0] left_op, left_dtype, left_branch;
  logic [31:0] left_count;
  logic [15:0] left_err;
  logic [Named-1:0] left_disagree;
  logic [CountW-1:0] left_messages, left_number, messages_d;
  logic [Contributors-1:0] left_from, left_counted;
  assign {left_filled, left_op, left_dtype, left_count, left_err, left_disagree, left_branch,
          left_messages, left_number,
          left_from, left_counted} = found_sum_q;
  assign bit_of = Contributors'(1) << contributor_q;
  assign named_bit = bit_of[Named-1:0];
  assign messages_d = left_messages - 1'b1;
  assign empty = is_out && messages_d == '0;
  always_comb begin
    less = {left_filled, left_op, left_dtype, left_count, left_err, left_disagree, left_branch,
            left_messages,
            left_number - 1'b1, left_from, left_counted & ~bit_of};
    if (is_out) begin
      less = {left_filled, left_op, left_dtype, left_count, left_err | tally_pkg::ErrMismatch,
              left_disagree | named_bit,
              8'd0, messages_d, left_number - 1'b1, left_from & ~bit_of, left_counted & ~bit_of};
    end
  end

  // ---- Changes ----
  logic ends, takes_count, unlinks, appends;
  assign ends = done_o && go_i;
  assign takes_count = ends && (is_out || op_q == tally_queue_pkg::LsCount);
  assign unlinks = takes_count && empty;
  assign appends = ends && is_find && store_i && !found_q;
  always_comb begin
    list_write = appends || unlinks || (ends && (is_await || is_fire)) ||
                 (state_q == StFlush && flushed);
    list_d = {awaits_q, awaits_for_q, 1'b1, any_q ? first_q : place_i, place_i};
    if (state_q == StFlush) begin
      list_d = '0;
    end else if (is_await) begin
      list_d = {1'b1, any_q ? first_q : place_i, any_q && first_q != last_q, link_read_q, last_q};
    end else if (is_fire) begin
      list_d = {1'b0, awaits_for_q, any_q, first_q, last_q};
    end else if (!is_find) begin
      list_d = {awaits_q, awaits_for_q, before_valid_q || place_q != last_q, before_valid_q ?
                first_q : link_read_q,
                place_q == last_q ? before_q : last_q};
    end

    link_write = (appends && any_q) || (unlinks && before_valid_q);
    link_at = is_find ? last_q : before_q;
    link_d = is_find ? place_i : link_read_q;

    sum_write = (ends && store_i && (is_find || is_awaited)) || takes_count ||
                (ends && is_await && !any_q);
    sum_at = found_q ? place_q : place_i;
    sum_d = is_await ? '0 : takes_count ? less : store_sum_i;
  end

  assign gone_valid_o = unlinks || (state_q == StFlush && !flushed);
  assign gone_awaited_o = state_q == StFlush && awaits_q;
  // Which place it is does not wait for go_i.
  assign gone_place_o = done_o ? place_q : gone_awaited_o ? awaits_for_q : at_q;

  // The bits of the place that is looked at, except those that decide.
  logic unused;
  assign unused = ^{filled, op, dtype, count, err, disagree, number};

`ifdef FORMAL
  `include "rmq_lists_proof.svh"
`endif
endmodule
