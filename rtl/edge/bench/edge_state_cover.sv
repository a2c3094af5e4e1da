// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_edge_state must reach.
module edge_state_cover #(
  parameter int unsigned NumW = 32
) (
  input logic            clk_i,
  input logic            write_q,
  input logic            take,
  input logic            same_row,
  input logic            moves_now,
  input logic            is_heard,
  input logic            is_ask,
  input logic            is_message,
  input logic            settled,
  input logic            higher,
  input logic            op_valid_i,
  input logic            op_ready_o,
  input logic            in_check,
  input logic            found,
  input logic            soon,
  input logic            gives,
  input logic            tells,
  input logic            news,
  input logic            at_once,
  input logic            first_walk_skipped,
  input logic            ends,
  input logic            last,
  input logic            tell_valid_o,
  input logic            tell_ready_i,
  input logic            no_edges,
  input logic [NumW-1:0] untold
);
  one_behind_the_other: cover property (@(posedge clk_i) write_q && take && same_row);
  moves_as_it_is_read: cover property (@(posedge clk_i) take && moves_now);
  old_news: cover property (@(posedge clk_i) write_q && is_heard && !higher);
  asks_before_it_is_settled: cover property (@(posedge clk_i) write_q && is_ask && !settled);
  message_before_it_is_settled: cover property (@(posedge clk_i)
                                                write_q && is_message && !settled);
  held_up_by_a_walk: cover property (@(posedge clk_i) op_valid_i && !op_ready_o);
  during_a_walk: cover property (@(posedge clk_i) in_check && take);
  closed: cover property (@(posedge clk_i) in_check && !found);
  told_soon: cover property (@(posedge clk_i) in_check && soon && tells);
  told_already: cover property (@(posedge clk_i) in_check && soon && found && !news);
  told_at_once: cover property (@(posedge clk_i) in_check && !soon && tells);
  mere_peer: cover property (@(posedge clk_i) in_check && !soon && found && !gives &&
                             untold != '0);
  knows_enough: cover property (@(posedge clk_i) in_check && !soon && found && gives &&
                                untold != '0 && !at_once);
  does_not_borrow: cover property (@(posedge clk_i) first_walk_skipped);
  none_to_walk: cover property (@(posedge clk_i) no_edges);
  last_is_told: cover property (@(posedge clk_i) ends && last && tell_valid_o);
  tell_waits: cover property (@(posedge clk_i) tell_valid_o && !tell_ready_i && take);
endmodule

bind tally_edge_state edge_state_cover #(.NumW(NumW)) u_cover (
  .same_row(row_q == read_row), .moves_now(moved_valid_i && moved_group_i == read_group),
  .is_heard(op_q == tally_edge_pkg::StateHeard), .is_ask(op_q == tally_edge_pkg::StateAsk),
  .is_message(op_q == tally_edge_pkg::StateAskMessage),
  .settled(old.settled), .gives(old.gives), .in_check(walk_q == WalkCheck), .soon(walk_soon_i),
  .first_walk_skipped(walk_q == WalkGroup && !walk_soon_i && !cfg.borrows && cfg.edges != '0),
  .no_edges(walk_q == WalkGroup && walk_soon_i && cfg.edges == '0 && !cfg.parent), .*
);
