// SPDX-License-Identifier: BSD-2-Clause
// UDP source port of the packets to a neighbour (tx_source_port() of sim/nic/tx_header.c): FNV-1a
// over its GID and the job, so that all packets of an edge take one path through the fabric. It
// changes only when an edge opens, so a byte is taken in one clock, and the port comes 20 clocks
// later. The first byte of gid_i and jid_i, as on the wire, is the most significant one.
module tally_sport (
  input  logic         clk_i,
  input  logic         rst_ni,

  input  logic         in_valid_i,
  output logic         in_ready_o,
  input  logic [127:0] gid_i,
  input  logic [31:0]  jid_i,

  output logic         out_valid_o,
  input  logic         out_ready_i,
  output logic [15:0]  port_o
);
  localparam int unsigned KeyBytes = 20;
  localparam logic [15:0] Base = 16'(tally_fw_pkg::SportBase);

  logic [8*KeyBytes-1:0] key_q;
  logic [31:0] hash_q, mixed;
  logic [15:0] folded;
  logic [4:0] left_q;  // bytes
  logic busy_q;

  assign mixed = hash_q ^ {24'd0, key_q[8*KeyBytes-1 -: 8]};
  assign folded = hash_q[15:0] ^ hash_q[31:16];
  assign in_ready_o = !busy_q;
  assign out_valid_o = busy_q && left_q == '0;
  assign port_o = Base | (folded & ~Base);

  always_ff @(posedge clk_i) begin
    if (in_valid_i && in_ready_o) begin
      key_q <= {gid_i, jid_i};
      hash_q <= tally_fw_pkg::FlowBasis;
      left_q <= 5'(KeyBytes);
    end else if (left_q != '0) begin
      key_q <= key_q << 8;
      hash_q <= mixed * tally_fw_pkg::FlowPrime;
      left_q <= left_q - 1'b1;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) busy_q <= 1'b0;
    else busy_q <= (in_valid_i && in_ready_o) || (busy_q && !(out_valid_o && out_ready_i));
  end

`ifdef FORMAL
  `include "sport_proof.svh"
`endif
endmodule
