// SPDX-License-Identifier: BSD-2-Clause
// A look finds what the last command of an arbitrary group says. A FENCE of it is told once, and
// not before a clock in which nothing of it is under way.
`include "tally_proof.svh"

(* anyconst *) logic [GroupW-1:0] followed;
logic shut_f_q = 1'b0, known_q = 1'b0, expected_q, owed_q = 1'b0, quiet_q = 1'b0;
logic offered_q = 1'b0;
always_ff @(posedge clk_i) begin
  if (started_q && takes && cmd_group_i == followed) begin
    shut_f_q <= !cmd_begins_i;
    owed_q <= !cmd_begins_i;
    quiet_q <= 1'b0;
  end else if (started_q) begin
    if (owed_q && quiet_i && fenced_group_o == followed) quiet_q <= 1'b1;
    if (fenced_valid_o && fenced_ready_i && fenced_group_o == followed) owed_q <= 1'b0;
  end
  if (!started_q) known_q <= 1'b0;
  else if (look_i) known_q <= look_group_i == followed;
  if (look_i) expected_q <= shut_f_q;
  offered_q <= started_q && fenced_valid_o && !fenced_ready_i;
end

// What has been cleared, and then written.
logic [Bits-1:0] followed_word;
logic is_clear;
assign followed_word = bits_q[WordW'(followed >> BitW)];
assign is_clear = clear_q > (WordW + 1)'(followed >> BitW);

always_comb begin
  assume (32'(followed) < Groups);
  if (cmd_valid_i) assume (32'(cmd_group_i) < Groups);
  if (look_i) assume (32'(look_group_i) < Groups);
  if (started_q) begin
    assert (clear_q <= (WordW + 1)'(Words));
    if (is_clear) assert (followed_word[followed[BitW-1:0]] == shut_f_q);
    if (clears) assert (!shut_f_q && state_q == StIdle);
    if (known_q) assert (shut_o == expected_q);
    assert (state_q <= StTell);
    assert (owed_q == (state_q != StIdle && fenced_group_o == followed));
    if (fenced_valid_o && fenced_group_o == followed) assert (owed_q && quiet_q && shut_f_q);
    if (state_q == StWait && fenced_group_o == followed) assert (!quiet_q);
    if (offered_q) assert (fenced_valid_o);
    cover (known_q && shut_o);
    cover (known_q && !shut_o && offered_q);
    cover (state_q == StWait && !quiet_i);
  end
end
