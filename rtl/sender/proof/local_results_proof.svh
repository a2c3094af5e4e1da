// SPDX-License-Identifier: BSD-2-Clause
// Each rank of a result gets one job, the ranks in their order, and no other rank gets one. A job
// is offered until it is taken, an access has bytes, and its words follow before the next job, as
// many as it has. What has come out after the end of its epoch, or is of a group that is fenced, is
// not written, and not told; each result looks for that when it begins. The answers are arbitrary.
`include "tally_proof.svh"

(* anyconst *) logic [RankW-1:0] which;
logic pending_q = 1'b0, offered_q = 1'b0, has_newest_q = 1'b0, was_held_q = 1'b0;
logic ref_asked_q = 1'b0, row_asked_q = 1'b0, sge_asked_q = 1'b0, entry_read_q = 1'b0;
logic looked_q = 1'b0, was_within_q = 1'b0, shut_before_q;
logic [RankW-1:0] newest_q;
logic [2:0] inside_q = '0;       // results for somebody that were taken and are not done
logic [13:0] bytes_left_q = '0;  // of the access whose words are leaving
logic enters;
assign enters = fills && res_tlast_i;

always_ff @(posedge clk_i) begin
  if (starts) begin
    pending_q <= head.ranks[which];
    has_newest_q <= 1'b0;
  end else if (begins) begin
    has_newest_q <= 1'b1;
    newest_q <= rank;
    if (rank == which) pending_q <= 1'b0;
  end
  if (started_q) begin
    inside_q <= inside_q + 3'(enters) - 3'(drains);
    if (begins) bytes_left_q <= access_o.none ? '0 : 14'(access_o.len);
    else if (moves) begin
      bytes_left_q <= bytes_left_q > 14'(WordBytes) ? bytes_left_q - 14'(WordBytes) : '0;
    end
  end
  looked_q <= started_q && look_o;
  was_within_q <= started_q && within_o;
  shut_before_q <= shut_i;
  offered_q <= started_q && new_valid_o && !new_ready_i;
  was_held_q <= started_q && hold_i && !within_o;
  ref_asked_q <= started_q && ((ref_valid_o && ref_ready_i) || (ref_asked_q && !rgot_valid_i));
  row_asked_q <= started_q && ((row_valid_o && row_ready_i) || (row_asked_q && !got_valid_i));
  sge_asked_q <= started_q && ((sge_valid_o && sge_ready_i) || (sge_asked_q && !sgot_valid_i));
  entry_read_q <= started_q && (sgot_valid_i || (entry_read_q && !begins));
end

always_comb begin
  if (started_q) begin
    assume (looked_q || shut_i == shut_before_q);
    assume (!rgot_valid_i || ref_asked_q);
    assume (!got_valid_i || row_asked_q);
    assume (!sgot_valid_i || sge_asked_q);
    // The store gives no result longer than a buffer.
    if (res_tvalid_i && in_q == '1) assume (res_tlast_i);
    if (new_valid_o) assume (32'(len_q) <= MaxBytes);
    if (offered_q) assert (new_valid_o);
    if (begins) begin
      assert (left_q[rank]);
      assert (bytes_left_q == '0);
      assert (inside_q != '0);
      if (rank == which) assert (pending_q);
      if (has_newest_q) assert (rank > newest_q);
      if (!access_o.none) assert ((entry_read_q || is_first_q) && access_o.len != '0);
      if (res_q.ended || shut_i) assert (access_o.none && !new_o.tells);
    end
    if (within_o) assert (was_within_q || looked_q);
    if (word_valid_o) assert (bytes_left_q != '0);
    if (drains) assert (!pending_q && bytes_left_q == '0 && inside_q != '0);
    assert (inside_q <= 3'd2);
    if (was_held_q) assert (!within_o);
    assert (!(ref_valid_o && ref_asked_q) && !(row_valid_o && row_asked_q) &&
            !(sge_valid_o && sge_asked_q));
    cover (begins && !access_o.none && has_newest_q);
    cover (begins && access_o.none && new_o.tells);
    cover (begins && shut_i && !res_q.ended);
    cover (drains && has_newest_q && inside_q == 3'd2);
  end
end
