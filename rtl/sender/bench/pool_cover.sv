// SPDX-License-Identifier: BSD-2-Clause
// Points that the benches of tally_pool must reach.
module pool_cover #(
  parameter int unsigned OwnW = 9,
  parameter int unsigned SegW = 12
) (
  input logic                 clk_i,
  input logic                 cmd_valid_o,
  input logic                 cmd_ready_i,
  input logic                 moved_valid_i,
  input logic                 ask_q,
  input logic                 asks,
  input logic                 joins,
  input logic                 leaves,
  input logic                 owes,
  input logic                 owed_q,
  input logic                 borrows,
  input logic                 is_borrow,
  input logic                 is_grant,
  input logic                 asked,
  input logic                 moves,
  input logic                 ended,
  input logic                 pops,
  input logic                 found,
  input logic                 is_owed,
  input logic                 rises,
  input logic [OwnW-1:0]      borrowed,
  input logic [OwnW-1:0]      given,
  input logic [OwnW-1:0]      rest,
  input logic [SegW-1:0]      lent_q,
  input logic [SegW-1:0]      grants,
  input logic [SegW-1:0]      spare,
  input logic                 peek_valid_i,
  input logic                 peek_ready_o,
  input logic                 peeked_valid_o,
  input logic                 takes,
  input logic [OwnW-1:0]      peeked_owed_o
);
  ask_waits: cover property (@(posedge clk_i) ask_q && !asks);
  waits: cover property (@(posedge clk_i) cmd_valid_o && !cmd_ready_i && moved_valid_i);
  owed_to_several: cover property (@(posedge clk_i) owes && owed_q);
  gets_one_at_once: cover property (@(posedge clk_i) owes && grants == SegW'(1));
  owed_group_leaves: cover property (@(posedge clk_i) leaves && is_owed);
  later_owed_group_leaves: cover property (@(posedge clk_i) found);
  gets_some_while_lent: cover property (@(posedge clk_i) joins && !owes && lent_q != '0);
  returns_lent_ones: cover property (@(posedge clk_i) moves && !ended && given != '0);
  returns_some: cover property (@(posedge clk_i) moves && !ended && given != '0 &&
                                given != borrowed);
  returns_and_rises: cover property (@(posedge clk_i) moves && !ended && given != '0 &&
                                     rest != '0);
  ends_with_lent_ones: cover property (@(posedge clk_i) moves && ended && given != '0);
  moves_at_the_end: cover property (@(posedge clk_i) moves && !ended && !rises);
  asks_at_the_end: cover property (@(posedge clk_i) is_borrow && asked && !rises);
  asks_in_vain: cover property (@(posedge clk_i) is_borrow && asked && !borrows && spare != '0);
  asks_in_debt: cover property (@(posedge clk_i) is_borrow && asked && owed_q);
  pays_before_an_epoch: cover property (@(posedge clk_i) is_grant && !rises);
  pays_in_an_epoch: cover property (@(posedge clk_i) is_grant && rises);
  owed_is_read: cover property (@(posedge clk_i) peeked_valid_o && peeked_owed_o != '0);
  peek_waits: cover property (@(posedge clk_i) peek_valid_i && !peek_ready_o && takes);
  pays_all: cover property (@(posedge clk_i) pops);
endmodule

bind tally_pool pool_cover #(.OwnW(OwnW), .SegW(SegW)) u_cover (
  .is_borrow(state_q == StBorrow), .is_grant(state_q == StGrant), .asked(asked_q[NumW]),
  .rises(row.rises), .borrowed(row.borrowed), .*
);
