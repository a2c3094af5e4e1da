// SPDX-License-Identifier: BSD-2-Clause
// Points that the benches of tally_encap must reach.
module encap_cover (
  input logic                       clk_i,
  input logic                       cur_valid_q,
  input logic                       rec_valid_q,
  input logic                       ip6_q,
  input logic                       bad_q,
  input logic                       has_pay_q,
  input logic                       first_q,
  input logic                       straddle_q,
  input logic                       emit,
  input logic                       abandon,
  input logic                       drained,
  input logic                       load,
  input logic                       last_word,
  input logic                       pay_turn,
  input logic                       pay_valid_q,
  input logic                       ram_room,
  input logic                       lens_room,
  input logic                       sums_push,
  input logic                       sums_valid,
  input logic                       fetch,
  input logic [15:0]                udp_checksum,
  input logic                       frame_tvalid_o,
  input logic                       frame_tready_i,
  input logic                       frame_tlast_o,
  input logic                       ram_valid_q,
  input logic                       ram_first_q,
  input logic                       err_valid_o,
  input tally_encap_pkg::err_e      err_o
);
  ip4_straddle: cover property (@(posedge clk_i) emit && last_word && straddle_q && !ip6_q);
  ip6_straddle: cover property (@(posedge clk_i) emit && last_word && straddle_q && ip6_q);
  no_payload: cover property (@(posedge clk_i) emit && last_word && !has_pay_q);
  back_to_back: cover property (@(posedge clk_i) emit && last_word && load);
  payload_late: cover property (@(posedge clk_i) cur_valid_q && !bad_q && pay_turn && !pay_valid_q);
  ram_full: cover property (@(posedge clk_i) cur_valid_q && !ram_room);
  ram_full_inside: cover property (@(posedge clk_i) cur_valid_q && !ram_room && !first_q);
  frames_full: cover property (@(posedge clk_i) cur_valid_q && first_q && !lens_room && ram_room);
  header_waits: cover property (@(posedge clk_i) rec_valid_q && !load);
  words_taken_back: cover property (@(posedge clk_i) abandon && !first_q);
  drained_at_once: cover property (@(posedge clk_i) drained && !has_pay_q);
  zero_checksum: cover property (@(posedge clk_i) sums_push && &udp_checksum);
  begins_at_once: cover property (@(posedge clk_i) fetch && !sums_valid);
  sums_wait: cover property (@(posedge clk_i) sums_push && !sums_valid && !fetch);
  sums_queue: cover property (@(posedge clk_i) sums_push && sums_valid && fetch);
  output_stalls: cover property (@(posedge clk_i) frame_tvalid_o && !frame_tready_i &&
                                 !frame_tlast_o);
  frames_touch: cover property (@(posedge clk_i) frame_tvalid_o && frame_tready_i &&
                                frame_tlast_o && ram_valid_q &&
                                ram_first_q);
  gids: cover property (@(posedge clk_i) err_valid_o && err_o == tally_encap_pkg::ErrGids);
  flow: cover property (@(posedge clk_i) err_valid_o && err_o == tally_encap_pkg::ErrFlow);
  too_long: cover property (@(posedge clk_i) err_valid_o && err_o == tally_encap_pkg::ErrLength);
  tlast_early: cover property (@(posedge clk_i) err_valid_o && err_o == tally_encap_pkg::ErrShort);
  tlast_late: cover property (@(posedge clk_i) err_valid_o && err_o == tally_encap_pkg::ErrLong);
  keep: cover property (@(posedge clk_i) err_valid_o && err_o == tally_encap_pkg::ErrKeep);
endmodule

bind tally_encap encap_cover u_cover (.*);
