// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_status_regs must reach.
module status_regs_cover #(
  parameter int unsigned Places = 8
) (
  input logic              clk_i,
  input logic              unused_judge,
  input logic              known,
  input logic              creates,
  input logic              object_ok,
  input logic              good,
  input logic [Places-1:0] place_ok,
  input logic              cmd_valid_o,
  input logic              cmd_ready_i,
  input logic              write_i,
  input logic              mine_o,
  input logic              create,
  input logic              group_write_o
);
  `define JUDGE unused_judge
  unknown: cover property (@(posedge clk_i) `JUDGE && !known);
  no_place: cover property (@(posedge clk_i) `JUDGE && known && creates && place_ok != '1);
  no_object: cover property (@(posedge clk_i) `JUDGE && known && creates && place_ok == '1 &&
                             !object_ok);
  no_qp: cover property (@(posedge clk_i) `JUDGE && known && !creates && !good);
  created: cover property (@(posedge clk_i) `JUDGE && creates && good);
  command_waits: cover property (@(posedge clk_i) cmd_valid_o && !cmd_ready_i);
  kept: cover property (@(posedge clk_i) write_i && mine_o);
  not_written: cover property (@(posedge clk_i) !write_i && mine_o);
  not_created: cover property (@(posedge clk_i) create && !write_i);
  row: cover property (@(posedge clk_i) group_write_o);
  `undef JUDGE
endmodule

bind tally_status_regs status_regs_cover #(.Places(Places)) u_cover (.*);
