// SPDX-License-Identifier: BSD-2-Clause
// What the firmware must know of an OPEN (tally_open_state), from the registers of its group and
// its edge.
//
// in_*: an event of type OPEN, which is taken when open_o has what was compared. read_o: a word of
// words_t or opens_t of its group and edge (tally_fw_send_pkg); read_i is the one that was asked
// for in the clock before.
//
// OPENs are rare, so the words are read one by one: this takes 23 clocks.
module tally_fw_open (
  input  logic                                clk_i,
  input  logic                                rst_ni,

  input  logic                                in_valid_i,
  output logic                                in_ready_o,
  input  tally_events_pkg::packet_t           in_i,
  output logic [31:0]                         open_o,

  output logic [tally_fw_send_pkg::WordW-1:0] read_o,
  input  logic [31:0]                         read_i
);
  localparam int unsigned WordW = tally_fw_send_pkg::WordW;
  // Words of words_t that are needed: all of the group but the first one, and the nonces.
  localparam int unsigned GroupWords = tally_fw_send_pkg::GroupWords - 1;
  localparam int unsigned NonceWords = 4;
  localparam int unsigned OpenWords = tally_fw_send_pkg::OpenWords;
  localparam int unsigned Words = GroupWords + NonceWords + OpenWords;
  localparam int unsigned NonceFirst = 21;
  localparam int unsigned CountW = 5;

  // In the order in which they are read; the first word of a nonce has its low half.
  typedef struct packed {
    logic [31:0] state;
    logic [31:0] flags;
    logic [31:0] epoch;
    logic [31:0] group_key;
    logic [31:0] mtu;
    logic [31:0] chunk;
    logic [31:0] plan;
    logic [31:0] num_segs;
    logic [31:0] node;
    logic [31:0] num_nodes;
    logic [31:0] modes;
    logic [31:0] rounds;
    logic [31:0] total_ranks;
    logic [63:0] nonce;
    logic [63:0] peer_nonce;
    tally_fw_send_pkg::opens_t opens;
  } needed_t;

  // ---- Steps: words are asked for, the last one enters, it is compared, and that is told ----
  logic [CountW-1:0] count_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) count_q <= '0;
    else count_q <= in_valid_i && !in_ready_o ? count_q + 1'b1 : '0;
  end
  assign in_ready_o = count_q == CountW'(Words + 2);

  always_comb begin
    if (32'(count_q) < GroupWords) read_o = WordW'(count_q) + WordW'(1);
    else if (32'(count_q) < GroupWords + NonceWords) begin
      read_o = WordW'(count_q) + WordW'(NonceFirst - GroupWords);
    end else begin
      read_o = WordW'(count_q) +
               WordW'(tally_fw_send_pkg::OpenFirst - GroupWords - NonceWords);
    end
  end

  // ---- Words: each one that was asked for moves those before it up ----
  logic [32*Words-1:0] words_q;
  needed_t words;
  logic alive;
  tally_open_pkg::group_t of_group;
  tally_open_pkg::edge_t of_edge;
  logic [31:0] open, open_q;

  always_ff @(posedge clk_i) begin
    if (32'(count_q) <= Words) words_q <= {words_q[32*Words-33:0], read_i};
    open_q <= open;
  end
  assign words = words_q;
  assign alive = words.state == 32'(tally_pkg::GroupOpening) ||
                 words.state == 32'(tally_pkg::GroupOpen) ||
                 words.state == 32'(tally_pkg::GroupDraining);
  always_comb begin
    of_group.flags = words.flags;
    of_group.chunk = words.chunk;
    of_group.mtu = words.mtu;
    of_group.plan = words.plan;
    of_group.total_ranks = words.total_ranks;
    of_group.num_nodes = words.num_nodes[15:0];
    of_group.node = words.node[15:0];
    of_group.num_segs = words.num_segs[15:0];
    of_group.modes = words.modes[7:0];
    of_group.rounds = words.rounds[7:0];
    of_group.epoch = words.epoch;
    of_group.key = words.group_key;
    of_group.alive = alive;
    of_edge.first = words.opens.first;
    of_edge.count = words.opens.count;
    of_edge.nonce = {words.nonce[31:0], words.nonce[63:32]};
    of_edge.peer_nonce = {words.peer_nonce[31:0], words.peer_nonce[63:32]};
    of_edge.peer_key = words.opens.peer_key;
    of_edge.state = words.opens.state;
    of_edge.unconfirmed = words.opens.unconfirmed;
    of_edge.awaits_epoch = 32'(words.opens.awaits);
  end
  tally_open_state u_state (
    .event_i(in_i), .group_i(of_group), .edge_i(of_edge), .open_o(open)
  );
  assign open_o = open_q;

  logic unused;  // registers are wider than what they hold
  assign unused = ^words;
endmodule
