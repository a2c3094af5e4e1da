// SPDX-License-Identifier: BSD-2-Clause
// An arbitrary number is in the set, or offered, exactly from when it is marked until it is taken.
// While it waits, each other number is taken at most once, and something is offered after at most
// four clocks without a mark.
`include "tally_proof.svh"

(* anyconst *) logic [NumW-1:0] followed, other;
logic is_in_q, other_taken_q;
logic [2:0] idle_q;
logic takes, is_offered, is_bit;
assign takes = out_valid_o && out_ready_i;

always_ff @(posedge clk_i) begin
  if (!started_q) is_in_q <= 1'b0;
  else if (mark_valid_i && mark_i == followed) is_in_q <= 1'b1;
  else if (takes && out_o == followed) is_in_q <= 1'b0;
  if (!started_q || !is_in_q || (takes && out_o == followed)) other_taken_q <= 1'b0;
  else if (takes && out_o == other) other_taken_q <= 1'b1;
  if (!started_q || !is_in_q || out_valid_o) idle_q <= '0;
  else if (!mark_valid_i) idle_q <= idle_q + 1'b1;
end

// What the block holds of it, and of its word.
logic [WordW-1:0] of_word;
logic [Word-1:0] word_f;
assign of_word = WordW'(followed >> BitW);
assign word_f = any_q[of_word] ? bits_q[of_word] : '0;
assign is_bit = word_f[BitW'(followed)];
assign is_offered = out_valid_o && out_o == followed;

always_comb begin
  assume (32'(followed) < Num && 32'(other) < Num && followed != other);
  if (mark_valid_i) assume (32'(mark_i) < Num);
  if (started_q) begin
    assert (is_in_q == (is_bit || is_offered));
    assert (!(is_bit && is_offered));
    assert (any_q[of_word] == (word_f != '0));
    assert (!(other_taken_q && takes && out_o == other));
    assert (idle_q <= 3'd4);
    assert (!out_valid_o || 32'(out_o) < Num);
    cover (other_taken_q && takes && out_o == followed);
    cover (idle_q == 3'd4);
    cover (is_offered && mark_valid_i && mark_i == followed);
  end
end
