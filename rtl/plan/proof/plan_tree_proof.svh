// SPDX-License-Identifier: BSD-2-Clause
// Structure of the moves, for all groups and chunks: data flow in one direction on each edge and
// each phase, and what turns is neither sent on nor awaited from above. The moves are those before
// the register.
`include "tally_proof.svh"

logic rooted_here;
assign rooted_here = here && (root & group_i.rank_mask) != '0;

always_comb begin
  if (started_q) begin
    assert (!(plan.turns && plan.up_send));
    assert (!plan.up_send || !group_i.root);
    assert (!plan.turns || plan.down_expected);
    // What is made or passed on here is expected here.
    assert (plan.down_expected || (plan.down_todo == '0 && plan.deliver == '0));
    // Nothing is awaited that would go nowhere.
    assert (plan.up_send || plan.turns || group_i.root ||
            (plan.up_ranks == '0 && plan.up_contributors == '0));
    if (bcast) begin
      // One source, and it gets no copy of its own data.
      assert ((plan.up_ranks & (plan.up_ranks - 1'b1)) == '0);
      assert ((plan.up_contributors & (plan.up_contributors - 1'b1)) == '0);
      assert ((plan.deliver & plan.up_ranks) == '0);
    end else begin
      assert (plan.up_ranks == group_i.rank_mask && plan.up_contributors == group_i.children);
    end
    if (reduce) begin
      assert ((plan.deliver & (plan.deliver - 1'b1)) == '0);
      assert ((plan.down_todo & (plan.down_todo - 1'b1)) == '0);
    end
    cover (bcast && rooted_here && plan.up_send);
    cover (reduce && plan.down_todo != '0 && plan.turns);
    cover (!bcast && !reduce && plan.up_send && plan.down_todo != '0);
  end
end
