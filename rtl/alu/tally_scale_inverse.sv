// SPDX-License-Identifier: BSD-2-Clause
// Inverse of a divisor, by which tally_scale multiplies. It is computed once for each group, when
// the number of ranks is known.
//
// With n = divisor_i and normalized = n << (DivW - 1 - down_o), whose top bit is set:
//
// inverse_o = floor(2^(DivW + InverseW - 2) / normalized).
//
// The block takes one divisor, of at least 1, at a time. It computes one bit per clock. The result
// is valid InverseW + 2 clocks after the divisor was taken, plus one clock for each zero above its
// leading one. The result stays until it is taken; then the next divisor may enter.
module tally_scale_inverse #(
  parameter int unsigned DivW = tally_alu_pkg::DivisorW,
  parameter int unsigned InverseW = tally_alu_pkg::InverseW,
  localparam int unsigned DownW = $clog2(DivW)
) (
  input  logic                clk_i,
  input  logic                rst_ni,

  input  logic                valid_i,
  output logic                ready_o,
  input  logic [DivW-1:0]     divisor_i,

  output logic                valid_o,
  input  logic                ready_i,
  output logic [DownW-1:0]    down_o,
  output logic [InverseW-1:0] inverse_o
);
  localparam int unsigned CountW = $clog2(InverseW + 1);

  typedef enum logic [1:0] {
    StIdle,
    StNormalize,
    StDivide,
    StDone
  } state_e;

  state_e state_d, state_q;
  logic [DivW-1:0] divisor_q;
  logic [DivW:0] rest_q;  // remainder, less than twice the divisor
  logic [DivW-1:0] less;
  logic fits;
  logic [CountW-1:0] left_q;

  assign ready_o = state_q == StIdle;
  assign valid_o = state_q == StDone;

  always_comb begin
    state_d = state_q;
    case (state_q)
      StIdle: if (valid_i) state_d = StNormalize;
      StNormalize: if (divisor_q[DivW-1]) state_d = StDivide;
      StDivide: if (left_q == CountW'(1)) state_d = StDone;
      default: if (ready_i) state_d = StIdle;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) state_q <= StIdle;
    else state_q <= state_d;
  end

  // Long division: the dividend is a one followed by zeros, so each step brings down a zero.
  assign fits = rest_q >= {1'b0, divisor_q};
  assign less = DivW'(rest_q - {1'b0, divisor_q});

  always_ff @(posedge clk_i) begin
    case (state_q)
      StIdle: begin
        divisor_q <= divisor_i;
        down_o <= DownW'(DivW - 1);
        rest_q <= {2'b01, (DivW-1)'(0)};
        left_q <= CountW'(InverseW);
        inverse_o <= '0;
      end
      StNormalize: begin
        if (!divisor_q[DivW-1]) begin
          divisor_q <= divisor_q << 1;
          down_o <= down_o - DownW'(1);
        end
      end
      StDivide: begin
        rest_q <= {fits ? less : rest_q[DivW-1:0], 1'b0};
        inverse_o <= {inverse_o[InverseW-2:0], fits};
        left_q <= left_q - CountW'(1);
      end
      default: ;
    endcase
  end

`ifdef FORMAL
  `include "scale_inverse_proof.svh"
`endif
endmodule
