// SPDX-License-Identifier: BSD-2-Clause
// The proof shows that each message that begins ends, once, after at most so many clocks as it may
// take if nobody makes it wait: the search, tally_rmq and the end of flights answer at once here,
// and words come in each clock; BUSY packets may wait for ever. What is offered to tally_rmq has
// been found, or is own data, and words go there only if it was stored.
`include "tally_proof.svh"

logic [3:0] age_q = '0;
logic of_packet_q, opened_q = 1'b0;   // a message is inside
logic shown_q;                        // it was offered
always_ff @(posedge clk_i) begin
  opened_q <= started_q && ((opened_q && !ends) || begins);
  age_q <= begins ? '0 : age_q + 1'b1;
  of_packet_q <= begins ? rec_ready_o : of_packet_q;
  if (begins) shown_q <= 1'b0;
  else if (in_valid_o) shown_q <= 1'b1;
end

always_comb begin
  assume (rec_i.payload_len <= 13'd12 && self_i.len <= 13'd12 && own_i.len <= 13'd12);
  assume (find_ready_i && in_ready_i && verdict_valid_i && end_ready_i);
  assume (pay_tvalid_i && self_tvalid_i && own_tvalid_i && dat_ready_i);
  if (in_own_o) assume (verdict_stored_i);
  if (started_q) begin
    assert (opened_q == (state_q != StIdle));
    if (opened_q) assert (age_q <= 4'd7);
    if (opened_q) assert (of_packet == of_packet_q);
    if (opened_q) assert (!begins);
    assert (32'(end_valid_o) + 32'(self_ready_o) + 32'(own_ready_o) <= 1);
    assert ((end_valid_o || self_ready_o || own_ready_o) == ends);
    if (dat_valid_o) assert (shown_q && stored_q);
    if (end_valid_o && end_stored_o) assert (shown_q && !refused_q);
    if (own_ready_o) assert (stored_q);
    if (in_valid_o && !in_own_o) assert (find_q);
    cover (end_valid_o && end_stored_o && age_q == 4'd7);
    cover (unsaid_o);
    cover (self_ready_o && self_o == tally_trigger_pkg::SelfStarved);
    cover (own_ready_o && has_words);
  end
end
logic find_q;  // a queue pair that works was found
always_ff @(posedge clk_i) begin
  if (begins) find_q <= 1'b0;
  else if (find_valid_o && find_ready_i) find_q <= found_i && found_works_i;
end
