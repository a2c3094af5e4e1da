// SPDX-License-Identifier: BSD-2-Clause
// Pair unit of the reduce ALU: MINLOC and MAXLOC of value and index, docs/alu.md "Value and index".
//
// The unit takes a word in each clock, of any type, and never stalls. A word that enters with
// valid_i leaves Latency clocks later. op_i is MINLOC or MAXLOC, and type_i is any type of the ALU.
// Results of other codes are undefined.
//
// A lane has two halves, and holds two pairs of 8 bytes (values of up to 32 bits) or one of 16
// (values of 64 bits). The values move to the top of 64 bits, where a bfloat16 looks like a
// binary32. They are converted to keys, of which the lower one wins. NaNs have key 0. A half
// compares key and index of its pair. Of a pair of 16 bytes, the even half compares the keys and
// the odd half the indices.
//
// Clocks: 1 operands, 2 aligned values, 3 keys, 4 comparison, 5 choice, 6 result. The remaining
// clocks of Latency are delay.
module tally_alu_loc #(
  parameter int unsigned Lanes = 4,
  parameter int unsigned Latency = tally_alu_pkg::Latency,
  localparam int unsigned WordW = Lanes * 128
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,

  input  logic                  valid_i,
  input  logic [7:0]            op_i,
  input  logic [7:0]            type_i,
  input  logic [WordW-1:0]      a_i,
  input  logic [WordW-1:0]      b_i,

  output logic                  valid_o,
  output logic [WordW-1:0]      result_o,
  output tally_alu_pkg::flags_t flags_o
);
  localparam int unsigned Depth = 6;  // clocks until the result; Latency is higher
  localparam int unsigned Halves = 2 * Lanes;
  localparam int unsigned Late = Latency - Depth;

  // Floating-point format, at most one bit set. A bfloat16 is an fp32 with a shorter fraction.
  typedef struct packed {
    logic fp16;
    logic fp32;
    logic fp64;
  } format_t;

  // One-hot size of the values: 1, 2, 4, 8 bytes.
  logic [3:0] size_d, size1_q, size2_q, size3_q, size4_q, size5_q;
  format_t format_d, format1_q, format2_q;
  logic signed_d, signed1_q, signed2_q, max_d, max1_q, max2_q, max3_q, max4_q;
  logic fp16_3_q, fp16_4_q, fp64_3_q, fp64_4_q;
  logic [WordW-1:0] a1_q, b1_q, result6_q;
  logic [Halves-1:0] signalling3_q;
  logic [Latency-1:0] valid_q;
  logic [Latency-1:3] invalid_q;
  logic [Late-1:0][WordW-1:0] late_q;

  always_comb begin
    for (int unsigned s = 0; s < 4; s++) size_d[s] = type_i[3:0] == 4'(s);
    signed_d = {4'b0, type_i[7:4]} == tally_pkg::TypeClassInt;
    format_d.fp16 = type_i == tally_pkg::TypeFp16;
    format_d.fp32 = type_i == tally_pkg::TypeFp32 || type_i == tally_pkg::TypeBf16;
    format_d.fp64 = type_i == tally_pkg::TypeFp64;
    max_d = op_i == tally_pkg::OpMaxloc;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= '0;
    else valid_q <= {valid_q[Latency-2:0], valid_i};
  end

  // The registers behind these do not toggle while no word enters.
  always_ff @(posedge clk_i) begin
    if (valid_i) begin
      size1_q <= size_d;
      format1_q <= format_d;
      signed1_q <= signed_d;
      max1_q <= max_d;
      a1_q <= a_i;
      b1_q <= b_i;
    end
  end

  always_ff @(posedge clk_i) begin
    {size2_q, size3_q, size4_q, size5_q} <= {size1_q, size2_q, size3_q, size4_q};
    {max2_q, max3_q, max4_q} <= {max1_q, max2_q, max3_q};
    format2_q <= format1_q;
    signed2_q <= signed1_q;
    {fp16_3_q, fp64_3_q} <= {format2_q.fp16, format2_q.fp64};
    {fp16_4_q, fp64_4_q} <= {fp16_3_q, fp64_3_q};
    invalid_q <= {invalid_q[Latency-2:3], |signalling3_q};
  end

  function automatic logic is_nan(input format_t format, input logic [62:0] x);
    is_nan = (format.fp16 && &x[62:58] && |x[57:0]) || (format.fp32 && &x[62:55] && |x[54:0])
             || (format.fp64 && &x[62:52] && |x[51:0]);
  endfunction

  // Converts a value to an unsigned word of the same order. Zeros of both signs give the same word.
  function automatic logic [63:0] order(input format_t format, input logic is_signed,
                                        input logic [63:0] x);
    if (format != '0) begin
      if (x[62:0] == '0) order = {1'b1, 63'b0};
      else order = x[63] ? ~x : {1'b1, x[62:0]};
    end else begin
      order = {x[63] ^ is_signed, x[62:0]};
    end
  endfunction

  // Aligns a value to the top of 64 bits. No size bit is set for a pair of 16 bytes, so its odd
  // half gives zero.
  function automatic logic [63:0] aligned(input logic [2:0] size, input logic [31:0] x);
    aligned[63:56] = ({8{size[0]}} & x[7:0]) | ({8{size[1]}} & x[15:8]) | ({8{size[2]}} & x[31:24]);
    aligned[55:48] = ({8{size[1]}} & x[7:0]) | ({8{size[2]}} & x[23:16]);
    aligned[47:32] = {16{size[2]}} & x[15:0];
    aligned[31:0] = '0;
  endfunction

  // Arrays are indexed by operand (a, b) and half. Of a pair of 16 bytes, the even half has the
  // value and the odd half the index.
  logic [1:0][Halves-1:0][63:0] raw1, value2_q, value3_q, value4_q, key_d, key3_q;
  logic [1:0][Halves-1:0][31:0] index2_q, index3_q, index4_q;
  logic [1:0][Halves-1:0] nan_d, quiet_d, nan3_q, nan4_q;
  assign raw1 = {b1_q, a1_q};

  always_ff @(posedge clk_i) begin
    for (int unsigned o = 0; o < 2; o++) begin
      for (int unsigned h = 0; h < Halves; h++) begin
        value2_q[o][h] <= size1_q[3] && h % 2 == 0 ? raw1[o][h] :
                          aligned(size1_q[2:0], raw1[o][h][31:0]);
        index2_q[o][h] <= size1_q[3] ? raw1[o][h][31:0] : raw1[o][h][63:32];
      end
    end
  end

  always_comb begin
    for (int unsigned o = 0; o < 2; o++) begin
      for (int unsigned h = 0; h < Halves; h++) begin
        nan_d[o][h] = is_nan(format2_q, value2_q[o][h][62:0]);
        quiet_d[o][h] = (format2_q.fp16 && value2_q[o][h][57]) ||
                        (format2_q.fp32 && value2_q[o][h][54])
                        || (format2_q.fp64 && value2_q[o][h][51]);
        key_d[o][h] = order(format2_q, signed2_q, value2_q[o][h]) ^ {64{max2_q}};
        if (nan_d[o][h]) key_d[o][h] = '0;
        if (size2_q[3] && h % 2 == 1) key_d[o][h] = '0;
        // An inverted sign bit makes signed indices comparable as unsigned ones.
        if (!size2_q[3] || h % 2 == 1) begin
          key_d[o][h][31:0] = {!index2_q[o][h][31], index2_q[o][h][30:0]};
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    value3_q <= value2_q;
    index3_q <= index2_q;
    nan3_q <= nan_d;
    key3_q <= key_d;
    signalling3_q <= (nan_d[0] & ~quiet_d[0]) | (nan_d[1] & ~quiet_d[1]);
  end

  logic [Halves-1:0] less4_q, equal4_q, take_b, tie;
  always_ff @(posedge clk_i) begin
    value4_q <= value3_q;
    index4_q <= index3_q;
    nan4_q <= nan3_q;
    for (int unsigned h = 0; h < Halves; h++) begin
      less4_q[h] <= key3_q[1][h] < key3_q[0][h];
      equal4_q[h] <= key3_q[1][h] == key3_q[0][h];
    end
  end

  logic [Halves-1:0][63:0] value_d, value5_q;
  logic [Halves-1:0][31:0] index_d, index5_q;
  always_comb begin
    take_b = less4_q;
    tie = equal4_q;
    for (int unsigned h = 0; h < Halves; h += 2) begin
      if (size4_q[3]) begin
        take_b[h+:2] = {2{less4_q[h] || (equal4_q[h] && less4_q[h+1])}};
        tie[h+:2] = {2{equal4_q[h] && equal4_q[h+1]}};
      end
    end
    for (int unsigned h = 0; h < Halves; h++) begin
      index_d[h] = take_b[h] ? index4_q[1][h] : index4_q[0][h];
      value_d[h] = take_b[h] ? value4_q[1][h] : value4_q[0][h];
      // Operands that tie are equal, or are zeros of opposite sign.
      if (tie[h]) begin
        value_d[h] = max4_q ? value4_q[0][h] & value4_q[1][h] : value4_q[0][h] | value4_q[1][h];
      end
      // Canonical NaN. Those of binary32 and bfloat16 are equal at this position.
      if (take_b[h] ? nan4_q[1][h] : nan4_q[0][h]) begin
        value_d[h] = {fp16_4_q ? 16'h7e00 : fp64_4_q ? 16'h7ff8 : 16'h7fc0, 48'b0};
      end
    end
  end

  always_ff @(posedge clk_i) begin
    value5_q <= value_d;
    index5_q <= index_d;
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned h = 0; h < Halves; h++) begin
      result6_q[h*64+32+:32] <= index5_q[h];
      result6_q[h*64+:32] <= ({32{size5_q[0]}} & {24'b0, value5_q[h][63:56]})
                             | ({32{size5_q[1]}} & {16'b0, value5_q[h][63:48]})
                             | ({32{size5_q[2]}} & value5_q[h][63:32]);
      if (size5_q[3]) result6_q[h*64+:64] <= h % 2 == 0 ? value5_q[h] : {32'b0, index5_q[h]};
    end
  end

  always_ff @(posedge clk_i) late_q <= (Late * WordW)'({late_q, result6_q});

  assign valid_o = valid_q[Latency-1];
  assign result_o = late_q[Late-1];
  always_comb begin
    flags_o = '0;
    flags_o[tally_pkg::ErrFpInvalidBit] = invalid_q[Latency-1];
  end

`ifdef FORMAL
  `include "alu_loc_proof.svh"
`endif
endmodule
