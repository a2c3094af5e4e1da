// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_written must reach.
module written_cover #(
  parameter int unsigned RowW = 1
) (
  input logic            clk_i,
  input logic            busy_o,
  input logic            write_i,
  input logic [RowW-1:0] write_at_i,
  input logic            read_i,
  input logic [RowW-1:0] read_at_i,
  input logic            written_o
);
  reads_amid_clearing: cover property (@(posedge clk_i) busy_o && read_i);
  read_while_written: cover property (@(posedge clk_i) write_i && read_i &&
                                      write_at_i == read_at_i);
  written: cover property (@(posedge clk_i) !read_i && written_o);
  not_written: cover property (@(posedge clk_i) !read_i && !written_o);
endmodule

bind tally_written written_cover #(.RowW(RowW)) u_cover (.*);
