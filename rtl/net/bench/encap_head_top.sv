// SPDX-License-Identifier: BSD-2-Clause
// Adds the clock and the reset of a bench to tally_encap_head, which is combinational.
module encap_head_top (
  input  logic                     clk_i,
  input  logic                     rst_ni,
  input  tally_encap_pkg::tx_hdr_t hdr_i,
  output logic [1103:0]            head_o,
  output logic                     ip6_o,
  output logic [12:0]              len_o,
  output logic [6:0]               words_o,
  output logic                     straddle_o,
  output logic [6:0]               covered_o,
  output logic [6:0]               pay_words_o,
  output logic [63:0]              pay_keep_o,
  output logic [18:0]              ip_sum_o,
  output logic [16:0]              pseudo_o,
  output tally_encap_pkg::err_e    err_o
);
  logic unused_clock;
  assign unused_clock = clk_i ^ rst_ni;

  tally_encap_head u_dut (
    .*
  );
endmodule
