// SPDX-License-Identifier: BSD-2-Clause
// Forms the packets of the firmware: OPEN from the registers of its group and edge, KILL and the
// acknowledgement of a KILL from those of the command (open_send() of sim/engine/open.c, send() of
// commands.c, packet_fill() and header() of encap.c, tx_header() of sim/nic/tx_header.c).
//
// mac_i, gid_i: the addresses of this NIC. in_*: a command, which is taken in the clock after its
// packet has left, so that no ready leads to another one. read_o: a word of words_t of its group
// and edge; read_i is the one that was asked for in the clock before. out_*, dat_*: a header and
// its payload, of one word at most, for tally_encap. The payload is offered when the header has
// left.
//
// These packets are rare, so the words are read one by one: a packet takes 54 clocks, or 55 with a
// payload, if all others are ready. Done and limit are read last. They do not count as told, since
// a neighbour takes them only if the packet opens the edge.
module tally_fw_packet (
  input  logic                                clk_i,
  input  logic                                rst_ni,
  output logic                                busy_o,
  input  logic [47:0]                         mac_i,
  input  logic [127:0]                        gid_i,

  input  logic                                in_valid_i,
  output logic                                in_ready_o,
  input  tally_fw_send_pkg::send_t            in_i,

  output logic [tally_fw_send_pkg::WordW-1:0] read_o,
  input  logic [31:0]                         read_i,

  output logic                                out_valid_o,
  input  logic                                out_ready_i,
  output tally_encap_pkg::tx_hdr_t            out_o,
  output logic                                dat_tvalid_o,
  input  logic                                dat_tready_i,
  output logic [tally_net_pkg::WordBits-1:0]  dat_tdata_o,
  output logic [tally_net_pkg::WordBytes-1:0] dat_tkeep_o,
  output logic                                dat_tlast_o
);
  localparam int unsigned WordBits = tally_net_pkg::WordBits;
  localparam int unsigned WordBytes = tally_net_pkg::WordBytes;
  localparam int unsigned WordW = tally_fw_send_pkg::WordW;
  localparam int unsigned RegBits = 32 * tally_fw_send_pkg::Words;
  localparam int unsigned OpenBytes = tally_pkg::TchOpenBytes;
  // Flags in which nodes need not agree.
  localparam logic [31:0] OneNode = tally_pkg::GroupFRoot | tally_pkg::GroupFShared;

  typedef enum logic [2:0] {
    Idle = 3'd0,
    Read = 3'd1,    // the words enter
    Hash = 3'd2,    // asks for the source port
    Port = 3'd3,    // waits for it
    Give = 3'd4,    // the header is offered
    Data = 3'd5,    // its payload is
    End = 3'd6      // the command is taken
  } state_e;

  // The first byte of an address or a nonce is in the low byte of its first register.
  function automatic logic [31:0] swap(input logic [31:0] word);
    swap = {word[7:0], word[15:8], word[23:16], word[31:24]};
  endfunction

  // ---- Steps ----
  state_e state_q, state_d;
  logic hash_ready, port_valid, has_payload;
  logic [6:0] length;
  logic [WordW-1:0] count_q;  // words that were asked for

  always_comb begin
    unique case (state_q)
      Idle: state_d = in_valid_i ? Read : Idle;
      Read: state_d = count_q == WordW'(tally_fw_send_pkg::Words) ? Hash : Read;
      Hash: state_d = hash_ready ? Port : Hash;
      Port: state_d = port_valid ? Give : Port;
      Give: state_d = !out_ready_i ? Give : has_payload ? Data : End;
      Data: state_d = dat_tready_i ? End : Data;
      default: state_d = Idle;  // End
    endcase
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= Idle;
      count_q <= '0;
    end else begin
      state_q <= state_d;
      count_q <= state_d == Read ? count_q + 1'b1 : '0;
    end
  end
  assign out_valid_o = state_q == Give;
  assign dat_tvalid_o = state_q == Data;
  assign in_ready_o = state_q == End;
  assign busy_o = state_q != Idle;

  // ---- Words: each one that was asked for moves those before it up ----
  logic [RegBits-1:0] words_q;
  tally_fw_send_pkg::words_t words;

  always_ff @(posedge clk_i) begin
    if (state_q == Read) words_q <= {words_q[RegBits-33:0], read_i};
  end
  assign read_o = count_q;
  assign words = words_q;

  // ---- Addresses, and the source port ----
  logic [127:0] gid;
  logic [63:0] mac;
  logic [15:0] port, port_q;

  always_comb begin
    for (int unsigned i = 0; i < 4; i++) gid[32*i+:32] = swap(words.gid[32*i+:32]);
    for (int unsigned i = 0; i < 2; i++) mac[32*i+:32] = swap(words.mac[32*i+:32]);
  end
  tally_sport u_sport (
    .clk_i, .rst_ni, .in_valid_i(state_q == Hash), .in_ready_o(hash_ready), .gid_i(gid),
    .jid_i(words.jid), .out_valid_o(port_valid), .out_ready_i(state_q == Port), .port_o(port)
  );
  always_ff @(posedge clk_i) if (state_q == Port) port_q <= port;

  // ---- Which epoch an OPEN tells ----
  //
  // A group that has ended tells its epoch without the key of results by multicast, so that its
  // KILL is accepted.
  logic alive, knows;
  logic [31:0] epoch;

  assign alive = words.state == 32'(tally_pkg::GroupOpening) ||
                 words.state == 32'(tally_pkg::GroupOpen) ||
                 words.state == 32'(tally_pkg::GroupDraining);
  assign knows = words.epoch != '0 &&
                 (!words.flags[tally_pkg::GroupFMulticastBit] || words.group_key != '0);
  assign epoch = in_i.challenge || (alive && !knows) ? '0 : words.epoch;

  // ---- The header ----
  tally_pkg::tch_t tch;
  logic [31:0] limit;  // counted from done

  assign limit = words.limit - words.done;

  always_comb begin
    tch = '0;
    tch.tag = tally_pkg::TchTag;
    tch.version = 8'(tally_pkg::WireVersion);
    tch.contributor = words.remote_index[7:0];
    tch.jid = words.jid;
    tch.done = words.done;
    tch.limit = limit[15:0];
    if (in_i.open) begin
      tch.kind = 8'(tally_pkg::KindOpen);
      if (in_i.confirm) tch.flags = tally_pkg::TchFConfirm;
      tch.epoch = epoch;
    end else begin
      tch.kind = in_i.kind;
      tch.flags = in_i.flags;
      tch.epoch = in_i.epoch;
      tch.key = in_i.key;
      tch.mid = in_i.mid;
      tch.sid = in_i.sid;
    end
  end

  assign length = in_i.open ? 7'(OpenBytes) : in_i.length;
  assign has_payload = length != '0;
  always_comb begin
    out_o = '0;
    out_o.dmac = mac[63:16];
    out_o.smac = mac_i;
    out_o.sgid = gid_i;
    out_o.dgid = gid;
    out_o.hop_limit = 8'(tally_fw_pkg::HopLimit);
    out_o.udp_sport = port_q;
    out_o.pkey = 16'(tally_fw_pkg::Pkey);
    out_o.payload_len = 13'(length);
    out_o.tch = tch;
  end

  // ---- The payload ----
  tally_pkg::tch_open_t open;
  logic [8*OpenBytes-1:0] open_bytes;
  logic [WordBits-1:0] open_word;

  always_comb begin
    open = '0;
    open.nonce = {words.nonce[31:0], words.nonce[63:32]};
    open.echo = in_i.challenge ? in_i.echo : {words.peer_nonce[31:0], words.peer_nonce[63:32]};
    open.first_seq = words.first_seq;
    open.num_segs = words.num_segs[15:0];
    open.node = words.node[15:0];
    open.mtu = words.mtu;
    open.modes = words.modes[7:0];
    open.rounds = words.rounds[7:0];
    open.num_nodes = words.num_nodes[15:0];
    open.total_ranks = words.total_ranks;
    open.flags = words.flags & ~OneNode;
    open.key = in_i.challenge ? '0 : words.key;
    open.group_key = epoch != '0 ? words.group_key : '0;
    open.plan = words.plan;
    open.chunk = words.chunk;
  end
  assign open_bytes = open;
  always_comb begin
    open_word = '0;  // byte 0 is in the low bits of a word, and in the high ones of a structure
    for (int unsigned k = 0; k < OpenBytes; k++) begin
      open_word[8*k+:8] = open_bytes[8*(OpenBytes-1-k)+:8];
    end
  end
  assign dat_tdata_o = in_i.open ? open_word : in_i.data;
  assign dat_tkeep_o = {WordBytes{1'b1}} >> (7'(WordBytes) - length);
  assign dat_tlast_o = 1'b1;

  // Registers are wider than what they hold.
  logic unused;
  assign unused = ^{words, limit[31:16], mac[15:0]};

`ifdef FORMAL
  `include "fw_packet_proof.svh"
`endif
endmodule
