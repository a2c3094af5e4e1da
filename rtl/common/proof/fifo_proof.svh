// SPDX-License-Identifier: BSD-2-Clause
// No word is lost, doubled, changed or overtaken: the proof follows the place of an arbitrary word
// from entry to exit. The FIFO offers as many words as have entered and not left, so each word
// inside leaves after the words in front of it.
`include "tally_proof.svh"

(* anyconst *) logic [Width-1:0] followed;
(* anyseq *) logic pick;
logic [CountW-1:0] ahead_q;  // words in front of the followed one
logic inside_q;              // the followed word is in the FIFO
logic [CountW-1:0] words_q;  // words inside, counted by the proof
initial inside_q = 1'b0;
initial words_q = '0;
always_ff @(posedge clk_i) begin
  if (!started_q) words_q <= '0;
  else words_q <= words_q + CountW'(in_valid_i && in_ready_o) - CountW'(out_valid_o && out_ready_i);
end

always_ff @(posedge clk_i) begin
  if (!inside_q && push && pick && in_i == followed) begin
    inside_q <= started_q;
    ahead_q <= used_q - CountW'(pop);
  end else if (inside_q && pop) begin
    inside_q <= ahead_q != '0;
    ahead_q <= ahead_q - 1'b1;
  end
end

always_comb begin
  if (started_q) begin
    assert (words_q <= CountW'(Depth) && used_o == words_q && out_valid_o == (words_q != '0));
    assert (in_ready_o == (words_q < CountW'(Depth)));
    if (inside_q) assert (ahead_q < used_q);
    if (inside_q && ahead_q == '0) assert (out_valid_o && out_o == followed);
    cover (inside_q && used_q == CountW'(Depth) && ahead_q == CountW'(Depth - 1));
  end
end

// Valid-ready rules at the output: an offered word stays, unchanged, until it is taken.
logic offered_q = 1'b0;
logic [Width-1:0] offer_q;
always_ff @(posedge clk_i) begin
  offered_q <= started_q && out_valid_o && !out_ready_i;
  offer_q <= out_o;
end
always_comb if (offered_q) assert (out_valid_o && out_o == offer_q);
