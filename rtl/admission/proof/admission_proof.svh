// SPDX-License-Identifier: BSD-2-Clause
// No record and no payload is lost or made up: there is one answer for each record, with the record
// as it came, and a word of a payload leaves only in the clock in which it is taken, and only if
// the packet was admitted. Records and payloads that are offered stay until they are taken.
`include "tally_proof.svh"

logic [1:0] inside_q;  // records without an answer that was taken
logic was_q = 1'b0;
logic took_q, held_q, dat_held_q;
logic [7:0] in_verdict_q, held_verdict_q, watched_q;
logic [12:0] in_len_q;
always_ff @(posedge clk_i) begin
  was_q <= started_q;
  took_q <= take && !out;
  in_verdict_q <= in_i.verdict;
  in_len_q <= in_i.payload_len;
  held_q <= out_valid_o && !out_ready_i;
  held_verdict_q <= admission_o.verdict;
  dat_held_q <= dat_tvalid_o && !dat_tready_i;
  if (take) watched_q <= in_i.sgid[7:0];
  if (!started_q) inside_q <= '0;
  else inside_q <= inside_q + 2'(take) - 2'(out);
end

// The parser does not withdraw what it offers.
logic pay_waits_q;
always_ff @(posedge clk_i) pay_waits_q <= pay_tvalid_i && !pay_tready_o;
always_comb if (started_q && was_q && pay_waits_q) assume (pay_tvalid_i);

always_comb begin
  if (started_q) begin
    assert (inside_q == 2'(state_q != Idle && !ahead_q));
    assert (!in_ready_o || inside_q == 2'd0);
    assert (!out_valid_o || inside_q == 2'd1 || take);
    assert (!ahead_q || (state_q != Idle && state_q != Peek));
    assert (!dat_tvalid_o || pay_tvalid_i);
    assert (!(dat_tvalid_o && dat_tready_i) || pay_tready_o);
    assert (gate_q != Drop || !dat_tvalid_o);
    assert (gate_q != NoPayload || !pay_tready_o);
    assert (busy_o || (inside_q == '0 && gate_q == NoPayload));
    assert (inside_q == 2'd0 || out_o.sgid[7:0] == watched_q);
    assert (!(out && take) || out_o.sgid == in_i.sgid);
    assert (!out_valid_o || good || !alive_o);
    cover (out);
    cover (out && ahead_q);
    cover (waits && !free);
    cover (gate_q == Drop);
    cover (gate_q == Pass && pay_end);
  end
  if (started_q && was_q) begin
    if (took_q) assert (out_o.verdict == in_verdict_q && out_o.payload_len == in_len_q);
    if (held_q) assert (out_valid_o && admission_o.verdict == held_verdict_q);
    if (dat_held_q) assert (dat_tvalid_o);
  end
end
