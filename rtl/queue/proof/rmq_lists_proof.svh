// SPDX-License-Identifier: BSD-2-Clause
// The proof has a single list, and knows of each place whether it is in the list or awaited, its
// contributors, and its order. A place is found only if it is one of these, open, without the
// contributor, and behind all that have the contributor. A place leaves only once, and only if it
// is there; a flush leaves none. The proof is bounded, because the invariant of a linked list
// cannot be stated for a single clock.
`include "tally_proof.svh"

always_comb begin
  assume (32'(place_i) < Places && 32'(contributor_i) < Contributors);
  assume (port_i == '0 && counter_i == '0);
  assume (!init_valid_i && op_i <= 3'd6);
  if (!started_q) begin
    assume (list_q[0] == '0);  // state after init
    assume (list_q[1] == '0);
  end
end

logic [Places-1:0] in_q = '0, of_awaited_q = '0;
logic [Places-1:0][Contributors-1:0] has_q, counts_q;
logic [Places-1:0][3:0] order_q;
logic [3:0] next_order_q = '0;
logic any_counts, awaited_now;
always_comb begin
  any_counts = 1'b0;
  for (int unsigned i = 0; i < Places; i++) begin
    any_counts = any_counts || (in_q[i] && counts_q[i][contributor_i]);
  end
end
assign awaited_now = of_awaited_q != '0;

// The sum that is stored, as the user makes it: with one more message of the contributor.
logic [Contributors-1:0] store_from, store_counted;
logic [CountW-1:0] store_messages;
logic store_filled;
logic [7:0] store_op, store_dtype, store_branch;
logic [31:0] store_count;
logic [15:0] store_err;
logic [Named-1:0] store_disagree;
logic [CountW-1:0] store_number;
assign {store_filled, store_op, store_dtype, store_count, store_err, store_disagree, store_branch,
        store_messages, store_number,
        store_from, store_counted} = store_sum_i;
always_comb begin
  if (op_valid_i && op_ready_o) begin
    if (op_i == tally_queue_pkg::LsAwait) assume (!awaited_now);
    if (op_i == tally_queue_pkg::LsAwaited || op_i == tally_queue_pkg::LsFire) assume (awaited_now);
    if (op_i == tally_queue_pkg::LsCount || op_i == tally_queue_pkg::LsOut) assume (any_counts);
  end
  if (ends && is_find && store_i) begin
    assume (found_q || (!in_q[place_i] && !of_awaited_q[place_i]));
    assume (store_from == (left_from | bit_of) && store_messages == left_messages + 1'b1);
    assume ((store_counted & ~bit_of) == left_counted && (store_counted & ~store_from) == '0);
  end
  if (ends && is_await && !found_q) assume (!in_q[place_i] && !of_awaited_q[place_i]);
  if (ends && !is_find) assume (!store_i);
end

always_ff @(posedge clk_i) begin
  if (ends && is_find && store_i) begin
    has_q[found_q ? place_q : place_i] <= store_from;
    counts_q[found_q ? place_q : place_i] <= store_counted;
    if (!found_q) begin
      in_q[place_i] <= 1'b1;
      order_q[place_i] <= next_order_q;
      next_order_q <= next_order_q + 1'b1;
    end
  end
  if (ends && is_await) begin
    of_awaited_q[found_q ? place_q : place_i] <= 1'b1;
    if (found_q) in_q[place_q] <= 1'b0;
    else has_q[place_i] <= '0;
    if (!found_q) counts_q[place_i] <= '0;
  end
  if (ends && is_fire) of_awaited_q <= '0;
  if (takes_count) counts_q[place_q][contributor_q] <= 1'b0;
  if (takes_count && is_out) has_q[place_q][contributor_q] <= 1'b0;
  if (gone_valid_o) begin
    in_q[gone_place_o] <= 1'b0;
    of_awaited_q[gone_place_o] <= 1'b0;
  end
  if (!started_q) begin
    in_q <= '0;
    of_awaited_q <= '0;
    next_order_q <= '0;
  end
end

always_comb begin
  if (started_q) begin
    if (gone_valid_o) assert (32'(gone_place_o) < Places);
    if (gone_valid_o) assert (gone_awaited_o ? of_awaited_q[gone_place_o] : in_q[gone_place_o]);
    if (done_o && is_flush) assert (in_q == '0 && of_awaited_q == '0);
    if (done_o && is_find && found_o) begin
      assert (awaited_o ? of_awaited_q[at_o] : in_q[at_o]);
      assert (!has_q[at_o][contributor_q] && left_from == has_q[at_o]);
      assert (left_branch == '0 || 8'(left_messages) < left_branch);
      for (int unsigned i = 0; i < Places; i++) begin
        if (in_q[i] && has_q[i][contributor_q]) assert (!awaited_o && order_q[i] < order_q[at_o]);
      end
    end
    if (done_o && is_find && !found_o) assert (sum_o == '0);
    if (done_o && (is_awaited || is_fire)) assert (found_o && of_awaited_q[at_o]);
    if (done_o && is_await && found_o)
      for (int unsigned i = 0; i < Places; i++) if (in_q[i]) assert (order_q[at_o] <= order_q[i]);
    if (done_o && (is_out || op_q == tally_queue_pkg::LsCount)) begin
      assert (in_q[at_o] && counts_q[at_o][contributor_q]);
    end
    cover (done_o && is_find && found_o && awaited_o);
    cover (done_o && is_find && found_o && !awaited_o && before_valid_q);
    cover (gone_valid_o && !is_flush);
    cover (gone_awaited_o);
  end
end
