// SPDX-License-Identifier: BSD-2-Clause
// A header leaves or is dropped, once; one with a name leaves only with a number that it was given.
// A word of a payload is taken only behind its header, and leaves in that clock unless it is lost.
`include "tally_proof.svh"

logic was_q = 1'b0, in_held_q, out_held_q, pay_held_q, given_q, refused_q;
tally_edge_pkg::name_t name_q;
logic [12:0] len_q;
logic [31:0] out_seq;
tally_pkg::tch_t out_tch;
logic [31:0] told_q;
assign out_tch = out_o.tch;
assign out_seq = out_tch.edge_seq;

always_ff @(posedge clk_i) begin
  was_q <= started_q;
  in_held_q <= in_valid_i && !in_ready_o;
  name_q <= in_name_i;
  len_q <= in_i.payload_len;
  out_held_q <= out_valid_o && !out_ready_i;
  pay_held_q <= pay_tvalid_i && !pay_tready_o;
  if (!started_q || in_ready_o) {given_q, refused_q} <= '0;
  else if (ask_valid_o && ask_ready_i) {given_q, refused_q} <= {ask_ok_i, !ask_ok_i && !ask_full_i};
  if (ask_valid_o && ask_ready_i) told_q <= ask_seq_i;
end

always_comb begin
  assume (!ask_ready_i || ask_valid_o);
  assume (!ask_full_i || !ask_ok_i);
  if (started_q && was_q && in_held_q) begin
    assume (in_valid_i && in_name_i == name_q && in_i.payload_len == len_q);
  end
  if (started_q && was_q && pay_held_q) assume (pay_tvalid_i);
end

always_comb begin
  if (started_q && was_q) begin
    assert (!in_ready_o || in_valid_i);
    assert (!(out_valid_o && out_ready_i) || in_ready_o);
    assert (given_q == (state_q == Give) && refused_q == (state_q == Drop));
    if (out_valid_o && in_name_i.valid) assert (given_q && out_seq == told_q);
    if (in_ready_o && !(out_valid_o && out_ready_i)) assert (in_name_i.valid && refused_q);
    assert (!(given_q || refused_q) || (in_valid_i && in_name_i.valid && !ask_valid_o));
    assert (!(dat_tvalid_o && dat_tready_i) || pay_tready_o);
    assert (!pay_tready_o || payload_q != NoPayload);
    assert (!(pay_tvalid_i && pay_tready_o) || payload_q == Lose || dat_tvalid_o);
    if (out_held_q) assert (out_valid_o);
    assert (busy_o || (!given_q && payload_q == NoPayload));
    cover (out_valid_o && out_ready_i && in_name_i.valid);
    cover (payload_q == Lose && pay_end);
  end
end
