// SPDX-License-Identifier: BSD-2-Clause
// No word is lost, doubled, changed or overtaken: the proof follows an arbitrary word through the
// two registers. The output keeps the valid-ready rules.
`include "tally_proof.svh"

(* anyconst *) logic [Width-1:0] followed;
(* anyseq *) logic pick;
logic pop, picked;
logic [1:0] used_q;             // number of words inside
logic inside_q = 1'b0;          // the followed word is inside
logic ahead_q;                  // another word is in front of it
assign pop = out_valid_o && out_ready_i;
assign picked = push && pick && in_i == followed;

always_ff @(posedge clk_i) begin
  used_q <= started_q ? used_q + 2'(push) - 2'(pop) : '0;
  if (!inside_q) begin
    inside_q <= started_q && picked;
    ahead_q <= used_q - 2'(pop) != '0;
  end else if (pop) begin
    inside_q <= ahead_q;
    ahead_q <= 1'b0;
  end
end

always_comb begin
  if (started_q) begin
    assert (in_ready_o == (used_q < 2'd2));
    assert (out_valid_o == (used_q != '0));
    assert (used_q != 2'd3);
    if (inside_q && !ahead_q) assert (out_valid_o && out_o == followed);
    if (inside_q && ahead_q) assert (!in_ready_o && spare_q == followed);
    cover (inside_q && ahead_q && pop);
    cover (push && pop);
  end
end

logic offered_q = 1'b0;
logic [Width-1:0] offer_q;
always_ff @(posedge clk_i) begin
  offered_q <= started_q && out_valid_o && !out_ready_i;
  offer_q <= out_o;
end
always_comb if (offered_q) assert (out_valid_o && out_o == offer_q);
