// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_packet_fifo must reach.
module packet_fifo_cover #(
  parameter int unsigned PtrW = 2,
  parameter int unsigned CountW = 3
) (
  input logic              clk_i,
  input logic              in_valid_i,
  input logic              end_i,
  input logic              keep_i,
  input logic [CountW-1:0] room_o,
  input logic              out_ready_i,
  input logic              out_valid_q,
  input logic              fetch,
  input logic [PtrW:0]     write_q,
  input logic [PtrW:0]     kept_q,
  input logic [PtrW:0]     read_q
);
  full: cover property (@(posedge clk_i) room_o == '0);
  full_of_kept: cover property (@(posedge clk_i) room_o == '0 && write_q == kept_q);
  full_of_one: cover property (@(posedge clk_i) room_o == '0 && kept_q == read_q);
  end_with_word: cover property (@(posedge clk_i) in_valid_i && end_i && keep_i);
  end_behind: cover property (@(posedge clk_i) !in_valid_i && end_i && keep_i && write_q != kept_q);
  no_words: cover property (@(posedge clk_i) !in_valid_i && end_i && keep_i && write_q == kept_q);
  taken_back: cover property (@(posedge clk_i) end_i && !keep_i && write_q != kept_q &&
                              kept_q != read_q);
  taken_back_with_word: cover property (@(posedge clk_i) in_valid_i && end_i && !keep_i &&
                                        write_q == kept_q);
  waits: cover property (@(posedge clk_i) out_valid_q && !out_ready_i && read_q != kept_q);
  no_gap: cover property (@(posedge clk_i) out_valid_q && out_ready_i && fetch);
endmodule

bind tally_packet_fifo packet_fifo_cover #(.PtrW(PtrW), .CountW(CountW)) u_cover (.*);
