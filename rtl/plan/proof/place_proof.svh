// SPDX-License-Identifier: BSD-2-Clause
// An answer comes Latency clocks after its chunk entered, or two earlier if it is the first one of
// its message, and no other comes. The arithmetic is shown by the bench.
`include "tally_proof.svh"

localparam int unsigned Latency = tally_plan_pkg::PlaceLatency;
logic [Latency-1:0] seen_q, early_q, all;  // the youngest in the lowest bits
assign all = seen_q | early_q;
always_ff @(posedge clk_i) begin
  if (!started_q) begin
    seen_q <= '0;
    early_q <= '0;
  end else begin
    seen_q <= Latency'({seen_q, valid_i && sid_i != '0});
    early_q <= Latency'({early_q[Latency-4:0], valid_i && sid_i == '0});
  end
end

always_comb begin
  // One at a time.
  if (valid_i) assume (seen_q[Latency-2:0] == '0 && early_q[Latency-4:0] == '0);
  if (started_q) begin
    assert (valid_o == (seen_q[Latency-1] || early_q[Latency-3]));
    cover (valid_o && seen_q[Latency-1]);
    cover (valid_o && early_q[Latency-3] && valid_i);
  end
end
