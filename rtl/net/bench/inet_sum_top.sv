// SPDX-License-Identifier: BSD-2-Clause
// Adds the reset of a bench to tally_inet_sum.
module inet_sum_top #(
  parameter int unsigned Lanes = 32
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                valid_i,
  input  logic                first_i,
  input  logic [16*Lanes-1:0] data_i,
  input  logic [16:0]         extra_i,
  output logic [15:0]         sum_o
);
  logic unused_reset;
  assign unused_reset = rst_ni;

  tally_inet_sum #(
    .Lanes(Lanes)
  ) u_dut (
    .*
  );
endmodule
