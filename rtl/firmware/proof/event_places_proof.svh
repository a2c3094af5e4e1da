// SPDX-License-Identifier: BSD-2-Clause
// An arbitrary event of an arbitrary object waits from when it is raised until it is taken or
// dropped, and is offered only then, with the row of the first time. While anything waits, the
// block needs clocks or offers something.
`include "tally_proof.svh"

(* anyconst *) logic [NumW-1:0] followed;
(* anyconst *) logic [KindW-1:0] kind;
logic waits_q, held_raise_q, held_drop_q, offers_q;
logic [Width-1:0] of_first_q, raise_row_was_q;
logic [NumW-1:0] raise_was_q, drop_was_q, number_was_q;
logic [KindW-1:0] raise_kind_was_q;
logic raised, taken, dropped, is_clear, leaves;
assign raised = raise_valid_i && raise_ready_o && raise_number_i == followed &&
                raise_kind_i == kind;
assign taken = out_valid_o && out_take_i && out_number_o == followed && out_kind_o == kind;
assign dropped = drop_valid_i && drop_ready_o && drop_number_i == followed;
assign leaves = take_q && number == followed && kind_q == kind;
assign is_clear = (NumW + 1)'(followed) < clear_q;

always_ff @(posedge clk_i) begin
  if (!started_q || taken || dropped) waits_q <= 1'b0;
  else if (raised) waits_q <= 1'b1;
  if (raised && !waits_q) of_first_q <= raise_row_i;
  held_raise_q <= started_q && raise_valid_i && !raise_ready_o;
  held_drop_q <= started_q && drop_valid_i && !drop_ready_o;
  offers_q <= started_q && out_valid_o && !out_take_i;
  {raise_was_q, raise_kind_was_q, raise_row_was_q} <= {raise_number_i, raise_kind_i, raise_row_i};
  drop_was_q <= drop_number_i;
  number_was_q <= out_number_o;
end

always_comb begin
  assume (32'(followed) < Num && 32'(kind) < Kinds);
  assume (32'(raise_number_i) < Num && 32'(drop_number_i) < Num && 32'(raise_kind_i) < Kinds);
  if (held_raise_q) begin
    assume (raise_valid_i && {raise_number_i, raise_kind_i, raise_row_i} ==
            {raise_was_q, raise_kind_was_q, raise_row_was_q});
  end
  if (held_drop_q) assume (drop_valid_i && drop_number_i == drop_was_q);
  if (started_q) begin
    assert (32'(clear_q) <= Num && (!clears || (!have_q && !take_q)));
    if (is_clear && !leaves) assert (bits_q[followed][kind] == waits_q);
    else assert (!waits_q);
    if (waits_q && kind == KindW'(RowKind)) assert (rows_q[followed] == of_first_q);
    if (out_valid_o && out_number_o == followed && out_kind_o == kind) begin
      assert (waits_q);
      if (kind == KindW'(RowKind)) assert (out_row_o == of_first_q);
    end
    if (out_valid_o && out_number_o == followed && waits_q) assert (out_kind_o <= kind);
    if (waits_q) assert (busy_o || out_valid_o);
    if (waits_q && kind == '0) assert (first_o);
    assert (32'(firsts_q) <= Num);
    if (offers_q && !out_valid_o) assert (number_was_q == number);
    assert (!(raise_ready_o && drop_valid_i));
    cover (taken && raise_valid_i);
    cover (waits_q && dropped && out_number_o == followed);
    cover (waits_q && raised);
  end
end
