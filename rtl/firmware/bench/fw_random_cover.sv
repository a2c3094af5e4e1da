// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_fw_random must reach.
module fw_random_cover (
  input logic clk_i,
  input logic no_nonce,
  input logic no_key,
  input logic first_zero,
  input logic waits,
  input logic out_stalls,
  input logic offered
);
  nonce_again: cover property (@(posedge clk_i) no_nonce);
  key_again: cover property (@(posedge clk_i) no_key);
  first_number_zero: cover property (@(posedge clk_i) first_zero);
  waits_for_a_word: cover property (@(posedge clk_i) waits);
  gives_later: cover property (@(posedge clk_i) out_stalls);
  word_nobody_wants: cover property (@(posedge clk_i) offered);
endmodule

bind tally_fw_random fw_random_cover u_cover (
  .clk_i,
  .no_nonce(state_q == Nonce && takes && random_i == '0),
  .no_key(state_q == Key && takes && upper == '0),
  .first_zero(out_valid_o && out_ready_i && first_seq_o == '0),
  .waits(random_ready_o && !random_valid_i),
  .out_stalls(out_valid_o && !out_ready_i),
  .offered(random_valid_i && !random_ready_o)
);
