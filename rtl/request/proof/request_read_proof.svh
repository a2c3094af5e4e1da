// SPDX-License-Identifier: BSD-2-Clause
// The proof follows an arbitrary entry, of one or two words. Its words leave after it was fetched,
// one behind the other with none of another entry between them, and end once. A pushed entry has
// the words of its buffer, and no error; one in memory has as many words as it is long, or is one
// word with an error. When nothing is inside and memory owes nothing, the entry has left. Offers on
// the bus stay, unchanged, until they are taken.
`include "tally_proof.svh"

localparam int unsigned CountsW = 4;
(* anyconst *) logic [NameW-1:0] name_f;
(* anyconst *) logic [511:0] word_f;         // what the first word of its buffer is

logic fetches, begins, pushes, leaves, mine;
logic [NameW-1:0] fetch_name, out_name;
assign fetch_name = {fetch_qp_i, fetch_index_i};
assign out_name = {out_qp_o, out_index_o};
assign fetches = fetch_valid_i && fetch_ready_o;
assign begins = fetches && fetch_name == name_f;
assign pushes = take_valid_o && take_ready_i;
assign leaves = out_valid_o && out_ready_i;
assign mine = out_name == name_f;

// ---- The entry ----
logic inside_q, pushed_q, open_f_q;
logic [CountsW-1:0] length_q, words_q;
logic [NameW-1:0] open_name_q;
always_ff @(posedge clk_i) begin
  if (!started_q) begin
    inside_q <= 1'b0;
    open_f_q <= 1'b0;
  end else begin
    if (begins) inside_q <= 1'b1;
    else if (leaves && mine && out_last_o) inside_q <= 1'b0;
    if (leaves) open_f_q <= !out_last_o;
  end
  if (begins) begin
    pushed_q <= fetch_pushed_i;
    length_q <= CountsW'(fetch_length_i >> 6);
    words_q <= '0;
  end else if (leaves && mine) begin
    words_q <= words_q + 1'b1;
  end
  if (leaves) open_name_q <= out_name;
end

// ---- tally_fetch, and tally_push with buffers of two words ----
logic fetch_waits_q = 1'b0, word_waits_q = 1'b0;
logic [NameW+1+BufferW+RingW+AddrW+LengthW-1:0] fetch_q, fetch_now;
logic [512:0] word_was_q;
logic reading_q, second_q, reads_mine_q;     // a buffer is read; its second word is due
assign fetch_now = {fetch_name, fetch_pushed_i, fetch_buffer_i, fetch_ring_i, fetch_addr_i,
    fetch_length_i};
always_ff @(posedge clk_i) begin
  fetch_waits_q <= started_q && fetch_valid_i && !fetch_ready_o;
  fetch_q <= fetch_now;
  word_waits_q <= started_q && word_valid_i && !word_ready_o;
  word_was_q <= {word_i, word_last_i};
  if (!started_q) begin
    reading_q <= 1'b0;
    second_q <= 1'b0;
  end else begin
    if (pushes) reading_q <= 1'b1;
    else if (word_valid_i && word_ready_o && word_last_i) reading_q <= 1'b0;
    if (word_valid_i && word_ready_o) second_q <= !word_last_i;
  end
  if (pushes) reads_mine_q <= begins;
end

// ---- Memory: words of each burst that are due ----
logic ar, r;
logic [Slots-1:0][CountsW-1:0] due_q;
logic ar_waits_q = 1'b0;
logic [SlotW+AddrW+7:0] ar_was_q;
assign ar = arvalid_o && arready_i;
assign r = rvalid_i && rready_o;
always_ff @(posedge clk_i) begin
  for (int unsigned i = 0; i < Slots; i++) begin
    if (!started_q) due_q[i] <= '0;
    else if (ar && arid_o == SlotW'(i)) due_q[i] <= CountsW'(arlen_o) + 1'b1;
    else if (r && rid_i == SlotW'(i)) due_q[i] <= due_q[i] - 1'b1;
  end
  ar_waits_q <= started_q && arvalid_o && !arready_i;
  ar_was_q <= {arid_o, araddr_o, arlen_o};
end

always_comb begin
  if (started_q) begin
    assume (!fetch_valid_i || !inside_q || fetch_name != name_f);
    assume (fetch_length_i == LengthW'(64) || fetch_length_i == LengthW'(128));
    assume ((fetch_addr_i & (AddrW'(fetch_length_i) - 1'b1)) == '0);
    if (fetch_waits_q) assume (fetch_valid_i && fetch_now == fetch_q);
    assume (!take_ready_i || !reading_q || (word_valid_i && word_last_i));
    assume (!word_valid_i || (reading_q && (!second_q || word_last_i)));
    if (word_valid_i && reads_mine_q && !second_q) assume (word_i == word_f);
    if (word_waits_q) assume (word_valid_i && {word_i, word_last_i} == word_was_q);
    assume (!rvalid_i || due_q[rid_i] != '0);
  end
end

always_comb begin
  if (started_q) begin
    assert (!rvalid_i || rready_o);
    if (pushes) assert (fetches && fetch_pushed_i && take_buffer_o == fetch_buffer_i);
    if (out_valid_o && mine) begin
      assert (inside_q);
      if (pushed_q) assert (!out_error_o && (words_q != '0 || out_data_o == word_f));
      if (!pushed_q && out_last_o && !out_error_o) assert (words_q + 1'b1 == length_q);
      if (!pushed_q && !out_last_o) assert (words_q + 1'b1 < length_q);
    end
    if (out_valid_o && open_f_q) assert (out_name == open_name_q);
    if (!busy_o && due_q == '0 && !begins) assert (!inside_q);
    cover (leaves && mine && out_last_o && pushed_q && words_q == CountsW'(1));
    cover (leaves && mine && out_last_o && !pushed_q && !out_error_o && words_q == CountsW'(1));
    cover (leaves && mine && out_last_o && !pushed_q && out_error_o);
  end
  if (ar_waits_q) assert (arvalid_o && {arid_o, araddr_o, arlen_o} == ar_was_q);
end
