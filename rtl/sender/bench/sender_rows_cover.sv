// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_sender_rows must reach.
module sender_rows_cover #(
  parameter int unsigned Readers = 5,
  parameter int unsigned EntryW = 14
) (
  input logic               clk_i,
  input logic               write_valid_i,
  input logic [EntryW-1:0]  write_entry_i,
  input logic [Readers-1:0] row_valid_i,
  input logic [Readers-1:0] row_ready_o,
  input logic [EntryW-1:0]  read_entry,
  input logic [Readers-1:0] got_valid_o
);
  all_want: cover property (@(posedge clk_i) row_valid_i == '1);
  each_clock: cover property (@(posedge clk_i) row_ready_o != '0 && got_valid_o != '0);
  the_same_reader: cover property (@(posedge clk_i) row_ready_o != '0 &&
                                   got_valid_o == row_ready_o);
  written_beside: cover property (@(posedge clk_i) row_ready_o != '0 && write_valid_i &&
                                  write_entry_i != read_entry);
endmodule

bind tally_sender_rows sender_rows_cover #(.Readers(Readers), .EntryW(EntryW)) u_cover (.*);
