// SPDX-License-Identifier: BSD-2-Clause
// No word is lost, doubled or changed: each leaves in the clock in which it comes, or is kept, and
// none comes meanwhile. The output keeps the valid-ready rules.
`include "tally_proof.svh"

logic owed_q, offered_q;        // a word came and has not left; one was offered and not taken
logic [Width-1:0] owes_q, offer_q;
always_ff @(posedge clk_i) begin
  if (!started_q) owed_q <= 1'b0;
  else if (in_valid_i && in_ready_o) owed_q <= !out_ready_i;
  else if (out_ready_i) owed_q <= 1'b0;
  if (in_valid_i && in_ready_o) owes_q <= in_i;
  offered_q <= started_q && out_valid_o && !out_ready_i;
  offer_q <= out_o;
end

always_comb begin
  if (started_q) begin
    assert (kept_o == owed_q && in_ready_o == !owed_q);
    assert (out_valid_o == (owed_q || in_valid_i));
    if (out_valid_o) assert (out_o == (owed_q ? owes_q : in_i));
    if (offered_q) assert (out_valid_o && out_o == offer_q);
    cover (owed_q && out_ready_i && in_valid_i);
    cover (!owed_q && out_ready_i && in_valid_i);
  end
end
