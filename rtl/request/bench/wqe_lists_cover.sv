// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_wqe_lists must reach.
module wqe_lists_cover (
  input logic        clk_i,
  input logic        done_o,
  input logic [15:0] status_o,
  input logic [15:0] fault_q,
  input logic [15:0] answer_q,
  input logic        may_ask,
  input logic        chk_valid_o,
  input logic        chk_ready_i,
  input logic        is_flag,
  input logic        is_result,
  input logic        data_valid_o,
  input logic        in_ready_o,
  input logic        entry_valid_o,
  input logic [5:0]  entry_index_o,
  input logic [1:0]  lane_q,
  input logic        ended_i,
  input logic [9:0]  room_q
);
  in_flight_full: cover property (@(posedge clk_i) !may_ask);
  waits: cover property (@(posedge clk_i) chk_valid_o && !chk_ready_i);
  flag: cover property (@(posedge clk_i) chk_valid_o && is_flag);

  data_shares_word: cover property (@(posedge clk_i) data_valid_o && !in_ready_o);
  longest_list: cover property (@(posedge clk_i) entry_valid_o && entry_index_o == 6'd63);
  lists_share_word: cover property (@(posedge clk_i) entry_valid_o && is_result &&
                                    entry_index_o == '0 && lane_q != '0);
  at_once: cover property (@(posedge clk_i) done_o && status_o == tally_pkg::CollOk && !ended_i);
  all_words: cover property (@(posedge clk_i) done_o && status_o == tally_pkg::CollOk && ended_i);
  room_is_used: cover property (@(posedge clk_i) done_o && status_o == tally_pkg::CollOk &&
                                room_q == '0);
  no_room: cover property (@(posedge clk_i) done_o && status_o == tally_pkg::CollBadNumSge &&
                           room_q == '0);
  too_early: cover property (@(posedge clk_i) done_o && status_o == tally_pkg::CollWqeFetch);
  wrong_length: cover property (@(posedge clk_i) done_o && status_o == tally_pkg::CollBadSgeLength);
  access_before_fault: cover property (@(posedge clk_i) done_o && fault_q != tally_pkg::CollOk &&
                                       answer_q != tally_pkg::CollOk);
endmodule

bind tally_wqe_lists wqe_lists_cover u_cover (.*);
