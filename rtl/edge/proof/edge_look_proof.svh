// SPDX-License-Identifier: BSD-2-Clause
// One question is taken at a time, and it is that of who offers it. What is offered stays. The
// first one waits for at most one question of the second.
`include "tally_proof.svh"

logic was_q = 1'b0, waits_q, first_q, second_q, overtaken_q;
logic [GroupW-1:0] first_group_q, second_group_q, look_group_q;
logic [EdgeW-1:0] first_edge_q, second_edge_q, look_edge_q;
always_ff @(posedge clk_i) begin
  was_q <= started_q;
  waits_q <= look_valid_o && !look_ready_i;
  first_q <= first_valid_i && !first_ready_o;
  second_q <= second_valid_i && !second_ready_o;
  {first_group_q, second_group_q, look_group_q} <= {first_group_i, second_group_i, look_group_o};
  {first_edge_q, second_edge_q, look_edge_q} <= {first_edge_i, second_edge_i, look_edge_o};
  if (!started_q || !first_valid_i) overtaken_q <= 1'b0;
  else overtaken_q <= !first_ready_o && (overtaken_q || second_ready_o);
end
always_comb begin
  if (started_q && was_q) begin
    if (first_q) assume (first_valid_i && first_group_i == first_group_q &&
                         first_edge_i == first_edge_q);
    if (second_q) assume (second_valid_i && second_group_i == second_group_q &&
                          second_edge_i == second_edge_q);
  end
end

always_comb begin
  if (started_q && was_q) begin
    assert (!(first_ready_o && second_ready_o));
    if (look_valid_o && look_ready_i) begin
      assert ((first_valid_i && first_ready_o && look_group_o == first_group_i &&
               look_edge_o == first_edge_i) ||
              (second_valid_i && second_ready_o && look_group_o == second_group_i &&
               look_edge_o == second_edge_i));
    end
    if (!look_ready_i) assert (!first_ready_o && !second_ready_o);
    if (waits_q) begin
      assert (look_valid_o && look_group_o == look_group_q && look_edge_o == look_edge_q);
    end
    if (overtaken_q) assert (!second_ready_o);
    cover (overtaken_q);
    cover (second_valid_i && second_ready_o);
  end
end
