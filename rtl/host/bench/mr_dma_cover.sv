// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_mr_dma must reach.
module mr_dma_cover (
  input logic clk_i,
  input logic piece_valid,
  input logic piece_ready,
  input logic piece_last,
  input logic piece_write,
  input logic moves,
  input logic takes_words,
  input logic fate_room,
  input logic fate_valid,
  input logic fate_moves,
  input logic word_moves,
  input logic rd_valid,
  input logic rd_ready,
  input logic wr_valid,
  input logic wr_ready,
  input logic refuse_valid,
  input logic refuse_ready,
  input logic written_valid,
  input logic list_valid,
  input logic rd_arvalid,
  input logic arready_i,
  input logic entry_valid,
  input logic of_list,
  input logic rvalid_i,
  input logic done_valid_o,
  input logic done_ready_i,
  input logic out_valid_o,
  input logic out_ready_i
);
  read_of_pages: cover property (@(posedge clk_i) rd_valid && rd_ready && !piece_last);
  write_of_pages: cover property (@(posedge clk_i) wr_valid && wr_ready && !piece_last);
  read_waits: cover property (@(posedge clk_i) rd_valid && !rd_ready);
  write_waits: cover property (@(posedge clk_i) wr_valid && !wr_ready);
  words_wait_for_place: cover property (@(posedge clk_i) piece_valid && takes_words && !fate_room);
  refused_write: cover property (@(posedge clk_i) refuse_valid && refuse_ready && takes_words);
  refused_read: cover property (@(posedge clk_i) refuse_valid && refuse_ready && !piece_write);
  word_is_dropped: cover property (@(posedge clk_i) word_moves && !fate_moves);
  word_is_late: cover property (@(posedge clk_i) fate_valid && !word_moves);
  two_ends: cover property (@(posedge clk_i) refuse_valid && written_valid);
  list_and_data: cover property (@(posedge clk_i) list_valid && rd_arvalid && arready_i);
  entry_comes: cover property (@(posedge clk_i) entry_valid);
  data_come: cover property (@(posedge clk_i) rvalid_i && !of_list);
  end_waits: cover property (@(posedge clk_i) done_valid_o && !done_ready_i);
  word_waits: cover property (@(posedge clk_i) out_valid_o && !out_ready_i);
  piece_waits: cover property (@(posedge clk_i) piece_valid && !piece_ready && moves);
endmodule

bind tally_mr_dma mr_dma_cover u_cover (.*);
