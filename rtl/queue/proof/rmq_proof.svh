// SPDX-License-Identifier: BSD-2-Clause
// The proof shows that the blocks are ready whenever they are asked, that there is room for each
// fire and each job, that a message for an intermediate result that a descriptor waits for is never
// refused, and that each descriptor fires once, with CPCnt reached. The proofs of the blocks cover
// what they do. It assumes the rules of docs/rtl-queue.md for the user: one descriptor at a time
// for each port, own data only for one that waits for them, and buffers for those that need one.
`include "tally_proof.svh"

always_comb begin
  assume (in_port_i == '0 && in_counter_i == '0 && arm_port_i == '0 && arm_counter_i == '0);
  assume (give_up_port_i == '0 && give_up_counter_i == '0 && flush_port_i == '0);
  assume (in_group_i == '0 && arm_group_i == '0 && give_up_group_i == '0 && flush_group_i == '0);
  assume (!group_valid_i && !cell_valid_i && !buffer_valid_i && !wr_valid_i);
  assume (32'(in_contributor_i) < Contributors && 32'(in_len_i) <= Words * Bytes);
  assume (32'(in_contributor_i) < Contributors && 32'(arm_cpcnt_i) <= Contributors);
  if (in_valid_i && !in_own_i) assume (in_swp_mp_i ? in_branch_i != '0 : in_cp_i && in_len_i == '0);
  if (in_valid_i) assume (in_own_i == 1'b0 || (waits_q && own_q2));
  if (in_own_i) assume (in_swp_mp_i && !in_cp_i);
  if (arm_valid_i) assume (!waits_q && !buffer_q && (arm_swaps_i || !arm_own_i));
  if (release_valid_i) begin
    assume (buffer_q && !waits_q && fires_q == '0 && release_place_i == buffer_at_q);
  end
end

// a descriptor waits, for own data; a buffer is in use
logic waits_q = 1'b0, own_q2 = 1'b0, buffer_q = 1'b0;
logic [2:0] fires_q = '0;                               // fires that are expected
logic [PlaceW-1:0] buffer_at_q;
always_ff @(posedge clk_i) begin
  if (is_arm) begin
    waits_q <= started_q;
    own_q2 <= arms_own_q;
    buffer_q <= arms_q;
  end
  if (is_own) own_q2 <= 1'b0;
  if (fires_now) waits_q <= 1'b0;
  fires_q <= fires_q + 3'(fires_now) - 3'(fire_taken);
  if (fire_taken) buffer_at_q <= fire_place_o;
  if (is_flush) begin
    waits_q <= 1'b0;
    own_q2 <= 1'b0;
    if (waits_q) buffer_q <= 1'b0;
  end
  if (release_valid_i && release_ready_o) buffer_q <= 1'b0;
  if (!started_q) begin
    waits_q <= 1'b0;
    own_q2 <= 1'b0;
    buffer_q <= 1'b0;
    fires_q <= '0;
  end
end
logic arms_q, arms_own_q;
assign arms_q = swaps_q;
assign arms_own_q = swaps_q && own_q;

always_comb begin
  if (started_q && !in_init) begin
    if (cp_asks) assert (cp_ready);
    if (ls_asks) assert (ls_ready);
    if (push) assert (fires_ready);
    if (job_push) assert (job_ready);
    if (done_valid) assert (flags_ready);
    if (is_message && swp_mp_q && ls_found) assert (stored);
    if (fires_now) assert (armed && count_q >= cpcnt && waits_q && !own_q2);
    if (fire_valid_o) assert (fires_q != '0);
    if (appends) assert (used < UsedW'(Cap));
    cover (fire_valid_o && fire_swaps_o && fire_many_o);
    cover (is_message && !stored && swp_mp_q);
    cover (fire_valid_o && fire_err_vector_o[tally_pkg::ErrMismatchBit]);
    cover (flush_done_o && waits_q);
  end
end

// A flush waits for nothing but the words of what was stored: if these come, it is taken within so
// many clocks, whatever waits at the other inputs and whether fires are taken or not, and it ends.
logic [5:0] flush_age_q = '0;
logic flush_last_q = 1'b0, flushing_q = 1'b0;
always_ff @(posedge clk_i) begin
  flush_last_q <= started_q && flush_valid_i && !flush_ready_o;
  flushing_q <= started_q && ((flush_valid_i && flush_ready_o) || (flushing_q && !flush_done_o));
  flush_age_q <= started_q && !in_init && ((flush_valid_i && !flush_ready_o) || flushing_q) ?
                 flush_age_q + 1'b1 : '0;
end
always_comb begin
  if (flush_last_q) assume (flush_valid_i);
  if (flush_valid_i && data_ready_o) assume (data_valid_i);
  if (started_q) begin
    assert (flush_age_q < 6'd32);
  end
end
