// SPDX-License-Identifier: BSD-2-Clause
// The proof shows, for one queue pair that alone is in the list of its group, that it is found by
// its port, and that nothing is found by another one; and that a search ends, if the list is not
// changed, after at most as many clocks as there are queue pairs, and four.
`include "tally_proof.svh"

(* anyconst *) logic [GroupW-1:0] group;
(* anyconst *) logic [QpW-1:0] qp;
(* anyconst *) logic [15:0] number;
logic has_port_q = 1'b0, alone_q = 1'b0, ended_q = 1'b0;
always_ff @(posedge clk_i) begin
  if (port_valid_i && port_ready_o && port_qp_i == qp) has_port_q <= 1'b1;
  if (link && !link_first_i && link_index_i == IndexW'(qp)) ended_q <= 1'b1;
  if (link && link_first_i && link_index_i == IndexW'(group)) alone_q <= 1'b1;
end

always_comb begin
  assume (32'(group) < Groups && 32'(qp) < Qps);
  assume (32'(find_group_i) < Groups && 32'(port_qp_i) < Qps && 32'(works_qp_i) < Qps);
  if (link_valid_i) begin
    assume (32'(link_qp_i) < Qps && 32'(link_index_i) < (link_first_i ? Groups : Qps));
    // The only list is that of the queue pair, which is its end.
    if (link_first_i && link_index_i == IndexW'(group)) begin
      assume (!link_end_i && link_qp_i == qp && has_port_q && ended_q);
    end else begin
      assume (link_end_i);
    end
  end
  if (port_valid_i && port_qp_i == qp) assume (!has_port_q && port_i == number);
end

logic [3:0] waits_q = '0;
logic asked_q = 1'b0;
logic [GroupW-1:0] asked_group_q;
logic [15:0] asked_port_q;
always_ff @(posedge clk_i) begin
  asked_q <= started_q && find_valid_i && !find_ready_o;
  asked_group_q <= find_group_i;
  asked_port_q <= find_port_i;
  waits_q <= find_valid_i && !find_ready_o && !link && !in_init ? waits_q + 1'b1 : '0;
end
always_comb begin
  if (asked_q) begin
    assume (find_valid_i && find_group_i == asked_group_q && find_port_i == asked_port_q);
  end
  if (started_q) begin
    assert (waits_q <= 4'(Qps + 3));
    if (find_ready_o && find_group_i == group && alone_q && waits_q > 4'd1) begin
      if (find_port_i == number) assert (found_o && found_qp_o == qp);
      else assert (!found_o);
    end
    if (find_ready_o && find_group_i != group) assert (!found_o);
    cover (find_ready_o && found_o && found_works_o);
    cover (find_ready_o && !found_o && find_group_i == group && alone_q);
  end
end
