// SPDX-License-Identifier: BSD-2-Clause
// What enters the segment store: the packets that it does, behind tally_edge_gate, and the
// operations of the units that post chunks, have local data and hear acknowledgements.
//
// rec_*, pay_*: records and payloads of the gate. All records go on to out_*, but the payload of a
// packet for the store goes there, and out_here_o says so. These are numbered packets of chunks of
// a group, mode and operation that the store does, with operation and type that belong together.
// Their flight ends here (end_*), with the answer of the store. The ends of other flights come from
// beyond (other_*).
//
// post_*: a StoreOpPost, which has no words. It is kept when it is taken, so its user may withdraw
// it before; it is taken, and enters, while post_room_i is high. loc_*: the operations of
// tally_local, with their words, at least one, which wait for nobody. These two and packets take
// turns. Most are answered while others enter; the answers (ans_*) come in the order in which they
// have entered, those of packets after their flight has ended.
//
// A record and a post are kept for a clock at least, so no input but loc_* leads to the store. Two
// clocks for a record, three if it is for the store, and two with one for each word until the next
// one enters the store, if that takes them; one less for operations, whose first word may enter
// in the clock in which loc_* comes, or after the one in which a post does. A record for the store
// waits while another one has not entered.
module tally_store_in #(
  parameter int unsigned Groups = 64,
  parameter int unsigned Flights = 8,
  parameter int unsigned Slots = tally_pkg::MaxSeg,
  localparam int unsigned SlotW = $clog2(Slots),
  localparam int unsigned FlightW = $clog2(Flights),
  localparam int unsigned GroupW = $clog2(Groups),
  localparam int unsigned NodeW = tally_plan_pkg::NodeW
) (
  input  logic                               clk_i,
  input  logic                               rst_ni,
  output logic                               busy_o,

  input  logic                               rec_valid_i,
  output logic                               rec_ready_o,
  input  tally_net_pkg::rx_hdr_t             rec_i,
  input  tally_admission_pkg::admission_t    adm_i,
  input  logic                               flight_valid_i,
  input  logic [FlightW-1:0]                 flight_i,
  input  logic                               pay_tvalid_i,
  output logic                               pay_tready_o,
  input  logic [tally_net_pkg::WordBits-1:0] pay_tdata_i,
  input  logic [tally_net_pkg::WordBytes-1:0] pay_tkeep_i,
  input  logic                               pay_tlast_i,
  output logic                               end_valid_o,
  input  logic                               end_ready_i,
  output logic [FlightW-1:0]                 end_flight_o,
  output logic                               end_stored_o,

  output logic                               out_valid_o,
  input  logic                               out_ready_i,
  output tally_net_pkg::rx_hdr_t             out_o,
  output tally_admission_pkg::admission_t    out_admission_o,
  output logic                               out_flight_valid_o,
  output logic [FlightW-1:0]                 out_flight_o,
  output logic                               out_here_o,
  output logic                               dat_tvalid_o,
  input  logic                               dat_tready_i,
  output logic [tally_net_pkg::WordBits-1:0] dat_tdata_o,
  output logic [tally_net_pkg::WordBytes-1:0] dat_tkeep_o,
  output logic                               dat_tlast_o,
  input  logic                               other_valid_i,
  output logic                               other_ready_o,
  input  logic [FlightW-1:0]                 other_flight_i,
  input  logic                               other_stored_i,

  // Tables of tally_store_regs.
  output logic [GroupW-1:0]                  read_group_o,
  input  logic                               read_tree_i,
  input  logic                               read_ring_i,
  input  logic                               read_exchange_i,
  input  logic [NodeW-1:0]                   read_nodes_i,

  input  logic                               loc_valid_i,
  output logic                               loc_ready_o,  // with each word
  input  tally_store_pkg::operation_t        loc_i,
  input  logic [tally_net_pkg::WordBits-1:0] loc_tdata_i,
  input  logic [tally_net_pkg::WordBytes-1:0] loc_tkeep_i,
  input  logic                               loc_tlast_i,
  input  logic                               post_valid_i,
  output logic                               post_ready_o,
  input  tally_store_pkg::operation_t        post_i,
  output logic                               ans_valid_o,
  input  logic                               ans_ready_i,
  output tally_store_pkg::answer_t           ans_o,

  // tally_store.
  input  logic                               post_room_i,
  output logic                               in_tvalid_o,
  input  logic                               in_tready_i,
  output logic [tally_net_pkg::WordBits-1:0] in_tdata_o,
  output logic [tally_net_pkg::WordBytes-1:0] in_tkeep_o,
  output logic                               in_tlast_o,
  output tally_fw_pkg::store_op_e               in_op_o,
  output logic [GroupW-1:0]                  in_group_o,
  output tally_segment_pkg::message_t        in_message_o,
  output logic                               in_last_o,
  output logic [15:0]                        in_bytes_o,
  output logic [15:0]                        in_err_vector_o,
  output logic [7:0]                         in_edge_o,
  output logic [7:0]                         in_round_o,   // of a packet
  output logic [tally_pkg::MaxRanks-1:0]     in_ranks_o,   // these four: of a post
  output logic [tally_pkg::MaxRanks-1:0]     in_absent_o,
  output logic [tally_pkg::MaxRanks-1:0]     in_quits_o,
  output logic [tally_pkg::MaxContributors-1:0] in_out_o,
  output logic                               in_rank_o,
  output logic                               in_sum_o,
  input  logic                               answer_valid_i,
  input  tally_fw_pkg::store_answer_e           answer_i,
  input  logic [15:0]                        answer_status_i,
  input  logic [15:0]                        answer_err_vector_i,
  input  logic [SlotW-1:0]                   answer_slot_i
);
  typedef enum logic [1:0] {
    StIdle,
    StPacket,  // the words of the packet that is kept go into the store
    StOp       // the words of the operation do
  } state_e;
  state_e state_d, state_q;

  // ---- Which records are for the store ----
  tally_pkg::tch_t tch;
  logic look_q, fits, fits_q, here, out, kept_q, is_known, reduces, op_fits, unused;
  logic has_payload, has_payload_q;  // of the record that is kept
  logic does, ring, exchange, mode_fits, flight_valid_q;
  tally_net_pkg::rx_hdr_t rec_q;
  tally_admission_pkg::admission_t adm_q;
  tally_pkg::tch_t rec_tch;
  logic [FlightW-1:0] rec_flight_q;

  function automatic logic has(input logic [31:0] ops, input logic [7:0] op);
    has = op[7:5] == '0 && ops[op[4:0]];
  endfunction

  // alu_check() of the model.
  function automatic logic reducible(input logic [7:0] op, input logic [7:0] dtype);
    unique case (dtype)
      8'(tally_pkg::TypeInt8), 8'(tally_pkg::TypeInt16), 8'(tally_pkg::TypeInt32),
          8'(tally_pkg::TypeInt64): reducible = has(tally_pkg::OpsInt, op);
      8'(tally_pkg::TypeUint8), 8'(tally_pkg::TypeUint16), 8'(tally_pkg::TypeUint32),
          8'(tally_pkg::TypeUint64): reducible = has(tally_pkg::OpsUint, op);
      8'(tally_pkg::TypeFp16), 8'(tally_pkg::TypeFp32), 8'(tally_pkg::TypeFp64):
        reducible = has(tally_pkg::OpsFp, op);
      8'(tally_pkg::TypeBf16): reducible = has(tally_pkg::OpsBf, op);
      default: reducible = 1'b0;
    endcase
  endfunction

  assign tch = rec_i.tch;
  assign unused = ^{rec_i, tch};  // few of their fields are used
  assign reduces = tch.opcode == 8'(tally_pkg::OpcodeAllreduce) ||
                   tch.opcode == 8'(tally_pkg::OpcodeReduce);
  assign is_known = reduces || tch.opcode == 8'(tally_pkg::OpcodeBcast) ||
                    (tch.opcode == 8'(tally_pkg::OpcodeBarrier) &&
                     tch.dtype == 8'(tally_pkg::TypeNone) && tch.total == '0);
  assign op_fits = reduces ? reducible(tch.op, tch.dtype) : tch.op == 8'(tally_pkg::OpNone);
  // In EXCHANGE, each sum has a round, and results do not travel.
  assign ring = tch.flags[tally_pkg::TchFRingBit];
  assign exchange = tch.flags[tally_pkg::TchFExchangeBit];
  assign mode_fits = exchange ? !ring && tch.kind == 8'(tally_pkg::KindReduce) :
                     tch.round == '0;
  assign fits = flight_valid_i && is_known && op_fits && mode_fits &&
                (tch.kind == 8'(tally_pkg::KindReduce) || tch.kind == 8'(tally_pkg::KindResult)) &&
                32'(tch.root_rank) < tally_pkg::MaxRanks && 32'(adm_i.context_) < Groups;
  assign has_payload = rec_i.verdict == 8'(tally_pkg::RxOk) &&
                       adm_i.verdict == 8'(tally_fw_pkg::AdmissionOk) && rec_i.payload_len != '0;

  // The record is kept, and the row of its group is read.
  assign rec_ready_o = !look_q;
  assign read_group_o = GroupW'(look_q ? adm_q.context_ : adm_i.context_);
  always_ff @(posedge clk_i) begin
    if (!look_q) begin
      rec_q <= rec_i;
      adm_q <= adm_i;
      flight_valid_q <= flight_valid_i;
      rec_flight_q <= flight_i;
      fits_q <= fits;
      has_payload_q <= has_payload;
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) look_q <= 1'b0;
    else look_q <= look_q ? !out : rec_valid_i;
  end

  assign rec_tch = rec_q.tch;
  assign does = rec_tch.flags[tally_pkg::TchFExchangeBit] ? read_exchange_i :
                rec_tch.flags[tally_pkg::TchFRingBit] ? read_ring_i : read_tree_i;
  assign here = fits_q && does && rec_tch.root_node < read_nodes_i;
  assign out_valid_o = look_q && !(here && kept_q);
  assign out = out_valid_o && out_ready_i;
  assign out_o = rec_q;
  assign out_admission_o = adm_q;
  assign out_flight_valid_o = flight_valid_q;
  assign out_flight_o = rec_flight_q;
  assign out_here_o = here;

  // ---- The packet that is kept, and where payloads go ----
  tally_pkg::tch_t tch_q;
  logic [GroupW-1:0] group_q;
  logic [7:0] edge_q;
  logic [12:0] bytes_q;
  logic [FlightW-1:0] flight_q;
  logic here_q, words_q, drop_kept, unused_kept;  // words_q: it has a payload

  assign unused_kept = ^{tch_q, op};
  always_ff @(posedge clk_i) begin
    if (out && here) begin
      tch_q <= rec_tch;
      group_q <= GroupW'(adm_q.context_);
      edge_q <= adm_q.edge_;
      bytes_q <= rec_q.payload_len;
      words_q <= rec_q.payload_len != '0;
      flight_q <= rec_flight_q;
    end
    // A payload has left before the record of the next one comes; other records may come before.
    if (out && has_payload_q) here_q <= here;
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) kept_q <= 1'b0;
    else kept_q <= (out && here) || (kept_q && !drop_kept);
  end

  // One for another unit waits until its record has left.
  logic pay_waits;
  assign pay_waits = look_q && has_payload_q;
  assign dat_tvalid_o = pay_tvalid_i && !here_q && !pay_waits;
  assign dat_tdata_o = pay_tdata_i;
  assign dat_tkeep_o = pay_tkeep_i;
  assign dat_tlast_o = pay_tlast_i;
  assign pay_tready_o = here_q ? state_q == StPacket && words_q && in_tready_i :
                        dat_tready_i && !pay_waits;

  // ---- Whose operation is next: posts and those of tally_local take turns, and with packets ----
  typedef enum logic {
    UserPost = 1'b0,
    UserLocal = 1'b1
  } user_e;
  user_e user, user_q, last_q;
  logic post_full_q, post_wants, may_pick, picks, room, after_packet_q;

  assign post_wants = post_full_q && post_room_i;
  assign user = post_wants && (!loc_valid_i || last_q == UserLocal) ? UserPost : UserLocal;
  assign may_pick = state_q == StIdle && room && (!kept_q || after_packet_q);
  assign picks = may_pick && (post_wants || loc_valid_i);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) after_packet_q <= 1'b0;
    else if (state_q != StIdle || picks) after_packet_q <= state_q == StPacket;
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) last_q <= UserLocal;
    else if (picks) last_q <= user;
  end

  // ---- Into the store ----
  logic of_op, of_post, last_word, tell, op_valid, op_tlast;
  logic [tally_net_pkg::WordBytes-1:0] op_tkeep;
  tally_store_pkg::operation_t post_q, op;

  assign of_op = state_q == StOp || picks;
  assign of_post = state_q == StOp ? user_q == UserPost : picks && user == UserPost;
  assign post_ready_o = !post_full_q && post_room_i;
  always_ff @(posedge clk_i) begin
    if (state_q == StIdle) user_q <= user;
    if (!post_full_q) post_q <= post_i;
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) post_full_q <= 1'b0;
    else post_full_q <= post_full_q ? !(last_word && of_post) : post_valid_i && post_ready_o;
  end
  assign op = of_post ? post_q : loc_i;
  assign op_valid = of_post || loc_valid_i;
  assign op_tkeep = of_post ? '0 : loc_tkeep_i;
  assign op_tlast = of_post || loc_tlast_i;
  assign last_word = in_tvalid_o && in_tready_i && in_tlast_o;

  always_comb begin
    in_tvalid_o = of_op && op_valid;
    in_tdata_o = loc_tdata_i;
    in_tkeep_o = op_tkeep;
    in_tlast_o = op_tlast;
    in_op_o = tally_fw_pkg::store_op_e'(op.op[2:0]);
    in_group_o = GroupW'(op.group_);
    in_message_o = op.message;
    in_last_o = op.last;
    in_bytes_o = op.bytes;
    in_err_vector_o = '0;
    in_edge_o = op.edge_;
    in_round_o = '0;
    if (!of_op) begin
      in_tvalid_o = state_q == StPacket && (!words_q || (pay_tvalid_i && here_q));
      in_tdata_o = pay_tdata_i;
      in_tkeep_o = words_q ? pay_tkeep_i : '0;
      in_tlast_o = !words_q || pay_tlast_i;
      in_op_o = tch_q.kind == 8'(tally_pkg::KindResult) ? tally_fw_pkg::StoreOpResult :
                tally_fw_pkg::StoreOpReduce;
      in_group_o = group_q;
      in_message_o = '0;
      in_message_o.mode = tch_q.flags[tally_pkg::TchFExchangeBit] ? 8'(tally_pkg::ModeExchange) :
                          tch_q.flags[tally_pkg::TchFRingBit] ? 8'(tally_pkg::ModeRing) :
                          8'(tally_pkg::ModeTree);
      in_message_o.opcode = tch_q.opcode;
      in_message_o.op = tch_q.op;
      in_message_o.dtype = tch_q.dtype;
      in_message_o.root_rank = tch_q.root_rank;
      in_message_o.root_node = tch_q.root_node;
      in_message_o.num = tch_q.num;
      in_message_o.mid = tch_q.mid;
      in_message_o.sid = tch_q.sid;
      in_message_o.total = tch_q.total;
      in_message_o.count = tch_q.count;
      in_last_o = tch_q.flags[tally_pkg::TchFLastBit];
      in_bytes_o = 16'(bytes_q);
      in_err_vector_o = tch_q.err_vector;
      in_edge_o = edge_q;
      in_round_o = tch_q.round;
    end
  end
  assign in_ranks_o = of_post ? post_q.ranks : '0;
  assign in_absent_o = post_q.absent;
  assign in_quits_o = post_q.quits;
  assign in_out_o = post_q.out;
  assign in_rank_o = op.rank;
  assign in_sum_o = op.sum;
  // Whether one would be taken if it were offered, so that those who offer one may depend on it.
  assign loc_ready_o = in_tready_i && (state_q == StOp ? user_q == UserLocal :
                                       may_pick && !(post_wants && last_q == UserLocal));

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      StIdle: begin
        if (picks) state_d = last_word ? StIdle : StOp;
        else if ((kept_q || (out && here)) && room) state_d = StPacket;
      end
      default: if (last_word) state_d = StIdle;  // StPacket, StOp
    endcase
  end
  assign drop_kept = last_word && !of_op;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) state_q <= StIdle;
    else state_q <= state_d;
  end

  // ---- What is inside: whose it is, and the answer, which may come before the last word ----
  localparam int unsigned Inside = tally_store_pkg::Inside;
  localparam int unsigned InsideW = $clog2(Inside + 1);
  logic [InsideW-1:0] inside_q;
  logic has_entered, is_answered, of_packet, own_end, ended_q, begins;
  tally_store_pkg::of_e of_in;
  assign begins = state_q == StIdle && (state_d != StIdle || picks);
  assign room = inside_q != InsideW'(Inside);
  assign of_in = !of_op ? tally_store_pkg::OfPacket :
                 of_post ? tally_store_pkg::OfPost : tally_store_pkg::OfLocal;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      inside_q <= '0;
      ended_q <= 1'b0;
    end else begin
      inside_q <= inside_q + InsideW'(begins) - InsideW'(tell);
      ended_q <= (ended_q || (own_end && end_ready_i)) && !tell;
    end
  end

  // verilator lint_off PINCONNECTEMPTY
  logic [1:0] of_out;
  tally_fifo #(.Width(2 + 8), .Depth(Inside)) u_entered (
    .clk_i, .rst_ni, .in_valid_i(last_word), .in_ready_o(), .in_i({of_in, 8'(flight_q)}),
    .out_valid_o(has_entered), .out_ready_i(tell), .out_o({of_out, ans_o.flight}), .used_o()
  );
  tally_fifo #(.Width(8 + 16 + 16 + 11), .Depth(Inside)) u_answers (
    .clk_i, .rst_ni, .in_valid_i(answer_valid_i), .in_ready_o(),
    .in_i({8'(answer_i), answer_status_i, answer_err_vector_i, 11'(answer_slot_i)}),
    .out_valid_o(is_answered), .out_ready_i(tell),
    .out_o({ans_o.answer, ans_o.status, ans_o.err_vector, ans_o.slot}), .used_o()
  );
  // verilator lint_on PINCONNECTEMPTY
  assign ans_o.of_ = tally_store_pkg::of_e'(of_out);
  assign of_packet = ans_o.of_ == tally_store_pkg::OfPacket;
  assign own_end = has_entered && is_answered && of_packet && !ended_q;
  assign ans_valid_o = has_entered && is_answered && (!of_packet || ended_q);
  assign tell = ans_valid_o && ans_ready_i;

  // ---- Ends of flights ----
  assign end_valid_o = own_end || other_valid_i;
  assign end_flight_o = own_end ? ans_o.flight[FlightW-1:0] : other_flight_i;
  assign end_stored_o = own_end ? ans_o.answer == 8'(tally_fw_pkg::StoreAnswerStored) ||
                                  ans_o.answer == 8'(tally_fw_pkg::StoreAnswerDuplicate) ||
                                  ans_o.answer == 8'(tally_fw_pkg::StoreAnswerPast) :
                        other_stored_i;
  assign other_ready_o = end_ready_i && !own_end;

  assign busy_o = look_q || kept_q || post_full_q || state_q != StIdle || inside_q != '0;

`ifdef FORMAL
  `include "store_in_proof.svh"
`endif
endmodule
