// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_trigger_ports must reach.
module trigger_ports_cover (
  input logic clk_i,
  input logic find_ready_o,
  input logic found_o,
  input logic found_works_o,
  input logic first_any,
  input logic next_any,
  input logic hit,
  input logic link,
  input logic looks,
  input logic reads_first
);
  empty_group: cover property (@(posedge clk_i) reads_first && !first_any && !link);
  first_hit: cover property (@(posedge clk_i) looks && hit && $past(reads_first));
  later_hit: cover property (@(posedge clk_i) looks && hit && $past(looks));
  not_there: cover property (@(posedge clk_i) looks && !hit && !next_any && !link);
  does_not_work: cover property (@(posedge clk_i) find_ready_o && found_o && !found_works_o);
  begins_anew: cover property (@(posedge clk_i) looks && link);
  linked_with_answer: cover property (@(posedge clk_i) find_ready_o && link);
endmodule

bind tally_trigger_ports trigger_ports_cover u_cover (
  .looks(state_q == StLook), .reads_first(state_q == StFirst), .*
);
