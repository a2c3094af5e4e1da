// SPDX-License-Identifier: BSD-2-Clause
// What shall leave comes to one end: that of tally_head or of tally_trigger_in. Words leave only
// behind a header that has left, as many as the message has, or to this node when it wants them.
`include "tally_proof.svh"

logic went_q = 1'b0, goes_q = 1'b0, told_q;
logic [DescW-1:0] desc_q;
logic [6:0] receiver_q;
logic [1:0] way_q = '0;
logic [CountW-1:0] left_q;
always_ff @(posedge clk_i) begin
  goes_q <= started_q && go_valid_i && !go_ready_o;
  desc_q <= go_desc_i;
  receiver_q <= go_receiver_i;
  way_q <= started_q ? {way_q[0], rd_valid_o && rd_ready_i} : '0;
  if (head_valid_o && head_ready_i) begin
    went_q <= head_end_i == tally_head_pkg::EndSent;
    left_q <= CountW'(rounded >> LaneW);
  end else if (go_ready_o) begin
    went_q <= 1'b0;
  end else if (moves) begin
    left_q <= left_q - 1'b1;
  end
  if (!started_q) went_q <= 1'b0;
  told_q <= go_ready_o ? 1'b0 : (head_valid_o && head_ready_i) || (self_valid_o && self_ready_i) ||
            (told_q && goes_q);
end
always_comb begin
  assume (rdata_valid_i == way_q[1]);
  assume (32'(message.len) <= Words * WordBytes);
  if (goes_q) assume (go_valid_i && go_desc_i == desc_q && go_receiver_i == receiver_q);
  if (!started_q) assume (!go_valid_i);
  if (state_q != StIdle) assume (go_valid_i);
  // Who takes a message of this node asks for its words first.
  if (self_ready_i) assume (!self_wants_i && start_ready);
  if (started_q) begin
    assert (!(head_valid_o && self_valid_o));
    if (pay_tvalid_o) assert (went_q && left_q != '0);
    if (pay_tvalid_o) assert (pay_tlast_o == (left_q == CountW'(1)));
    if (go_ready_o) assert (go_valid_i && told_q);
    if (go_ready_o && went_q && has_words) begin
      assert (left_q == '0 && go_end_o == tally_head_pkg::EndSent);
    end
    if (self_tvalid_o) assert (to_self);
    if (nobody_o) assert (to_self);
    cover (go_ready_o && went_q && has_words);
    cover (nobody_o);
    cover (go_ready_o && go_end_o == tally_head_pkg::EndWaits && !to_self);
    cover (self_tvalid_o && self_tready_i);
  end
end
