// SPDX-License-Identifier: BSD-2-Clause
// An answer comes Latency clocks after its chunk entered, with its tag, and no other comes. The
// arithmetic is shown by the bench.
`include "tally_proof.svh"

(* anyconst *) logic [TagW-1:0] followed;
logic [Latency-1:0] seen_q = '0;
always_ff @(posedge clk_i) seen_q <= Latency'({seen_q, started_q && valid_i && tag_i == followed});

always_comb begin
  if (started_q) begin
    assert ((valid_o && tag_o == followed) == seen_q[Latency-1]);
    cover (valid_o && tag_o == followed);
    cover (&valid_q);
  end
end
