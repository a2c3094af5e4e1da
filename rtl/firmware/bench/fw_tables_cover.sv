// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_fw_tables must reach.
module fw_tables_cover (
  input logic clk_i,
  input logic write_i,
  input logic mine_o,
  input logic is_group,
  input logic of_context,
  input logic of_edge,
  input logic is_tomb,
  input logic below,
  input logic shares,
  input logic same
);
  group: cover property (@(posedge clk_i) write_i && mine_o && is_group && !is_tomb);
  edge_of_group: cover property (@(posedge clk_i) write_i && mine_o && !is_group && !is_tomb);
  part_of_a_word: cover property (@(posedge clk_i) write_i && mine_o && shares && !is_tomb);
  tombstone: cover property (@(posedge clk_i) write_i && mine_o && is_group && is_tomb);
  edge_of_tombstone: cover property (@(posedge clk_i) write_i && mine_o && !is_group && is_tomb);
  another_register: cover property (@(posedge clk_i) write_i && of_context && !mine_o && !of_edge);
  another_of_an_edge: cover property (@(posedge clk_i) write_i && of_context && !mine_o && of_edge);
  no_context: cover property (@(posedge clk_i) write_i && !of_context && !below);
  no_group: cover property (@(posedge clk_i) write_i && below);
  read_while_written: cover property (@(posedge clk_i) write_i && mine_o && is_group && same);
endmodule

bind tally_fw_tables fw_tables_cover u_cover (
  .is_tomb(32'(context_of) >= Groups), .below(addr_i < tally_fw_pkg::GroupBase),
  .shares(bytes != 4'b1111),
  .same(read_i == word && read_context_i == context_of), .*
);
