// SPDX-License-Identifier: BSD-2-Clause
// The proof follows a queue pair of a group. From an event of the group on, while the queue pair
// has requests, its mark is ahead: the group is marked, or the walk has not passed the queue pair.
// When its list is told to have requests, its mark is set in the same clock. From when it is named
// on, likewise, it is among the names. The walk does not stand still. That each mark leads to an
// offer, a group's to a walk, and a name's to its turn, is the proof of tally_marks.
`include "tally_proof.svh"

localparam int unsigned FewF = Qps < 8 ? Qps : 8;  // queue pairs in lists
(* anyconst *) logic [GroupW-1:0] group_f;
(* anyconst *) logic [QpW-1:0] qp_f;

// ---- What comes ----
logic listed_f, initialized_f, event_f;
assign event_f = (moved_valid_i && moved_group_i == group_f) ||
                 (group_valid_i && group_ready_o && group_i == group_f);

always_ff @(posedge clk_i) begin
  listed_f <= started_q && list_valid_i;
  initialized_f <= started_q && (initialized_f || init_done);
end
always_comb begin
  assume (32'(group_f) < Groups && 32'(qp_f) < Qps);
  assume (32'(moved_group_i) < Groups && 32'(group_i) < Groups);
  assume (32'(link_index_i) < (link_first_i ? Groups : Qps));
  assume (32'(link_qp_i) < FewF);
  assume (32'(mark_qp_i) < Qps);
  if (busy_o) assume (!list_valid_i);
  if (listed_f) assume (!list_valid_i);
end

// ---- Whether the queue pair is in the list of the group, and in what the walk has before it ----
logic [FewF:0][QpW:0] list_f, rest_f;
logic [FewF-1:0] in_list_bits_f, in_rest_bits_f;
logic in_list_f, is_ahead_f, group_marked_f;

assign list_f[0] = link_mem_q[{1'b0, IndexW'(group_f)}];
assign rest_f[0] = link_q;
for (genvar i = 0; i < int'(FewF); i++) begin : gen_list
  assign in_list_bits_f[i] = list_f[i] == {1'b0, qp_f};
  assign in_rest_bits_f[i] = rest_f[i] == {1'b0, qp_f};
  assign list_f[i+1] = list_f[i][QpW] ? list_f[i] :
                       link_mem_q[{1'b1, IndexW'(list_f[i][QpW-1:0])}];
  assign rest_f[i+1] = rest_f[i][QpW] ? rest_f[i] :
                       link_mem_q[{1'b1, IndexW'(rest_f[i][QpW-1:0])}];
end
assign in_list_f = in_list_bits_f != '0;
assign is_ahead_f = group_q == group_f &&
                    (state_q == StFirst || (state_q == StStep && in_rest_bits_f != '0));

always_ff @(posedge clk_i) begin
  if (!started_q) group_marked_f <= 1'b0;
  else if (event_f) group_marked_f <= 1'b1;
  else if (group_valid && group_ready && next_group == group_f) group_marked_f <= 1'b0;
end

// ---- What is to happen ----
logic any_f, owed_f, marked_f, named_f, name_owed_f, name_event_f;
assign name_event_f = mark_valid_i && mark_qp_i == qp_f;
logic [2:0] stands_f;
assign marked_f = qp_mark && marked_qp == qp_f;

always_ff @(posedge clk_i) begin
  if (!started_q) any_f <= 1'b0;
  else if (list_valid_i && list_qp_i == qp_f) any_f <= list_any_i;
  owed_f <= started_q && (owed_f || event_f) && in_list_f && any_f && !marked_f;
  if (!started_q) named_f <= 1'b0;
  else if (name_event_f) named_f <= 1'b1;
  else if (names && named_qp == qp_f) named_f <= 1'b0;
  name_owed_f <= started_q && any_f && (name_event_f || (name_owed_f && !marked_f));
  stands_f <= started_q && state_q == StStep && !at_end && !walks ? stands_f + 1'b1 : '0;
end

always_comb begin
  if (started_q) begin
    if (initialized_f) assert (any_mem_q[qp_f] == any_f);
    if (list_valid_i && list_any_i && list_qp_i == qp_f) assert (marked_f);
    if (owed_f && in_list_f && any_f) assert (group_marked_f || is_ahead_f);
    if (name_owed_f && any_f) assert (named_f);
    if ((walks || names) && step_any) assert (qp_mark && marked_qp == step_qp);
    if (named_valid) assert (!(group_valid && group_ready));  // no walk begins before it
    assert (stands_f <= 3'd5);
    cover (owed_f && marked_f && walks);
    cover (name_owed_f && marked_f && names);
    cover (stands_f == 3'd3);
    cover (owed_f && linked && is_ahead_f && state_q == StStep);
  end
end
