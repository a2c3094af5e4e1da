// SPDX-License-Identifier: BSD-2-Clause
// A command that is given is of one kind, names what there is, stays as it is until it is taken,
// and asks for cells once.
`include "tally_proof.svh"

localparam int unsigned DataW = 2 + 64 + 13 + GroupW + 2*UsedW + 2*QpW + 16 + IndexW + 2;
logic held_q = 1'b0;
logic cells_taken_q = 1'b0;
logic [DataW-1:0] data, data_q;
assign data = {port_valid_o, link_valid_o, limit_o, mtu_o, cells_group_o, cells_o, cells_keep_o,
               port_qp_o, port_o, link_first_o, link_index_o, link_end_o, link_qp_o};
always_ff @(posedge clk_i) begin
  held_q <= started_q && give_valid && !give_ready;
  data_q <= data;
  cells_taken_q <= started_q && give_valid && !give_ready &&
                   (cells_taken_q || (cells_valid_o && cells_ready_i));
end
always_comb begin
  if (started_q) begin
    assert (3'(group_write_o) + 3'(cells_valid_o || asked_q) + 3'(port_valid_o) +
            3'(link_valid_o) == 3'(give_valid));
    if (group_write_o) begin
      assert (32'(group_index_o) < Groups);
      assert (mtu_o != '0 && 32'(mtu_o) <= tally_pkg::MaxMtu);
    end
    if (cells_valid_o) begin
      assert (32'(cells_group_o) < Groups && 32'(cells_o) <= Cells && cells_keep_o <= cells_o);
      assert (!cells_taken_q);
    end
    if (port_valid_o) assert (32'(port_qp_o) < Qps);
    if (link_valid_o) begin
      assert (link_end_o || 32'(link_qp_o) < Qps);
      assert (32'(link_index_o) < (link_first_o ? Groups : Qps));
    end
    if (held_q) assert (data == data_q);
    cover (group_write_o);
    cover (asked_q && cells_done_i);
    cover (port_valid_o);
    cover (link_valid_o && !link_end_o);
  end
end
