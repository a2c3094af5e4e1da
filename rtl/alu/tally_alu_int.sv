// SPDX-License-Identifier: BSD-2-Clause
// Integer unit of the reduce ALU: result = a op b for each element of two words, docs/alu.md
// "Integers".
//
// The unit takes a word in each clock, of any operation and type, and never stalls. A word that
// enters with valid_i leaves Latency clocks later. op_i is SUM, MIN, MAX, LAND, LOR, LXOR, BAND,
// BOR, BXOR, PROD or AVG, and type_i is an integer type. Results of other codes are undefined. The
// unit raises no flag.
//
// A word has Lanes lanes of eight units. A unit is the shortest element (UnitW bits), and elements
// have 1, 2, 4 or 8 units. Sums and comparisons share one adder in each lane, whose carry is
// stopped or passed on between units. Products use ten multipliers in each lane, of two units by
// two units. Their operands depend on the size of the elements:
//
// size 8: all ten, of digits 0 to 3;
// size 4: three for each half;
// size 2: four, one for each digit;
// size 1: the lower half of those four, and four more for the odd units.
//
// Clocks: 1 operands, 2 inputs of adder and multipliers, 3 sums and partial products, 4 results
// except PROD and columns of products, 5 result. The remaining clocks of Latency are delay.
module tally_alu_int #(
  parameter int unsigned UnitW = 8,
  parameter int unsigned Lanes = 8,
  parameter int unsigned Latency = tally_alu_pkg::Latency,
  localparam int unsigned LaneW = 8 * UnitW,
  localparam int unsigned WordW = Lanes * LaneW
) (
  input  logic             clk_i,
  input  logic             rst_ni,

  input  logic             valid_i,
  input  logic [7:0]       op_i,
  input  logic [7:0]       type_i,
  input  logic [WordW-1:0] a_i,
  input  logic [WordW-1:0] b_i,

  output logic             valid_o,
  output logic [WordW-1:0] result_o
);
  localparam int unsigned Depth = 5;             // clocks until the result
  localparam int unsigned DigitW = 2 * UnitW;    // bits of a multiplier's operand
  localparam int unsigned HalfW = 4 * UnitW;
  localparam int unsigned AdderW = 8 * (UnitW + 1) + 1;

  // Decoded operation and type. Sizes are in units.
  typedef struct packed {
    logic [3:0] size;     // one-hot: 1, 2, 4, 8
    logic subtract;
    logic sum;
    logic min;
    logic land;
    logic lor;
    logic lxor;
    logic band;
    logic bor;
    logic bxor;
    logic prod;
  } ctl_t;

  ctl_t ctl_d, ctl1_q, ctl2_q, ctl3_q;
  logic signed_d, signed1_q, prod4_q;
  logic [WordW-1:0] a1_q, b1_q, late_d;
  logic [Latency-1:0] valid_q;

  always_comb begin
    for (int unsigned s = 0; s < 4; s++) ctl_d.size[s] = type_i[3:0] == 4'(s);
    signed_d = {4'b0, type_i[7:4]} == tally_pkg::TypeClassInt;
    ctl_d.sum = op_i == tally_pkg::OpSum || op_i == tally_pkg::OpAvg;
    ctl_d.min = op_i == tally_pkg::OpMin;
    ctl_d.subtract = ctl_d.min || op_i == tally_pkg::OpMax;
    ctl_d.land = op_i == tally_pkg::OpLand;
    ctl_d.lor = op_i == tally_pkg::OpLor;
    ctl_d.lxor = op_i == tally_pkg::OpLxor;
    ctl_d.band = op_i == tally_pkg::OpBand;
    ctl_d.bor = op_i == tally_pkg::OpBor;
    ctl_d.bxor = op_i == tally_pkg::OpBxor;
    ctl_d.prod = op_i == tally_pkg::OpProd;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= '0;
    else valid_q <= {valid_q[Latency-2:0], valid_i};
  end
  assign valid_o = valid_q[Latency-1];

  // The registers behind these do not toggle while no word enters.
  always_ff @(posedge clk_i) begin
    if (valid_i) begin
      ctl1_q <= ctl_d;
      signed1_q <= signed_d;
      a1_q <= a_i;
      b1_q <= b_i;
    end
  end

  always_ff @(posedge clk_i) begin
    ctl2_q <= ctl1_q;
    ctl3_q <= ctl2_q;
    prod4_q <= ctl3_q.prod;
  end

  // Boundaries of the elements: unit k is the last, or the first, unit of its element.
  logic [7:0] last1, first3;
  assign last1 = {1'b1, inner_lasts(ctl1_q.size[2:0])};
  assign first3 = {inner_lasts(ctl3_q.size[2:0]), 1'b1};

  function automatic logic [6:0] inner_lasts(input logic [2:0] size);
    for (int unsigned k = 0; k < 7; k++) begin
      inner_lasts[k] = size[0] || (size[1] && k % 2 == 1) || (size[2] && k == 3);
    end
  endfunction

  // Returns, for each unit, the bit of the last unit of its element.
  function automatic logic [7:0] from_last(input logic [3:0] size, input logic [7:0] bits);
    for (int unsigned k = 0; k < 8; k++) begin
      from_last[k] = (size[0] && bits[k]) || (size[1] && bits[k|1]) || (size[2] && bits[k|3]) ||
                     (size[3] && bits[7]);
    end
  endfunction

  // Returns, for each unit, the OR of the bits of its element.
  function automatic logic [7:0] any_of(input logic [3:0] size, input logic [7:0] bits);
    for (int unsigned k = 0; k < 8; k++) begin
      any_of[k] = (size[0] && bits[k]) || (size[1] && |bits[(k&6)+:2]) ||
                  (size[2] && |bits[(k&4)+:4])
                  || (size[3] && |bits);
    end
  endfunction

  for (genvar l = 0; l < int'(Lanes); l++) begin : gen_lane
    logic [LaneW-1:0] a1, b1, a2_q, b2_q, a3_q, b3_q;
    assign a1 = a1_q[l*LaneW+:LaneW];
    assign b1 = b1_q[l*LaneW+:LaneW];

    // Adder. Each unit is preceded by a bit that controls the carry into it. 1 and 0 pass the carry
    // on, and 0 and 0 stop it. 1 and 1 set the carry for a new subtraction; the sum of this bit
    // then shows whether the subtraction below ended without a borrow.
    logic [AdderW-1:0] x_d, y_d, x2_q, y2_q, sum_d;
    always_comb begin
      x_d[0] = 1'b1;
      y_d[0] = ctl1_q.subtract;
      for (int unsigned k = 0; k < 8; k++) begin
        x_d[k*(UnitW+1)+1+:UnitW] = a1[k*UnitW+:UnitW];
        y_d[k*(UnitW+1)+1+:UnitW] = ctl1_q.subtract ? ~b1[k*UnitW+:UnitW] : b1[k*UnitW+:UnitW];
        // An inverted sign bit makes signed numbers comparable as unsigned ones.
        if (last1[k] && signed1_q && ctl1_q.subtract) begin
          x_d[(k+1)*(UnitW+1)-1] = !a1[k*UnitW+UnitW-1];
          y_d[(k+1)*(UnitW+1)-1] = b1[k*UnitW+UnitW-1];
        end
        x_d[(k+1)*(UnitW+1)] = ctl1_q.subtract || !last1[k];
        y_d[(k+1)*(UnitW+1)] = ctl1_q.subtract && last1[k];
      end
    end
    assign sum_d = x2_q + y2_q;

    logic [LaneW-1:0] sum3_q;
    logic [7:0] no_borrow_d, not_less3_q, true_a2_q, true_b2_q, true_a3_q, true_b3_q;
    always_comb begin
      for (int unsigned k = 0; k < 8; k++) no_borrow_d[k] = sum_d[(k+1)*(UnitW+1)];
    end
    always_ff @(posedge clk_i) begin
      x2_q <= x_d;
      y2_q <= y_d;
      a2_q <= a1;
      b2_q <= b1;
      a3_q <= a2_q;
      b3_q <= b2_q;
      for (int unsigned k = 0; k < 8; k++) begin
        true_a2_q[k] <= |a1[k*UnitW+:UnitW];
        true_b2_q[k] <= |b1[k*UnitW+:UnitW];
        sum3_q[k*UnitW+:UnitW] <= sum_d[k*(UnitW+1)+1+:UnitW];
      end
      not_less3_q <= from_last(ctl2_q.size, no_borrow_d);
      true_a3_q <= any_of(ctl2_q.size, true_a2_q);
      true_b3_q <= any_of(ctl2_q.size, true_b2_q);
    end

    // Results of all operations except PROD.
    logic [LaneW-1:0] plain_d, plain4_q;
    logic [7:0] take_b, truth;
    always_comb begin
      take_b = ctl3_q.min ? not_less3_q : ~not_less3_q;
      truth = first3 & (({8{ctl3_q.land}} & true_a3_q & true_b3_q) |
                        ({8{ctl3_q.lor}} & (true_a3_q | true_b3_q))
                        | ({8{ctl3_q.lxor}} & (true_a3_q ^ true_b3_q)));
      for (int unsigned k = 0; k < 8; k++) plain_d[k*UnitW+:UnitW] = {UnitW{take_b[k]}};
      plain_d = ({LaneW{ctl3_q.sum}} & sum3_q)
                | ({LaneW{ctl3_q.subtract}} & ((plain_d & b3_q) | (~plain_d & a3_q)))
                | ({LaneW{ctl3_q.band}} & a3_q & b3_q)
                | ({LaneW{ctl3_q.bor}} & (a3_q | b3_q))
                | ({LaneW{ctl3_q.bxor}} & (a3_q ^ b3_q));
      for (int unsigned k = 0; k < 8; k++) plain_d[k*UnitW] = plain_d[k*UnitW] || truth[k];
    end
    always_ff @(posedge clk_i) plain4_q <= plain_d;

    // Multipliers. pIJ is digit I of a times digit J of b in an element of eight units. For shorter
    // elements they have other operands.
    logic [LaneW-1:0] odd_a, odd_b;
    logic [DigitW-1:0] a00_q, b00_q, a01_q, b01_q, a10_q, b10_q, a11_q, b11_q, a02_q, b02_q;
    logic [DigitW-1:0] a20_q, b20_q, a03_q, b03_q, a30_q, b30_q, a12_q, b12_q, a21_q, b21_q;
    logic [HalfW-1:0] p00_q, p01_q, p10_q, p11_q, p02_q, p20_q;
    logic [DigitW-1:0] p03_q, p30_q, p12_q, p21_q;   // only the lower halves lie within the element
    always_comb begin
      for (int unsigned k = 0; k < 4; k++) begin
        odd_a[k*DigitW+:DigitW] = DigitW'(a1[(2*k+1)*UnitW+:UnitW]);
        odd_b[k*DigitW+:DigitW] = DigitW'(b1[(2*k+1)*UnitW+:UnitW]);
      end
    end
    always_ff @(posedge clk_i) begin
      a00_q <= a1[DigitW-1:0];
      b00_q <= b1[DigitW-1:0];
      a01_q <= ctl1_q.size[0] ? odd_a[DigitW-1:0] : a1[DigitW-1:0];
      b01_q <= ctl1_q.size[0] ? odd_b[DigitW-1:0] : b1[DigitW+:DigitW];
      a10_q <= ctl1_q.size[0] ? odd_a[DigitW+:DigitW] : a1[DigitW+:DigitW];
      b10_q <= ctl1_q.size[0] ? odd_b[DigitW+:DigitW] : b1[DigitW-1:0];
      a11_q <= ctl1_q.size[2] ? '0 : a1[DigitW+:DigitW];
      b11_q <= b1[DigitW+:DigitW];
      a02_q <= ctl1_q.size[3] ? a1[DigitW-1:0] : a1[2*DigitW+:DigitW];
      b02_q <= b1[2*DigitW+:DigitW];
      a20_q <= ctl1_q.size[3] ? a1[2*DigitW+:DigitW] : '0;
      b20_q <= b1[DigitW-1:0];
      a03_q <= ctl1_q.size[3] ? a1[DigitW-1:0] : ctl1_q.size[2] ? a1[2*DigitW+:DigitW] :
               a1[3*DigitW+:DigitW];
      b03_q <= b1[3*DigitW+:DigitW];
      a30_q <= a1[3*DigitW+:DigitW];
      b30_q <= ctl1_q.size[3] ? b1[DigitW-1:0] : b1[2*DigitW+:DigitW];
      a12_q <= ctl1_q.size[3] ? a1[DigitW+:DigitW] : ctl1_q.size[2] ? '0 : odd_a[2*DigitW+:DigitW];
      b12_q <= ctl1_q.size[3] ? b1[2*DigitW+:DigitW] : odd_b[2*DigitW+:DigitW];
      a21_q <= ctl1_q.size[3] ? a1[2*DigitW+:DigitW] : ctl1_q.size[2] ? '0 :
               odd_a[3*DigitW+:DigitW];
      b21_q <= ctl1_q.size[3] ? b1[DigitW+:DigitW] : odd_b[3*DigitW+:DigitW];
      p00_q <= a00_q * b00_q;
      p01_q <= a01_q * b01_q;
      p10_q <= a10_q * b10_q;
      p11_q <= a11_q * b11_q;
      p02_q <= a02_q * b02_q;
      p20_q <= a20_q * b20_q;
      p03_q <= a03_q * b03_q;
      p30_q <= a30_q * b30_q;
      p12_q <= a12_q * b12_q;
      p21_q <= a21_q * b21_q;
    end

    // Columns of a product of 4 or 8 units, or the products of shorter elements.
    logic size8_4_q, long4_q;
    logic [HalfW-1:0] low4_q, high4_q;           // columns 0 and 1, 2 and 3
    logic [HalfW:0] mid4_q;                      // added from column 1 up
    logic [DigitW-1:0] top4_q;                   // column 3
    logic [LaneW-1:0] short4_q;
    logic [WordW/Lanes-1:0] even, odd;
    assign even = {p03_q, p02_q[DigitW-1:0], p11_q[DigitW-1:0], p00_q[DigitW-1:0]};
    assign odd = {p21_q, p12_q, p10_q[DigitW-1:0], p01_q[DigitW-1:0]};
    always_ff @(posedge clk_i) begin
      size8_4_q <= ctl3_q.size[3];
      long4_q <= ctl3_q.size[3] || ctl3_q.size[2];
      low4_q <= p00_q;
      mid4_q <= {1'b0, p01_q} + {1'b0, p10_q};
      high4_q <= p02_q + p11_q + p20_q;
      top4_q <= p03_q + p30_q + p12_q + p21_q;
      for (int unsigned k = 0; k < 4; k++) begin
        short4_q[k*DigitW+:UnitW] <= even[k*DigitW+:UnitW];
        short4_q[k*DigitW+UnitW+:UnitW] <= ctl3_q.size[0] ? odd[k*DigitW+:UnitW] :
                                           even[k*DigitW+UnitW+:UnitW];
      end
    end

    // The carry of the lower half and the upper part of mid go into column 2 only if both halves
    // are of one element.
    logic [HalfW:0] low_sum;
    logic [HalfW-1:0] high_sum;
    logic [LaneW-1:0] product, result5_q;
    assign low_sum = {1'b0, low4_q} + {1'b0, mid4_q[DigitW-1:0], DigitW'(0)};
    always_comb begin
      high_sum = high4_q + {top4_q, DigitW'(0)};
      if (size8_4_q) high_sum = high_sum + HalfW'(mid4_q[HalfW:DigitW]) + HalfW'(low_sum[HalfW]);
      product = long4_q ? {high_sum, low_sum[HalfW-1:0]} : short4_q;
    end
    always_ff @(posedge clk_i) result5_q <= prod4_q ? product : plain4_q;
    assign late_d[l*LaneW+:LaneW] = result5_q;
  end

  if (Latency == Depth) begin : gen_now
    assign result_o = late_d;
  end else begin : gen_late
    localparam int unsigned Late = Latency - Depth;
    logic [Late*WordW-1:0] late_q;
    always_ff @(posedge clk_i) late_q <= (Late * WordW)'({late_q, late_d});
    assign result_o = late_q[(Late-1)*WordW+:WordW];
  end

`ifdef FORMAL
  `include "alu_int_proof.svh"
`endif
endmodule
