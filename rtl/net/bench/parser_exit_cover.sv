// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_parser_exit must reach.
module parser_exit_cover #(
  parameter int unsigned FreeW = 2,
  parameter int unsigned UsedW = 2,
  parameter int unsigned Records = 2,
  parameter int unsigned UnderWay = 2
) (
  input logic             clk_i,
  input logic             word_valid_i,
  input logic             end_i,
  input logic             keep_i,
  input logic             hdr_valid_o,
  input logic             hdr_ready_i,
  input logic             out_tvalid_o,
  input logic             out_tready_i,
  input logic             room_q,
  input logic [FreeW-1:0] free,
  input logic [UsedW-1:0] used
);
  no_room_for_words: cover property (@(posedge clk_i) !room_q &&
                                     used <= UsedW'(Records - UnderWay));
  no_room_for_records: cover property (@(posedge clk_i) !room_q && free >= FreeW'(UnderWay));
  nearly_full_of_words: cover property (@(posedge clk_i) free <= FreeW'(2));
  nearly_full_of_records: cover property (@(posedge clk_i) used >= UsedW'(Records - 2));
  hdr_waits: cover property (@(posedge clk_i) hdr_valid_o && !hdr_ready_i && out_tvalid_o &&
                             out_tready_i);
  out_waits: cover property (@(posedge clk_i) out_tvalid_o && !out_tready_i && hdr_valid_o &&
                             hdr_ready_i);
  dropped: cover property (@(posedge clk_i) end_i && !keep_i && word_valid_i);
  end_with_word: cover property (@(posedge clk_i) end_i && keep_i && word_valid_i);
  end_behind: cover property (@(posedge clk_i) end_i && keep_i && !word_valid_i);
endmodule

bind tally_parser_exit parser_exit_cover #(.FreeW(FreeW), .UsedW(UsedW), .Records(Records),
                                           .UnderWay(UnderWay))
  u_cover (.*);
