// SPDX-License-Identifier: BSD-2-Clause
// As many words leave as were wanted, and each is asked for once, in order. There is always room
// for what comes. The memory answers two clocks after it was asked.
`include "tally_proof.svh"

logic [1:0] way_q = '0;
logic [CountW-1:0] next_q;
logic pending_q = 1'b0;
always_ff @(posedge clk_i) begin
  way_q <= started_q ? {way_q[0], asks} : '0;
  if (starts) next_q <= '0;
  else if (asks) next_q <= next_q + 1'b1;
  pending_q <= started_q && start_valid_i && !start_ready_o;
end
always_comb begin
  assume (rdata_valid_i == way_q[1]);
  assume (32'(words_i) <= Words);
  if (started_q) begin
    if (rd_valid_o) assert (CountW'(rd_word_o) == next_q && left_q != '0);
    if (rdata_valid_i) assert (unused_room);
    if (out_valid_o) assert (left_q != '0);
    assert (32'(inside_q) == 32'(unused_used) + 32'(way_q[0]) + 32'(way_q[1]));
    assert (32'(words_q) - 32'(asked_q) + 32'(inside_q) == 32'(left_q));
    cover (out_valid_o && out_last_o && words_q == CountW'(Words) && !pending_q);
    cover (rd_valid_o && !rd_ready_i);
    cover (inside_q == RoomW'(Room));
  end
end
