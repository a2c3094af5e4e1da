// SPDX-License-Identifier: BSD-2-Clause
// Points that the benches of tally_mr_walk must reach.
module mr_walk_cover #(
  parameter int unsigned LevelW = 2,
  parameter int unsigned PieceW = 2
) (
  input logic              clk_i,
  input logic              in_valid_i,
  input logic              in_ready_o,
  input logic              in_walk_i,
  input logic              rd_valid_o,
  input logic              rd_ready_i,
  input logic              rsp_error_i,
  input logic              answer,
  input logic              bad,
  input logic              leaf,
  input logic              found,
  input logic              flat,
  input logic              goes_on,
  input logic              none_q,
  input logic              out_valid_o,
  input logic              out_ready_i,
  input logic              out_last_o,
  input logic [LevelW-1:0] level_q,
  input logic [PieceW-1:0] at_q,
  input logic [PieceW-1:0] last_at_q
);
  no_walk: cover property (@(posedge clk_i) in_valid_i && in_ready_o && !in_walk_i);
  read_waits: cover property (@(posedge clk_i) rd_valid_o && !rd_ready_i);
  three_levels: cover property (@(posedge clk_i) answer && level_q == LevelW'(3));
  no_memory: cover property (@(posedge clk_i) answer && rsp_error_i);
  table_misplaced: cover property (@(posedge clk_i) answer && bad && !rsp_error_i && !leaf);
  page_misplaced: cover property (@(posedge clk_i) answer && bad && !rsp_error_i && leaf);
  second_fails: cover property (@(posedge clk_i) answer && bad && at_q != '0);
  same_page: cover property (@(posedge clk_i) found && goes_on && !flat);
  next_page: cover property (@(posedge clk_i) found && at_q != '0 && !goes_on);
  all_pieces: cover property (@(posedge clk_i) out_valid_o && !none_q && last_at_q == PieceW'(2));
  answer_waits: cover property (@(posedge clk_i) out_valid_o && !out_ready_i && !out_last_o);
endmodule

bind tally_mr_walk mr_walk_cover #(.LevelW(LevelW), .PieceW(PieceW)) u_cover (.*);
