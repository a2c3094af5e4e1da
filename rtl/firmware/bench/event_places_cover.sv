// SPDX-License-Identifier: BSD-2-Clause
// Points that the benches of tally_event_places must reach.
module event_places_cover #(
  parameter int unsigned Kinds = 4,
  parameter int unsigned NumW = 10
) (
  input logic             clk_i,
  input logic             clears,
  input logic             looks,
  input logic             take_q,
  input logic             mark_q,
  input logic             drops,
  input logic             raises,
  input logic             have_q,
  input logic             remains,
  input logic             raise_valid_i,
  input logic             drop_valid_i,
  input logic             out_take_i,
  input logic [NumW-1:0]  at,
  input logic [NumW-1:0]  number,
  input logic [Kinds-1:0] old,
  input logic [Kinds-1:0] next
);
  waits_for_clearing: cover property (@(posedge clk_i) clears && raise_valid_i);
  passes: cover property (@(posedge clk_i) looks && next == '0);
  all_kinds: cover property (@(posedge clk_i) looks && next == '1);
  has_more: cover property (@(posedge clk_i) take_q && (remains || Kinds == 1));
  has_no_more: cover property (@(posedge clk_i) take_q && !remains);
  another_kind: cover property (@(posedge clk_i) raises && have_q && at == number && old != '0);
  drops_the_offer: cover property (@(posedge clk_i) drops && have_q && at == number);
  raise_behind_drop: cover property (@(posedge clk_i) drops && raise_valid_i);
  raise_while_taken: cover property (@(posedge clk_i) raises && out_take_i && have_q &&
                                      at == number && old != '0);
  search_waits_for_mark: cover property (@(posedge clk_i) mark_q && take_q);
  drop_waits: cover property (@(posedge clk_i) drop_valid_i && !drops && !clears);
endmodule

bind tally_event_places event_places_cover #(.Kinds(Kinds), .NumW(NumW)) u_cover (.*);
