// SPDX-License-Identifier: BSD-2-Clause
// Words of the receive message queue, and their way through the reduce ALU (combine() of
// sim/engine/sum.c). Places places have Words words each.
//
//   job    What happens to the words of a message (tally_queue_pkg::wd_kind_e): they are discarded,
//          they are the first of the place, or each is combined with the one in the place, which is
//          the left operand. The words follow in the order of the jobs, one per clock: data_ready_o
//          is high if one can be taken, whatever data_valid_i is. An empty message has none. Bytes
//          behind its end are zero in the memory and in the ALU.
//   token  The job WdToken reports, at done_*, that all words of the jobs before it are written,
//          with the events (TALLY_ERR_FP_*) of all words that were combined in its place since it
//          was filled. It cannot be stalled.
//   alu    takes a word in each clock and returns it AluLatency clocks later.
//   rd     reads a word of a place: rdata_valid_o two clocks later, in the order of the requests.
//   wr     writes a word of a place (an input of a reduction in a fixed shape, or its result).
//
// A word is written 2 + AluLatency clocks after it was taken. A word is not taken while an older
// word of the same place and number is on its way; so words that follow one another into the same
// word of a place have 3 + AluLatency clocks from one to the next. Two memories have the words in
// turn, so rd_ready_o is low only if a word for the ALU is read from the same memory in this clock,
// and wr_ready_o if a word is written to it. Neither depends on its valid. idle_o: no job waits,
// and no word is on its way.
module tally_rmq_words #(
  parameter int unsigned Places = tally_pkg::RmqCells + 256,
  parameter int unsigned Words = tally_pkg::MaxMtu / 64,
  parameter int unsigned Jobs = 4,
  parameter int unsigned AluLatency = 12,
  parameter int unsigned DataW = 512,
  localparam int unsigned Bytes = DataW / 8,
  localparam int unsigned PlaceW = Places > 1 ? $clog2(Places) : 1,
  localparam int unsigned IndexW = Words > 2 ? $clog2(Words) : 1,
  localparam int unsigned LenW = $clog2(Words * Bytes + 1),
  localparam int unsigned UsedW = $clog2(Jobs + 1),
  // the bits of an error vector below are the ALU's
  localparam int unsigned FlagsW = tally_pkg::ErrMismatchBit
) (
  input  logic              clk_i,
  input  logic              rst_ni,

  input  logic              job_valid_i,
  output logic              job_ready_o,
  output logic [UsedW-1:0]  jobs_o,       // that wait
  input  logic [1:0]        job_kind_i,   // tally_queue_pkg::wd_kind_e
  input  logic [PlaceW-1:0] job_place_i,
  input  logic [LenW-1:0]   job_len_i,    // bytes
  input  logic [7:0]        job_op_i,
  input  logic [7:0]        job_dtype_i,

  input  logic              data_valid_i,
  output logic              data_ready_o,
  input  logic [DataW-1:0]  data_i,

  output logic              alu_valid_o,
  output logic [7:0]        alu_op_o,
  output logic [7:0]        alu_dtype_o,
  output logic [DataW-1:0]  alu_a_o,
  output logic [DataW-1:0]  alu_b_o,
  input  logic [DataW-1:0]  alu_result_i,
  input  logic [FlagsW-1:0] alu_flags_i,

  output logic              done_valid_o,
  output logic [FlagsW-1:0] done_flags_o,
  output logic              idle_o,

  input  logic              rd_valid_i,
  output logic              rd_ready_o,
  input  logic [PlaceW-1:0] rd_place_i,
  input  logic [IndexW-1:0] rd_word_i,
  output logic              rdata_valid_o,
  output logic [DataW-1:0]  rdata_o,

  input  logic              wr_valid_i,
  output logic              wr_ready_o,
  input  logic [PlaceW-1:0] wr_place_i,
  input  logic [IndexW-1:0] wr_word_i,
  input  logic [DataW-1:0]  wr_data_i
);
  localparam int unsigned WordsW = $clog2(Words + 1);
  localparam int unsigned ByteW = Bytes > 1 ? $clog2(Bytes) : 1;
  localparam int unsigned JobW = 2 + PlaceW + LenW + 16;
  localparam int unsigned WayW = PlaceW + IndexW;           // a word: place, number
  // clocks from a word's entry to its write
  localparam int unsigned Way = AluLatency + 2;
  localparam int unsigned BankW = WayW - 1;

  // A word of a place is in memory 0 or 1 in turn, beginning with the lowest bit of the place.
  function automatic logic bank_of(logic [WayW-1:0] word);
    bank_of = word[0] ^ word[IndexW];
  endfunction

  logic [DataW-1:0] even_q [Places << (IndexW - 1)];
  logic [DataW-1:0] odd_q [Places << (IndexW - 1)];
  logic [FlagsW-1:0] flags_q [Places];

  // ---- Jobs: the one in work is in registers ----
  logic next_valid, next_taken, job_valid_q, job_done, take, goes, match, hazard;
  logic [JobW-1:0] next_job;
  logic [1:0] next_kind, kind_q;
  logic [PlaceW-1:0] next_place, place_q;
  logic [LenW-1:0] next_len, len_q;
  logic [7:0] next_op, op_q, next_dtype, dtype_q;
  logic [WordsW-1:0] words_q;
  logic [IndexW-1:0] index_q, index_d;
  logic has_data, last;
  tally_fifo #(.Width(JobW), .Depth(Jobs)) u_jobs (
    .clk_i,
    .rst_ni,
    .in_valid_i(job_valid_i),
    .in_ready_o(job_ready_o),
    .in_i({job_kind_i, job_place_i, job_len_i, job_op_i, job_dtype_i}),
    .out_valid_o(next_valid),
    .out_ready_i(next_taken),
    .out_o(next_job),
    .used_o(jobs_o)
  );
  assign {next_kind, next_place, next_len, next_op, next_dtype} = next_job;
  assign next_taken = !job_valid_q || job_done;
  assign has_data = words_q != '0;
  assign last = WordsW'(index_q) + 1'b1 >= words_q;
  assign data_ready_o = job_valid_q && has_data && !hazard;
  assign take = job_valid_q && !hazard && (!has_data || data_valid_i);
  assign job_done = take && last;
  assign goes = take && kind_q != tally_queue_pkg::WdDrop;
  assign index_d = take ? index_q + 1'b1 : index_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) job_valid_q <= 1'b0;
    else if (next_taken) job_valid_q <= next_valid;
  end
  always_ff @(posedge clk_i) begin
    if (next_taken) begin
      kind_q <= next_kind;
      place_q <= next_place;
      len_q <= next_len;
      words_q <= next_kind == tally_queue_pkg::WdToken ? '0 :
                 WordsW'((next_len + LenW'(Bytes - 1)) >> $clog2(Bytes));
      op_q <= next_op;
      dtype_q <= next_dtype;
      index_q <= '0;
    end else begin
      index_q <= index_d;
    end
  end

  // ---- Words on their way: in the memory, a register, and the ALU. A word of the same place and
  // number must be written before it is read ----
  logic [Way:1] way_valid_q;
  logic [Way:1][1:0] way_kind_q;
  logic [Way:1][WayW-1:0] way_q;
  logic [Way:1] way_first_q;
  logic [WayW-1:0] word;
  assign word = {place_q, index_q};
  always_comb begin
    match = 1'b0;
    for (int unsigned i = 1; i <= Way; i++) begin
      if (way_valid_q[i] && way_kind_q[i] != tally_queue_pkg::WdToken && way_q[i] == word) begin
        match = 1'b1;
      end
    end
  end
  assign hazard = match && kind_q == tally_queue_pkg::WdCombine;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) way_valid_q <= '0;
    else way_valid_q <= {way_valid_q[Way-1:1], goes};
  end
  always_ff @(posedge clk_i) begin
    way_kind_q <= {way_kind_q[Way-1:1], kind_q};
    way_q <= {way_q[Way-1:1], word};
    way_first_q <= {way_first_q[Way-1:1], index_q == '0};
  end
  assign idle_o = !next_valid && !job_valid_q && way_valid_q == '0;

  // ---- Reads: words for the ALU go first ----
  logic combines, bank, rd_bank;
  logic [WayW-1:0] rd_word;
  logic [1:0] rd_q;
  logic rd_bank_q, way_bank_q;
  logic [BankW-1:0] even_at, odd_at;
  logic [DataW-1:0] even_read_q, odd_read_q, data_mask, data_q;
  assign combines = take && kind_q == tally_queue_pkg::WdCombine;
  assign bank = bank_of(word);
  assign rd_word = {rd_place_i, rd_word_i};
  assign rd_bank = bank_of(rd_word);
  assign rd_ready_o = !(combines && bank == rd_bank);
  assign even_at = combines && !bank ? word[WayW-1:1] : rd_word[WayW-1:1];
  assign odd_at = combines && bank ? word[WayW-1:1] : rd_word[WayW-1:1];

  // ---- Writes: words from the ALU go first ----
  logic exits, exit_bank, wr_bank, even_write, odd_write;
  logic [1:0] exit_kind;
  logic [WayW-1:0] exit_word, wr_word;
  logic [BankW-1:0] even_write_at, odd_write_at;
  logic [DataW-1:0] exit_data, fill, even_write_data, odd_write_data;
  assign exit_kind = way_kind_q[Way];
  assign exit_word = way_q[Way];
  assign exits = way_valid_q[Way] && exit_kind != tally_queue_pkg::WdToken;
  assign exit_bank = bank_of(exit_word);
  assign exit_data = exit_kind == tally_queue_pkg::WdCombine ? alu_result_i : fill;
  assign wr_word = {wr_place_i, wr_word_i};
  assign wr_bank = bank_of(wr_word);
  assign wr_ready_o = !(exits && exit_bank == wr_bank);
  assign even_write = (exits && !exit_bank) || (wr_valid_i && !wr_bank);
  assign odd_write = (exits && exit_bank) || (wr_valid_i && wr_bank);
  assign even_write_at = exits && !exit_bank ? exit_word[WayW-1:1] : wr_word[WayW-1:1];
  assign odd_write_at = exits && exit_bank ? exit_word[WayW-1:1] : wr_word[WayW-1:1];
  assign even_write_data = exits && !exit_bank ? exit_data : wr_data_i;
  assign odd_write_data = exits && exit_bank ? exit_data : wr_data_i;

  always_ff @(posedge clk_i) begin
    even_read_q <= even_q[even_at];
    if (even_write) even_q[even_write_at] <= even_write_data;
  end
  always_ff @(posedge clk_i) begin
    odd_read_q <= odd_q[odd_at];
    if (odd_write) odd_q[odd_write_at] <= odd_write_data;
  end

  // ---- The ALU ----
  logic [ByteW-1:0] last_byte;
  assign last_byte = ByteW'(len_q - 1'b1);
  always_comb begin
    for (int unsigned k = 0; k < Bytes; k++) begin
      data_mask[8*k +: 8] = {8{has_data && (!last || k <= 32'(last_byte))}};
    end
  end
  always_ff @(posedge clk_i) begin
    data_q <= data_i & data_mask;
    way_bank_q <= bank;
    alu_a_o <= way_bank_q ? odd_read_q : even_read_q;
    alu_b_o <= data_q;
  end
  logic [1:0][7:0] way_op_q, way_dtype_q;
  always_ff @(posedge clk_i) begin
    way_op_q <= {way_op_q[0], op_q};
    way_dtype_q <= {way_dtype_q[0], dtype_q};
  end
  assign alu_valid_o = way_valid_q[2] && way_kind_q[2] == tally_queue_pkg::WdCombine;
  assign alu_op_o = way_op_q[1];
  assign alu_dtype_o = way_dtype_q[1];

  // Words that need no ALU wait as long as if they were in it.
  logic fill_ready, fill_valid;
  logic [$clog2(AluLatency + 2)-1:0] fill_used;
  tally_fifo #(.Width(DataW), .Depth(AluLatency + 1)) u_fill (
    .clk_i,
    .rst_ni,
    .in_valid_i(way_valid_q[2] && way_kind_q[2] == tally_queue_pkg::WdFill),
    .in_ready_o(fill_ready),
    .in_i(alu_b_o),
    .out_valid_o(fill_valid),
    .out_ready_i(exits && exit_kind == tally_queue_pkg::WdFill),
    .out_o(fill),
    .used_o(fill_used)
  );

  // ---- Events of the words of a place ----
  logic [PlaceW-1:0] exit_place;
  logic [FlagsW-1:0] exit_flags;
  assign exit_place = exit_word[WayW-1:IndexW];
  assign exit_flags = flags_q[exit_place];
  always_ff @(posedge clk_i) begin
    if (exits && (exit_kind == tally_queue_pkg::WdCombine || way_first_q[Way]))
      flags_q[exit_place] <= exit_kind == tally_queue_pkg::WdCombine ? exit_flags | alu_flags_i :
                             '0;
  end
  assign done_valid_o = way_valid_q[Way] && exit_kind == tally_queue_pkg::WdToken;
  assign done_flags_o = exit_flags;

  // ---- Answers of reads ----
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) rd_q <= '0;
    else rd_q <= {rd_q[0], rd_valid_i && rd_ready_o};
  end
  always_ff @(posedge clk_i) begin
    rd_bank_q <= rd_bank;
    rdata_o <= rd_bank_q ? odd_read_q : even_read_q;
  end
  assign rdata_valid_o = rd_q[1];

  // The FIFO has room for all words in the ALU.
  logic unused;
  assign unused = ^{fill_ready, fill_valid, fill_used};

`ifdef FORMAL
  `include "rmq_words_proof.svh"
`endif
endmodule
