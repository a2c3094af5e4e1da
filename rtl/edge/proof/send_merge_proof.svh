// SPDX-License-Identifier: BSD-2-Clause
// What is taken is what is offered, from who offers it. Words come from the side whose packet has
// left last among those that have words, whatever has been taken since.
`include "tally_proof.svh"

logic was_q = 1'b0, first_held_q, second_held_q, known_q, of_second_q;
logic first_words, second_words;
logic [8:0] first_kind_q, second_kind_q;  // and whether it is a chunk
logic [12:0] first_len_q, second_len_q;

assign first_words = first_i.chunk || (first_i.kind == 8'(tally_pkg::KindTrigger) &&
                                       first_i.message[12:0] != '0);
assign second_words = second_i.chunk || (second_i.kind == 8'(tally_pkg::KindTrigger) &&
                                         second_i.message[12:0] != '0);

always_ff @(posedge clk_i) begin
  was_q <= started_q;
  first_held_q <= first_valid_i && !first_ready_o;
  second_held_q <= second_valid_i && !second_ready_o;
  {first_kind_q, first_len_q} <= {first_i.chunk, first_i.kind, first_i.message[12:0]};
  {second_kind_q, second_len_q} <= {second_i.chunk, second_i.kind, second_i.message[12:0]};
  if (!started_q) known_q <= 1'b0;
  else if (out_end_i == tally_head_pkg::EndSent) begin
    if (first_ready_o && first_words) begin
      {known_q, of_second_q} <= 2'b10;
    end
    if (second_ready_o && second_words) begin
      {known_q, of_second_q} <= 2'b11;
    end
  end
end
always_comb begin
  if (started_q && was_q) begin
    if (first_held_q)
      assume (first_valid_i && {first_i.chunk, first_i.kind} == first_kind_q &&
              first_i.message[12:0] == first_len_q);
    if (second_held_q)
      assume (second_valid_i && {second_i.chunk, second_i.kind} == second_kind_q &&
              second_i.message[12:0] == second_len_q);
  end
end

always_comb begin
  if (started_q && was_q) begin
    assert (out_valid_o == (first_valid_i || second_valid_i));
    assert ((out_valid_o && out_ready_i) == (first_ready_o || second_ready_o));
    assert (!(first_ready_o && second_ready_o));
    if (first_ready_o) assert (first_valid_i && out_o == first_i);
    if (second_ready_o) assert (second_valid_i && out_o == second_i);
    if (known_q) begin
      assert (dat_tvalid_o == (of_second_q ? second_tvalid_i : first_tvalid_i));
      assert (dat_tdata_o == (of_second_q ? second_tdata_i : first_tdata_i));
      assert (dat_tlast_o == (of_second_q ? second_tlast_i : first_tlast_i));
      assert (first_tready_o == (!of_second_q && dat_tready_i));
      assert (second_tready_o == (of_second_q && dat_tready_i));
    end
    cover (second_ready_o && first_valid_i);
    cover (known_q && of_second_q && first_ready_o && dat_tvalid_o);
  end
end
