// SPDX-License-Identifier: BSD-2-Clause
// Of an arbitrary edge, there is one exception for each last time-out and each silent probe that is
// taken, with its group and its edge alone. All offers stay until they are taken.
`include "tally_proof.svh"

(* anyconst *) logic [GroupW-1:0] group_f;
(* anyconst *) logic [EdgeW-1:0] edge_f;
logic owed_q = 1'b0, exc_held_q = 1'b0, passed_held_q = 1'b0, expired_held_q = 1'b0;
logic [GroupW-1:0] exc_group_q;
tally_edge_pkg::expired_t passed_q, expired_q;
logic over_f, silent_f, bit_f;
assign over_f = expired_valid_i && expired_ready_o && expired_i.over &&
                GroupW'(expired_i.context_) == group_f && EdgeW'(expired_i.edge_) == edge_f;
assign silent_f = silent_valid_i && silent_ready_o && silent_group_i == group_f &&
                  silent_edge_i == edge_f;
assign bit_f = 7'(edge_f) < 7'd64 ? exc_o.contributors[6'(edge_f)] : exc_o.contributors == '0;

always_ff @(posedge clk_i) begin
  if (started_q && (over_f || silent_f)) owed_q <= 1'b1;
  else if (exc_valid_o && exc_ready_i) owed_q <= 1'b0;
  exc_held_q <= started_q && exc_valid_o && !exc_ready_i;
  passed_held_q <= started_q && passed_valid_o && !passed_ready_i;
  expired_held_q <= started_q && expired_valid_i && !expired_ready_o;
  exc_group_q <= exc_group_o;
  passed_q <= passed_o;
  expired_q <= expired_i;
end

always_comb begin
  if (expired_held_q) assume (expired_valid_i && expired_i == expired_q);
  if (started_q) begin
    if (owed_q) assert (exc_valid_o && exc_group_o == group_f && edge_q == edge_f && bit_f);
    if (exc_valid_o && exc_group_o == group_f && edge_q == edge_f) assert (owed_q);
    if (exc_held_q) assert (exc_valid_o && exc_group_o == exc_group_q);
    if (passed_held_q) assert (passed_valid_o && passed_o == passed_q);
    assert (!(takes_over && takes_silent));
    assert (!exc_valid_o || !(takes_over || takes_silent));
    assert ((passed_valid_o && passed_ready_i) == (expired_valid_i && expired_ready_o));
    cover (over_f && exc_held_q == 1'b0);
    cover (silent_f && expired_valid_i);
    cover (exc_held_q && passed_valid_o && passed_ready_i);
  end
end
