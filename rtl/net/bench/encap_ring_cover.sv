// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_encap_ring must reach.
module encap_ring_cover #(
  parameter int unsigned AddrW = 4
) (
  input logic             clk_i,
  input logic             room_o,
  input logic             write_i,
  input logic             last_i,
  input logic             abort_i,
  input logic             read_i,
  input logic             put_q,
  input logic [AddrW:0]   write_q,
  input logic [AddrW:0]   final_q,
  input logic [AddrW:0]   read_q
);
  full: cover property (@(posedge clk_i) !room_o && final_q == write_q);
  full_of_one: cover property (@(posedge clk_i) !room_o && final_q == read_q);
  one_word: cover property (@(posedge clk_i) write_i && last_i && final_q == write_q);
  taken_back: cover property (@(posedge clk_i) abort_i && final_q != write_q && final_q != read_q);
  taken_back_on_the_way: cover property (@(posedge clk_i) abort_i && put_q && final_q != write_q);
  both: cover property (@(posedge clk_i) write_i && read_i && put_q);
  read_at_once: cover property (@(posedge clk_i) read_i && put_q &&
                                write_q - read_q == (AddrW + 1)'(2));
endmodule

bind tally_encap_ring encap_ring_cover #(.AddrW(AddrW)) u_cover (.*);
