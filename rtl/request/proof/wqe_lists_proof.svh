// SPDX-License-Identifier: BSD-2-Clause
// Each start has one end, and no access is then in flight. The entries of both lists leave in
// order, each once, and all of them if the request is good. An access that waits stays. If words,
// answers and the taker of accesses come, the block ends after a time that the lists bound.
`include "tally_proof.svh"

localparam int unsigned Most = 2;  // entries of a list, and words of inline data

// ---- The user ----
logic busy_q = 1'b0;
logic [InFlightW-1:0] owed_q = '0;
always_ff @(posedge clk_i) begin
  if (started_q) begin
    busy_q <= start_i || (busy_q && !done_o);
    owed_q <= owed_q + InFlightW'(chk_valid_o && chk_ready_i) - InFlightW'(ans_valid_i);
  end
end

tally_request_pkg::request_t req_was_q;
logic ended_was_q = 1'b0, word_waits_q = 1'b0;
logic [511:0] word_was_q;
always_ff @(posedge clk_i) begin
  req_was_q <= req_i;
  ended_was_q <= ended_i;
  word_was_q <= in_data_i;
  word_waits_q <= started_q && in_valid_i && !in_ready_o;
end

always_comb begin
  if (started_q) begin
    assume (!start_i || !busy_q);
    assume (!ans_valid_i || owed_q != '0);
    assume (req_i.num_gather <= 7'(Most) && req_i.num_result <= 7'(Most));
    assume (req_i.inline_len <= 13'(64 * Most));
    assume (!in_valid_i || !ended_i);
    if (busy_q) assume (req_i == req_was_q && (ended_i || !ended_was_q));
    if (word_waits_q) assume (in_valid_i && in_data_i == word_was_q);
  end
end

// ---- What has left ----
logic [6:0] gathered_q, results_q;
logic flagged_q;
always_ff @(posedge clk_i) begin
  if (start_i) begin
    gathered_q <= '0;
    results_q <= '0;
    flagged_q <= 1'b0;
  end else begin
    if (entry_valid_o && !entry_result_o) gathered_q <= gathered_q + 1'b1;
    if (entry_valid_o && entry_result_o) results_q <= results_q + 1'b1;
    if (chk_valid_o && chk_ready_i && !entry_valid_o) flagged_q <= 1'b1;
  end
end

logic waits_q = 1'b0;
logic [4:0] patience_q = '0;  // clocks in which everything was offered
always_ff @(posedge clk_i) begin
  waits_q <= started_q && chk_valid_o && !chk_ready_i;
  if (!busy_q || done_o) patience_q <= '0;
  else if ((in_valid_i || ended_i) && chk_ready_i && (ans_valid_i || owed_q == '0)) begin
    patience_q <= patience_q + 1'b1;
  end
end

always_comb begin
  if (started_q) begin
    assert (busy_q || !done_o);
    assert (!done_o || owed_q == '0);
    assert (owed_q <= InFlightW'(Accesses));
    assert (!chk_valid_o || busy_q);
    if (entry_valid_o && !entry_result_o) begin
      assert (7'(entry_index_o) == gathered_q && results_q == '0);
    end
    if (entry_valid_o && entry_result_o) begin
      assert (7'(entry_index_o) == results_q && gathered_q == req_i.num_gather);
    end
    if (busy_q) assert (gathered_q <= req_i.num_gather && results_q <= req_i.num_result);
    if (done_o && status_o == tally_pkg::CollOk) begin
      assert (gathered_q == req_i.num_gather && results_q == req_i.num_result);
      assert (flagged_q == ((req_i.flags & tally_pkg::WqeFFlagWord) != '0));
    end
    if (waits_q) assert (chk_valid_o);
    assert (patience_q < 5'd24);
    cover (done_o && status_o == tally_pkg::CollOk && gathered_q == 7'd2 && results_q == 7'd2 &&
           flagged_q);
    cover (done_o && status_o == tally_pkg::CollWqeFetch);
  end
end
