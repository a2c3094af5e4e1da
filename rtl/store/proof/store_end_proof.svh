// SPDX-License-Identifier: BSD-2-Clause
// The segments of a group return once nothing of its epoch waits. A count of results is followed
// for one group, which the solver chooses, from the outside.
`include "tally_proof.svh"

localparam int unsigned SeenW = CountW + 1;
(* anyconst *) logic [GroupW-1:0] watched;
logic [SeenW-1:0] open_q;   // results of the watched group that are due, and not taken
logic [1:0] since_q;        // clocks since the last change
logic ended_q, popped_q, looked_q2, read_q, old_look_q, old_read, old_read_q;
// entries that were in the lists when operations were refused first
logic [DueW-1:0] send_old_q, own_old_q, wait_old_q;
logic mine, begins, room;

assign mine = due_valid_i && due_group_i == watched;
assign begins = state_q == StStop && quiet_i;
assign room = SeenW'(open_q + SeenW'(due)) <= SeenW'(GroupSegs * Ranks);

always_comb begin
  // Changes are apart, and none comes before the counts are cleared: stop_o has kept operations
  // from beginning.
  assume (!due_valid_i || (since_q == 2'd3 && !clearing && started_q));
  // Only what was due is taken; a group has at most so many results.
  if (mine && due_taken_i) assume (open_q != '0 && due_ranks_i == '0);
  if (due_valid_i && !due_taken_i) assume (due_ranks_i != '0);
  assume (!mine || due_taken_i || room);
  // Once its operations are refused, nothing more of the group becomes due.
  if (ending_o && due_valid_i && due_group_i == group_o) assume (due_taken_i);
  if (quiet_i) assume (!due_valid_i);
  if (state_q == StFree) assume (!(due_valid_i && due_group_i == group_o));
  // The lists.
  assume (!send_pop_i || send_used_i != '0);
  assume (!own_pop_i || own_used_i != '0);
  if (send_left_q != '0 && state_q == StDrain) assume (send_used_i >= send_left_q);
  if (own_left_q != '0 && state_q == StDrain) assume (own_used_i >= own_left_q);
  if (send_left_q != '0 && state_q == StAgain) assume (send_used_i >= send_left_q);
  // One is looked at at a time, and then it may be read: tally_store_out.
  assume (!send_pop_i || !send_looks_i);
  assume (!popped_q || send_looks_i);
  if (send_reads_i && !read_q) assume (looked_q2 && !send_looks_i);
  assume (!wait_pop_i || wait_used_i != '0);
  if (wait_left_q != '0 && state_q == StWaits) assume (wait_used_i >= wait_left_q);
end

initial begin
  open_q = '0;
  since_q = 2'd3;
  popped_q = 1'b0;
  looked_q2 = 1'b0;
  read_q = 1'b0;
  old_look_q = 1'b0;
  old_read_q = 1'b0;
end
assign old_read = old_read_q || (send_reads_i && !read_q && old_look_q);
always_ff @(posedge clk_i) begin
  popped_q <= send_pop_i;
  looked_q2 <= send_looks_i;
  read_q <= send_reads_i;
  old_look_q <= (send_pop_i && send_old_q != '0) || (old_look_q && send_looks_i);
  old_read_q <= old_read && send_reads_i;
  if (mine) open_q <= due_taken_i ? open_q - 1'b1 : open_q + SeenW'(due);
  since_q <= due_valid_i ? '0 : since_q == 2'd3 ? since_q : since_q + 1'b1;
  if (begins) begin
    send_old_q <= send_used_i - DueW'(send_pop_i);
    own_old_q <= own_used_i - DueW'(own_pop_i);
  end else begin
    if (send_old_q != '0) send_old_q <= send_old_q - DueW'(send_pop_i);
    if (own_old_q != '0) own_old_q <= own_old_q - DueW'(own_pop_i);
  end
  // What waits when it is woken, and then what it has become.
  if (wake_o) wait_old_q <= wait_used_i - DueW'(wait_pop_i);
  else if (wait_old_q != '0) wait_old_q <= wait_old_q - DueW'(wait_pop_i);
  if (state_q == StWaits) send_old_q <= send_used_i - DueW'(send_pop_i);
end

always_comb begin
  if (started_q) begin
    // Nothing that was due is left when the segments return, and nobody writes.
    if (state_q == StDrain) assert (send_left_q == send_old_q && own_left_q == own_old_q);
    if (state_q == StWaits) assert (wait_left_q == wait_old_q);
    if (state_q == StAgain) assert (wait_old_q == '0 && send_left_q == send_old_q);
    if (wake_o) assert (!old_look_q);
    if (state_q == StWrites) assert (!old_look_q && !old_read);
    if (state_q == StWrites) assert (send_old_q == '0 && own_old_q == '0 && wait_old_q == '0);
    if (map_valid_o && group_o == watched) assert (open_q == '0);
    // Operations are refused from the moment when none is inside, until the segments have returned.
    if (map_valid_o) assert (ending_o && !stop_o);
    cover (map_valid_o && group_o == watched && ended_q);
    cover (state_q == StWrites && open_q != '0 && group_o == watched);
    cover (state_q == StDrain && send_left_q != '0 && own_left_q != '0);
    cover (state_q == StAgain && send_left_q != '0);
    cover (state_q == StReads && old_read);
  end
end
always_ff @(posedge clk_i) ended_q <= started_q && (ended_q || (mine && due_taken_i));
