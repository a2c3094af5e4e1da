// SPDX-License-Identifier: BSD-2-Clause
// Forms the header of a packet from the rows of its edge, its group and its source, when it leaves:
// so it tells the newest done and limit, also when it is repeated (packet_fill() and header() of
// sim/engine/encap.c, slot_fill_tch() and slot_send() of chunk_send.c, fill_tch() and send_to() of
// trigger.c, header_to() of sim/nic/tx_header.c).
//
// edge_*, group_*: rows of the tables, which the firmware's registers write. mac_i, gid_i: the
// addresses of this NIC.
//
// in_*: what a packet is for, and the row of its edge, which has one. It is taken when it has come
// to an end, in_end_o: EndSent, with its header; otherwise no packet leaves. op_*, answer_*: see
// tally_edge_state. A chunk that leaves for the first time must be below the neighbour's limit, and
// the edge of a TRIGGER must be open at both ends; every packet tells the values of this node.
// ask_*: see tally_edge_send; REDUCE, RESULT and TRIGGER have numbers. A number is asked for only
// if the packet may leave, and values are told only if it has its number, so neither is lost.
// out_*: the header; what comes behind it is not of this block.
//
// A packet without a number takes three clocks, and one with a number two more, or one if it leaves
// again, and the time of tally_edge_send. What is asked next depends on the answer of the same
// clock.
module tally_head #(
  parameter int unsigned Groups = tally_pkg::MaxGroup,
  parameter int unsigned Rows = tally_pkg::MaxEdges,
  localparam int unsigned GroupW = $clog2(Groups),
  localparam int unsigned RowW = $clog2(Rows)
) (
  input  logic                          clk_i,
  input  logic                          rst_ni,
  output logic                          busy_o,
  input  logic [47:0]                   mac_i,
  input  logic [127:0]                  gid_i,

  input  logic                          edge_write_i,
  input  logic [RowW-1:0]               edge_row_i,
  input  tally_head_pkg::edge_row_t     edge_i,
  input  logic                          group_write_i,
  input  logic [GroupW-1:0]             group_index_i,
  input  tally_head_pkg::group_row_t    group_i,

  input  logic                          in_valid_i,
  output logic                          in_ready_o,
  input  tally_head_pkg::source_t       in_i,
  input  logic [RowW-1:0]               in_row_i,
  output tally_head_pkg::end_e          in_end_o,
  output logic [31:0]                   in_seq_o,  // EndSent: edge_seq of the packet

  output logic                          op_valid_o,
  input  logic                          op_ready_i,
  output tally_edge_pkg::state_op_e     op_o,
  output logic [31:0]                   op_num_o,
  input  logic                          answer_valid_i,
  input  logic                          answer_open_i,
  input  logic                          answer_may_i,
  input  logic [31:0]                   answer_done_i,
  input  logic [31:0]                   answer_limit_i,  // counted from done

  output logic                          ask_valid_o,
  input  logic                          ask_ready_i,
  output tally_edge_pkg::ask_t          ask_o,
  input  logic                          ask_ok_i,
  input  logic [31:0]                   ask_seq_i,
  input  logic [31:0]                   ask_before_i,

  output logic                          out_valid_o,
  input  logic                          out_ready_i,
  output tally_encap_pkg::tx_hdr_t      out_o
);
  localparam int unsigned EdgeBits = 240;
  localparam int unsigned GroupBits = 65;
  localparam int unsigned TriggerBits = 135;

  typedef enum logic [2:0] {
    Begin = 3'd0,     // its first question is asked
    May = 3'd1,       // asks whether the chunk or the message may leave
    MayAnswer = 3'd2,
    Number = 3'd3,    // asks for its number
    Tell = 3'd4,      // asks for done and limit
    TellAnswer = 3'd5,
    Give = 3'd6,      // the header is offered
    Refuse = 3'd7     // nothing leaves
  } state_e;

  state_e state_q, state_d;
  tally_head_pkg::end_e why_q, why_d;
  logic numbered, first, carries, is_trigger, begins, asks_may, asks_number, tells, told;

  assign carries = in_i.kind == 8'(tally_pkg::KindReduce) ||
                   in_i.kind == 8'(tally_pkg::KindResult);
  assign is_trigger = in_i.kind == 8'(tally_pkg::KindTrigger);
  assign numbered = carries || is_trigger;
  assign first = numbered && !in_i.again;

  // ---- Steps ----
  //
  // A state but Begin and those of answers is for a question, or a header, that was not taken at
  // once.
  assign begins = state_q == Begin && in_valid_i;
  assign asks_may = (begins && first) || state_q == May;
  assign asks_number = (state_q == MayAnswer && answer_valid_i && answer_may_i) ||
                       state_q == Number;
  assign tells = (begins && !numbered) || (asks_number && ask_ready_i && ask_ok_i) ||
                 state_q == Tell;
  assign told = state_q == TellAnswer && answer_valid_i && answer_open_i;

  always_comb begin
    state_d = state_q;
    why_d = why_q;
    if (asks_may) state_d = op_ready_i ? MayAnswer : May;
    else if (tells) state_d = op_ready_i ? TellAnswer : Tell;
    else if (asks_number) begin
      state_d = ask_ready_i ? Refuse : Number;
      why_d = first ? tally_head_pkg::EndWaits : tally_head_pkg::EndDropped;
    end else if (out_valid_o) begin
      state_d = out_ready_i ? Begin : Give;
    end else if (state_q == MayAnswer && answer_valid_i) begin
      state_d = Refuse;
      why_d = tally_head_pkg::EndWaits;
    end else if (state_q == TellAnswer && answer_valid_i) begin
      state_d = Refuse;
      why_d = tally_head_pkg::EndDropped;
    end else if (state_q == Refuse) begin
      state_d = Begin;
    end else if (begins) begin  // a packet with a number leaves again
      state_d = Number;
    end
  end

  assign op_valid_o = asks_may || tells;
  always_comb begin
    op_o = tally_edge_pkg::StateTell;
    if (asks_may) op_o = is_trigger ? tally_edge_pkg::StateAskMessage : tally_edge_pkg::StateAsk;
  end
  assign ask_valid_o = asks_number;
  assign out_valid_o = state_q == Give || told;
  assign in_ready_o = (out_valid_o && out_ready_i) || state_q == Refuse;
  assign in_end_o = state_q == Refuse ? why_q : tally_head_pkg::EndSent;
  assign busy_o = state_q != Begin;

  logic [31:0] seq_q, before_q, done_q;
  logic [15:0] limit_q;

  always_ff @(posedge clk_i) begin
    why_q <= why_d;
    if (asks_number && ask_ready_i) seq_q <= ask_seq_i;
    else if (state_q == Begin) seq_q <= in_i.seq;
    if (asks_number && ask_ready_i) before_q <= ask_before_i;
    if (told) begin
      done_q <= answer_done_i;
      limit_q <= answer_limit_i[15:0];
    end
  end
  assign in_seq_o = seq_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) state_q <= Begin;
    else state_q <= state_d;
  end

  // ---- Tables ----
  logic [EdgeBits-1:0] edges_q [Rows];
  logic [GroupBits-1:0] groups_q [Groups];
  logic [EdgeBits-1:0] edge_read_q;
  logic [GroupBits-1:0] group_read_q;
  tally_head_pkg::edge_row_t to;
  tally_head_pkg::group_row_t group;

  always_ff @(posedge clk_i) begin
    if (edge_write_i) edges_q[edge_row_i] <= edge_i;
    if (group_write_i) groups_q[group_index_i] <= group_i;
    // The rows of a header stay, whatever is written while it is formed or offered.
    if (state_q == Begin) begin
      edge_read_q <= edges_q[in_row_i];
      group_read_q <= groups_q[in_i.context_[GroupW-1:0]];
    end
  end
  assign to = edge_read_q;
  assign group = group_read_q;

  // ---- The header ----
  tally_segment_pkg::message_t message;
  tally_head_pkg::trigger_t trigger;
  tally_pkg::tch_t tch;
  logic loc, exchange;
  logic [2:0] size;  // log2 of the bytes of an element
  logic [12:0] bytes;

  assign message = in_i.message;
  assign trigger = in_i.message[TriggerBits-1:0];
  assign op_num_o = message.num;
  assign exchange = message.mode == 8'(tally_pkg::ModeExchange);
  // MINLOC and MAXLOC have a value and an index of at least four bytes.
  assign loc = message.op == 8'(tally_pkg::OpMinloc) || message.op == 8'(tally_pkg::OpMaxloc);
  assign size = loc ? (message.dtype[1:0] == 2'd3 ? 3'd4 : 3'd3) : {1'b0, message.dtype[1:0]};
  assign bytes = message.count[12:0] << size;

  always_comb begin
    ask_o.known = 1'b1;
    ask_o.row_ = 16'(in_row_i);
    ask_o.again = in_i.again;
    ask_o.context_ = in_i.context_;
    ask_o.edge_ = in_i.edge_;
    ask_o.ref_ = in_i.ref_;
    ask_o.seq = in_i.seq;
    ask_o.is_trigger = is_trigger;
    ask_o.tag = is_trigger ? {trigger.port, trigger.counter} : '0;
  end

  logic [15:0] flags;
  always_comb begin
    flags = '0;
    if (exchange) flags |= tally_pkg::TchFExchange;
    if (message.mode == 8'(tally_pkg::ModeRing)) flags |= tally_pkg::TchFRing;
    if (message.first + message.count == message.total) flags |= tally_pkg::TchFLast;
    if (group.ordered) flags |= tally_pkg::TchFOrdered;
  end

  always_comb begin
    tch = '0;
    tch.tag = tally_pkg::TchTag;
    tch.version = 8'(tally_pkg::WireVersion);
    tch.kind = in_i.kind;
    tch.contributor = to.remote_index;
    tch.jid = group.jid;
    tch.epoch = group.epoch;
    tch.key = to.peer_key;
    tch.edge_seq = seq_q;
    tch.done = told ? answer_done_i : done_q;
    tch.limit = told ? answer_limit_i[15:0] : limit_q;
    if (is_trigger || in_i.chunk) tch.err_vector = in_i.err_vector;
    if (is_trigger) begin
      tch.opcode = trigger.opcode;
      tch.op = trigger.op;
      tch.dtype = trigger.dtype;
      if (trigger.cp) tch.flags |= tally_pkg::TchFCp;
      if (trigger.swp_mp) tch.flags |= tally_pkg::TchFSwpMp;
      tch.branch = trigger.branch;
      tch.mid = trigger.mid;
      tch.num = before_q;
      tch.total = trigger.count;
      tch.count = trigger.count;
      tch.counter = trigger.counter;
      tch.port = trigger.port;
    end else begin
      tch.mid = message.mid;
      tch.num = message.num;
    end
    if (in_i.chunk) begin
      tch.opcode = message.opcode;
      tch.op = message.op;
      tch.dtype = message.dtype;
      tch.flags = flags;
      tch.sid = message.sid;
      tch.total = message.total;
      tch.count = message.count;
      tch.root_node = message.root_node;
      tch.root_rank = message.root_rank;
      if (exchange && in_i.kind == 8'(tally_pkg::KindReduce)) tch.round = to.round;
    end
  end

  always_comb begin
    out_o = '0;
    out_o.dmac = to.mac;
    out_o.smac = mac_i;
    out_o.sgid = gid_i;
    out_o.dgid = to.gid;
    out_o.hop_limit = 8'(tally_fw_pkg::HopLimit);
    out_o.udp_sport = to.sport;
    out_o.pkey = 16'(tally_fw_pkg::Pkey);
    out_o.psn = seq_q[23:0];
    if (carries) out_o.payload_len = bytes;
    else if (is_trigger) out_o.payload_len = trigger.len;
    else if (in_i.kind == 8'(tally_pkg::KindAck)) out_o.payload_len = 13'(tally_pkg::TchAckBytes);
    out_o.tch = tch;
  end

  logic unused;
  assign unused = ^{answer_limit_i[31:16], in_i.context_};

`ifdef FORMAL
  `include "head_proof.svh"
`endif
endmodule
