// SPDX-License-Identifier: BSD-2-Clause
// Division by a number that is fixed for a group, by the inverse that the firmware has computed
// (docs/engine.md, Division): quotient() and modulo() of the model.
//
// A value may enter in each clock. Each brings its own divisor. Its answer comes
// tally_plan_pkg::ModuloLatency clocks later with its tag. The block never stalls. A reset discards
// what is inside. divisor_i is at least 1; 2^32 plus inverse_i is 2^(32 + shift_i) / divisor_i,
// rounded up, and shift_i is the logarithm of divisor_i, rounded up.
module tally_modulo #(
  parameter int unsigned TagW = 1
) (
  input  logic            clk_i,
  input  logic            rst_ni,

  input  logic            valid_i,
  input  logic [31:0]     value_i,
  input  logic [31:0]     divisor_i,
  input  logic [31:0]     inverse_i,
  input  logic [5:0]      shift_i,
  input  logic [TagW-1:0] tag_i,

  output logic            valid_o,
  output logic [31:0]     quotient_o,
  output logic [31:0]     remainder_o,
  output logic [TagW-1:0] tag_o
);
  localparam int unsigned Latency = tally_plan_pkg::ModuloLatency;

  logic [Latency-1:0] valid_q;
  logic [Latency*TagW-1:0] tag_q;  // the youngest in the lowest bits
  logic [31:0] value_q1, value_q2, value_q3, value_q4, value_q5, value_q6;
  logic [31:0] divisor_q1, divisor_q2, divisor_q3, divisor_q4, divisor_q5;
  logic [5:0] shift_q1, shift_q2, shift_q3, shift_q4;
  logic [31:0] inverse_q1, quotient_q5, quotient_q6, multiple_q6;
  logic [32:0] sum_q4;

  // The low half of the product is only the carry into the high half.
  // verilator lint_off UNUSEDSIGNAL
  logic [63:0] product_q2, product_q3;
  // verilator lint_on UNUSEDSIGNAL

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= '0;
    else valid_q <= Latency'({valid_q, valid_i});
  end

  always_ff @(posedge clk_i) begin
    tag_q <= (Latency*TagW)'({tag_q, tag_i});
    value_q1 <= value_i;
    inverse_q1 <= inverse_i;
    divisor_q1 <= divisor_i;
    shift_q1 <= shift_i;

    // Two clocks for the multiplication, whose registers the DSPs take in.
    product_q2 <= 64'(value_q1) * 64'(inverse_q1);
    value_q2 <= value_q1;
    divisor_q2 <= divisor_q1;
    shift_q2 <= shift_q1;
    product_q3 <= product_q2;
    value_q3 <= value_q2;
    divisor_q3 <= divisor_q2;
    shift_q3 <= shift_q2;

    sum_q4 <= 33'(product_q3[63:32]) + 33'(value_q3);
    value_q4 <= value_q3;
    divisor_q4 <= divisor_q3;
    shift_q4 <= shift_q3;

    quotient_q5 <= 32'(sum_q4 >> shift_q4);
    value_q5 <= value_q4;
    divisor_q5 <= divisor_q4;

    multiple_q6 <= quotient_q5 * divisor_q5;
    quotient_q6 <= quotient_q5;
    value_q6 <= value_q5;

    remainder_o <= value_q6 - multiple_q6;
    quotient_o <= quotient_q6;
  end

  assign valid_o = valid_q[Latency-1];
  assign tag_o = tag_q[(Latency-1)*TagW+:TagW];

`ifdef FORMAL
  `include "modulo_proof.svh"
`endif
endmodule
