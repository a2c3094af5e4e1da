// SPDX-License-Identifier: BSD-2-Clause
// Points that the benches of tally_mr must reach.
module mr_cover #(
  parameter int unsigned Walks = 4,
  parameter int unsigned WalkW = 2
) (
  input logic             clk_i,
  input logic             take,
  input logic             step,
  input logic             write,
  input logic             ready,
  input logic             idle,
  input logic             in_valid_i,
  input logic             cfg_valid_i,
  input logic             cfg_ready_o,
  input logic             cfg_bad_o,
  input logic             cfg_enable_i,
  input logic             c_valid_q,
  input logic             b_below_q,
  input logic             b_beyond,
  input logic             c_outside_q,
  input logic             rd_valid_o,
  input logic             rd_ready_i,
  input logic             rsp_valid_i,
  input logic [WalkW-1:0] rsp_tag_i,
  input logic [WalkW-1:0] out_turn_q,
  input logic [Walks-1:0] w_in_ready,
  input logic [Walks-1:0] w_rd_valid,
  input logic [Walks-1:0] w_out_valid
);
  request_in_reset: cover property (@(posedge clk_i) in_valid_i && !ready);
  entered_and_used: cover property (@(posedge clk_i) take && ready && write);
  removal_waits: cover property (@(posedge clk_i) cfg_valid_i && ready && !cfg_enable_i && !idle);
  refused: cover property (@(posedge clk_i) cfg_valid_i && cfg_ready_o && cfg_bad_o);
  below: cover property (@(posedge clk_i) c_valid_q && b_below_q && !b_beyond);
  beyond: cover property (@(posedge clk_i) c_valid_q && !b_below_q && b_beyond);
  outside: cover property (@(posedge clk_i) c_valid_q && c_outside_q);
  walkers_busy: cover property (@(posedge clk_i) !step);
  all_walk: cover property (@(posedge clk_i) w_in_ready == '0);
  reads_compete: cover property (@(posedge clk_i) rd_valid_o && (w_rd_valid & (w_rd_valid - 1'b1)) != '0);
  read_waits: cover property (@(posedge clk_i) rd_valid_o && !rd_ready_i);
  overtaken: cover property (@(posedge clk_i) rsp_valid_i && rsp_tag_i != out_turn_q);
  answer_waits_its_turn: cover property (@(posedge clk_i) w_out_valid != '0 && !w_out_valid[out_turn_q]);
endmodule

bind tally_mr mr_cover #(.Walks(Walks), .WalkW(WalkW)) u_cover (.*);
