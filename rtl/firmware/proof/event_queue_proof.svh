// SPDX-License-Identifier: BSD-2-Clause
// An arbitrary row stays in the queue from when it enters until it leaves, or its context is
// dropped, and each row before it leaves first. Of an arbitrary context as many rows are inside as
// entered and did not leave since it was dropped, so none is doubled or made up.
`include "tally_proof.svh"

(* anyconst *) logic [Width-1:0] followed;
(* anyconst *) logic [ContextW-1:0] counted;
(* anyseq *) logic pick;
logic inside_q, moved_q;      // the row is inside; the drop under way has looked at it
logic [PtrW-1:0] place_q;
logic [PtrW:0] count_q;       // rows of the counted context
logic held_drop_q;
logic [ContextW-1:0] drop_was_q;
logic enters, dropped;
assign enters = push && pick && in_i == followed;
assign dropped = drop_valid_i && drop_ready_o;

always_ff @(posedge clk_i) begin
  held_drop_q <= started_q && drop_valid_i && !drop_ready_o;
  drop_was_q <= drop_context_i;
  moved_q <= walks_q && (moved_q || (looks && at_q == place_q));
  if (!started_q) begin
    inside_q <= 1'b0;
    count_q <= '0;
  end else begin
    if (!inside_q && enters) begin
      inside_q <= 1'b1;
      place_q <= write_q;
    end else if (inside_q && ((pop && place_q == read_q) ||
                 (looks && !moved_q && at_q == place_q && !keeps))) begin
      inside_q <= 1'b0;
    end else if (looks && !moved_q && at_q == place_q) begin
      place_q <= write_q;
    end
    if (dropped && drop_context_i == counted) count_q <= '0;
    else count_q <= count_q + (PtrW + 1)'(push && in_i[Width-1-:ContextW] == counted) -
        (PtrW + 1)'(pop && row[Width-1-:ContextW] == counted);
  end
end

// Where rows are: those that the drop under way has kept, and those that it has not looked at.
logic [PtrW:0] kept, at_inside, at_left, of_counted;
logic [PtrW-1:0] from_read, from_at, place_read, place_at;
assign kept = (PtrW + 1)'(PtrW'(write_q - read_q));
always_comb begin
  of_counted = '0;
  for (int unsigned i = 0; i < Depth; i++) begin
    from_read = PtrW'(i) - read_q;
    from_at = PtrW'(i) - at_q;
    at_inside = (PtrW + 1)'(from_read);
    at_left = (PtrW + 1)'(from_at);
    if (rows_q[i][Width-1-:ContextW] == counted &&
        (!walks_q ? at_inside < used_q : at_left < left_q ||
         (used_q != left_q && at_inside < used_q - left_q))) begin
      of_counted = of_counted + 1'b1;
    end
  end
  place_read = place_q - read_q;
  place_at = place_q - at_q;
end

always_comb begin
  if (held_drop_q) assume (drop_valid_i && drop_context_i == drop_was_q);
  if (started_q) begin
    assert (32'(used_q) <= Depth);
    assert (out_valid_o == (used_q != '0 && !drop_valid_i));
    assert (in_lost_o == (32'(used_q) == Depth));
    if (walks_q) begin
      assert (held_drop_q && left_q <= used_q);
      assert (kept == used_q - left_q || (kept == '0 && 32'(used_q - left_q) == Depth));
    end else begin
      assert (PtrW'(used_q) == PtrW'(write_q - read_q));
    end
    if (inside_q) assert (rows_q[place_q] == followed);
    if (inside_q && !walks_q) assert ((PtrW + 1)'(place_read) < used_q);
    if (inside_q && walks_q && !moved_q) assert ((PtrW + 1)'(place_at) < left_q);
    if (inside_q && walks_q && moved_q) begin
      assert ((PtrW + 1)'(place_read) < used_q - left_q);
      assert (followed[Width-1-:ContextW] != drop_context_i);
    end
    if (inside_q && place_q == read_q && out_valid_o) assert (out_o == followed);
    if (!walks_q || drop_context_i != counted) assert (count_q == of_counted);
    if (out_valid_o && out_o[Width-1-:ContextW] == counted) assert (count_q != '0);
    if (dropped && inside_q) assert (followed[Width-1-:ContextW] != drop_context_i);
    cover (inside_q && 32'(used_q) == Depth && place_q == read_q && moved_q);
    cover (dropped && used_q == '0 && kept == '0 && at_q != read_q);
    cover (in_valid_i && in_ready_o && in_lost_o && pop);
  end
end
