// SPDX-License-Identifier: BSD-2-Clause
// An arbitrary row counts as written if it was, since the reset; nothing is written while the block
// is busy.
`include "tally_proof.svh"

(* anyconst *) logic [RowW-1:0] followed;
logic is_written_q, expected_q, known_q;
initial known_q = 1'b0;
always_ff @(posedge clk_i) begin
  if (!started_q) is_written_q <= 1'b0;
  else if (write_i && write_at_i == followed) is_written_q <= 1'b1;
  if (!started_q) known_q <= 1'b0;
  else if (read_i) known_q <= !busy_o && read_at_i == followed;
  if (read_i) expected_q <= is_written_q;
end

// What has been cleared, and then written.
logic [Bits-1:0] followed_word;
logic is_clear;
assign followed_word = bits_q[WordW'(followed >> BitW)];
assign is_clear = clear_q > (WordW + 1)'(followed >> BitW);

always_comb begin
  assume (followed < Rows || 2 ** RowW == Rows);
  if (write_i) assume (write_at_i < Rows || 2 ** RowW == Rows);
  if (read_i) assume (read_at_i < Rows || 2 ** RowW == Rows);
  if (busy_o) assume (!write_i);
  if (started_q) begin
    assert (clear_q <= (WordW + 1)'(Words));
    if (is_clear) assert (followed_word[followed[BitW-1:0]] == is_written_q);
    if (!is_clear) assert (!is_written_q);
    if (known_q) assert (written_o == expected_q);
    cover (known_q && written_o);
    cover (known_q && !written_o);
  end
end
