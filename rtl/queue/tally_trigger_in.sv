// SPDX-License-Identifier: BSD-2-Clause
// What enters tally_rmq: messages of neighbours, messages of this node to itself, and own data of
// descriptors, one after the other, in turn (rmq_packet() and rmq_to_self() of sim/engine/rmq.c).
//
// rec_*, pay_*: records of kind TRIGGER whose number passes, from tally_edge_gate, with their
// flights and payloads. end_*: the end of a flight; it is stored, or dropped because it is
// impossible (dropped_o, a pulse), or refused. busy_*: a packet that was refused. If Busies of them
// wait, it is left out (unsaid_o, a pulse); the sender repeats it at its time-out. self_*: a
// message to a port of a group of this node, with its words from self_wants_o on; self_o says what
// has become of it when it is taken. own_*: own data of the descriptor that waits at a
// counter, with all of their words; only op, dtype, count, len and counter of own_i are used.
//
// find_*: see tally_trigger_ports. in_*, verdict_*, dat_*: see tally_rmq. group_write_i: the
// firmware writes the MTU of a group. quiet_o: nothing for the queue pair quiet_qp_i is inside. It
// depends on registers and quiet_qp_i.
//
// A message waits for the search, for tally_rmq, for end_ready_i, and for its words: those of a
// packet come behind its record, and its user has the others. So it waits for no departure.
//
// Time: three clocks and those of the search before the header is offered, none of these for own
// data but one; a word in each clock; two at the end. busy_o is low if nothing happens without an
// input.
module tally_trigger_in #(
  parameter int unsigned Groups = tally_pkg::MaxGroup,
  parameter int unsigned Qps = tally_pkg::MaxQp,
  parameter int unsigned Flights = 8,
  parameter int unsigned Busies = 8,
  parameter int unsigned WordBytes = 64,
  localparam int unsigned FlightW = $clog2(Flights),
  localparam int unsigned GroupW = Groups > 1 ? $clog2(Groups) : 1,
  localparam int unsigned QpW = Qps > 1 ? $clog2(Qps) : 1,
  localparam int unsigned WordBits = 8 * WordBytes
) (
  input  logic                            clk_i,
  input  logic                            rst_ni,
  output logic                            busy_o,

  input  logic                            group_write_i,
  input  logic [GroupW-1:0]               group_index_i,
  input  logic [12:0]                     group_mtu_i,

  input  logic                            rec_valid_i,
  output logic                            rec_ready_o,
  input  tally_net_pkg::rx_hdr_t          rec_i,
  input  tally_admission_pkg::admission_t adm_i,
  input  logic [FlightW-1:0]              flight_i,
  input  logic                            pay_tvalid_i,
  output logic                            pay_tready_o,
  input  logic [WordBits-1:0]             pay_tdata_i,
  output logic                            end_valid_o,
  input  logic                            end_ready_i,
  output logic [FlightW-1:0]              end_flight_o,
  output logic                            end_stored_o,
  output logic                            dropped_o,
  output logic                            unsaid_o,
  output logic                            busy_valid_o,
  input  logic                            busy_ready_i,
  output tally_trigger_pkg::busy_t        busy_reply_o,

  input  logic                            self_valid_i,
  output logic                            self_ready_o,
  output tally_trigger_pkg::self_e        self_o,
  input  logic [GroupW-1:0]               self_group_i,
  input  logic [15:0]                     self_port_i,
  input  tally_trigger_pkg::message_t     self_i,
  output logic                            self_wants_o,
  input  logic                            self_tvalid_i,
  output logic                            self_tready_o,
  input  logic [WordBits-1:0]             self_tdata_i,

  input  logic                            own_valid_i,
  output logic                            own_ready_o,
  input  logic [GroupW-1:0]               own_group_i,
  input  logic [QpW-1:0]                  own_qp_i,
  input  tally_trigger_pkg::message_t     own_i,
  input  logic                            own_tvalid_i,
  output logic                            own_tready_o,
  input  logic [WordBits-1:0]             own_tdata_i,

  output logic                            find_valid_o,
  input  logic                            find_ready_i,
  output logic [GroupW-1:0]               find_group_o,
  output logic [15:0]                     find_port_o,
  input  logic                            found_i,
  input  logic                            found_works_i,
  input  logic [QpW-1:0]                  found_qp_i,

  output logic                            in_valid_o,
  input  logic                            in_ready_i,
  output logic                            in_own_o,
  output logic [QpW-1:0]                  in_qp_o,
  output logic [GroupW-1:0]               in_group_o,
  output logic [6:0]                      in_contributor_o,
  output tally_trigger_pkg::message_t     in_o,
  input  logic                            verdict_valid_i,
  input  logic                            verdict_stored_i,
  output logic                            dat_valid_o,
  input  logic                            dat_ready_i,
  output logic [WordBits-1:0]             dat_o,

  input  logic [QpW-1:0]                  quiet_qp_i,
  output logic                            quiet_o
);
  localparam int unsigned LaneW = $clog2(WordBytes);
  localparam int unsigned WordsW = 13 - LaneW + 1;
  localparam int unsigned MessageW = 95;
  localparam int unsigned BusyW = 56;

  typedef enum logic [2:0] {
    StIdle,
    StCheck,    // whether the packet is possible
    StFind,     // its queue pair
    StOffer,    // to tally_rmq
    StVerdict,
    StWords,    // to tally_rmq, or nowhere
    StEnd
  } state_e;
  state_e state_d, state_q;

  // ---- Choice ----
  localparam logic [1:0] FromPacket = 2'd0;
  localparam logic [1:0] FromSelf = 2'd1;
  localparam logic [1:0] FromOwn = 2'd2;
  logic [2:0] asks, taken;
  logic [1:0] from, from_q;
  logic is_idle, any, of_packet, of_self, of_own, begins, ends;
  assign is_idle = state_q == StIdle;
  assign ends = state_q == StEnd && (!of_packet || end_ready_i);
  // The message that is inside is still offered, and does not ask again.
  assign asks = {own_valid_i, self_valid_i, rec_valid_i} & {3{is_idle}};
  tally_rr_arbiter #(.Num(3)) u_turn (
    .clk_i, .rst_ni, .request_valid_i(asks), .request_ready_o(taken), .grant_valid_o(any),
    .grant_ready_i(1'b1), .grant_o(from)
  );
  assign begins = any;
  assign rec_ready_o = taken[FromPacket];
  assign of_packet = from_q == FromPacket;
  assign of_self = from_q == FromSelf;
  assign of_own = from_q == FromOwn;

  // ---- The message ----
  tally_pkg::tch_t tch;
  logic [MessageW-1:0] raw_q, raw;
  tally_trigger_pkg::message_t packet, message_q;
  logic [GroupW-1:0] group_q;
  logic [QpW-1:0] qp_q;
  logic [15:0] port_q;
  logic [7:0] edge_q, opcode_q;
  logic [31:0] seq_q;
  logic [FlightW-1:0] flight_q;
  assign tch = rec_i.tch;
  always_comb begin
    packet.swp_mp = tch.flags[tally_pkg::TchFSwpMpBit];
    packet.cp = tch.flags[tally_pkg::TchFCpBit];
    packet.branch = tch.branch;
    packet.op = tch.op;
    packet.dtype = tch.dtype;
    packet.count = tch.count;
    packet.err_vector = tch.err_vector;
    packet.len = rec_i.payload_len;
    packet.counter = tch.counter;
    raw = packet;
    if (from == FromSelf) raw = self_i;
    else if (from == FromOwn) raw = own_i;
  end
  assign message_q = raw_q;
  always_ff @(posedge clk_i) begin
    if (begins) begin
      from_q <= from;
      raw_q <= raw;
      group_q <= from == FromPacket ? GroupW'(adm_i.context_) : from == FromSelf ? self_group_i :
                 own_group_i;
      port_q <= from == FromSelf ? self_port_i : tch.port;
      edge_q <= adm_i.edge_;
      opcode_q <= tch.opcode;
      seq_q <= tch.edge_seq;
      flight_q <= flight_i;
    end
    if (begins) qp_q <= own_qp_i;
    else if (state_q == StFind) qp_q <= found_qp_i;
  end

  // ---- Whether a packet is possible: plausible() of the model ----
  logic [12:0] mtu_mem_q [Groups];
  logic [12:0] mtu_q;
  logic triggered, possible, kept_fits;
  always_ff @(posedge clk_i) begin
    mtu_q <= mtu_mem_q[GroupW'(adm_i.context_)];
    if (group_write_i) mtu_mem_q[group_index_i] <= group_mtu_i;
  end
  assign triggered = opcode_q == 8'(tally_pkg::OpcodeReduceMp) ||
                     opcode_q == 8'(tally_pkg::OpcodeBcastMp) ||
                     opcode_q == 8'(tally_pkg::OpcodePutMp);
  assign kept_fits = message_q.swp_mp ? message_q.branch != '0 :
                     message_q.cp && message_q.len == '0;
  assign possible = triggered && 32'(message_q.counter) < tally_pkg::NumCpCounters &&
                    message_q.len <= mtu_q && kept_fits &&
                    (message_q.op == 8'(tally_pkg::OpNone) ||
                     tally_alu_pkg::supported(message_q.op, message_q.dtype));

  // ---- Steps ----
  logic stored_q, stored_d, refused_q, refused_d, works, has_words, last_word, moves;
  logic [WordsW-1:0] word_q, words;
  assign works = found_i && found_works_i;
  assign has_words = message_q.len != '0;
  always_comb begin
    state_d = state_q;
    stored_d = stored_q;
    refused_d = refused_q;
    unique case (state_q)
      StIdle: begin
        stored_d = 1'b0;
        refused_d = 1'b0;
        if (any) state_d = from == FromPacket ? StCheck : from == FromSelf ? StFind : StOffer;
      end
      StCheck: state_d = possible ? StFind : has_words ? StWords : StEnd;
      StFind: if (find_ready_i) begin
        refused_d = !works;
        state_d = works ? StOffer : of_packet && has_words ? StWords : StEnd;
      end
      StOffer: if (in_ready_i) state_d = StVerdict;
      StVerdict: if (verdict_valid_i) begin
        stored_d = verdict_stored_i;
        refused_d = !verdict_stored_i;
        state_d = has_words && (verdict_stored_i || of_packet) ? StWords : StEnd;
      end
      StWords: if (last_word) state_d = StEnd;
      default: if (ends) state_d = StIdle;  // StEnd
    endcase
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) state_q <= StIdle;
    else state_q <= state_d;
  end
  logic found_q;
  always_ff @(posedge clk_i) begin
    stored_q <= stored_d;
    refused_q <= refused_d;
    if (state_q == StFind) found_q <= works;
    word_q <= state_q == StWords ? word_q + WordsW'(moves) : '0;
  end

  assign find_valid_o = state_q == StFind;
  assign find_group_o = group_q;
  assign find_port_o = port_q;
  assign in_valid_o = state_q == StOffer;
  assign in_own_o = of_own;
  assign in_qp_o = qp_q;
  assign in_group_o = group_q;
  assign in_contributor_o = of_packet ? edge_q[6:0] : 7'(tally_pkg::ContribSelf);
  assign in_o = message_q;

  // ---- Words ----
  logic source_valid;
  logic [13:0] rounded;
  assign rounded = 14'(message_q.len) + 14'(WordBytes - 1);
  assign words = WordsW'(rounded >> LaneW);
  always_comb begin
    source_valid = own_tvalid_i;
    dat_o = own_tdata_i;
    if (of_packet) begin
      source_valid = pay_tvalid_i;
      dat_o = pay_tdata_i;
    end else if (of_self) begin
      source_valid = self_tvalid_i;
      dat_o = self_tdata_i;
    end
  end
  assign dat_valid_o = state_q == StWords && stored_q && source_valid;
  assign moves = state_q == StWords && source_valid && (!stored_q || dat_ready_i);
  assign last_word = moves && word_q + 1'b1 == words;
  assign pay_tready_o = of_packet && moves;
  assign self_tready_o = of_self && moves;
  assign self_wants_o = of_self && state_q == StWords;
  assign own_tready_o = of_own && moves;

  // ---- The end ----
  assign end_valid_o = state_q == StEnd && of_packet;
  assign end_flight_o = flight_q;
  assign end_stored_o = stored_q;
  assign dropped_o = state_q == StCheck && !possible;
  assign self_ready_o = state_q == StEnd && of_self;
  assign self_o = stored_q ? tally_trigger_pkg::SelfStored :
                  found_q ? tally_trigger_pkg::SelfStarved : tally_trigger_pkg::SelfNobody;
  assign own_ready_o = state_q == StEnd && of_own;

  // ---- Packets that were refused ----
  tally_trigger_pkg::busy_t busy_new;
  logic busy_push, busy_room;
  logic [BusyW-1:0] busy_raw, busy_out;
  logic [$clog2(Busies+1)-1:0] unused_busies;
  assign busy_push = ends && of_packet && refused_q;
  always_comb begin
    busy_new.context_ = 16'(group_q);
    busy_new.edge_ = edge_q;
    busy_new.seq = seq_q;
  end
  assign busy_raw = busy_new;
  tally_fifo #(.Width(BusyW), .Depth(Busies)) u_busies (
    .clk_i, .rst_ni, .in_valid_i(busy_push), .in_ready_o(busy_room), .in_i(busy_raw),
    .out_valid_o(busy_valid_o), .out_ready_i(busy_ready_i), .out_o(busy_out),
    .used_o(unused_busies)
  );
  assign busy_reply_o = busy_out;
  assign unsaid_o = busy_push && !busy_room;

  // A packet that is checked has not been searched for, and one that is searched for may be of any.
  assign quiet_o = is_idle || state_q == StCheck || (state_q != StFind && qp_q != quiet_qp_i);
  assign busy_o = !is_idle;
  logic unused;
  assign unused = ^{rec_i, tch, adm_i, unused_busies, rounded, taken[2:1]};

`ifdef FORMAL
  `include "trigger_in_proof.svh"
`endif
endmodule
