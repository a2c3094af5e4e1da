// SPDX-License-Identifier: BSD-2-Clause
// A port comes for each neighbour that is taken, 20 clocks later, is one of the dynamic ports, and
// stays until it is taken. That it is the right one is shown by the bench.
`include "tally_proof.svh"

logic was_q = 1'b0, offered_q = 1'b0, wants_q = 1'b0;
logic [15:0] port_f;
logic [5:0] age_q;
always_ff @(posedge clk_i) begin
  was_q <= started_q;
  offered_q <= started_q && out_valid_o && !out_ready_i;
  port_f <= port_o;
  if (!started_q) wants_q <= 1'b0;
  else wants_q <= (in_valid_i && in_ready_o) || (wants_q && !(out_valid_o && out_ready_i));
  if (in_valid_i && in_ready_o) age_q <= '0;
  else if (age_q != 6'(KeyBytes)) age_q <= age_q + 1'b1;
end

always_comb begin
  if (started_q) begin
    assert (wants_q == busy_q && in_ready_o == !wants_q);
    if (wants_q) begin
      assert (6'(left_q) + age_q == 6'(KeyBytes));
      assert (out_valid_o == (age_q == 6'(KeyBytes)));
    end
    if (out_valid_o) assert (port_o >= Base);
    cover (out_valid_o && out_ready_i);
  end
  if (started_q && was_q && offered_q) assert (out_valid_o && port_o == port_f);
end
