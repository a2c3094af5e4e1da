// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_head_regs must reach.
module head_regs_cover (
  input logic       clk_i,
  input logic [1:0] state_q,
  input logic       write,
  input logic       axil_awvalid_i,
  input logic       axil_bvalid_o,
  input logic       axil_bready_i,
  input logic       close_valid_i,
  input logic       op_valid_o,
  input logic       op_ready_i,
  input logic       op_gives_o,
  input logic       child,
  input logic       edge_write_o,
  input logic       group_write_o,
  input logic       walk_write_o,
  input logic       walk_parent_o,
  input logic       walk_borrows_o
);
  localparam logic [1:0] Offer = 2'd3;
  op_waits: cover property (@(posedge clk_i) state_q == Offer && !op_ready_i);
  close_waits: cover property (@(posedge clk_i) close_valid_i && op_valid_o && !op_ready_i);
  write_waits: cover property (@(posedge clk_i) axil_awvalid_i && !write && close_valid_i);
  answer_waits: cover property (@(posedge clk_i) axil_bvalid_o && !axil_bready_i);
  edge_row: cover property (@(posedge clk_i) edge_write_o);
  group_row: cover property (@(posedge clk_i) group_write_o);
  parent: cover property (@(posedge clk_i) state_q == Offer && op_gives_o && !child);
  own_child: cover property (@(posedge clk_i) state_q == Offer && child);
  beside: cover property (@(posedge clk_i) walk_write_o && walk_parent_o);
  borrows: cover property (@(posedge clk_i) walk_write_o && walk_borrows_o);
endmodule

bind tally_head_regs head_regs_cover u_cover (.*);
