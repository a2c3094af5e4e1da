// SPDX-License-Identifier: BSD-2-Clause
// Words of the receive message queue: Cells cells with a header and Words words each. The user chooses the cell of each
// message, and the messages that are taken.
//
//   store  Assigns a cell to a message and writes the header. The words follow in the order of the stores, one per clock:
//          data_ready_o is high from the next clock on. While full_o is high, the words of a second message have not
//          begun, and no message may be stored. full_o does not depend on other signals of the same clock.
//   take   Sends the cell's message, after those taken before. take_ready_o is low while Taken messages wait.
//   out    The words of the message, one per clock, from the clock after the take on. An empty message has one word
//          of undefined content. A message is not begun until all its words are in. While hold_i is high, no word
//          is read.
//   give   The last word is read in this clock, and the cell may be stored into again.
//
// The user may also forget a cell that it has not taken, even while its words arrive, and store into it again. The note
// and the owner of a take come back with the message and with the give, respectively.
module tally_rmq_words #(
  parameter int unsigned Cells = tally_pkg::RmqCells,
  parameter int unsigned Words = tally_pkg::MaxMtu / 64,
  parameter int unsigned Taken = 128,
  parameter int unsigned HeaderW = 73,
  parameter int unsigned NoteW = 7,
  parameter int unsigned OwnerW = 7,
  parameter int unsigned DataW = 512,
  localparam int unsigned Bytes = DataW / 8,
  localparam int unsigned CellW = Cells > 1 ? $clog2(Cells) : 1,
  localparam int unsigned LenW = $clog2(Words * Bytes + 1)
) (
  input  logic               clk_i,
  input  logic               rst_ni,

  input  logic               store_valid_i,
  input  logic [CellW-1:0]   store_cell_i,
  input  logic [LenW-1:0]    store_len_i,
  input  logic [HeaderW-1:0] store_header_i,
  output logic               full_o,

  input  logic               data_valid_i,
  output logic               data_ready_o,
  input  logic [DataW-1:0]   data_i,

  input  logic               take_valid_i,
  output logic               take_ready_o,
  input  logic [CellW-1:0]   take_cell_i,
  input  logic               take_end_i,
  input  logic [LenW-1:0]    take_len_i,
  input  logic [NoteW-1:0]   take_note_i,
  input  logic [OwnerW-1:0]  take_owner_i,

  input  logic               hold_i,
  output logic               out_valid_o,
  input  logic               out_ready_i,
  output logic [DataW-1:0]   out_data_o,
  output logic               out_last_o,  // last word of the message
  output logic               out_end_o,   // take_end_i of the message
  output logic [NoteW-1:0]   out_note_o,
  output logic [LenW-1:0]    out_len_o,
  output logic [HeaderW-1:0] out_header_o,

  output logic               give_valid_o,
  output logic [CellW-1:0]   give_cell_o,
  output logic [OwnerW-1:0]  give_owner_o
);
  localparam int unsigned IndexW = Words > 1 ? $clog2(Words) : 1;
  localparam int unsigned WordsW = $clog2(Words + 1);
  localparam int unsigned EntryW = CellW + 1 + LenW + NoteW + OwnerW;

  logic [HeaderW-1:0] header_q [Cells];
  logic [DataW-1:0] payload_q [Cells << IndexW];

  function automatic logic [WordsW-1:0] words_of(logic [LenW-1:0] len);
    words_of = WordsW'((len + LenW'(Bytes - 1)) >> $clog2(Bytes));
  endfunction

  // ---- In: the message whose words arrive, and the next one ----
  logic data_busy_q, data_done, data_begins, pend_q;
  logic [CellW-1:0] data_cell_q, pend_cell_q;
  logic [IndexW-1:0] data_index_q;
  logic [WordsW-1:0] data_words_q, pend_words_q, new_words;
  assign full_o = pend_q;
  assign new_words = words_of(store_len_i);
  assign data_ready_o = data_busy_q;
  assign data_done = data_valid_i && data_busy_q && WordsW'(data_index_q) + 1'b1 == data_words_q;
  assign data_begins = store_valid_i && new_words != '0;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      data_busy_q <= 1'b0;
      pend_q <= 1'b0;
    end else if (!data_busy_q || data_done) begin
      data_busy_q <= pend_q || data_begins;
      pend_q <= 1'b0;
    end else if (data_begins) begin
      pend_q <= 1'b1;
    end
  end
  always_ff @(posedge clk_i) begin
    if (data_begins) begin
      pend_cell_q <= store_cell_i;
      pend_words_q <= new_words;
    end
    if (!data_busy_q || data_done) begin
      data_cell_q <= pend_q ? pend_cell_q : store_cell_i;
      data_words_q <= pend_q ? pend_words_q : new_words;
      data_index_q <= '0;
    end else if (data_valid_i) begin
      data_index_q <= data_index_q + 1'b1;
    end
  end
  always_ff @(posedge clk_i) if (data_valid_i && data_busy_q) payload_q[{data_cell_q, data_index_q}] <= data_i;
  always_ff @(posedge clk_i) if (store_valid_i) header_q[store_cell_i] <= store_header_i;

  // ---- Out ----
  logic taken_valid, fetch, unread, out_valid_q, taken_end, last_word;
  logic [CellW-1:0] taken_cell;
  logic [LenW-1:0] taken_len;
  logic [NoteW-1:0] taken_note;
  logic [OwnerW-1:0] taken_owner;
  logic [IndexW-1:0] out_index_q;
  logic [$clog2(Taken + 1)-1:0] taken_used;
  tally_fifo #(.Width(EntryW), .Depth(Taken)) u_taken (
    .clk_i,
    .rst_ni,
    .in_valid_i(take_valid_i),
    .in_ready_o(take_ready_o),
    .in_i({take_cell_i, take_end_i, take_len_i, take_note_i, take_owner_i}),
    .out_valid_o(taken_valid),
    .out_ready_i(give_valid_o),
    .out_o({taken_cell, taken_end, taken_len, taken_note, taken_owner}),
    .used_o(taken_used)
  );
  assign unread = (data_busy_q && data_cell_q == taken_cell) || (pend_q && pend_cell_q == taken_cell);
  assign fetch = taken_valid && !unread && (!out_valid_q || out_ready_i) && !hold_i;
  assign last_word = WordsW'(out_index_q) + 1'b1 >= words_of(taken_len);
  assign give_valid_o = fetch && last_word;
  assign give_cell_o = taken_cell;
  assign give_owner_o = taken_owner;
  assign out_valid_o = out_valid_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      out_valid_q <= 1'b0;
      out_index_q <= '0;
    end else begin
      out_valid_q <= fetch || (out_valid_q && !out_ready_i);
      if (fetch) out_index_q <= last_word ? '0 : out_index_q + 1'b1;
    end
  end
  always_ff @(posedge clk_i) begin
    if (fetch) begin
      out_data_o <= payload_q[{taken_cell, out_index_q}];
      out_header_o <= header_q[taken_cell];
      out_last_o <= last_word;
      out_end_o <= taken_end;
      out_note_o <= taken_note;
      out_len_o <= taken_len;
    end
  end
  logic unused;
  assign unused = ^taken_used;  // valid and ready show empty and full

`ifdef FORMAL
  `include "rmq_words_proof.svh"
`endif
endmodule
