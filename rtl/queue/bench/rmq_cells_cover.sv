// SPDX-License-Identifier: BSD-2-Clause
// Points that the benches of tally_rmq_cells must reach.
module rmq_cells_cover #(
  parameter int unsigned RingW = 1,
  parameter int unsigned UsedW = 1
) (
  input logic clk_i,
  input logic own_room_o,
  input logic own_any_o,
  input logic shared_any_o,
  input logic take_i,
  input logic take_cell_i,
  input logic take_own_i,
  input logic give_i,
  input logic give_own,
  input logic push_i,
  input logic release_valid_i,
  input logic release_ready_o,
  input logic set_i,
  input logic set_given_o,
  input logic next_valid_q,
  input logic [RingW-1:0] ring_used_q,
  input logic [UsedW-1:0] set_cells_i,
  input logic [UsedW-1:0] cells_q
);
  takes_own: cover property (@(posedge clk_i) take_i && take_cell_i && take_own_i && own_room_o);
  takes_kept: cover property (@(posedge clk_i) take_i && take_cell_i && take_own_i && !own_room_o &&
                              own_any_o);
  takes_shared: cover property (@(posedge clk_i) take_i && take_cell_i && !take_own_i && own_any_o);
  takes_buffer: cover property (@(posedge clk_i) take_i && !take_cell_i);
  none_left: cover property (@(posedge clk_i) !own_any_o && !shared_any_o);
  no_place_left: cover property (@(posedge clk_i) ring_used_q == '0 && !next_valid_q);
  gives_own: cover property (@(posedge clk_i) give_i && give_own && push_i);
  gives_shared: cover property (@(posedge clk_i) give_i && !give_own && push_i);
  becomes_buffer: cover property (@(posedge clk_i) give_i && !push_i);
  drops_buffer: cover property (@(posedge clk_i) push_i && !give_i);
  release_waits: cover property (@(posedge clk_i) release_valid_i && !release_ready_o);
  set_less: cover property (@(posedge clk_i) set_i && set_given_o && set_cells_i < cells_q);
  not_given: cover property (@(posedge clk_i) set_i && !set_given_o);
endmodule

bind tally_rmq_cells rmq_cells_cover #(.RingW(RingW), .UsedW(UsedW)) u_cover (.*);
