// SPDX-License-Identifier: BSD-2-Clause
// The messages of descriptors, on their way to the wire or to this node itself (send_to() and
// send_self() of sim/engine/trigger.c). The header is formed anew, and the words are read from
// their place, each time that a message leaves.
//
// go_*: a message shall leave for a receiver (see tally_trigger_sends); it is taken, with
// go_end_o, when its words have left, so nobody must acknowledge a packet until some clocks after
// its last word; a receiver acknowledges whole frames. row_desc_o: left_i is what leaves of this
// descriptor, a clock later. head_*: to tally_send: what the packet is for, and head_end_i, when it
// is taken. pay_*: the words, behind a header that has
// left. self_*: to tally_trigger_in. nobody_o, a pulse: no queue pair of this node has the port.
// rd_*: see tally_trigger_words.
//
// Time: head_valid_o two clocks after go_valid_i. The block waits for the wire, or for tally_rmq.
module tally_trigger_leave #(
  parameter int unsigned Descs = 256,
  parameter int unsigned Groups = tally_pkg::MaxGroup,
  parameter int unsigned Places = tally_pkg::RmqCells + 256,
  parameter int unsigned Words = tally_pkg::MaxMtu / 64,
  parameter int unsigned WordBytes = 64,
  localparam int unsigned DescW = Descs > 1 ? $clog2(Descs) : 1,
  localparam int unsigned GroupW = Groups > 1 ? $clog2(Groups) : 1,
  localparam int unsigned PlaceW = Places > 1 ? $clog2(Places) : 1,
  localparam int unsigned IndexW = Words > 2 ? $clog2(Words) : 1,
  localparam int unsigned CountW = $clog2(Words + 1),
  localparam int unsigned WordBits = 8 * WordBytes
) (
  input  logic                          clk_i,
  input  logic                          rst_ni,

  input  logic                          go_valid_i,
  output logic                          go_ready_o,
  input  logic [DescW-1:0]              go_desc_i,
  input  logic [6:0]                    go_receiver_i,
  input  logic                          go_again_i,
  input  logic [31:0]                   go_seq_i,
  output tally_head_pkg::end_e          go_end_o,
  output logic [DescW-1:0]              row_desc_o,
  input  tally_trigger_pkg::left_t      left_i,

  output logic                          head_valid_o,
  input  logic                          head_ready_i,
  input  tally_head_pkg::end_e          head_end_i,
  output tally_head_pkg::source_t       head_o,
  output logic                          pay_tvalid_o,
  input  logic                          pay_tready_i,
  output logic [WordBits-1:0]           pay_tdata_o,
  output logic [WordBytes-1:0]          pay_tkeep_o,
  output logic                          pay_tlast_o,

  output logic                          self_valid_o,
  input  logic                          self_ready_i,
  input  tally_trigger_pkg::self_e      self_i,
  output logic [GroupW-1:0]             self_group_o,
  output logic [15:0]                   self_port_o,
  output tally_trigger_pkg::message_t   self_o,
  input  logic                          self_wants_i,
  output logic                          self_tvalid_o,
  input  logic                          self_tready_i,
  output logic [WordBits-1:0]           self_tdata_o,
  output logic                          nobody_o,

  output logic                          rd_valid_o,
  input  logic                          rd_ready_i,
  output logic [PlaceW-1:0]             rd_place_o,
  output logic [IndexW-1:0]             rd_word_o,
  input  logic                          rdata_valid_i,
  input  logic [WordBits-1:0]           rdata_i
);
  localparam int unsigned LaneW = $clog2(WordBytes);
  localparam int unsigned LeftW = 183;
  localparam int unsigned TriggerBits = 135;

  typedef enum logic [2:0] {
    StIdle,
    StRow,    // what leaves is read
    StHead,   // the header is offered
    StSelf,
    StWords,  // behind the header
    StEnd
  } state_e;
  state_e state_d, state_q;
  logic [LeftW-1:0] raw_q;
  tally_trigger_pkg::left_t left;
  tally_trigger_pkg::message_t message;
  tally_head_pkg::end_e end_q, end_d;
  logic to_self, has_words, sent, begun_q, last_word, moves;
  assign left = raw_q;
  assign message = left.message;
  assign to_self = go_receiver_i == 7'(tally_pkg::ContribSelf);
  assign has_words = message.len != '0;
  assign sent = head_end_i == tally_head_pkg::EndSent;
  assign row_desc_o = go_desc_i;

  always_comb begin
    state_d = state_q;
    end_d = end_q;
    unique case (state_q)
      StIdle: if (go_valid_i) state_d = StRow;
      StRow: state_d = to_self ? StSelf : StHead;
      StHead: if (head_ready_i) begin
        end_d = head_end_i;
        state_d = sent && has_words ? StWords : StEnd;
      end
      StSelf: if (self_ready_i) begin
        end_d = tally_head_pkg::EndSent;
        if (self_i == tally_trigger_pkg::SelfStarved) end_d = tally_head_pkg::EndWaits;
        if (self_i == tally_trigger_pkg::SelfNobody) end_d = tally_head_pkg::EndDropped;
        state_d = StEnd;
      end
      StWords: if (last_word) state_d = StEnd;
      default: state_d = StIdle;  // StEnd
    endcase
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) state_q <= StIdle;
    else state_q <= state_d;
  end
  always_ff @(posedge clk_i) begin
    if (state_q == StRow) raw_q <= left_i;
    end_q <= end_d;
    begun_q <= state_q != StRow && (begun_q || starts);
  end
  assign go_ready_o = state_q == StEnd;
  assign go_end_o = end_q;
  assign nobody_o = go_ready_o && to_self && end_q == tally_head_pkg::EndDropped;

  // ---- Words ----
  logic starts, start_ready, word_valid, word_ready, word_last;
  logic [13:0] rounded;
  logic [WordBits-1:0] word;
  assign rounded = 14'(message.len) + 14'(WordBytes - 1);
  assign starts = !begun_q && start_ready &&
                  (state_q == StWords || (state_q == StSelf && self_wants_i));
  tally_trigger_words #(.Places(Places), .Words(Words), .DataW(WordBits)) u_words (
    .clk_i, .rst_ni, .start_valid_i(starts), .start_ready_o(start_ready),
    .place_i(PlaceW'(left.place)), .words_i(CountW'(rounded >> LaneW)), .rd_valid_o, .rd_ready_i,
    .rd_place_o, .rd_word_o, .rdata_valid_i, .rdata_i, .out_valid_o(word_valid),
    .out_ready_i(word_ready), .out_o(word), .out_last_o(word_last)
  );
  assign pay_tvalid_o = state_q == StWords && word_valid;
  assign pay_tdata_o = word;
  assign pay_tlast_o = word_last;
  always_comb begin
    pay_tkeep_o = {WordBytes{1'b1}};
    if (word_last) pay_tkeep_o = {WordBytes{1'b1}} >> (LaneW'(0) - message.len[LaneW-1:0]);
  end
  assign self_tvalid_o = state_q == StSelf && word_valid;
  assign self_tdata_o = word;
  assign word_ready = state_q == StSelf ? self_tready_i : state_q == StWords && pay_tready_i;
  assign moves = pay_tvalid_o && pay_tready_i;
  assign last_word = moves && word_last;

  // ---- Where it goes ----
  assign head_valid_o = state_q == StHead;
  tally_head_pkg::trigger_t trigger;
  logic [TriggerBits-1:0] trigger_raw;
  assign trigger_raw = trigger;
  always_comb begin
    trigger.opcode = left.opcode;
    trigger.op = message.op;
    trigger.dtype = message.dtype;
    trigger.branch = message.branch;
    trigger.mid = left.mid;
    trigger.count = message.count;
    trigger.counter = message.counter;
    trigger.port = left.port;
    trigger.cp = message.cp;
    trigger.swp_mp = message.swp_mp;
    trigger.len = message.len;
  end
  always_comb begin
    head_o = '0;
    head_o.kind = 8'(tally_pkg::KindTrigger);
    head_o.again = go_again_i;
    head_o.context_ = left.group_;
    head_o.edge_ = 8'(go_receiver_i);
    head_o.ref_ = 16'(go_desc_i) | 16'(1 << tally_trigger_pkg::RefTriggerBit);
    head_o.seq = go_seq_i;
    head_o.message[TriggerBits-1:0] = trigger_raw;
    head_o.err_vector = message.err_vector;
  end
  assign self_valid_o = state_q == StSelf;
  assign self_group_o = GroupW'(left.group_);
  assign self_port_o = left.port;
  assign self_o = left.message;
  logic unused;
  assign unused = ^{left, message, rounded};

`ifdef FORMAL
  `include "trigger_leave_proof.svh"
`endif
endmodule
