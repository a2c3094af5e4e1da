// SPDX-License-Identifier: BSD-2-Clause
// Points that the benches of tally_mr_walks must reach.
module mr_walks_cover #(
  parameter int unsigned Walks = 4,
  parameter int unsigned WalkW = 2
) (
  input logic             clk_i,
  input logic             in_valid_i,
  input logic             enters,
  input logic             direct,
  input logic             leaves,
  input logic             out_valid_o,
  input logic             out_ready_i,
  input logic             rd_valid_o,
  input logic             rd_ready_i,
  input logic             rsp_valid_i,
  input logic [WalkW-1:0] rsp_tag_i,
  input logic [WalkW-1:0] out_turn_q,
  input logic [Walks-1:0] in_ready,
  input logic [Walks-1:0] rd_valid,
  input logic [Walks-1:0] out_valid
);
  all_walk: cover property (@(posedge clk_i) in_valid_i && in_ready == '0);
  direct_behind_another: cover property (@(posedge clk_i) direct && out_valid_o);
  enters_and_leaves: cover property (@(posedge clk_i) enters && leaves);
  reads_compete: cover property (@(posedge clk_i) rd_valid_o &&
                                 (rd_valid & (rd_valid - 1'b1)) != '0);
  read_waits: cover property (@(posedge clk_i) rd_valid_o && !rd_ready_i);
  overtaken: cover property (@(posedge clk_i) rsp_valid_i && rsp_tag_i != out_turn_q);
  answer_waits_its_turn: cover property (@(posedge clk_i) out_valid != '0 &&
                                         !out_valid[out_turn_q]);
  answer_waits: cover property (@(posedge clk_i) out_valid_o && !out_ready_i);
endmodule

bind tally_mr_walks mr_walks_cover #(.Walks(Walks), .WalkW(WalkW)) u_cover (.*);
