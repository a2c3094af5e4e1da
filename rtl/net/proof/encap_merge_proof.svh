// SPDX-License-Identifier: BSD-2-Clause
// A header is taken when it leaves, and is that of who offers it. A word is taken only behind its
// header, from the same side, and leaves in that clock. No header leaves before the payload of the
// one before.
`include "tally_proof.svh"

logic was_q = 1'b0, first_held_q, second_held_q, open_q, of_second_q;
logic [12:0] first_len_q, second_len_q;

always_ff @(posedge clk_i) begin
  was_q <= started_q;
  first_held_q <= first_valid_i && !first_ready_o;
  second_held_q <= second_valid_i && !second_ready_o;
  {first_len_q, second_len_q} <= {first_i.payload_len, second_i.payload_len};
  if (!started_q) open_q <= 1'b0;
  else if (first_ready_o || second_ready_o) begin
    open_q <= second_ready_o ? second_i.payload_len != '0 : first_i.payload_len != '0;
    of_second_q <= second_ready_o;
  end else if (dat_tvalid_o && dat_tready_i && dat_tlast_o) open_q <= 1'b0;
end
always_comb begin
  if (started_q && was_q) begin
    if (first_held_q) assume (first_valid_i && first_i.payload_len == first_len_q);
    if (second_held_q) assume (second_valid_i && second_i.payload_len == second_len_q);
  end
end

always_comb begin
  if (started_q && was_q) begin
    assert (!(first_ready_o && second_ready_o));
    assert ((out_valid_o && out_ready_i) == (first_ready_o || second_ready_o));
    if (first_ready_o) assert (first_valid_i && out_o == first_i);
    if (second_ready_o) assert (second_valid_i && out_o == second_i);
    assert (busy_o == open_q);
    if (open_q) assert (!out_valid_o);
    assert (!dat_tvalid_o || open_q);
    assert (!first_tready_o || (open_q && !of_second_q && dat_tready_i));
    assert (!second_tready_o || (open_q && of_second_q && dat_tready_i));
    if (dat_tvalid_o && dat_tready_i) begin
      assert (of_second_q ? second_tvalid_i && second_tready_o && dat_tdata_o == second_tdata_i :
                            first_tvalid_i && first_tready_o && dat_tdata_o == first_tdata_i);
    end
    cover (second_ready_o && first_valid_i);
    cover (open_q && of_second_q && dat_tvalid_o && dat_tlast_o);
  end
end
