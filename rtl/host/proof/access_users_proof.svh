// SPDX-License-Identifier: BSD-2-Clause
// An access leaves with the one that is taken of its user, once and unchanged, and no user waits
// for two of the other one. A write is taken only if the order of its words has a place, and the
// words that leave are those of the user whose turn it is, as many as its access has.
`include "tally_proof.svh"

logic [Users-1:0] asks_q = '0, passed_q = '0;
logic [WordsW-1:0] moved_q = '0;  // words of the write whose turn it is
always_ff @(posedge clk_i) begin
  if (started_q) begin
    asks_q <= acc_valid_i & ~acc_ready_o;
    passed_q[0] <= acc_valid_i[0] && !acc_ready_o[0] && (passed_q[0] || acc_ready_o[1]);
    passed_q[1] <= acc_valid_i[1] && !acc_ready_o[1] && (passed_q[1] || acc_ready_o[0]);
    moved_q <= order_pops ? '0 : moved_q + WordsW'(moves);
  end
end
always_comb begin
  if (started_q) begin
    assume ((asks_q & ~acc_valid_i) == '0);
    for (int unsigned u = 0; u < Users; u++) assume (32'(acc_len_i[u]) <= 1 << (LenW - 1));
    assert (takes == (acc_ready_o != '0));
    assert ((acc_ready_o & ~acc_valid_i) == '0 && acc_ready_o != '1);
    if (takes) assert (acc_ready_o[acc_user_o] && acc_o == acc_i[acc_user_o]);
    if (adds) assert (has_room);
    if (passed_q[0]) assert (!acc_ready_o[1]);
    if (passed_q[1]) assert (!acc_ready_o[0]);
    assert (moves == ((dat_valid_i & dat_ready_o) != '0));
    if (moves) assert (order_valid && moved_q < order_words);
    if (order_pops) assert (moved_q + 1'b1 == order_words);
    cover (order_pops && order_user && order_words == WordsW'(2));
    cover (!has_room);
    cover (takes && passed_q[0]);
  end
end
