// SPDX-License-Identifier: BSD-2-Clause
// A set of numbers below Num, each of which is given out in turn. A number that is marked is in the
// set until it has been given out, however often it is marked meanwhile. The numbers are bits in
// words of Word, with a bit for each word that is not empty, so that a search is two of few bits.
//
// mark_*: a number is marked; it is always taken. out_*: the next number, which leaves the set when
// it is taken; if it is marked in that clock, it is in the set again. The search goes upwards from
// the last number, and around: while a number is in the set, each other one is taken at most once.
//
// Time: a number that is marked while there is none is offered in the next clock. A search has two
// clocks, or four if the last word has only numbers that were passed. The second clock of
// each two needs the memory, so it waits for one without mark_valid_i. searches_o tells of it, for
// those who can wait in its stead. The block needs no time after a reset.
// Word is a power of two.
module tally_marks #(
  parameter int unsigned Num = 1024,
  parameter int unsigned Word = 32,
  localparam int unsigned NumW = Num > 1 ? $clog2(Num) : 1
) (
  input  logic            clk_i,
  input  logic            rst_ni,
  output logic            busy_o,  // a number is in the set, or is offered

  input  logic            mark_valid_i,
  input  logic [NumW-1:0] mark_i,
  output logic            searches_o,  // the search needs a clock without a mark

  output logic            out_valid_o,
  input  logic            out_ready_i,
  output logic [NumW-1:0] out_o
);
  localparam int unsigned BitW = $clog2(Word);
  localparam int unsigned Words = (Num + Word - 1) / Word;
  localparam int unsigned WordW = Words > 1 ? $clog2(Words) : 1;

  typedef enum logic [1:0] {
    StWord,  // a word that is not empty
    StBit,   // a number in it
    StOffer
  } state_e;
  state_e state_d, state_q;

  logic [Word-1:0] bits_q [Words];
  logic [Words-1:0] any_q;     // words that are not empty; what the others hold does not count
  logic [WordW-1:0] word_q;    // where the search is
  logic [Word-1:0] later_q;    // bits of this word that it has not passed
  logic [NumW-1:0] out_q;

  // ---- The word ----
  logic [WordW-1:0] next_word, first_word;
  logic found_next;

  always_comb begin
    next_word = '0;
    first_word = '0;
    found_next = 1'b0;
    for (int unsigned i = Words; i > 0; i--) begin
      if (any_q[i-1]) first_word = WordW'(i - 1);
      if (any_q[i-1] && WordW'(i - 1) >= word_q) begin
        next_word = WordW'(i - 1);
        found_next = 1'b1;
      end
    end
    if (!found_next) next_word = first_word;
  end

  // ---- The bit. A mark and the search each read a word, so neither waits for the other's place;
  // what is written is that of a mark if there is one ----
  logic [WordW-1:0] mark_at, at;
  logic [Word-1:0] old, marked, left, candidates, lowest, above;
  logic [BitW-1:0] bit_found;
  logic looks, finds, passes, keeps, write;

  assign searches_o = state_q == StBit;
  assign looks = searches_o && !mark_valid_i;
  assign mark_at = WordW'(mark_i >> BitW);
  assign at = mark_valid_i ? mark_at : word_q;
  assign old = any_q[word_q] ? bits_q[word_q] : '0;
  assign candidates = old & later_q;
  assign lowest = candidates & (~candidates + 1'b1);
  assign finds = looks && candidates != '0;
  assign left = old & ~lowest;
  assign above = ~(lowest | (lowest - 1'b1));
  always_comb begin
    bit_found = '0;
    for (int unsigned i = 0; i < Word; i++) if (lowest[i]) bit_found |= BitW'(i);
  end

  // The only number is offered at once, and needs no bit. The search goes on behind it.
  assign passes = state_q == StWord && any_q == '0 && mark_valid_i;
  // A number that is offered is in the set already.
  assign keeps = out_valid_o && !out_ready_i && mark_i == out_q;
  assign marked = (any_q[mark_at] ? bits_q[mark_at] : '0) | (Word'(1) << BitW'(mark_i));
  assign write = mark_valid_i ? !keeps && !passes : finds;

  always_ff @(posedge clk_i) if (write) bits_q[at] <= mark_valid_i ? marked : left;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) any_q <= '0;
    else if (write) any_q[at] <= mark_valid_i || left != '0;
  end

  // ---- Where the search is ----
  always_comb begin
    state_d = state_q;
    unique case (state_q)
      StWord: begin
        if (passes) state_d = StOffer;
        else if (any_q != '0) state_d = StBit;
      end
      StBit: if (looks) state_d = finds ? StOffer : StWord;
      default: if (out_ready_i) state_d = StWord;  // StOffer
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= StWord;
      word_q <= '0;
      later_q <= {Word{1'b1}};
    end else begin
      state_q <= state_d;
      if (passes) begin
        word_q <= mark_at;
        later_q <= ({Word{1'b1}} << BitW'(mark_i)) << 1;
      end else if (state_q == StWord && any_q != '0) begin
        word_q <= next_word;
        if (next_word != word_q) later_q <= {Word{1'b1}};
      end else if (looks) begin
        if (!finds) word_q <= word_q + 1'b1;  // beyond the last word, the lowest one is next
        later_q <= finds ? above : {Word{1'b1}};
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (passes) out_q <= mark_i;
    else if (finds) out_q <= NumW'({word_q, bit_found});
  end

  assign busy_o = state_q != StWord || any_q != '0;
  assign out_valid_o = state_q == StOffer;
  assign out_o = out_q;

`ifdef FORMAL
  `include "marks_proof.svh"
`endif
endmodule
