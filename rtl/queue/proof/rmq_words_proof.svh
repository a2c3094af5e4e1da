// SPDX-License-Identifier: BSD-2-Clause
// The proof follows an arbitrary word of an arbitrary place, with an ALU that adds. When no word is
// on its way to it, the memory has what was last written or combined, and a read returns it. A word
// is combined only when no older one is on its way. Events of a place are those since it was
// filled. The proof assumes that the user writes only words that no job concerns.
`include "tally_proof.svh"

(* anyconst *) logic [PlaceW-1:0] which;
(* anyconst *) logic [IndexW-1:0] at;
logic [WayW-1:0] its;
assign its = {which, at};
always_comb begin
  assume (32'(which) < Places && 32'(at) < Words);
  assume (32'(job_place_i) < Places && 32'(job_len_i) <= Words * Bytes);
  assume (32'(rd_place_i) < Places && 32'(wr_place_i) < Places);
end

// The ALU: its events are the lowest bits of the result.
logic [AluLatency:1][DataW-1:0] alu_q;
always_ff @(posedge clk_i) alu_q <= (AluLatency * DataW)'({alu_q,
                                                           alu_a_o + (alu_b_o ^ DataW'(alu_op_o))});
always_comb begin
  assume (alu_result_i == alu_q[AluLatency]);
  assume (alu_flags_i == alu_q[AluLatency][FlagsW-1:0]);
end

// What the word should have, with all that is on its way.
logic known_q = 1'b0, filled_q = 1'b0, coming, goes_to_it;
logic [DataW-1:0] value_q, masked;
logic [FlagsW-1:0] events_q;
assign masked = data_i & data_mask;
assign goes_to_it = goes && kind_q != tally_queue_pkg::WdToken && word == its;
always_comb begin
  coming = 1'b0;
  for (int unsigned i = 1; i <= Way; i++)
    if (way_valid_q[i] && way_kind_q[i] != tally_queue_pkg::WdToken && way_q[i] == its) begin
      coming = 1'b1;
    end
end
always_comb begin
  if (wr_valid_i && wr_place_i == which) begin
    assume (!coming && !goes_to_it && !(job_valid_q && place_q == which));
  end
  if (job_valid_q && kind_q == tally_queue_pkg::WdCombine && place_q == which) begin
    assume (known_q && filled_q);
  end
end
always_ff @(posedge clk_i) begin
  if (goes_to_it) begin
    known_q <= started_q;
    value_q <= kind_q == tally_queue_pkg::WdFill ? masked : value_q + (masked ^ DataW'(op_q));
  end else if (wr_valid_i && wr_ready_o && wr_word == its) begin
    known_q <= started_q;
    value_q <= wr_data_i;
  end
  if (exits && exit_place == which) begin
    if (exit_kind == tally_queue_pkg::WdFill && way_first_q[Way]) begin
      filled_q <= started_q;
      events_q <= '0;
    end else if (exit_kind == tally_queue_pkg::WdCombine) begin
      events_q <= events_q | alu_flags_i;
    end
  end
  if (!started_q) begin
    known_q <= 1'b0;
    filled_q <= 1'b0;
  end
end

logic reads_q = 1'b0, reads_q2 = 1'b0;
logic [DataW-1:0] then_q, then_q2;
always_ff @(posedge clk_i) begin
  reads_q <= started_q && rd_valid_i && rd_ready_o && rd_word == its && known_q && !coming;
  then_q <= value_q;
  reads_q2 <= reads_q && started_q;
  then_q2 <= then_q;
end

always_comb begin
  if (started_q) begin
    if (known_q && !coming) begin
      assert ((bank_of(its) ? odd_q[its[WayW-1:1]] : even_q[its[WayW-1:1]]) == value_q);
    end
    if (goes_to_it && kind_q == tally_queue_pkg::WdCombine) assert (!coming);
    if (reads_q2) assert (rdata_valid_o && rdata_o == then_q2);
    if (done_valid_o && exit_place == which && filled_q) assert (done_flags_o == events_q);
    if (exits && exit_kind == tally_queue_pkg::WdFill) assert (fill_valid);
    if (way_valid_q[2] && way_kind_q[2] == tally_queue_pkg::WdFill) assert (fill_ready);
    if (idle_o) assert (!coming);
    cover (goes_to_it && kind_q == tally_queue_pkg::WdCombine && value_q != '0);
    cover (done_valid_o && exit_place == which && filled_q && events_q != '0);
    cover (reads_q2 && then_q2 != '0);
    cover (hazard && word == its);
  end
end
