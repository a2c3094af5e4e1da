// SPDX-License-Identifier: BSD-2-Clause
// The proof follows an arbitrary request: its answer comes in its turn, with its tag and, without a
// walk, with its status. No answer is made up, none is lost, and no walker has two reads.
`include "tally_proof.svh"

(* anyseq *) logic pick;

logic picked_q, done_q, mine, walks_q;
logic [3:0] before_q, inside_q;               // answers that come before it; requests inside
logic [TagW-1:0] its_tag_q;
logic [15:0] its_status_q;
logic [Walks-1:0] reading_q;
logic takes, ends;
assign takes = in_valid_i && in_ready_o;
assign ends = out_valid_o && out_ready_i && out_last_o;
assign mine = picked_q && !done_q && before_q == '0;
always_ff @(posedge clk_i) begin
  if (!started_q) begin
    picked_q <= 1'b0;
    done_q <= 1'b0;
    inside_q <= '0;
    reading_q <= '0;
  end else begin
    inside_q <= inside_q + 4'(takes) - 4'(ends);
    if (rd_valid_o && rd_ready_i) reading_q[rd_tag_o] <= 1'b1;
    if (rsp_valid_i) reading_q[rsp_tag_i] <= 1'b0;
    if (takes && pick && !picked_q) begin
      picked_q <= 1'b1;
      before_q <= inside_q - 4'(ends);
      its_tag_q <= in_tag_i;
      its_status_q <= in_status_i;
      walks_q <= in_walk_i;
    end
    if (picked_q && !done_q && ends) begin
      if (before_q == '0) done_q <= 1'b1;
      else before_q <= before_q - 1'b1;
    end
  end
end

always_comb begin
  if (started_q) begin
    assume (!rsp_valid_i || reading_q[rsp_tag_i]);
    assume (!in_walk_i || (in_status_i == tally_pkg::CollOk && in_len_i != '0));
    assert (!out_valid_o || inside_q != '0);
    assert (inside_q <= 4'(Walks + 1) && idle_o == (inside_q == '0));
    assert (in_ready_o || inside_q >= 4'(Walks));
    assert (!(rd_valid_o && reading_q[rd_tag_o]));
    if (mine && out_valid_o) begin
      assert (out_tag_o == its_tag_q);
      if (!walks_q) assert (out_status_o == its_status_q && out_last_o && out_len_o == '0);
    end
    cover (mine && ends && walks_q && inside_q == 4'(Walks));
  end
end
