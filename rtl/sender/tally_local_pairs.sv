// SPDX-License-Identifier: BSD-2-Clause
// Values that become pairs with their indices (LOC_VALUES): alu_expand_loc() of the model's ALU.
//
// start_i: the words from the next clock on are those of an operation. Its elements are values of 2
// to the power of size_log_i bytes if values_i is high, and index_i is the index of the first one;
// these three stay until its last word. Otherwise its words pass unchanged.
//
// in_*: words as they are in memory. out_*: words for the store, which are valid with in_valid_i.
// Of a word of values, as many parts leave as its pairs have words; with out_last_i, which says
// that this is the last word of the operation, the rest of them is left out. What is behind the
// last value is arbitrary.
//
// Time: none; in_ready_o depends on out_ready_i and out_last_i, and out_data_o on in_data_i.
module tally_local_pairs #(
  parameter int unsigned WordBytes = 64,  // at least 16
  localparam int unsigned WordBits = 8 * WordBytes
) (
  input  logic                clk_i,
  input  logic                rst_ni,

  input  logic                start_i,
  input  logic                values_i,
  input  logic [1:0]          size_log_i,
  input  logic [31:0]         index_i,

  input  logic                in_valid_i,
  output logic                in_ready_o,
  input  logic [WordBits-1:0] in_data_i,
  input  logic                out_ready_i,
  input  logic                out_last_i,
  output logic [WordBits-1:0] out_data_o
);
  localparam int unsigned Pairs = WordBytes / 8;      // of 8 bytes in a word
  localparam int unsigned LongPairs = WordBytes / 16;  // of 16 bytes

  logic [2:0] part_q, last_part;
  logic [31:0] index_q, index;
  logic is_first_q, moves, ends_word;

  // ---- Which part of a word of values ----
  always_comb begin
    unique case (size_log_i)
      2'd0: last_part = 3'd7;
      2'd1: last_part = 3'd3;
      default: last_part = 3'd1;
    endcase
  end
  assign ends_word = !values_i || part_q == last_part || out_last_i;
  assign in_ready_o = out_ready_i && ends_word;
  assign moves = in_valid_i && out_ready_i;
  assign index = is_first_q ? index_i : index_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      is_first_q <= 1'b1;
      part_q <= '0;
    end else begin
      is_first_q <= start_i || (is_first_q && !moves);
      if (moves) part_q <= ends_word ? '0 : part_q + 1'b1;
    end
  end
  always_ff @(posedge clk_i) begin
    if (moves) index_q <= index + (size_log_i == 2'd3 ? 32'(LongPairs) : 32'(Pairs));
  end

  // ---- Its values, and the pairs ----
  logic [WordBits/2-1:0] part;
  logic [WordBits-1:0] short_pairs, long_pairs;
  always_comb begin
    unique case (size_log_i)
      2'd0: part = (WordBits / 2)'(in_data_i[32'(part_q) * Pairs * 8 +: Pairs * 8]);
      2'd1: part = (WordBits / 2)'(in_data_i[32'(part_q[1:0]) * Pairs * 16 +: Pairs * 16]);
      default: part = in_data_i[32'(part_q[0]) * Pairs * 32 +: Pairs * 32];
    endcase
    short_pairs = '0;
    for (int unsigned i = 0; i < Pairs; i++) begin
      unique case (size_log_i)
        2'd0: short_pairs[64*i +: 8] = part[8*i +: 8];
        2'd1: short_pairs[64*i +: 16] = part[16*i +: 16];
        default: short_pairs[64*i +: 32] = part[32*i +: 32];
      endcase
      short_pairs[64*i+32 +: 32] = index + 32'(i);
    end
    long_pairs = '0;
    for (int unsigned i = 0; i < LongPairs; i++) begin
      long_pairs[128*i +: 64] = part[64*i +: 64];
      long_pairs[128*i+64 +: 32] = index + 32'(i);
    end
  end
  always_comb begin
    out_data_o = in_data_i;
    if (values_i) out_data_o = size_log_i == 2'd3 ? long_pairs : short_pairs;
  end

`ifdef FORMAL
  `include "local_pairs_proof.svh"
`endif
endmodule
