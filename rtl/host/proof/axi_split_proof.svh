// SPDX-License-Identifier: BSD-2-Clause
// The bursts of a request follow each other without a gap, from the word of its first byte to that
// of its last one, each within a page. A burst before the last one ends at the end of its page. An
// offer stays, unchanged, until it is taken.
`include "tally_proof.svh"

localparam int unsigned WordW = AddrW - LaneW;

// ---- The user: a length of at least 1, and the last byte has an address ----
logic [AddrW:0] last_byte;
assign last_byte = (AddrW + 1)'(in_addr_i) + (AddrW + 1)'(in_len_i) - 1'b1;
always_comb if (started_q) assume (!in_valid_i || (in_len_i != '0 && !last_byte[AddrW]));

// ---- What has to come ----
logic owed_q = 1'b0;
logic [WordW-1:0] next_q, end_q, until_word;
logic [TagW-1:0] its_tag_q;
assign until_word = out_addr_o[AddrW-1:LaneW] + WordW'(out_beats_o);
always_ff @(posedge clk_i) begin
  if (!started_q) owed_q <= 1'b0;
  else if (in_ready_o) owed_q <= in_valid_i;
  if (take) begin
    next_q <= in_addr_i[AddrW-1:LaneW];
    end_q <= last_byte[AddrW-1:LaneW];
    its_tag_q <= in_tag_i;
  end else if (give) begin
    next_q <= until_word + 1'b1;
  end
end

logic waits_q = 1'b0;
logic [AddrW+BeatW+TagW:0] offer_q;
always_ff @(posedge clk_i) begin
  waits_q <= started_q && out_valid_o && !out_ready_i;
  offer_q <= {out_addr_o, out_beats_o, out_last_o, out_tag_o};
end

always_comb begin
  if (started_q) begin
    assert (out_valid_o == owed_q);
    if (out_valid_o) begin
      assert (out_addr_o == {next_q, {LaneW{1'b0}}} && out_tag_o == its_tag_q);
      assert (until_word >= next_q && until_word <= end_q);
      assert (out_last_o == (until_word == end_q));
      assert (until_word[WordW-1:BeatW] == next_q[WordW-1:BeatW]);
      assert (out_last_o || until_word[BeatW-1:0] == {BeatW{1'b1}});
    end
    assert (!take || !owed_q || (give && out_last_o));
    cover (give && !out_last_o && out_addr_o[AddrW-1]);
    cover (give && take);
  end
  if (waits_q) assert (out_valid_o && {out_addr_o, out_beats_o, out_last_o, out_tag_o} == offer_q);
end
