// SPDX-License-Identifier: BSD-2-Clause
// The proof follows an arbitrary queue pair and an arbitrary group. What is found for the queue
// pair is what was written for it last, and the row of the group is that of the group that it has;
// both stay until the next search. Fields of one word, of two words, and those that are combined of
// two registers have an example each.
`include "tally_proof.svh"

(* anyconst *) logic [QpW-1:0] which_qp;
(* anyconst *) logic [GroupW-1:0] which;
always_comb assume (32'(which_qp) < Qps && 32'(which) < Groups);

// What was written last, and whether anything was.
logic mine, mine_qp;
logic jid_known_f, peers_known_f, combined_known_f, group_known_f, own_known_f;
logic [31:0] jid_f;
logic [63:0] peers_f, combined_f, own_f;
logic [GroupW-1:0] group_f;
assign mine = write_i && reg_group == which;
assign mine_qp = write_i && reg_qp == which_qp;
always_ff @(posedge clk_i) begin
  if (!started_q) begin
    jid_known_f <= 1'b0;
    peers_known_f <= 1'b0;
    combined_known_f <= 1'b0;
    group_known_f <= 1'b0;
    own_known_f <= 1'b0;
  end else begin
    jid_known_f <= jid_known_f || (mine && set_jid);
    peers_known_f <= peers_known_f || (mine && set_peers[1]);
    combined_known_f <= combined_known_f || (mine && set_combined[1]);
    group_known_f <= group_known_f || (mine_qp && set_group);
    own_known_f <= own_known_f || (mine_qp && set_own[1]);
  end
  if (mine && set_jid) jid_f <= data_i;
  if (mine && set_peers[1]) peers_f <= {data_i, low_q};
  if (mine && set_combined[1]) combined_f <= {data_i, low_q};
  if (mine_qp && set_group) group_f <= GroupW'(data_i);
  if (mine_qp && set_own[1]) own_f <= {data_i, low_q};
end

// A search for this queue pair, and what it must find.
logic find, first_f, jid_due_f, dests_due_f, own_due_f, was_q = 1'b0;
logic [31:0] jid_want_f;
logic [63:0] dests_want_f, own_want_f;
logic in_group_f;
assign find = find_valid_i && find_qp_i == which_qp;
always_ff @(posedge clk_i) begin
  was_q <= started_q;
  first_f <= started_q && find;
  in_group_f <= group_known_f && group_f == which;
  if (!started_q) own_due_f <= 1'b0;
  else if (find_valid_i) own_due_f <= find && own_known_f;
  if (find) own_want_f <= own_f;
  if (!started_q) begin
    jid_due_f <= 1'b0;
    dests_due_f <= 1'b0;
  end else if (found_q) begin
    jid_due_f <= first_f && in_group_f && jid_known_f;
    dests_due_f <= first_f && in_group_f && peers_known_f && combined_known_f;
    jid_want_f <= jid_f;
    dests_want_f <= peers_f | combined_f;
  end
end

always_comb begin
  if (started_q && was_q) begin
    if (own_due_f) assert (qp_o.ranks == own_want_f);
    if (jid_due_f) assert (group_o.jid == jid_want_f);
    if (dests_due_f) assert (group_o.dests == dests_want_f);
    cover (jid_due_f && dests_due_f && own_due_f);
  end
end
