// SPDX-License-Identifier: BSD-2-Clause
// One cell, any, is followed: it is free, or in a list, or of a firing, and never two of these; cells are never lost; what is
// promised is never refused; and the cap is kept. Its words are tally_rmq_words' proof's business. The user keeps the rules of
// docs/rtl-queue.md: it arms a port once at a time, takes what was fired, of a port's own group.
`include "tally_proof.svh"

(* anyconst *) logic [CellW-1:0] which;
always_comb begin
  assume (32'(which) < Cells && 32'(in_len_i) <= Words * Bytes);
  assume (32'(in_contributor_i) < Contributors && 32'(in_counter_i) < Counters && 32'(take_counter_i) < Counters);
  // Nothing is reserved for groups here, and every port is of group 0: cells.c's side of it is for the benches.
  assume (!group_valid_i && in_group_i == '0 && arm_group_i == '0 && flush_group_i == '0);
  // A firing takes no more than it has: the harness takes what the counter has fired for.
  assume (!take_valid_i || (may_take_q && take_port_i == fired_port_q && take_counter_i == fired_counter_q &&
                            take_cpcnt_i == fired_cpcnt_q));
  assume (!arm_valid_i || (!armed_q && arm_cpcnt_i != '0));
  assume (!flush_valid_i || !armed_q);
  assume (fire_ready_i);
end

// One descriptor at a time in all ports.
logic armed_q = 1'b0, may_take_q = 1'b0;
logic [PortW-1:0] fired_port_q;
logic [CounterW-1:0] fired_counter_q;
logic [CountW-1:0] fired_cpcnt_q;
always_ff @(posedge clk_i) begin
  if (arm_valid_i && arm_ready_o) begin
    armed_q <= started_q;
    fired_port_q <= arm_port_i;
    fired_counter_q <= arm_counter_i;
    fired_cpcnt_q <= arm_cpcnt_i;
  end
  if (is_arm && !given) armed_q <= 1'b0;
  if (fire_valid_o) may_take_q <= started_q;
  if (is_take) begin
    may_take_q <= 1'b0;
    armed_q <= 1'b0;
  end
end

// Where the followed cell is: used from the decision until it is given back.
logic used_q = 1'b0;
logic [UsedW-1:0] all_used_q = '0;
always_ff @(posedge clk_i) begin
  if (!started_q) begin
    used_q <= 1'b0;
    all_used_q <= '0;
  end else begin
    if (stored && next_q == which) used_q <= 1'b1;
    if (give_q && give_cell_q == which) used_q <= 1'b0;
    all_used_q <= all_used_q + UsedW'(stored) - UsedW'(give_q);
  end
end
always_comb begin
  if (started_q && !in_init) begin
    if (stored) assert (next_valid_q);
    if (stored && next_q == which) assert (!used_q);
    if (give_q && give_cell_q == which) assert (used_q);
    assert (ring_used_q + UsedW'(next_valid_q) + all_used_q == UsedW'(Cells));
    if (is_message && promised) assert (stored);
    if (stored && !promised) assert (used < UsedW'(Cap));
    if (taken) assert (taken_ready);
    cover (stored && promised && used == UsedW'(Cap));
    cover (pop && pop_cell == which && all_used_q == UsedW'(Cells));
    cover (gone && at_cell == which);
  end
end
