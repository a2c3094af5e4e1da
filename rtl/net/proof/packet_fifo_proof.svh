// SPDX-License-Identifier: BSD-2-Clause
// The proof follows an arbitrary word. If its packet is kept, it leaves once, unchanged, in its
// place. It does not leave if its packet is discarded, nor before that is known. The counts show
// that no other words leave in between.
`include "tally_proof.svh"

always_comb if (started_q && in_valid_i) assume (room_o != '0);

// Counts of words: inside, kept of these, and in the output register.
logic [PtrW:0] inside, kept;
assign inside = write_q - read_q;
assign kept = kept_q - read_q;

always_comb begin
  if (started_q) begin
    assert (inside <= (PtrW + 1)'(Depth));
    assert (kept <= inside);
    assert (room_o == CountW'(Depth) - CountW'(inside));
    if (fetch) assert (kept != '0);
  end
end

(* anyconst *) logic [Width-1:0] followed;
(* anyseq *) logic pick;
logic inside_q = 1'b0;      // the word is in the memory
logic promised_q = 1'b0;    // its packet is kept
logic leaving_q = 1'b0;     // the word is in the output register
logic [PtrW:0] ahead_q;     // words in the memory in front of it

always_ff @(posedge clk_i) begin
  if (!inside_q && !leaving_q && in_valid_i && pick && in_i == followed &&
      !(end_i && !keep_i)) begin
    inside_q <= started_q;
    promised_q <= end_i;
    ahead_q <= inside - (PtrW + 1)'(fetch);
  end else if (inside_q) begin
    if (fetch) ahead_q <= ahead_q - 1'b1;
    if (end_i) promised_q <= 1'b1;
    if (end_i && !keep_i && !promised_q) inside_q <= 1'b0;
    if (fetch && ahead_q == '0) begin
      inside_q <= 1'b0;
      leaving_q <= 1'b1;
    end
  end
  if (leaving_q && out_ready_i) leaving_q <= 1'b0;
end

always_comb begin
  if (started_q) begin
    if (inside_q) begin
      assert (ahead_q < inside);
      assert (promised_q == (ahead_q < kept));
      assert (mem_q[PtrW'(read_q + ahead_q)] == followed);
      // The word does not leave before its packet is kept.
      if (fetch && ahead_q == '0) assert (promised_q);
    end
    if (leaving_q) assert (out_valid_o && out_o == followed);
    cover (inside_q && promised_q && inside == (PtrW + 1)'(Depth));
    cover (inside_q && !promised_q && end_i && !keep_i && kept != '0);
    cover (leaving_q && out_ready_i);
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
