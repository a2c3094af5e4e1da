// SPDX-License-Identifier: BSD-2-Clause
// An arbitrary group is frozen by the first exception while its epoch runs, once, and then the
// event with the row of this exception is raised, once; no other exception of it does anything.
// BEGIN, FENCED and DRAINED are raised once for each time that they are taken, DRAINED only while
// the epoch runs. All offers stay until they are taken.
`include "tally_proof.svh"

(* anyconst *) logic [GroupW-1:0] followed;
logic runs_f_q = 1'b0, freeze_owed_q = 1'b0, raise_owed_q = 1'b0;
logic freeze_offered_q = 1'b0, raise_offered_q = 1'b0;
logic [Sides-1:0] held_q = '0;
tally_events_pkg::group_kind_e kind_f_q;
tally_events_pkg::exception_t row_f_q;
logic sets, ends, fences, drains, mine;
logic [Sources-1:0] raises;
tally_events_pkg::exception_t row;
always_comb begin
  row = '0;
  for (int unsigned i = 0; i < Sources; i++) begin
    raises[i] = exc_valid_i[i] && exc_ready_o[i] && exc_group_i[i] == followed;
    if (raises[i]) row = exc_i[i];
  end
end
assign sets = set_valid_i && set_ready_o && set_group_i == followed && set_begins_i;
assign ends = set_valid_i && set_ready_o && set_group_i == followed && !set_begins_i;
assign fences = fenced_valid_i && fenced_ready_o && fenced_group_i == followed;
assign drains = drained_valid_i && drained_ready_o && drained_group_i == followed && runs_f_q;
assign mine = state_q != StIdle && group_q == followed;

always_ff @(posedge clk_i) begin
  if (started_q) begin
    if (sets) runs_f_q <= 1'b1;
    if (ends || raises != '0) runs_f_q <= 1'b0;
    if (raises != '0 && runs_f_q) begin
      freeze_owed_q <= 1'b1;
      row_f_q <= row;
    end else if (freeze_valid_o && freeze_ready_i && freeze_group_o == followed) begin
      freeze_owed_q <= 1'b0;
    end
    if (sets || fences || drains || (raises != '0 && runs_f_q)) begin
      raise_owed_q <= 1'b1;
      kind_f_q <= sets ? tally_events_pkg::KindBegin :
                  fences ? tally_events_pkg::KindFenced :
                  drains ? tally_events_pkg::KindDrained : tally_events_pkg::KindException;
    end else if (raise_valid_o && raise_ready_i && raise_group_o == followed) begin
      raise_owed_q <= 1'b0;
    end
  end
  held_q <= started_q ? sides & ~sides_ready : '0;
  freeze_offered_q <= started_q && freeze_valid_o && !freeze_ready_i;
  raise_offered_q <= started_q && raise_valid_o && !raise_ready_i;
end

// What has been cleared, and then written.
logic [Bits-1:0] followed_word;
logic is_clear;
assign followed_word = runs_q[WordW'(followed >> BitW)];
assign is_clear = clear_q > (WordW + 1)'(followed >> BitW);

always_comb begin
  assume (32'(followed) < Groups);
  assume (32'(set_group_i) < Groups && 32'(fenced_group_i) < Groups &&
          32'(drained_group_i) < Groups);
  for (int unsigned i = 0; i < Sources; i++) assume (32'(exc_group_i[i]) < Groups);
  assume ((sides & held_q) == held_q);
  if (started_q) begin
    assert (clear_q <= (WordW + 1)'(Words));
    if (clears) assert (state_q == StIdle && !runs_f_q);
    if (is_clear && !(mine && looks)) begin
      assert (followed_word[followed[BitW-1:0]] == runs_f_q);
    end
    // In the clock of the look, the bit is still what it was.
    if (mine && looks) begin
      if (kind_q == tally_events_pkg::KindBegin) begin
        assert (raise_owed_q == !stops_q && runs_f_q == !stops_q);
      end else if (kind_q == tally_events_pkg::KindException) begin
        assert (runs == raise_owed_q && !runs_f_q);
      end else begin
        assert (runs == runs_f_q);
        assert (raise_owed_q == (runs || kind_q == tally_events_pkg::KindFenced));
      end
    end
    if (mine && !looks) assert (raise_owed_q);
    if (raise_owed_q) assert (mine && kind_q == kind_f_q);
    if (freeze_owed_q) assert (raise_owed_q && kind_q == tally_events_pkg::KindException);
    if (raise_owed_q && kind_q == tally_events_pkg::KindException) assert (row_q == row_f_q);
    if (raise_owed_q && kind_q == tally_events_pkg::KindException) begin
      assert (freeze_owed_q == (state_q != StRaise));
    end
    if (freeze_valid_o && mine) assert (freeze_owed_q);
    if (raise_valid_o && mine) assert (!freeze_owed_q);
    if (kind_q != tally_events_pkg::KindBegin && state_q != StIdle) assert (!stops_q);
    if (stops_q) assert (state_q == StIdle || looks);
    if (freeze_offered_q) assert (freeze_valid_o);
    if (raise_offered_q) assert (raise_valid_o);
    assert ($onehot0(sides_ready));
    cover (raises != '0 && runs_f_q);
    cover (raises != '0 && !runs_f_q);
    cover (freeze_valid_o && mine);
    cover (raise_valid_o && raise_kind_o == tally_events_pkg::KindDrained && mine);
  end
end
