// SPDX-License-Identifier: BSD-2-Clause
// A command that is given is one of those that are known, and names what there is; it stays as it
// is until it is taken.
`include "tally_proof.svh"

logic held_q = 1'b0;
logic [QpW+GroupW+CqnW+PlacesW+13:0] data, data_q;
assign data = {cmd_o, cmd_forgets_o, cmd_qp_o, cmd_state_o, cmd_group_o, cmd_cqn_o, cmd_places_o,
               cmd_places_log_o, cmd_valid_o};
always_ff @(posedge clk_i) begin
  held_q <= started_q && cmd_valid_o && !cmd_ready_i;
  data_q <= data;
end
always_comb begin
  if (started_q) begin
    if (cmd_valid_o) begin
      assert (32'(cmd_qp_o) < Qps && known);
      if (cmd_o == tally_sender_pkg::CommandCreate) begin
        assert (32'(cmd_group_o) < Groups && 32'(cmd_cqn_o) < NumCq && cmd_forgets_o);
        for (int unsigned k = 0; k < Places; k++) begin
          assert (32'(cmd_places_o[k*PlaceW +: PlaceW]) < Entries / tally_pkg::RequestStep);
        end
      end
      assert (cmd_state_o <= tally_pkg::QpsError);
    end
    if (held_q) assert (cmd_valid_o && data == data_q);
    if (group_write_o) assert (32'(group_index_o) < Groups);
    cover (cmd_valid_o && cmd_o == tally_sender_pkg::CommandCreate);
    cover (cmd_valid_o && cmd_o == tally_sender_pkg::CommandAnswer);
  end
end
