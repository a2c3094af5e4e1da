// SPDX-License-Identifier: BSD-2-Clause
// Two that have packets for neighbours, the segment store and the request processor, in front of
// tally_send: what they offer enters in turn, and the words behind it.
//
// first_*, second_*: see chunk_* and pay_* of tally_send; each is taken with its end, out_end_i.
// What has no words, a bare message or BUSY, does not wait for those of the packet before it.
//
// It takes no clock.
module tally_send_merge (
  input  logic                                clk_i,
  input  logic                                rst_ni,

  input  logic                                first_valid_i,
  output logic                                first_ready_o,
  input  tally_head_pkg::source_t             first_i,
  input  logic                                first_tvalid_i,
  output logic                                first_tready_o,
  input  logic [tally_net_pkg::WordBits-1:0]  first_tdata_i,
  input  logic [tally_net_pkg::WordBytes-1:0] first_tkeep_i,
  input  logic                                first_tlast_i,

  input  logic                                second_valid_i,
  output logic                                second_ready_o,
  input  tally_head_pkg::source_t             second_i,
  input  logic                                second_tvalid_i,
  output logic                                second_tready_o,
  input  logic [tally_net_pkg::WordBits-1:0]  second_tdata_i,
  input  logic [tally_net_pkg::WordBytes-1:0] second_tkeep_i,
  input  logic                                second_tlast_i,

  output logic                                out_valid_o,
  input  logic                                out_ready_i,
  output tally_head_pkg::source_t             out_o,
  input  tally_head_pkg::end_e                out_end_i,
  output logic                                dat_tvalid_o,
  input  logic                                dat_tready_i,
  output logic [tally_net_pkg::WordBits-1:0]  dat_tdata_o,
  output logic [tally_net_pkg::WordBytes-1:0] dat_tkeep_o,
  output logic                                dat_tlast_o
);
  localparam int unsigned TriggerBits = 135;
  logic second, second_q, has_words;
  logic [1:0] takes;
  tally_head_pkg::trigger_t trigger;

  tally_rr_arbiter #(.Num(2)) u_turn (
    .clk_i, .rst_ni, .request_valid_i({second_valid_i, first_valid_i}), .request_ready_o(takes),
    .grant_valid_o(out_valid_o), .grant_ready_i(out_ready_i), .grant_o(second)
  );
  assign {second_ready_o, first_ready_o} = takes;
  assign out_o = second ? second_i : first_i;
  assign trigger = out_o.message[TriggerBits-1:0];
  assign has_words = out_o.chunk ||
                     (out_o.kind == 8'(tally_pkg::KindTrigger) && trigger.len != '0);

  // Whose words pass: tally_send takes nothing with words before those of the packet before have.
  always_ff @(posedge clk_i) begin
    if (out_valid_o && out_ready_i && out_end_i == tally_head_pkg::EndSent && has_words) begin
      second_q <= second;
    end
  end
  assign dat_tvalid_o = second_q ? second_tvalid_i : first_tvalid_i;
  assign dat_tdata_o = second_q ? second_tdata_i : first_tdata_i;
  assign dat_tkeep_o = second_q ? second_tkeep_i : first_tkeep_i;
  assign dat_tlast_o = second_q ? second_tlast_i : first_tlast_i;
  assign first_tready_o = !second_q && dat_tready_i;
  assign second_tready_o = second_q && dat_tready_i;

  logic unused;
  assign unused = ^trigger;

`ifdef FORMAL
  `include "send_merge_proof.svh"
`endif
endmodule
