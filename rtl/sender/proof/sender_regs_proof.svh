// SPDX-License-Identifier: BSD-2-Clause
// A command that is given is of one kind, names what there is, and stays as it is until it is
// taken.
`include "tally_proof.svh"

localparam int unsigned MaxRanksF = tally_pkg::MaxRanks;
logic held_q = 1'b0;
logic [2*IndexW+GroupW+2*QpW+SegsW+MaxRanksF+9:0] data, data_q;
assign data = {epoch_valid_o, epoch_begin_o, epoch_group_o, epoch_max_segs_o, tab_valid_o,
               tab_qp_o, tab_begins_o, tab_sole_o, tab_shared_o, tab_others_o, link_valid_o,
               link_first_o, link_index_o, link_end_o, link_qp_o};
always_ff @(posedge clk_i) begin
  held_q <= started_q && give_valid && !give_ready;
  data_q <= data;
end
always_comb begin
  if (started_q) begin
    assert (2'(epoch_valid_o) + 2'(tab_valid_o) + 2'(link_valid_o) == 2'(give_valid));
    if (epoch_valid_o) begin
      assert (32'(epoch_group_o) < Groups);
      if (epoch_begin_o) begin
        assert (epoch_max_segs_o != '0 && 32'(epoch_max_segs_o) <= tally_pkg::MaxGroupSegs);
      end
    end
    if (tab_valid_o) assert (32'(tab_qp_o) < Qps);
    if (link_valid_o) begin
      assert (link_end_o || 32'(link_qp_o) < Qps);
      assert (32'(link_index_o) < (link_first_o ? Groups : Qps));
    end
    if (held_q) assert (data == data_q);
    cover (epoch_valid_o && epoch_begin_o);
    cover (tab_valid_o && tab_begins_o);
    cover (link_valid_o && !link_end_o);
  end
end
