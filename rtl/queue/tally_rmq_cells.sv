// SPDX-License-Identifier: BSD-2-Clause
// Cells of the receive message queue, and places for their words (sim/engine/rmq_cells.c). A group
// reserves cells, and nobody else can take those. All groups share the cells that are not reserved.
// Intermediate results and the inputs of reductions in a fixed shape take cells by the same rule:
// one of the group's own, if more than `keep` of those are free, otherwise a shared one.
//
// A place has the words of a cell, or of a descriptor's payload buffer. There are Places, more than
// Cells, and a free one is always ready if at most Places - Cells buffers are in use. A descriptor
// that takes an intermediate result takes its place, and the cell is free.
//
// look_valid_i chooses the group. From the second clock after it until the next one, own_room_o
// says that more than `keep` of the group's own cells are free, own_any_o that any is free,
// shared_any_o that a shared cell is free, and the following change the counts of this group, one
// in each clock:
//   take_i          takes place_o: as a buffer, or with take_cell_i as a cell, with take_own_i as
//                   one of the group's own
//   give_i          the cell at give_place_i is free; push_i: so is its place. push_i alone is for
//                   a buffer
//   set_i           the group has set_cells_i cells, of which it keeps set_keep_i for inputs of its
//                   oldest reduction, if set_given_o is high; none of its cells must be in use
// release_... frees the place of a buffer, which is kept until a clock without push_i, so that the
// ready depends on nothing that others do. It is of use four clocks after the last one of these,
// and nobody waits for that, so it is no work that needs a clock. After reset the places enter one
// by one while init_valid_i is high, and the groups' words are cleared.
module tally_rmq_cells #(
  parameter int unsigned Groups = tally_pkg::MaxGroup,
  parameter int unsigned Cells = tally_pkg::RmqCells,
  parameter int unsigned Places = tally_pkg::RmqCells + 256,
  localparam int unsigned GroupW = Groups > 1 ? $clog2(Groups) : 1,
  localparam int unsigned UsedW = $clog2(Cells + 1),
  localparam int unsigned PlaceW = Places > 1 ? $clog2(Places) : 1
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic              init_valid_i,
  input  logic              init_place_i,  // init_at_i is a place
  input  logic [PlaceW-1:0] init_at_i,
  input  logic [GroupW-1:0] init_group_i,

  input  logic              look_valid_i,
  input  logic [GroupW-1:0] group_i,
  output logic              own_room_o,
  output logic              own_any_o,
  output logic              shared_any_o,

  input  logic              take_i,
  input  logic              take_cell_i,
  input  logic              take_own_i,
  output logic [PlaceW-1:0] place_o,
  input  logic              give_i,
  input  logic [PlaceW-1:0] give_place_i,
  input  logic              push_i,
  input  logic              release_valid_i,
  output logic              release_ready_o,
  input  logic [PlaceW-1:0] release_place_i,

  input  logic              set_i,
  input  logic [UsedW-1:0]  set_cells_i,
  input  logic [UsedW-1:0]  set_keep_i,
  output logic              set_given_o,

  input  logic [GroupW-1:0] show_group_i,
  output logic [UsedW-1:0]  show_own_o,     // own cells of the group in use
  output logic [UsedW-1:0]  shared_free_o
);
  localparam int unsigned RingW = $clog2(Places + 1);
  localparam logic [PlaceW-1:0] LastPlace = PlaceW'(Places - 1);

  logic [2*UsedW-1:0] config_q [2 ** GroupW];  // cells, keep
  logic [UsedW-1:0] used_q [2 ** GroupW];      // own cells in use
  logic own_q [Places];                        // the cell is one of its group's own
  logic [PlaceW-1:0] free_q [Places];          // ring of free places

  // ---- The group in work ----
  logic look_q;
  logic [GroupW-1:0] group_q;
  logic [2*UsedW-1:0] config_read_q;
  logic [UsedW-1:0] used_read_q, cells_q, keep_q, now_q, now_d, shared_q, own_free;
  logic give_own, write;
  assign own_free = cells_q - now_q;
  assign own_room_o = own_free > keep_q;
  assign own_any_o = own_free != '0;
  assign shared_any_o = shared_q != '0;
  assign give_own = own_q[give_place_i];
  assign set_given_o = {1'b0, set_cells_i} <= {1'b0, cells_q} + {1'b0, shared_q};
  assign write = (take_i && take_cell_i && take_own_i) || (give_i && give_own);
  assign now_d = now_q + UsedW'(take_i && take_cell_i && take_own_i) - UsedW'(give_i && give_own);

  always_ff @(posedge clk_i) begin
    look_q <= look_valid_i;
    if (look_valid_i) begin
      group_q <= group_i;
      config_read_q <= config_q[group_i];
      used_read_q <= used_q[group_i];
    end
    if (look_q) begin
      {cells_q, keep_q} <= config_read_q;
      now_q <= used_read_q;
    end else begin
      now_q <= now_d;
      if (set_i && set_given_o) {cells_q, keep_q} <= {set_cells_i, set_keep_i};
    end
  end
  always_ff @(posedge clk_i) begin
    if (init_valid_i) used_q[init_group_i] <= '0;
    else if (write) used_q[group_q] <= now_d;
  end
  always_ff @(posedge clk_i) begin
    if (init_valid_i) config_q[init_group_i] <= '0;
    else if (set_i && set_given_o) config_q[group_q] <= {set_cells_i, set_keep_i};
  end
  always_ff @(posedge clk_i) if (take_i) own_q[place_o] <= take_own_i;

  logic [UsedW-1:0] shared_less;
  assign shared_less = set_i && set_given_o ? set_cells_i - cells_q :
                       UsedW'(take_i && take_cell_i && !take_own_i);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) shared_q <= UsedW'(Cells);
    else shared_q <= shared_q - shared_less + UsedW'(give_i && !give_own);
  end

  // ---- Free places: a ring, and the place to be taken next ----
  logic next_valid_q, refill, pushes, held_q, drops;
  logic [PlaceW-1:0] next_q, ring_in_q, ring_out_q, push_place, held_place_q;
  logic [RingW-1:0] ring_used_q;
  assign release_ready_o = !held_q;
  assign drops = held_q && !push_i && !init_valid_i;
  assign pushes = push_i || (init_valid_i && init_place_i) || drops;
  assign push_place = init_valid_i ? init_at_i : push_i ? give_place_i : held_place_q;
  assign refill = ring_used_q != '0 && (!next_valid_q || take_i);
  assign place_o = next_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      held_q <= 1'b0;
      next_valid_q <= 1'b0;
      ring_in_q <= '0;
      ring_out_q <= '0;
      ring_used_q <= '0;
    end else begin
      held_q <= (release_valid_i && release_ready_o) || (held_q && !drops);
      next_valid_q <= refill || (next_valid_q && !take_i);
      if (pushes) ring_in_q <= ring_in_q == LastPlace ? '0 : ring_in_q + 1'b1;
      if (refill) ring_out_q <= ring_out_q == LastPlace ? '0 : ring_out_q + 1'b1;
      ring_used_q <= ring_used_q + RingW'(pushes) - RingW'(refill);
    end
  end
  always_ff @(posedge clk_i) begin
    if (release_ready_o) held_place_q <= release_place_i;
    if (refill) next_q <= free_q[ring_out_q];
    if (pushes) free_q[ring_in_q] <= push_place;
  end

  assign show_own_o = used_q[show_group_i];
  assign shared_free_o = shared_q;

`ifdef FORMAL
  `include "rmq_cells_proof.svh"
`endif
endmodule
