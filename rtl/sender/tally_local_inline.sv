// SPDX-License-Identifier: BSD-2-Clause
// Inline data of a request from the first byte of a chunk on: copy_inline() of sim/engine/local.c.
//
// line_*: line_len_i bytes of the data of an entry are wanted, at least one, from byte line_from_i
// on. read_*: the words of its line that have them, read_words_o from word read_first_o on. They
// come at word_*, in each clock from the first one on, unless word_ready_o is low. The wanted bytes
// leave at inl_*, from byte 0 of the first word on, in the same way. Bytes behind the last one are
// arbitrary.
//
// Time: two clocks, and those of the line; one if a single word of it has all that is wanted.
// read_* depend on line_*; inl_* and word_ready_o depend on registers. busy_o is low if nothing
// happens without an input.
module tally_local_inline #(
  parameter int unsigned Entries = tally_pkg::MaxRequests,
  parameter int unsigned WordBytes = 64,
  localparam int unsigned EntryW = $clog2(Entries),
  localparam int unsigned LaneW = $clog2(WordBytes),
  localparam int unsigned WordW = 13 - LaneW,
  localparam int unsigned WordBits = 8 * WordBytes
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  output logic                busy_o,

  input  logic                line_valid_i,
  output logic                line_ready_o,
  input  logic [EntryW-1:0]   line_entry_i,
  input  logic [12:0]         line_from_i,
  input  logic [12:0]         line_len_i,

  output logic                read_valid_o,
  input  logic                read_ready_i,
  output logic [EntryW-1:0]   read_entry_o,
  output logic [WordW-1:0]    read_first_o,
  output logic [WordW:0]      read_words_o,
  input  logic                word_valid_i,
  output logic                word_ready_o,
  input  logic [WordBits-1:0] word_i,

  output logic                inl_valid_o,
  input  logic                inl_ready_i,
  output logic [WordBits-1:0] inl_data_o
);
  typedef enum logic [1:0] {
    StIdle,
    StRead,   // the line is wanted, and could not be read at once
    StWords
  } state_e;
  state_e state_q, state_d;

  // ---- What is wanted ----
  logic [EntryW-1:0] entry_q;
  logic [12:0] from_q, from, len_q, len;
  logic [LaneW-1:0] lane;
  logic [13:0] rounded_out, rounded_in;
  logic [WordW:0] outs, ins, outs_left_q, ins_left_q;

  assign from = state_q == StIdle ? line_from_i : from_q;
  assign len = state_q == StIdle ? line_len_i : len_q;
  assign rounded_out = 14'(len) + 14'(WordBytes - 1);
  assign rounded_in = rounded_out + 14'(from[LaneW-1:0]);
  assign outs = (WordW + 1)'(rounded_out >> LaneW);
  assign ins = (WordW + 1)'(rounded_in >> LaneW);
  assign line_ready_o = state_q == StIdle;
  assign read_valid_o = state_q == StRead || (state_q == StIdle && line_valid_i);
  assign read_entry_o = state_q == StIdle ? line_entry_i : entry_q;
  assign read_first_o = from[12:LaneW];
  assign read_words_o = ins;

  // ---- Words: each that leaves is the end of one and the beginning of the next ----
  logic [WordBits-1:0] low_q, shifted;
  logic [2*WordBits-1:0] both;
  logic has_low_q, out_room, leaves_last, more, emits, takes, single, passes;

  assign more = ins_left_q != '0;
  assign single = ins_left_q == (WordW + 1)'(1) && outs_left_q == (WordW + 1)'(1) && !has_low_q;
  assign emits = has_low_q && outs_left_q != '0 && out_room;
  assign word_ready_o = more && (!has_low_q || emits);
  assign takes = word_valid_i && word_ready_o;
  // The only word of a line needs none behind it.
  assign passes = single && takes && out_room;
  assign lane = from_q[LaneW-1:0];
  assign both = {word_i, single ? word_i : low_q};
  assign shifted = WordBits'(both >> {lane, 3'd0});

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= StIdle;
      ins_left_q <= '0;
      outs_left_q <= '0;
      has_low_q <= 1'b0;
    end else begin
      state_q <= state_d;
      if (read_valid_o && read_ready_i) begin
        ins_left_q <= ins;
        outs_left_q <= outs;
      end else begin
        ins_left_q <= ins_left_q - (WordW + 1)'(takes);
        outs_left_q <= outs_left_q - (WordW + 1)'(emits || passes);
      end
      has_low_q <= (takes && !passes) || (has_low_q && !emits && outs_left_q != '0);
    end
  end
  always_ff @(posedge clk_i) begin
    if (state_q == StIdle) entry_q <= line_entry_i;
    from_q <= from;
    len_q <= len;
    if (takes) low_q <= word_i;
  end
  tally_skid #(.Width(WordBits)) u_out (
    .clk_i, .rst_ni, .in_valid_i(emits || passes), .in_ready_o(out_room), .in_i(shifted),
    .out_valid_o(inl_valid_o), .out_ready_i(inl_ready_i), .out_o(inl_data_o)
  );
  // With room in the slice, it has one word.
  assign leaves_last = outs_left_q == '0 && out_room && inl_valid_o && inl_ready_i;

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      StIdle: if (line_valid_i) state_d = read_ready_i ? StWords : StRead;
      StRead: if (read_ready_i) state_d = StWords;
      default: if (leaves_last) state_d = StIdle;  // StWords
    endcase
  end

  assign busy_o = state_q != StIdle;
  logic unused;
  assign unused = ^{rounded_out, rounded_in, both};

`ifdef FORMAL
  `include "local_inline_proof.svh"
`endif
endmodule
