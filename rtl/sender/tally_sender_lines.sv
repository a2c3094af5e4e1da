// SPDX-License-Identifier: BSD-2-Clause
// Inline data, and entries of lists but the first ones, of the requests that were taken in: a pool
// of lines, each with room for those of a request. docs/rtl-sender.md has the neighbours.
//
// begin_i, data_*, entry_*: what tally_wqe finds in an entry of a send queue, before it knows
// whether the request is good. gather_o, result_o: the first entry of each list, for the row.
// keep_*: the request has been taken in, in this entry of the table, so its line stays until
// free_* says that it has retired. Both are always taken. The next begin is two clocks after a
// keep at least, and the next free one two clocks after a free one.
//
// sge_*: an entry of a list, but not the first, is answered by sgot_*, before the next one is
// taken.
// read_*: inline data, read_words_i words from word read_first_i on, which come at word_*, in each
// clock from the first one on, unless word_ready_i is low.
//
// If no line is free when the first of them comes, the request has none. Then far_* passes on what
// is wanted of it, and what its user answers (far_sgot_*, far_word_*) is the answer.
//
// Time: an entry of a list comes three clocks after it was wanted, and so does the first word of
// inline data, if nobody else needs the number of a line. The block needs no time after a reset.
module tally_sender_lines #(
  parameter int unsigned Lines = 384,
  parameter int unsigned Entries = tally_pkg::MaxRequests,
  localparam int unsigned LineW = $clog2(Lines),
  localparam int unsigned EntryW = $clog2(Entries),
  localparam int unsigned Words = tally_pkg::MaxInline / 64,
  localparam int unsigned WordW = $clog2(Words),
  localparam int unsigned IndexW = $clog2(tally_pkg::MaxSge)
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  output logic                    busy_o,

  input  logic                    begin_i,
  input  logic                    data_valid_i,
  input  logic [WordW-1:0]        data_index_i,
  input  logic [511:0]            data_i,
  input  logic                    entry_valid_i,
  input  logic                    entry_result_i,
  input  logic [IndexW-1:0]       entry_index_i,
  input  tally_local_pkg::entry_t entry_i,
  output tally_local_pkg::entry_t gather_o,
  output tally_local_pkg::entry_t result_o,
  input  logic                    keep_valid_i,
  input  logic [EntryW-1:0]       keep_entry_i,
  input  logic                    free_valid_i,
  input  logic [EntryW-1:0]       free_entry_i,

  input  logic                    sge_valid_i,
  output logic                    sge_ready_o,
  input  logic                    sge_result_i,
  input  logic [EntryW-1:0]       sge_entry_i,
  input  logic [IndexW-1:0]       sge_index_i,
  output logic                    sgot_valid_o,
  output tally_local_pkg::entry_t sgot_o,
  input  logic                    read_valid_i,
  output logic                    read_ready_o,
  input  logic [EntryW-1:0]       read_entry_i,
  input  logic [WordW:0]          read_first_i,
  input  logic [WordW+1:0]        read_words_i,
  output logic                    word_valid_o,
  input  logic                    word_ready_i,
  output logic [511:0]            word_o,

  output logic                    far_sge_valid_o,
  input  logic                    far_sge_ready_i,
  output logic                    far_sge_result_o,
  output logic [EntryW-1:0]       far_sge_entry_o,
  output logic [IndexW-1:0]       far_sge_index_o,
  input  logic                    far_sgot_valid_i,
  input  tally_local_pkg::entry_t far_sgot_i,
  output logic                    far_read_valid_o,
  input  logic                    far_read_ready_i,
  output logic [EntryW-1:0]       far_read_entry_o,
  output logic [WordW:0]          far_read_first_o,
  output logic [WordW+1:0]        far_read_words_o,
  input  logic                    far_word_valid_i,
  output logic                    far_word_ready_o,
  input  logic [511:0]            far_word_i
);
  localparam int unsigned ListW = 96;

  // ---- Free lines: those that came back, and those that have not been used since the reset ----
  logic [LineW:0] fresh_q;
  logic [LineW-1:0] back, spare_q, freed;
  logic [$clog2(Lines+1)-1:0] unused_count;
  logic has_back, has_fresh, has_spare_q, takes_back, takes_fresh, frees, unused_room;

  assign has_fresh = fresh_q != (LineW + 1)'(Lines);
  assign takes_back = !has_spare_q && has_back;
  assign takes_fresh = !has_spare_q && !has_back && has_fresh;
  tally_fifo #(.Width(LineW), .Depth(Lines)) u_free (
    .clk_i, .rst_ni, .in_valid_i(frees), .in_ready_o(unused_room), .in_i(freed),
    .out_valid_o(has_back), .out_ready_i(takes_back), .out_o(back), .used_o(unused_count)
  );

  // ---- The line of the entry that is being parsed ----
  logic piece, used_q, missed_q, writes, keeps_line;
  tally_local_pkg::entry_t gather_q, result_q;

  assign piece = data_valid_i || (entry_valid_i && entry_index_i != '0);
  assign writes = piece && has_spare_q && !missed_q;
  assign keeps_line = keep_valid_i && used_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      fresh_q <= '0;
      has_spare_q <= 1'b0;
      used_q <= 1'b0;
      missed_q <= 1'b0;
    end else begin
      if (takes_fresh) fresh_q <= fresh_q + 1'b1;
      has_spare_q <= (has_spare_q && !keeps_line) || takes_back || takes_fresh;
      used_q <= (used_q || writes) && !begin_i && !keep_valid_i;
      missed_q <= (missed_q || (piece && !has_spare_q)) && !begin_i && !keep_valid_i;
    end
  end
  always_ff @(posedge clk_i) begin
    if (takes_back) spare_q <= back;
    else if (takes_fresh) spare_q <= fresh_q[LineW-1:0];
    if (entry_valid_i && entry_index_i == '0 && !entry_result_i) gather_q <= entry_i;
    if (entry_valid_i && entry_index_i == '0 && entry_result_i) result_q <= entry_i;
  end
  assign gather_o = gather_q;
  assign result_o = result_q;

  // ---- Lines of entries: one is looked up in each clock ----
  logic [LineW:0] map_mem_q [Entries];
  logic [LineW:0] map_q;
  logic [EntryW-1:0] map_at, free_q;
  logic free_waits_q, free_looks_q, has_line;

  assign has_line = map_q[LineW];
  always_comb begin
    map_at = read_entry_i;
    if (free_waits_q) map_at = free_q;
    else if (sge_valid_i && sge_ready_o) map_at = sge_entry_i;
  end
  assign frees = free_looks_q && has_line;
  assign freed = map_q[LineW-1:0];
  always_ff @(posedge clk_i) begin
    map_q <= map_mem_q[map_at];
    if (keep_valid_i) map_mem_q[keep_entry_i] <= {used_q, spare_q};
    if (free_valid_i) free_q <= free_entry_i;
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      free_waits_q <= 1'b0;
      free_looks_q <= 1'b0;
    end else begin
      free_waits_q <= free_valid_i;
      free_looks_q <= free_waits_q;
    end
  end

  // ---- Entries of lists ----
  typedef enum logic [2:0] {
    ListIdle,
    ListLine,  // the number of its line is there
    ListRead,  // the entry is
    ListFar,
    ListWait   // the far one answers
  } list_e;
  list_e list_q, list_d;
  logic [ListW-1:0] list_mem_q [Lines * 2 * tally_pkg::MaxSge];
  logic [ListW-1:0] list_read_q;
  logic [EntryW-1:0] sge_entry_q;
  logic [IndexW-1:0] sge_index_q;
  logic sge_result_q;

  always_comb begin
    list_d = list_q;
    unique case (list_q)
      ListIdle: if (sge_valid_i && sge_ready_o) list_d = ListLine;
      ListLine: list_d = has_line ? ListRead : ListFar;
      ListRead: list_d = ListIdle;
      ListFar: if (far_sge_ready_i) list_d = ListWait;
      default: if (far_sgot_valid_i) list_d = ListIdle;  // ListWait
    endcase
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) list_q <= ListIdle;
    else list_q <= list_d;
  end
  always_ff @(posedge clk_i) begin
    if (list_q == ListIdle) begin
      sge_entry_q <= sge_entry_i;
      sge_index_q <= sge_index_i;
      sge_result_q <= sge_result_i;
    end
    list_read_q <= list_mem_q[{map_q[LineW-1:0], sge_result_q, sge_index_q}];
    if (writes && entry_valid_i) list_mem_q[{spare_q, entry_result_i, entry_index_i}] <= entry_i;
  end
  assign sge_ready_o = list_q == ListIdle && !free_waits_q;
  assign far_sge_valid_o = list_q == ListFar;
  assign far_sge_result_o = sge_result_q;
  assign far_sge_entry_o = sge_entry_q;
  assign far_sge_index_o = sge_index_q;
  assign sgot_valid_o = list_q == ListRead || (list_q == ListWait && far_sgot_valid_i);
  assign sgot_o = list_q == ListRead ? list_read_q : far_sgot_i;

  // ---- Inline data ----
  typedef enum logic [2:0] {
    ReadIdle,
    ReadLine,   // the number of its line is there, and its first word is read
    ReadWords,
    ReadFar,
    ReadPass    // words of the far one
  } read_e;
  read_e read_q, read_d;
  logic [511:0] data_mem_q [Lines * Words];
  logic [511:0] data_q;
  logic [LineW-1:0] line_q, line;
  logic [EntryW-1:0] read_entry_q;
  logic [WordW:0] first_q;
  logic [WordW+1:0] left_q;
  logic [WordW-1:0] at_q, data_at;
  logic moves, ends;

  assign moves = word_valid_o && word_ready_i;
  assign ends = moves && left_q == (WordW + 2)'(1);
  always_comb begin
    read_d = read_q;
    unique case (read_q)
      ReadIdle: if (read_valid_i && read_ready_o) read_d = ReadLine;
      ReadLine: read_d = has_line ? ReadWords : ReadFar;
      ReadFar: if (far_read_ready_i) read_d = ReadPass;
      default: if (ends) read_d = ReadIdle;  // ReadWords, ReadPass
    endcase
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) read_q <= ReadIdle;
    else read_q <= read_d;
  end
  assign data_at = at_q + WordW'(moves);
  assign line = read_q == ReadLine ? map_q[LineW-1:0] : line_q;
  always_ff @(posedge clk_i) begin
    if (read_q == ReadIdle) begin
      read_entry_q <= read_entry_i;
      first_q <= read_first_i;
      left_q <= read_words_i;
      at_q <= read_first_i[WordW-1:0];
    end else begin
      left_q <= left_q - (WordW + 2)'(moves);
      at_q <= data_at;
    end
    line_q <= line;
    data_q <= data_mem_q[{line, data_at}];
    if (writes && data_valid_i) data_mem_q[{spare_q, data_index_i}] <= data_i;
  end
  assign read_ready_o = read_q == ReadIdle && !free_waits_q && !(sge_valid_i && sge_ready_o);
  assign far_read_valid_o = read_q == ReadFar;
  assign far_read_entry_o = read_entry_q;
  assign far_read_first_o = first_q;
  assign far_read_words_o = left_q;
  assign far_word_ready_o = read_q == ReadPass && word_ready_i;
  assign word_valid_o = read_q == ReadWords || (read_q == ReadPass && far_word_valid_i);
  assign word_o = read_q == ReadWords ? data_q : far_word_i;

  assign busy_o = list_q != ListIdle || read_q != ReadIdle || free_waits_q || free_looks_q ||
                  takes_back || takes_fresh;
  logic unused;
  assign unused = ^{unused_room, unused_count};
endmodule
