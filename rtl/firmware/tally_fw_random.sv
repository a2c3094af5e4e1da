// SPDX-License-Identifier: BSD-2-Clause
// Random numbers of an edge that is closed (renew_edge() of sim/engine/commands.c, engine_key() of
// random.c): its nonce, the key of packets from its neighbour, and its first number, in this order.
// Neither nonce nor key is ever 0, which stands for none: another word is taken then.
//
// random_*: words that nobody can predict; the port must not wait for ready. in_*: an edge wants
// its numbers. out_*: they are there. The first one comes at the earliest four clocks after in_*,
// and no word is taken unless it is wanted.
module tally_fw_random (
  input  logic        clk_i,
  input  logic        rst_ni,
  output logic        busy_o,

  input  logic        random_valid_i,
  output logic        random_ready_o,
  input  logic [63:0] random_i,

  input  logic        in_valid_i,
  output logic        in_ready_o,
  output logic        out_valid_o,
  input  logic        out_ready_i,
  output logic [63:0] nonce_o,
  output logic [31:0] key_o,
  output logic [31:0] first_seq_o
);
  typedef enum logic [2:0] {
    Idle = 3'd0,
    Nonce = 3'd1,  // the next word is that of the nonce
    Key = 3'd2,
    First = 3'd3,
    Give = 3'd4
  } state_e;

  state_e state_q, state_d;
  logic takes;
  logic [63:0] nonce_q;
  logic [31:0] key_q, first_q, upper;

  assign upper = random_i[63:32];
  assign takes = random_valid_i && random_ready_o;
  always_comb begin
    unique case (state_q)
      Idle: state_d = in_valid_i ? Nonce : Idle;
      Nonce: state_d = takes && random_i != '0 ? Key : Nonce;
      Key: state_d = takes && upper != '0 ? First : Key;
      First: state_d = takes ? Give : First;
      default: state_d = out_ready_i ? Idle : Give;  // Give
    endcase
  end

  always_ff @(posedge clk_i) begin
    if (state_q == Nonce) nonce_q <= random_i;
    if (state_q == Key) key_q <= upper;
    if (state_q == First) first_q <= random_i[31:0];
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) state_q <= Idle;
    else state_q <= state_d;
  end

  assign random_ready_o = state_q == Nonce || state_q == Key || state_q == First;
  assign in_ready_o = state_q == Idle;
  assign out_valid_o = state_q == Give;
  assign nonce_o = nonce_q;
  assign key_o = key_q;
  assign first_seq_o = first_q;
  assign busy_o = state_q != Idle;

`ifdef FORMAL
  `include "fw_random_proof.svh"
`endif
endmodule
