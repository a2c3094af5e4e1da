// SPDX-License-Identifier: BSD-2-Clause
// The proof follows an arbitrary place, which is either free, or taken by a cell or a buffer. It is
// never handed out twice, no place is lost, and while at most Cells cells and Places - Cells
// buffers are in use, a free one is ready. The counts agree with the cells that were taken. The
// proof assumes the rules for the user: a place is taken as a cell only if there is one, only what
// is in use is freed, and places are taken at least two clocks after one was freed.
`include "tally_proof.svh"

(* anyconst *) logic [PlaceW-1:0] which;
always_comb assume (32'(which) < Places);

// After reset the places enter in order.
logic [PlaceW:0] entered_q = '0;
logic ready;
assign ready = 32'(entered_q) == Places;
always_ff @(posedge clk_i) if (started_q && !ready) entered_q <= entered_q + 1'b1;
always_comb begin
  assume (init_valid_i == (started_q && !ready));
  assume (init_place_i && init_at_i == entered_q[PlaceW-1:0] && init_group_i == GroupW'(entered_q));
end

// State of all places, and of the group.
logic [Places-1:0] cell_q = '0, buffer_q = '0, its_own_q = '0;
logic [2:0] looked_q = '0;  // the group was chosen at least two clocks ago
logic [1:0] rest_q = '0;    // clocks since a place was freed
logic [UsedW:0] own_now, shared_now;
logic [PlaceW:0] buffers_now;
always_comb begin
  own_now = '0;
  shared_now = '0;
  buffers_now = '0;
  for (int unsigned i = 0; i < Places; i++) begin
    own_now = own_now + (UsedW + 1)'(cell_q[i] && its_own_q[i]);
    shared_now = shared_now + (UsedW + 1)'(cell_q[i] && !its_own_q[i]);
    buffers_now = buffers_now + (PlaceW + 1)'(buffer_q[i]);
  end
end

logic [UsedW-1:0] reserved_q = '0;
logic acts, frees;
assign acts = take_i || give_i || push_i || set_i;
assign frees = push_i || held_q || (release_valid_i && release_ready_o);
always_comb begin
  assume (group_i == '0 && show_group_i == '0);
  if (look_valid_i) assume (ready);
  if (acts) assume (started_q && ready && looked_q[2] && !look_valid_i);
  assume (2'(take_i) + 2'(give_i || push_i) + 2'(set_i) <= 2'd1);
  if (take_i) assume (rest_q == 2'd3);
  if (take_i && take_cell_i) assume (take_own_i ? own_any_o : shared_any_o);
  if (take_i && !take_cell_i) assume (32'(buffers_now) < Places - Cells);
  if (give_i) assume (32'(give_place_i) < Places && cell_q[give_place_i]);
  if (give_i && !push_i) assume (32'(buffers_now) < Places - Cells);  // becomes a buffer
  if (push_i && !give_i) assume (32'(give_place_i) < Places && buffer_q[give_place_i]);
  if (release_valid_i && release_ready_o) begin
    assume (ready && 32'(release_place_i) < Places && buffer_q[release_place_i]);
  end
  if (release_valid_i && push_i) assume (give_place_i != release_place_i);
  if (set_i) assume (own_now == '0 && set_cells_i <= UsedW'(Cells) && set_keep_i <= set_cells_i);
end

always_ff @(posedge clk_i) begin
  looked_q <= look_valid_i && started_q ? 3'b001 : {looked_q[1:0], looked_q[0]} |
              {looked_q[2], 2'b00};
  rest_q <= frees || !ready ? '0 : rest_q == 2'd3 ? 2'd3 : rest_q + 1'b1;
  if (take_i) begin
    cell_q[place_o] <= take_cell_i;
    buffer_q[place_o] <= !take_cell_i;
    its_own_q[place_o] <= take_own_i;
  end
  if (give_i) cell_q[give_place_i] <= 1'b0;
  if (give_i && !push_i) buffer_q[give_place_i] <= 1'b1;
  if (push_i && !give_i) buffer_q[give_place_i] <= 1'b0;
  if (release_valid_i && release_ready_o) buffer_q[release_place_i] <= 1'b0;
  if (set_i && set_given_o) reserved_q <= set_cells_i;
  if (!started_q) begin
    cell_q <= '0;
    buffer_q <= '0;
    reserved_q <= '0;
  end
end

always_comb begin
  if (started_q && ready) begin
    assert (32'(ring_used_q) + 32'(next_valid_q) + 32'(own_now) + 32'(shared_now) +
            32'(buffers_now) + 32'(held_q) == Places);
    if (take_i) begin
      assert (next_valid_q && 32'(place_o) < Places && !cell_q[place_o] && !buffer_q[place_o]);
    end
    assert (32'(shared_q) + 32'(reserved_q) + 32'(shared_now) == Cells);
    assert (32'(used_q[0]) == 32'(own_now));
    if (looked_q[2]) begin
      assert (own_any_o == (32'(own_now) < 32'(reserved_q)));
      assert (own_room_o == (32'(reserved_q) - 32'(own_now) > 32'(keep_q)));
    end
    cover (take_i && place_o == which && take_own_i && take_cell_i && own_now != '0);
    cover (give_i && !push_i && give_place_i == which && its_own_q[which]);
    cover (own_any_o && !own_room_o && looked_q[2]);
  end
end
