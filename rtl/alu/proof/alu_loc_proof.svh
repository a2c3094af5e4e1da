// SPDX-License-Identifier: BSD-2-Clause
// The pairs are chosen as plain comparison chooses them, for each integer type and each place of
// the first lane. For all types, the bytes other than value and index are zero. A result depends on
// the last Latency clocks only, so a longer bound is no restriction.
`include "tally_proof.svh"

(* anyconst *) logic [7:0] followed_type;
(* anyconst *) logic followed_max;
(* anyconst *) logic [WordW-1:0] followed_a, followed_b;
(* anyconst *) logic place;    // half of the first lane that holds a short pair
logic [Latency-1:0] seen_q = '0;
logic [Latency-1:0] entered_q = '0;
logic wide, is_int;
logic [63:0] a_value, b_value, got_value, kept;
logic [31:0] a_index, b_index, got_index;
logic [127:0] got;
logic less, more, take;

// Returns the value of a pair as a number for unsigned comparison. The sign bit of each type moves
// to that of int64.
function automatic logic [63:0] widened(input logic [7:0] code, input logic [63:0] x);
  case (code)
    tally_pkg::TypeInt8: widened = {!x[7], {56{x[7]}}, x[6:0]};
    tally_pkg::TypeInt16: widened = {!x[15], {48{x[15]}}, x[14:0]};
    tally_pkg::TypeInt32: widened = {!x[31], {32{x[31]}}, x[30:0]};
    tally_pkg::TypeInt64: widened = {!x[63], x[62:0]};
    default: widened = x;
  endcase
endfunction

always_comb begin
  wide = followed_type[3:0] == 4'd3;
  is_int = followed_type[7:4] == 4'(tally_pkg::TypeClassInt) ||
           followed_type[7:4] == 4'(tally_pkg::TypeClassUint);
  kept = 64'hffff_ffff_ffff_ffff >> (64 - (8 << followed_type[1:0]));
  assume (followed_type[3:0] < 4'd4);
  got = result_o[127:0];
  if (wide) begin
    {a_index, a_value} = followed_a[95:0];
    {b_index, b_value} = followed_b[95:0];
    {got_index, got_value} = got[95:0];
  end else begin
    {a_index, a_value} = {followed_a[64*place+32+:32], 32'b0, followed_a[64*place+:32]};
    {b_index, b_value} = {followed_b[64*place+32+:32], 32'b0, followed_b[64*place+:32]};
    {got_index, got_value} = {got[64*place+32+:32], 32'b0, got[64*place+:32]};
  end
  less = widened(followed_type, b_value & kept) < widened(followed_type, a_value & kept);
  more = widened(followed_type, b_value & kept) > widened(followed_type, a_value & kept);
  take = (followed_max ? more : less) || (!less && !more && $signed(b_index) < $signed(a_index));
end

always_ff @(posedge clk_i) begin
  seen_q <= {seen_q[Latency-2:0], started_q && valid_i && type_i == followed_type &&
             a_i == followed_a
             && b_i == followed_b && op_i == (followed_max ? tally_pkg::OpMaxloc :
                                              tally_pkg::OpMinloc)};
  entered_q <= {entered_q[Latency-2:0], started_q && valid_i};
end

always_comb begin
  if (started_q) begin
    assert (valid_o == entered_q[Latency-1]);
    if (seen_q[Latency-1]) begin
      if (is_int) assert (got_index == (take ? b_index : a_index));
      if (is_int) assert (got_value == ((take ? b_value : a_value) & kept));
      if (is_int) assert (flags_o == '0);
      assert ((got_value & ~kept) == '0);
      if (wide) assert (got[127:96] == '0);
    end
    cover (seen_q[Latency-1] && is_int && wide && take);
    cover (seen_q[Latency-1] && is_int && !wide && take && place);
  end
end
