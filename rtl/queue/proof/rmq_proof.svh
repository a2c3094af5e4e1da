// SPDX-License-Identifier: BSD-2-Clause
// The proof follows an arbitrary cell, which is either free, in a list, or part of a firing. No cell is lost, a
// promised message is never refused, and the cap holds. The proof of tally_rmq_words covers the words. The proof
// assumes the rules of docs/rtl-queue.md for the user: one arm at a time for each port, takes only of fired counters,
// and the port's own group.
`include "tally_proof.svh"

(* anyconst *) logic [CellW-1:0] which;
always_comb begin
  assume (32'(which) < Cells && 32'(in_len_i) <= Words * Bytes);
  assume (32'(in_contributor_i) < Contributors && 32'(in_counter_i) < Counters && 32'(take_counter_i) < Counters);
  // Assumes that no cells are reserved and that every port is of group 0. The benches cover reservations (rmq_cells.c).
  assume (!group_valid_i && in_group_i == '0 && arm_group_i == '0 && flush_group_i == '0);
  // Assumes that a take asks for what the counter has fired for.
  assume (!take_valid_i || (may_take_q && take_port_i == fired_port_q && take_counter_i == fired_counter_q &&
                            take_cpcnt_i == fired_cpcnt_q));
  assume (!arm_valid_i || (!armed_q && arm_cpcnt_i != '0));
  assume (!flush_valid_i || !armed_q);
  assume (fire_ready_i);
end

// At most one descriptor at a time, in all ports together.
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

// State of the followed cell: used from the decision until it is given back.
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
