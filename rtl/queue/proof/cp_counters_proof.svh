// SPDX-License-Identifier: BSD-2-Clause
// The proof follows an arbitrary counter of two contributors: their waiting messages, and which of
// them began to count first. It assumes the rules for the user: contributors exist, a message
// without data counts, and finds fewer than Alone of its kind; at most Kept messages of
// intermediate results wait; a firing takes no more than there is, and of an intermediate result
// only what counts.
`include "tally_proof.svh"

(* anyconst *) logic [EntryW-1:0] which;
logic mine, begun_q = 1'b0;
assign mine = entry_q == which;
always_ff @(posedge clk_i) if (state_q == StIdle) begun_q <= started_q;
always_comb begin
  assume (32'(contributor_i) < Contributors);
  if (alone_i) assume (counts_i);
end

// What the counter should have.
logic [1:0][SumW-1:0] alones_q = '0, kepts_q = '0;
logic [1:0] waits;
logic front_q = 1'b0;                  // the one that began to count first, if both count
logic [15:0] vector_q = '0;
logic other, more_of_it;
assign other = !who_q[0];
always_comb for (int unsigned i = 0; i < 2; i++) waits[i] = alones_q[i] != '0 || kepts_q[i] != '0;
assign more_of_it = alones_q[who_q] + kepts_q[who_q] != SumW'(1);

always_comb begin
  if (started_q && mine && answer_o && go_i) begin
    if (is_message && alone_q && alones_q[who_q] == SumW'(Alone)) assume (!keep_i);
    if (is_message && !alone_q && counts_q && kepts_q[who_q] == SumW'(Kept)) assume (!keep_i);
    if (is_fire) assume (32'(cpcnt_i) <= 32'(waits[0]) + 32'(waits[1]));
    if (is_fire && !swapped_i) assume (of_sum_i == '0);
    for (int unsigned i = 0; i < 2; i++) if (is_fire && of_sum_i[i]) assume (kepts_q[i] != '0);
  end
end

always_ff @(posedge clk_i) begin
  if (!started_q || (state_q == StClear && mine)) begin
    alones_q <= '0;
    kepts_q <= '0;
    vector_q <= '0;
  end else if (mine && kept_message) begin
    if (alone_q) alones_q[who_q] <= alones_q[who_q] + 1'b1;
    else kepts_q[who_q] <= kepts_q[who_q] + 1'b1;
    if (alone_q) vector_q <= vector_q | err_vector_i;
    if (!waits[who_q]) front_q <= waits[other] ? other : who_q[0];
  end else if (mine && take) begin
    if (!of_sum_q && alones_q[who_q] != '0) alones_q[who_q] <= alones_q[who_q] - 1'b1;
    else kepts_q[who_q] <= kepts_q[who_q] - 1'b1;
    front_q <= waits[other] ? other : who_q[0];
  end
  if (started_q && mine && answer_o && go_i && is_fire) vector_q <= '0;
end

logic [WordW-1:0] its_word;
logic [15:0] its_err;
logic [CountW-1:0] its_count;
logic [ContribW-1:0] its_first, its_last;
logic [Contributors-1:0] its_counted;
assign its_word = word_q[which];
assign {its_err, its_count, its_first, its_last, its_counted} = its_word;
always_comb begin
  if (started_q && begun_q && state_q == StIdle) begin
    assert (its_counted == waits);
    assert (32'(its_count) == 32'(waits[0]) + 32'(waits[1]));
    assert (its_err == vector_q);
    if (waits == 2'b11) begin
      assert (its_first[0] == front_q && its_last[0] == !front_q);
      assert (next_q[{which, its_first}] == its_last && before_q[{which, its_last}] == its_first);
    end else if (waits != '0) begin
      assert (its_first == its_last && waits[its_first[0]]);
    end
    for (int unsigned i = 0; i < 2; i++)
      if (waits[i]) begin
        assert (numbers_q[{which, ContribW'(i)}] == {AloneW'(alones_q[i]), KeptW'(kepts_q[i])});
      end
  end
  if (started_q && mine && answer_o) begin
    if (op_q == tally_queue_pkg::CpLook || is_fire) begin
      assert (32'(count_o) == 32'(waits[0]) + 32'(waits[1]));
    end
    if (is_fire) assert (err_vector_o == vector_q);
    if (is_message) assert (full_o == (alone_q && alones_q[who_q] == SumW'(Alone)));
  end
  if (started_q && mine && take) begin
    assert (waits[who_q]);
    if (!of_sum_q && waits == 2'b11) assert (who_q[0] == front_q);
    if (!of_sum_q) assert (more_q != '0);
    assert (again == more_of_it);
    cover (waits == 2'b11 && more_of_it && !of_sum_q);
    cover (of_sum_q && more_q == '0);
  end
  if (started_q && out_valid_o && mine) cover (again_q);
end
