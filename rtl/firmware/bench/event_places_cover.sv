// SPDX-License-Identifier: BSD-2-Clause
// Points that the benches of tally_event_places must reach.
module event_places_cover #(
  parameter int unsigned Kinds = 4,
  parameter int unsigned NumW = 10
) (
  input logic             clk_i,
  input logic             clears,
  input logic             looks,
  input logic             takes,
  input logic             drops,
  input logic             raises,
  input logic             have_q,
  input logic             remains,
  input logic             raise_valid_i,
  input logic             drop_valid_i,
  input logic [NumW-1:0]  at,
  input logic [NumW-1:0]  number,
  input logic [Kinds-1:0] old
);
  waits_for_clearing: cover property (@(posedge clk_i) clears && raise_valid_i);
  passes: cover property (@(posedge clk_i) looks && old == '0);
  all_kinds: cover property (@(posedge clk_i) looks && old == '1);
  has_more: cover property (@(posedge clk_i) takes && (remains || Kinds == 1));
  has_no_more: cover property (@(posedge clk_i) takes && !remains);
  another_kind: cover property (@(posedge clk_i) raises && have_q && at == number && old != '0);
  drops_the_offer: cover property (@(posedge clk_i) drops && have_q && at == number);
  raise_behind_drop: cover property (@(posedge clk_i) drops && raise_valid_i);
  drop_waits: cover property (@(posedge clk_i) drop_valid_i && !drops && !clears);
endmodule

bind tally_event_places event_places_cover #(.Kinds(Kinds), .NumW(NumW)) u_cover (.*);
