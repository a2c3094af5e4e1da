// SPDX-License-Identifier: BSD-2-Clause
// Each edge that is taken gets its numbers once, and they stay until they are taken. Nonce and key
// are words that came since, neither is 0, and no word is taken that is not wanted.
`include "tally_proof.svh"

logic was_q = 1'b0, offered_q = 1'b0, wants_q = 1'b0;
logic [63:0] nonce_f;
logic [31:0] key_f, first_f;
logic [63:0] last_f;  // the words that were taken last, the newest one here
logic [63:0] before_f;
logic [1:0] taken_q;  // at most three

always_ff @(posedge clk_i) begin
  was_q <= started_q;
  offered_q <= started_q && out_valid_o && !out_ready_i;
  {nonce_f, key_f, first_f} <= {nonce_o, key_o, first_seq_o};
  if (!started_q) wants_q <= 1'b0;
  else wants_q <= (in_valid_i && in_ready_o) || (wants_q && !(out_valid_o && out_ready_i));
  if (takes) {before_f, last_f} <= {last_f, random_i};
  if (!wants_q) taken_q <= '0;
  else if (takes && taken_q != 2'd3) taken_q <= taken_q + 1'b1;
end

always_comb begin
  if (started_q) begin
    assert (wants_q == busy_o && in_ready_o == !wants_q);
    assert (!random_ready_o || (wants_q && !out_valid_o));
    if (state_q == Key || state_q == First || state_q == Give) assert (nonce_o != '0);
    if (state_q == First || state_q == Give) assert (key_o != '0);
    if (state_q == Key) assert (taken_q >= 2'd1);
    if (state_q == First) assert (taken_q >= 2'd2 && key_o == last_f[63:32]);
    if (out_valid_o) begin
      assert (wants_q && taken_q == 2'd3 && nonce_o != '0 && key_o != '0);
      assert (first_seq_o == last_f[31:0] && key_o == before_f[63:32]);
    end
    cover (out_valid_o && out_ready_i);
    cover (takes && state_q == Key && upper == '0);
    cover (takes && state_q == Nonce && random_i == '0);
  end
  if (started_q && was_q && offered_q)
    assert (out_valid_o && {nonce_o, key_o, first_seq_o} == {nonce_f, key_f, first_f});
end
