// SPDX-License-Identifier: BSD-2-Clause
// Only a request that has succeeded has the status of a success, and the fault of another is never
// shown as one of the request itself.
`include "tally_proof.svh"

logic known_q = 1'b0, good_q, others_q;
always_ff @(posedge clk_i) begin
  known_q <= started_q;
  good_q <= status_i == tally_pkg::CollOk;
  others_q <= other_i;
end

always_comb begin
  if (known_q) begin
    assert ((wc_o == tally_pkg::WcSuccess) == good_q);
    if (others_q) begin
      assert (wc_o != tally_pkg::WcLocLenErr && wc_o != tally_pkg::WcLocProtErr &&
              wc_o != tally_pkg::WcLocQpOpErr && wc_o != tally_pkg::WcLocAccessErr);
    end
    cover (others_q && wc_o == tally_pkg::WcRemAbortErr);
    cover (!others_q && wc_o == tally_pkg::WcRespTimeoutErr);
  end
end
