// SPDX-License-Identifier: BSD-2-Clause
// A plan comes Latency clocks after its chunk entered, with its tag, and no other comes. In
// EXCHANGE it has the ranks and neighbours of its group. tally_plan_tree has a proof of its own.
`include "tally_proof.svh"

localparam int unsigned Steps = tally_plan_pkg::Latency;
(* anyconst *) logic [TagW-1:0] followed;
logic [Steps-1:0] seen_q = '0;
logic [Ranks-1:0] ranks_then;
logic [Contributors-1:0] ins_then;

always_ff @(posedge clk_i) begin
  seen_q <= Steps'({seen_q, started_q && valid_i && tag_i == followed});
  ranks_then <= group.rank_mask;
  ins_then <= group.exchange_ins;
end

always_comb begin
  if (started_q) begin
    assert ((valid_o && tag_o == followed) == seen_q[Steps-1]);
    if (valid_q) begin
      assert (exchange_plan_q.up_ranks == ranks_then && exchange_plan_q.deliver == ranks_then);
    end
    if (valid_q) assert (exchange_plan_q.up_contributors == ins_then);
    cover (valid_o && tag_o == followed && known_o);
    cover (valid_o && !known_o);
  end
end
