// SPDX-License-Identifier: BSD-2-Clause
// The map, and all that is read of parts, is free. An answer that knows something of a chunk has
// found the same chunk in the map before and after all else, and in between nothing
// was read but places of its slot.
`include "tally_proof.svh"

logic outstanding_f, seen_f, same_f, strange_f;
logic [SlotW-1:0] slot_f;
logic [31:0] done_f;
logic reads_f, is_slot_f;
assign reads_f = seg_valid_o || hold_valid_o || header_valid_o;
assign is_slot_f = place_o[PartW+:SlotW] == slot_f;

always_comb begin
  if (peeked_valid_i) assume (outstanding_f);
end

always_ff @(posedge clk_i) begin
  if (!started_q || (read_valid_i && read_ready_o)) begin
    outstanding_f <= 1'b0;
    seen_f <= 1'b0;
    same_f <= 1'b0;
    strange_f <= 1'b0;
  end else begin
    if (peek_valid_o && peek_ready_i) outstanding_f <= 1'b1;
    else if (peeked_valid_i) outstanding_f <= 1'b0;
    if (reads_f && !is_slot_f) strange_f <= 1'b1;
    if (peeked_valid_i) begin
      seen_f <= peeked_ok_i;
      slot_f <= peeked_slot_i;
      done_f <= peeked_done_i;
      same_f <= seen_f && peeked_ok_i && peeked_slot_i == slot_f && peeked_done_i == done_f;
    end
  end
end

logic held_f;  // what is asked has been asked a clock before, and has not been taken
from_t asked_f;
logic [PlaceW-1:0] place_f;
always_ff @(posedge clk_i) begin
  held_f <= started_q && left != '0;
  asked_f <= left;
  place_f <= place_o;
end

always_comb begin
  if (started_q) begin
    if (look_valid_o && look_o.state != 8'(tally_pkg::SegFree)) begin
      assert (same_f && !strange_f);
      assert (look_o.done == done_f);
    end
    if (held_f) assert ((wants_q & asked_f) == asked_f && place_o == place_f);
    if (peek_valid_o) assert (!outstanding_f && wants_q == '0);
    if (look_o.state == 8'(tally_pkg::SegFinished)) assert (open_q);
    cover (look_valid_o && look_o.state == 8'(tally_pkg::SegBusy));
    cover (look_valid_o && look_o.state == 8'(tally_pkg::SegFree) && seen_f);
    cover (peeked_valid_i && checks_q && !same && tries_q != '1);
  end
end
