// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_send_merge must reach.
module send_merge_cover (
  input logic clk_i,
  input logic first_valid_i,
  input logic first_ready_o,
  input logic second_valid_i,
  input logic second_ready_o,
  input logic out_valid_o,
  input logic out_ready_i,
  input logic second_q,
  input logic has_words,
  input logic sent,
  input logic dat_tvalid_o,
  input logic dat_tready_i
);
  first_of_two: cover property (@(posedge clk_i) first_ready_o && second_valid_i);
  second_of_two: cover property (@(posedge clk_i) second_ready_o && first_valid_i);
  waits: cover property (@(posedge clk_i) out_valid_o && !out_ready_i);
  refused: cover property (@(posedge clk_i) out_valid_o && out_ready_i && !sent);
  overtakes: cover property (@(posedge clk_i)
                             second_ready_o && sent && !has_words && dat_tvalid_o && !second_q);
  word_waits: cover property (@(posedge clk_i) dat_tvalid_o && !dat_tready_i);
  words_of_second: cover property (@(posedge clk_i) dat_tvalid_o && dat_tready_i && second_q);
endmodule

bind tally_send_merge send_merge_cover u_cover (
  .sent(out_end_i == tally_head_pkg::EndSent), .*
);
