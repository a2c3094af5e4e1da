// SPDX-License-Identifier: BSD-2-Clause
// An arbitrary byte that is wanted leaves at its place; all wanted words leave, without a pause,
// and all words of the line that were asked for are taken. Lines are of four words.
`include "tally_proof.svh"

(* anyconst *) logic [3:0] place;   // of the byte, in the line
(* anyconst *) logic [7:0] value;
logic [4:0] in_at_q = '0, out_at_q = '0;  // words that have come, and that have left
logic asked_q = 1'b0, leaves_q = 1'b0, came_q = 1'b0, gone_q = 1'b0;
logic [12:0] behind;   // place behind the byte's distance from the first one
logic is_wanted, line_taken, out_taken, ends;

assign line_taken = line_valid_i && line_ready_o;
assign behind = 13'(place) - from_q;
assign is_wanted = 13'(place) >= from_q && behind < len_q;
assign out_taken = inl_valid_o && inl_ready_i;
assign ends = leaves_last;
always_ff @(posedge clk_i) begin
  if (started_q) begin
    if (line_taken) begin
      in_at_q <= '0;
      out_at_q <= '0;
      gone_q <= 1'b0;
    end else begin
      in_at_q <= in_at_q + 5'(takes);
      out_at_q <= out_at_q + 5'(out_taken);
      if (out_taken && 13'(out_at_q) == behind >> LaneW) gone_q <= 1'b1;
    end
    asked_q <= (asked_q && !line_taken) || (read_valid_o && read_ready_i);
    leaves_q <= (leaves_q || out_taken) && !ends && !line_taken;
    came_q <= word_valid_i && in_at_q + 5'(takes) < 5'(ins);
  end
end

always_comb begin
  // All bytes lie in the line.
  if (line_valid_i) begin
    assume (line_len_i != '0 && line_len_i <= 13'd16 && line_from_i < 13'd16);
    assume (line_from_i + line_len_i <= 13'd16);
  end
  if (started_q) begin
    assume (!word_valid_i || (asked_q && in_at_q < 5'(ins)));
    if (came_q) assume (word_valid_i);
    if (word_valid_i && 13'(in_at_q) + 13'(read_first_o) == 13'(place) >> LaneW) begin
      assume (word_i[8 * (32'(place) % WordBytes) +: 8] == value);
    end
    if (inl_valid_o && is_wanted && 13'(out_at_q) == behind >> LaneW) begin
      assert (inl_data_o[8 * (32'(behind) % WordBytes) +: 8] == value);
    end
    if (leaves_q && state_q == StWords) assert (inl_valid_o);
    if (line_ready_o) assert (!inl_valid_o && ins_left_q == '0);
    if (ends) assert (in_at_q == 5'(ins));
    if (ends && is_wanted) assert (gone_q || 13'(out_at_q) == behind >> LaneW);
    cover (ends && outs == 3'd4);
    cover (ends && is_wanted && lane != '0 && ins > outs);
  end
end
