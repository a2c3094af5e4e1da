// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_sender_shares must reach.
module sender_shares_cover (
  input logic        clk_i,
  input logic        empty_i,
  input logic        combined_i,
  input logic        is_bcast,
  input logic [63:0] ranks_i,
  input logic [63:0] root,
  input logic [63:0] due_o,
  input logic [63:0] absent_o,
  input logic [63:0] quits_o
);
  all_due: cover property (@(posedge clk_i) due_o == '1);
  all_quit: cover property (@(posedge clk_i) quits_o == '1);
  absent_root: cover property (@(posedge clk_i) is_bcast && empty_i && root != '0);
  root_for_all: cover property (@(posedge clk_i) is_bcast && combined_i && root != '0);
  root_elsewhere: cover property (@(posedge clk_i) is_bcast && combined_i && root == '0);
  one_for_all: cover property (@(posedge clk_i) !is_bcast && combined_i && ranks_i == '1);
  some_absent: cover property (@(posedge clk_i) due_o != '0 && absent_o != '0);
endmodule

bind tally_sender_shares sender_shares_cover u_cover (.*);
