// SPDX-License-Identifier: BSD-2-Clause
// The proof knows which entries are in the list of each queue pair, and follows two of them. A
// visit comes to an entry only if it is in the list of the queue pair, at most once, and before it
// comes to one that was appended later. At its end it has come to each entry that was in the list
// when it began. begun_o counts the chunks of the entry.
`include "tally_proof.svh"

(* anyconst *) logic [EntryW-1:0] a_f, b_f;
// ---- Which entries are in lists, at most eight ----
localparam int unsigned FewF = Entries < 8 ? Entries : 8;
localparam int unsigned FewFW = $clog2(FewF);
logic [FewFW-1:0] at_a_f, at_append_f, at_found_f;
assign at_a_f = FewFW'(a_f);
assign at_append_f = FewFW'(append_entry_i);
assign at_found_f = FewFW'(entry_o);
logic [FewF-1:0] in_f, of_read_f, drops_f, in_after_f;
logic [FewF-1:0][QpW-1:0] qp_f;
logic starts_f, goes_on_f, visits_f, appended_f;
assign starts_f = takes && op_i == tally_sender_pkg::ListFirst;
assign goes_on_f = takes && !starts_f && op_i != tally_sender_pkg::ListClear;
always_comb begin
  for (int unsigned i = 0; i < FewF; i++) begin
    of_read_f[i] = in_f[i] && qp_f[i] == read_qp;
    drops_f[i] = takes && ((op_i == tally_sender_pkg::ListDrop && entry_q == EntryW'(i)) ||
                           (op_i == tally_sender_pkg::ListClear && of_read_f[i]));
  end
end
assign in_after_f = of_read_f & ~drops_f;

logic any_f;
always_ff @(posedge clk_i) begin
  if (!started_q) begin
    in_f <= '0;
    visits_f <= 1'b0;
    appended_f <= 1'b0;
  end else begin
    for (int unsigned i = 0; i < FewF; i++) begin
      if (append_valid_i && append_entry_i == EntryW'(i)) begin
        in_f[i] <= 1'b1;
        qp_f[i] <= append_qp_i;
      end else if (drops_f[i]) begin
        in_f[i] <= 1'b0;
      end
    end
    appended_f <= append_valid_i;
    if (takes) visits_f <= 1'b0;
    else if (ans_valid_o) visits_f <= found_o;
    if (takes) any_f <= in_after_f != '0;
  end
end

// ---- What comes ----
always_comb begin
  assume (32'(append_qp_i) < Qps && 32'(op_qp_i) < Qps);
  assume (op_i <= tally_sender_pkg::ListClear);
  if (append_valid_i) assume (!busy_o && !appended_f && !in_f[at_append_f]);
  if (goes_on_f) assume (visits_f || (ans_valid_o && found_o));
  assume (a_f != b_f && 32'(a_f) < FewF && 32'(b_f) < FewF);
  assume (32'(append_entry_i) < FewF);
end

// ---- The visit ----
logic owes_f, seen_f, older_f, finds_f, counts_f;
logic [NumW-1:0] begun_f;
assign finds_f = ans_valid_o && found_o;
assign counts_f = takes && op_i == tally_sender_pkg::ListPosted && entry_q == a_f;

always_ff @(posedge clk_i) begin
  if (starts_f) owes_f <= of_read_f[at_a_f];
  else if (drops_f[at_a_f] || (finds_f && entry_o == a_f)) owes_f <= 1'b0;
  if (starts_f || !started_q) seen_f <= 1'b0;
  else if (finds_f && entry_o == a_f) seen_f <= !drops_f[at_a_f];
  else if (drops_f[at_a_f]) seen_f <= 1'b0;
  if (append_valid_i && append_entry_i == b_f) begin
    older_f <= in_f[at_a_f] && qp_f[at_a_f] == append_qp_i && !drops_f[at_a_f];
  end
  else if (drops_f[at_a_f]) older_f <= 1'b0;
  if (append_valid_i && append_entry_i == a_f) begun_f <= '0;
  else if (counts_f) begun_f <= begun_f + 1'b1;
end

always_comb begin
  if (started_q && ans_valid_o) begin
    if (found_o) assert (32'(entry_o) < FewF && in_f[at_found_f] && qp_f[at_found_f] == qp_q);
    if (finds_f && entry_o == a_f) assert (!seen_f && begun_o == begun_f);
    if (finds_f && entry_o == b_f && older_f) assert (!owes_f);
    if (!found_o && op_q != tally_sender_pkg::ListClear) assert (!owes_f);
    assert (any_o == any_f);
    cover (finds_f && entry_o == b_f && older_f && seen_f && begun_f == NumW'(2));
    cover (!found_o && any_o && seen_f);
  end
end
