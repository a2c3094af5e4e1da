// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_edge_regs must reach.
module edge_regs_cover (
  input logic       clk_i,
  input logic [2:0] state_q,
  input logic       take,
  input logic [1:0] set_rto_q,
  input logic [1:0] set_cap_q,
  input logic       set_limit_q,
  input logic       opens_q,
  input logic       releases_q,
  input logic       freezes_q,
  input logic       finds_q,
  input logic       all_done,
  input logic       forwards,
  input logic       next_ready_i,
  input logic       set_ready_i,
  input logic       set_failed_i,
  input logic       bvalid_q,
  input logic       axil_bready_i
);
  localparam logic [2:0] Open = 3'd1, All = 3'd2, Row = 3'd3, Next = 3'd5;
  rto: cover property (@(posedge clk_i) take && set_rto_q == 2'b10);
  cap: cover property (@(posedge clk_i) take && set_cap_q == 2'b10);
  low: cover property (@(posedge clk_i) take && (set_rto_q == 2'b01 || set_cap_q == 2'b01));
  limit: cover property (@(posedge clk_i) take && set_limit_q);
  opened: cover property (@(posedge clk_i) state_q == Open && set_ready_i && !set_failed_i);
  failed: cover property (@(posedge clk_i) state_q == Open && set_ready_i && set_failed_i);
  released: cover property (@(posedge clk_i) state_q == All && all_done && releases_q);
  frozen: cover property (@(posedge clk_i) state_q == All && all_done && freezes_q);
  no_row: cover property (@(posedge clk_i) state_q == Row && set_ready_i && set_failed_i);
  row: cover property (@(posedge clk_i) state_q == Row && set_ready_i && !set_failed_i);
  row_waits: cover property (@(posedge clk_i) state_q == Row && !set_ready_i);
  edge_goes_on: cover property (@(posedge clk_i) state_q == Next && finds_q && next_ready_i);
  next_waits: cover property (@(posedge clk_i) state_q == Next && !next_ready_i);
  passes: cover property (@(posedge clk_i) forwards && next_ready_i && state_q != Next);
  open_waits: cover property (@(posedge clk_i) opens_q && state_q == Open && !set_ready_i);
  answer_waits: cover property (@(posedge clk_i) bvalid_q && !axil_bready_i);
endmodule

bind tally_edge_regs edge_regs_cover u_cover (.*);
