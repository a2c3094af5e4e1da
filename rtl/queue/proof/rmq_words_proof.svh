// SPDX-License-Identifier: BSD-2-Clause
// The proof follows an arbitrary word of an arbitrary cell. The word leaves as it was last written, and not before it
// was written. The cell is given back once for each take. The proof assumes that the user stores into free cells, and
// takes stored messages with their length.
`include "tally_proof.svh"

(* anyconst *) logic [CellW-1:0] which;
(* anyconst *) logic [IndexW-1:0] at;
(* anyseq *) logic forgotten;  // the user forgets the cell, as in a flush
always_comb begin
  assume (32'(which) < Cells && 32'(store_cell_i) < Cells && 32'(take_cell_i) < Cells && 32'(at) < Words);
  assume (32'(store_len_i) <= Words * Bytes && 32'(take_len_i) <= Words * Bytes);
  assume (!store_valid_i || !full_o);
end

// Place of the cell's message, and progress of its words.
typedef enum logic [1:0] {Free, Stored, TakenAway} place_e;
typedef enum logic [1:0] {None, Waits, Comes, Complete} words_e;
place_e place_q = Free;
words_e words_q = None;
logic [LenW-1:0] len_q;
logic [WordsW-1:0] number;
logic [HeaderW-1:0] its_header_q;
logic written_q;
logic [DataW-1:0] word_q;
logic store, take, give, write;
assign number = words_of(len_q);
assign store = store_valid_i && store_cell_i == which;
assign take = take_valid_i && take_ready_o && take_cell_i == which;
assign give = give_valid_o && give_cell_o == which;
assign write = data_valid_i && data_ready_o && data_cell_q == which && data_index_q == at;
always_comb begin
  if (store) assume (place_q == Free);
  if (take_valid_i && take_cell_i == which) assume (place_q == Stored && take_len_i == len_q && !forgotten);
end

always_ff @(posedge clk_i) begin
  if (!started_q) begin
    place_q <= Free;
    words_q <= None;
  end else begin
    if (store) place_q <= Stored;
    if (take) place_q <= TakenAway;
    if (give || (place_q == Stored && forgotten)) place_q <= Free;

    if (words_q == Waits && data_done) words_q <= Comes;
    if (words_q == Comes && data_done) words_q <= Complete;
    if (store) begin
      if (new_words == '0) words_q <= Complete;
      else words_q <= !data_busy_q || data_done ? Comes : Waits;
    end
  end
  if (store) begin
    len_q <= store_len_i;
    its_header_q <= store_header_i;
    written_q <= 1'b0;
  end else if (write && words_q == Comes) begin
    written_q <= 1'b1;
    word_q <= data_i;
  end
end

always_comb begin
  if (started_q) begin
    assert (!pend_q || data_busy_q);
    if (data_busy_q) assert (WordsW'(data_index_q) < data_words_q && data_words_q <= WordsW'(Words));
    if (words_q == Waits) assert (pend_q && pend_cell_q == which && pend_words_q == number && !written_q);
    if (words_q == Comes) assert (data_busy_q && data_cell_q == which && data_words_q == number);
    if (words_q == Comes) assert (written_q == (data_index_q > at) && !(pend_q && pend_cell_q == which && place_q != Free));
    if (words_q == Complete && place_q != Free) assert (WordsW'(at) >= number || written_q);
    if (words_q != None && written_q) assert (payload_q[{which, at}] == word_q);
    if (place_q != Free) assert (words_q != None && header_q[which] == its_header_q);

    if (give) assert (place_q == TakenAway);
    assert (!hold_i || !fetch);
    if (fetch && taken_cell == which && words_of(taken_len) != '0) assert (words_q == Complete);
    if (taken_valid && taken_cell == which) assert (place_q == TakenAway && taken_len == len_q);
    cover (give && number == WordsW'(Words) && written_q);
    cover (place_q == TakenAway && words_q == Waits);
    cover (store && data_busy_q && data_cell_q == which);  // forgotten while its words arrived
  end
end

// Words of the cell that leave.
logic coming_q = 1'b0, headed_q = 1'b0;
logic [DataW-1:0] then_q;
logic [HeaderW-1:0] header_then_q;
always_ff @(posedge clk_i) begin
  headed_q <= started_q && fetch && taken_cell == which;
  coming_q <= started_q && fetch && taken_cell == which && out_index_q == at && WordsW'(at) < number;
  then_q <= word_q;
  header_then_q <= its_header_q;
end
always_comb begin
  if (started_q && fetch && taken_cell == which && out_index_q == at && WordsW'(at) < number) assert (written_q);
  if (started_q && coming_q) assert (out_valid_o && out_data_o == then_q);
  if (started_q && headed_q) assert (out_valid_o && out_header_o == header_then_q);
end

// Valid-ready rules at the output.
logic offered_q = 1'b0;
logic [DataW+HeaderW+LenW+NoteW+1:0] offer_q;
always_ff @(posedge clk_i) begin
  offered_q <= started_q && out_valid_o && !out_ready_i;
  offer_q <= {out_data_o, out_header_o, out_len_o, out_note_o, out_last_o, out_end_o};
end
always_comb
  if (offered_q) assert (out_valid_o && {out_data_o, out_header_o, out_len_o, out_note_o, out_last_o, out_end_o} == offer_q);
