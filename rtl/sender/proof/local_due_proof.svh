// SPDX-License-Identifier: BSD-2-Clause
// Each rank that is due gets one job, the ranks in their order, and none that is not due gets one.
// A job is offered until it is taken. An access has bytes, and the list entry of the rank has been
// read for it. The rows and list entries are arbitrary.
`include "tally_proof.svh"

(* anyconst *) logic [RankW-1:0] which;
logic due_now_q = 1'b0, offered_q = 1'b0, entry_read_q = 1'b0, reading_q = 1'b0, asked_row_q = 1'b0;
logic [RankW-1:0] newest_q;
logic has_newest_q = 1'b0, takes;
assign takes = started_q && due_valid_i && due_ready_o;

always_ff @(posedge clk_i) begin
  if (takes) begin
    due_now_q <= due_i.ranks[which];
    has_newest_q <= 1'b0;
  end else if (begins) begin
    has_newest_q <= 1'b1;
    newest_q <= rank;
    if (rank == which) due_now_q <= 1'b0;
  end
  offered_q <= started_q && new_valid_o && !new_ready_i;
  asked_row_q <= started_q && ((row_valid_o && row_ready_i) || (asked_row_q && !got_valid_i));
  reading_q <= started_q && ((sge_valid_o && sge_ready_i) || (reading_q && !sgot_valid_i));
  entry_read_q <= started_q && (sgot_valid_i || (entry_read_q && !begins && !takes));
end

always_comb begin
  if (started_q) begin
    assume (due_i.ranks != '0);
    assume (!got_valid_i || asked_row_q);
    assume (!sgot_valid_i || reading_q);
    if (offered_q) assume (note_ready_i);
    if (offered_q) assert (new_valid_o);
    if (line_valid_o) assert (!new_valid_o && !has_newest_q && !has_list_q && len_q != '0);
    if (note_asked_o) assert (!has_newest_q);
    if (begins) begin
      assert (left_q[rank]);
      if (rank == which) assert (due_now_q);
      if (has_newest_q) assert (rank > newest_q);
      if (!access_o.none) assert ((entry_read_q || !has_newest_q) && access_o.len != '0);
    end
    // The next request is taken when all ranks of this one have their jobs.
    if (takes) assert (!due_now_q);
    assert (!(sge_valid_o && reading_q));
    cover (begins && !access_o.none && has_newest_q);
    cover (begins && note_asked_o);
    cover (begins && access_o.none && has_newest_q);
    cover (takes && has_newest_q);
  end
end
