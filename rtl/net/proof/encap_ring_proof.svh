// SPDX-License-Identifier: BSD-2-Clause
// A word of a final packet is not overwritten before it is read, and words leave in order. The
// proof follows the place of an arbitrary word of a packet from entry to exit.
`include "tally_proof.svh"

logic [AddrW:0] used, final_used;
assign used = write_q - read_q;
assign final_used = final_q - read_q;

// Guarantees of the user, which the proof of tally_encap establishes.
always_comb begin
  if (write_i) assume (room_o && !abort_i);
  if (read_i) assume (final_used != '0 && !(put_q && put_at_q == read_q[AddrW-1:0]));
end

(* anyconst *) logic [Width-1:0] followed;
(* anyseq *) logic pick;
logic inside_q = 1'b0;  // the word is in the ring
logic shown_q = 1'b0;   // the word was read in the last cycle
logic [AddrW:0] at_q;

always_ff @(posedge clk_i) begin
  shown_q <= started_q && inside_q && read_i && at_q == read_q;
  if (!inside_q) begin
    if (started_q && write_i && pick && wdata_i == followed) begin
      inside_q <= 1'b1;
      at_q <= write_q;
    end
  end else if ((read_i && at_q == read_q) || (abort_i && at_q - read_q >= final_used)) begin
    inside_q <= 1'b0;
  end
end

always_comb begin
  if (started_q) begin
    assert (used <= (AddrW + 1)'(Words));
    assert (final_used <= used);
    if (inside_q) assert (at_q - read_q < used);
    if (inside_q) begin
      if (put_q && put_at_q == at_q[AddrW-1:0]) assert (put_data_q == followed);
      else assert (mem_q[at_q[AddrW-1:0]] == followed);
    end
    if (shown_q) assert (rdata_o == followed);
    cover (inside_q && !room_o && read_i && at_q == read_q);
    cover (inside_q && abort_i && at_q - read_q >= final_used &&
           final_used == (AddrW + 1)'(Words - 2));
  end
end
