// SPDX-License-Identifier: BSD-2-Clause
// The list never overflows if the store keeps its promise: entries that may wait come only with
// in_ready_o, and of the others no more than two for each slot, and one for each part that has
// waited, are inside. A packet is offered
// until it is taken, and every entry ends.
`include "tally_proof.svh"

logic in_waits, promised, was_valid_q = 1'b0, was_ready_q;
tally_fw_pkg::store_send_e was_kind_q;
logic [SlotW-1:0] was_slot_q;
logic [$clog2(Contributors)-1:0] was_edge_q;
always_comb begin
  promised = in_up_i || in_contributors_i != '0 || in_ranks_i != '0;
  assume (!in_valid_i || (promised && used_q < UsedW'(Depth - 1)));
end
assign in_waits = in_valid_i && in_ready_o;

always_ff @(posedge clk_i) begin
  was_valid_q <= started_q && out_valid_o;
  was_ready_q <= out_ready_i;
  was_kind_q <= out_kind_o;
  was_slot_q <= out_slot_o;
  was_edge_q <= out_edge_o;
end

always_comb begin
  if (started_q) begin
    assert (used_q <= UsedW'(Depth - 1));
    assert (head_valid_q || !list_valid);
    assert (used_q == UsedW'(unused_list) + UsedW'(head_valid_q));
    // What is offered stays until it is taken.
    if (was_valid_q && !was_ready_q) begin
      assert (out_valid_o && out_kind_o == was_kind_q && out_slot_o == was_slot_q);
    end
    if (was_valid_q && !was_ready_q) assert (out_edge_o == was_edge_q);
    // Each packet is one that the entry has, and the last one ends it.
    if (out_valid_o) begin
      assert (out_kind_o != tally_fw_pkg::StoreSendSum || head_up);
      assert (out_kind_o != tally_fw_pkg::StoreSendResult || (head_contributors & lowest) != '0);
      assert (out_kind_o != tally_fw_pkg::StoreSendRanks || head_ranks != '0);
      assert (!(last && out_kind_o == tally_fw_pkg::StoreSendSum) ||
              (head_contributors == '0 && head_ranks == '0));
    end
    cover (out_valid_o && last && out_kind_o == tally_fw_pkg::StoreSendRanks && up_sent_q &&
           in_waits);
    cover (out_valid_o && last && out_kind_o == tally_fw_pkg::StoreSendResult);
    cover (!in_ready_o);
    // What leaves in the clock in which it enters is not in the list; what has a packet left is.
    if (in_valid_i && !head_valid_q) assert (passes == (out_ready_i && last));
    assert (pop_o == (head_valid_q && out_ready_i && last));
    cover (passes && in_valid_i);
    cover (in_valid_i && !head_valid_q && out_ready_i && !last);
    cover (pops && list_valid);
    cover (pops && !list_valid && in_valid_i);
  end
end
