// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_fw_packet must reach.
module fw_packet_cover (
  input logic        clk_i,
  input logic        leaves,
  input logic        open,
  input logic        confirm,
  input logic        challenge,
  input logic        alive,
  input logic        knows,
  input logic        multicast,
  input logic [31:0] epoch,
  input logic [6:0]  length,
  input logic        out_valid_o,
  input logic        out_ready_i,
  input logic        dat_tvalid_o,
  input logic        dat_tready_i
);
  plain: cover property (@(posedge clk_i) leaves && open && !confirm && !challenge);
  confirms: cover property (@(posedge clk_i) leaves && open && confirm);
  challenges: cover property (@(posedge clk_i) leaves && open && challenge);
  tells_epoch: cover property (@(posedge clk_i) leaves && open && alive && knows && epoch != '0);
  tells_no_epoch: cover property (@(posedge clk_i) leaves && open && alive && !knows);
  awaits_key: cover property (@(posedge clk_i) leaves && open && alive && !knows && multicast);
  ended: cover property (@(posedge clk_i) leaves && open && !alive && !knows && epoch != '0);
  kill: cover property (@(posedge clk_i) leaves && !open && length == 7'd32);
  no_payload: cover property (@(posedge clk_i) leaves && !open && length == '0);
  longest: cover property (@(posedge clk_i) leaves && !open && length == 7'd64);
  out_stalls: cover property (@(posedge clk_i) out_valid_o && !out_ready_i);
  payload_stalls: cover property (@(posedge clk_i) dat_tvalid_o && !dat_tready_i);
endmodule

bind tally_fw_packet fw_packet_cover u_cover (
  .leaves(out_valid_o && out_ready_i), .open(in_i.open), .confirm(in_i.confirm),
  .challenge(in_i.challenge),
  .multicast(words.flags[tally_pkg::GroupFMulticastBit]), .*
);
