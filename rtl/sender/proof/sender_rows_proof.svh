// SPDX-License-Identifier: BSD-2-Clause
// Of an arbitrary bit of an arbitrary row: whoever reads it gets what was written last. Each read
// has one answer, for its reader, a clock later. The last reader never waits, and the others wait
// for at most one read of each other of them. A row is not written while it is being read, and who
// waits for a row keeps asking.
`include "tally_proof.svh"

(* anyconst *) logic [EntryW-1:0] followed;
(* anyconst *) logic [9:0] place;
(* anyconst *) logic [$clog2(Readers)-1:0] which;
logic bit_q, written_q = 1'b0, bit_new, bit_got;
logic reads_q = 1'b0;  // of the row, by `which`: taken in the last clock
logic taken_before_q = 1'b0;
logic [Readers-1:0] passed_q = '0;  // have been served since `which` began to wait
logic [Readers-1:0] waiting_q = '0;
logic writes, takes_read, waits;

assign bit_new = row_new[place];
assign bit_got = row_q[place];
assign writes = started_q && write_valid_i && write_entry_i == followed;
assign takes_read = row_valid_i[which] && row_ready_o[which];
assign waits = row_valid_i[which] && !row_ready_o[which];
always_ff @(posedge clk_i) begin
  if (writes) begin
    bit_q <= bit_new;
    written_q <= 1'b1;
  end
  reads_q <= started_q && takes_read && row_entry_i[which] == followed;
  taken_before_q <= started_q && takes_read;
  waiting_q <= started_q ? row_valid_i & ~row_ready_o : '0;
  passed_q <= started_q && waits ? passed_q | row_ready_o : '0;
end

always_comb begin
  assume (32'(place) < RowW);
  assume (32'(which) < Readers);
  assume ((waiting_q & ~row_valid_i) == '0);
  if (started_q) begin
    if (writes) assume (!reads_q && !(takes_read && row_entry_i[which] == followed));
    assert (got_valid_o[which] == taken_before_q);
    if (reads_q && written_q) assert (bit_got == bit_q);
    assert ((row_ready_o & ~row_valid_i) == '0);
    assert ((row_ready_o & (row_ready_o - 1'b1)) == '0);
    if (waits) assert (which != $clog2(Readers)'(Others));
    if (waits) assert ((passed_q[Others-1:0] & takes) == '0);
    cover (reads_q && written_q && bit_q);
    cover (waits && passed_q != '0);
  end
end
