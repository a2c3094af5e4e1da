// SPDX-License-Identifier: BSD-2-Clause
// The proof follows an arbitrary counter and one of its contributors: the number of its waiting messages, and the
// messages that a firing may still take. It assumes the rules for the user. A released contributor has a message. An
// Arm comes after the releases of the firing before. At most Extras + 1 messages of a contributor wait.
`include "tally_proof.svh"

(* anyconst *) logic [EntryW-1:0] which;
(* anyconst *) logic [ContribW-1:0] who;
always_comb assume (32'(who) < Contributors && 32'(contributor_i) < Contributors);

// ---- Operations on the followed counter that have taken effect ----
logic mine, mine_who, kept, released, cleared, armed_now;
assign mine = busy_q && entry_q == which;
assign mine_who = mine && contributor_q == who;
assign kept = mine && op_q == tally_queue_pkg::CpMessage && keep_i;
assign armed_now = mine && op_q == tally_queue_pkg::CpArm && keep_i;
assign released = mine && op_q == tally_queue_pkg::CpRelease;
assign cleared = mine && op_q == tally_queue_pkg::CpClear;

localparam int unsigned WaitW = $clog2(Extras + 2);
logic [2**ContribW-1:0][WaitW-1:0] waiting_q = '0;  // messages of each contributor
logic [CountW-1:0] owed_q = '0;                     // messages of a firing not yet released
logic is_armed_q = 1'b0;
logic [CountW-1:0] threshold_q;
logic [TagW-1:0] its_tag_q;

function automatic logic [CountW-1:0] contributors_of(logic [2**ContribW-1:0][WaitW-1:0] waiting);
  contributors_of = '0;
  for (int unsigned i = 0; i < Contributors; i++)
    contributors_of = contributors_of + CountW'(waiting[i] != '0);
endfunction

logic [CountW-1:0] number, number_after;
logic due;
assign number = contributors_of(waiting_q);
assign number_after = number + CountW'(waiting_q[contributor_q] == '0);
assign due = (kept && is_armed_q && number_after >= threshold_q) || (armed_now && number >= cpcnt_q);

always_ff @(posedge clk_i) begin
  if (!started_q) begin
    waiting_q <= '0;
    owed_q <= '0;
    is_armed_q <= 1'b0;
  end else begin
    if (kept) waiting_q[contributor_q] <= waiting_q[contributor_q] + 1'b1;
    if (released) waiting_q[contributor_q] <= waiting_q[contributor_q] - 1'b1;
    if (cleared) waiting_q <= '0;
    if (armed_now) begin
      threshold_q <= cpcnt_q;
      its_tag_q <= tag_q;
    end
    if (armed_now || due) is_armed_q <= !due;
    if (due) owed_q <= armed_now ? cpcnt_q : threshold_q;
    if (released) owed_q <= owed_q - 1'b1;
    if (cleared) begin
      is_armed_q <= 1'b0;
      owed_q <= '0;
    end
  end
end
always_comb begin
  if (started_q) begin
    if (released) assume (waiting_q[contributor_q] != '0);
    if (armed_now) assume (owed_q == '0 && !is_armed_q);
    if (released) assume (owed_q != '0);
    if (kept) assume (waiting_q[contributor_q] <= WaitW'(Extras));
  end
end

// ---- A contributor counts once while at least one of its messages waits ----
logic [WordW-1:0] its_word;
logic its_armed;
logic [CountW-1:0] its_cpcnt, its_count;
logic [TagW-1:0] tag_of_it;
logic [Contributors-1:0] its_counted;
assign its_word = word_q[which];
assign {its_armed, its_cpcnt, tag_of_it, its_count, its_counted} = its_word;
always_comb begin
  if (started_q && ready_q) begin
    assert (its_count == number);
    assert (its_counted[who] == (waiting_q[who] != '0));
    if (waiting_q[who] != '0) assert (WaitW'(extra_q[{which, who}]) + 1'b1 == waiting_q[who]);
    assert (its_armed == is_armed_q);
    if (is_armed_q) assert (its_cpcnt == threshold_q && tag_of_it == its_tag_q && its_count < threshold_q);
    if (mine_who && op_q == tally_queue_pkg::CpMessage) assert (counts_o == (waiting_q[who] == '0));
    if (mine && op_q == tally_queue_pkg::CpArm)
      assert (lacks_o == (cpcnt_q > number ? cpcnt_q - number : '0));
    // The counter fires if and only if CPCnt contributors have a message, and no fire is lost.
    assert (!due || fire);
    if (mine) assert (fire == due);
    if (fire) assert (fires_ready);
    cover (due && threshold_q == CountW'(2) && kept);
    cover (released && waiting_q[who] == WaitW'(2) && mine_who);
  end
  if (started_q && !ready_q) begin
    assert (!busy_q && !look_busy_q && number == '0 && !is_armed_q && owed_q == '0);
    if (init_q > which) assert (its_word == '0);
  end
end

// The word of an operation in progress equals the stored one. This holds in its third cycle and, if no earlier
// operation is in progress, in its second.
logic look_mine, look_mine_who;
assign look_mine = look_busy_q && look_entry_q == which;
assign look_mine_who = look_mine && look_contributor_q == who;
always_comb begin
  if (started_q) begin
    if (mine) assert (at_q == its_word);
    if (look_mine) assert (look == its_word);
    if (mine_who && waiting_q[who] != '0) assert (extra_at_q == extra_q[{which, who}]);
    if (look_mine_who && waiting_q[who] != '0) assert (look_extra == extra_q[{which, who}]);
    if (look_busy_q && busy_q) assert (near_q == (look_entry_q == entry_q));
    if (look_busy_q && busy_q) assert (near_extra_q == (near_q && look_contributor_q == contributor_q));
    if (look_busy_q && busy_q) assert (look_op_q == tally_queue_pkg::CpRelease || look_op_q == tally_queue_pkg::CpClear);
    if (mine_who && op_q == tally_queue_pkg::CpMessage) assert (has_q == its_counted[who]);
    if (mine && op_q == tally_queue_pkg::CpArm) assert (lacks_q == (cpcnt_q > its_count ? cpcnt_q - its_count : '0));
    if (busy_q || look_busy_q) assert (ready_q);
  end
end

// Valid-ready rules at the output: an offered fire stays, unchanged, until it is taken.
logic offered_q = 1'b0;
logic [FireW-1:0] offer_q;
always_ff @(posedge clk_i) begin
  offered_q <= started_q && fire_valid_o && !fire_ready_i;
  offer_q <= {fire_port_o, fire_counter_o, fire_tag_o};
end
always_comb if (offered_q) assert (fire_valid_o && {fire_port_o, fire_counter_o, fire_tag_o} == offer_q);
