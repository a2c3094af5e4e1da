// SPDX-License-Identifier: BSD-2-Clause
// Adds the reset of a bench to tally_rx_verdict, and gives it the checksums of a frame two cycles
// after the frame.
module rx_verdict_top (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic [47:0]            mac_i,
  input  logic [127:0]           gid_i,
  input  tally_pkg::eth_hdr_t    eth_i,
  input  tally_pkg::ipv4_hdr_t   ip4_i,
  input  tally_pkg::ipv6_hdr_t   ip6_i,
  input  tally_pkg::udp_hdr_t    udp_i,
  input  tally_pkg::bth_hdr_t    bth_i,
  input  tally_pkg::tch_t        tch_i,
  input  logic                   is_ip6_i,
  input  logic                   mac_error_i,
  input  logic                   too_long_i,
  input  logic [13:0]            len_i,
  input  logic [16:0]            ip_last_i,
  input  logic                   ip_sum_ok_i,
  input  logic                   udp_sum_ok_i,
  input  logic                   icrc_ok_i,
  output logic [15:0]            body_len_o,
  output tally_net_pkg::rx_hdr_t hdr_o
);
  logic unused_reset;
  assign unused_reset = rst_ni;

  logic [1:0] ip_q, udp_q, icrc_q;
  always_ff @(posedge clk_i) begin
    ip_q <= {ip_q[0], ip_sum_ok_i};
    udp_q <= {udp_q[0], udp_sum_ok_i};
    icrc_q <= {icrc_q[0], icrc_ok_i};
  end

  tally_rx_verdict u_dut (
    .ip_sum_ok_i(ip_q[1]), .udp_sum_ok_i(udp_q[1]), .icrc_ok_i(icrc_q[1]), .*
  );
endmodule
