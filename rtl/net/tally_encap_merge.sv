// SPDX-License-Identifier: BSD-2-Clause
// Two that send packets, in front of tally_encap: headers enter in turn, and the payload of each
// one, of those with payload_len bytes, behind it. So neither waits for a packet of the other one
// that waits for something else: a header is offered only when its sender lets it leave.
//
// A header takes no clock. The next one is taken once the payload before it has passed, which is
// not taken before its header.
module tally_encap_merge (
  input  logic                                clk_i,
  input  logic                                rst_ni,
  output logic                                busy_o,  // a payload has not passed

  input  logic                                first_valid_i,
  output logic                                first_ready_o,
  input  tally_encap_pkg::tx_hdr_t            first_i,
  input  logic                                first_tvalid_i,
  output logic                                first_tready_o,
  input  logic [tally_net_pkg::WordBits-1:0]  first_tdata_i,
  input  logic [tally_net_pkg::WordBytes-1:0] first_tkeep_i,
  input  logic                                first_tlast_i,

  input  logic                                second_valid_i,
  output logic                                second_ready_o,
  input  tally_encap_pkg::tx_hdr_t            second_i,
  input  logic                                second_tvalid_i,
  output logic                                second_tready_o,
  input  logic [tally_net_pkg::WordBits-1:0]  second_tdata_i,
  input  logic [tally_net_pkg::WordBytes-1:0] second_tkeep_i,
  input  logic                                second_tlast_i,

  output logic                                out_valid_o,
  input  logic                                out_ready_i,
  output tally_encap_pkg::tx_hdr_t            out_o,
  output logic                                dat_tvalid_o,
  input  logic                                dat_tready_i,
  output logic [tally_net_pkg::WordBits-1:0]  dat_tdata_o,
  output logic [tally_net_pkg::WordBytes-1:0] dat_tkeep_o,
  output logic                                dat_tlast_o
);
  logic passes_q, second_q;  // a payload passes; it is that of the second one
  logic second, taken, ends;
  logic [1:0] offers, takes;

  assign offers = passes_q ? '0 : {second_valid_i, first_valid_i};
  tally_rr_arbiter #(.Num(2)) u_turn (
    .clk_i, .rst_ni, .request_valid_i(offers), .request_ready_o(takes),
    .grant_valid_o(out_valid_o), .grant_ready_i(out_ready_i), .grant_o(second)
  );
  assign {second_ready_o, first_ready_o} = takes;
  assign out_o = second ? second_i : first_i;
  assign taken = out_valid_o && out_ready_i;

  assign dat_tvalid_o = passes_q && (second_q ? second_tvalid_i : first_tvalid_i);
  assign dat_tdata_o = second_q ? second_tdata_i : first_tdata_i;
  assign dat_tkeep_o = second_q ? second_tkeep_i : first_tkeep_i;
  assign dat_tlast_o = second_q ? second_tlast_i : first_tlast_i;
  assign first_tready_o = passes_q && !second_q && dat_tready_i;
  assign second_tready_o = passes_q && second_q && dat_tready_i;
  assign ends = dat_tvalid_o && dat_tready_i && dat_tlast_o;

  always_ff @(posedge clk_i) if (taken) second_q <= second;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) passes_q <= 1'b0;
    else passes_q <= taken ? out_o.payload_len != '0 : passes_q && !ends;
  end
  assign busy_o = passes_q;

`ifdef FORMAL
  `include "encap_merge_proof.svh"
`endif
endmodule
