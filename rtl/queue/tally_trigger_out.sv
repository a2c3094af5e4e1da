// SPDX-License-Identifier: BSD-2-Clause
// What leaves the request processor: messages of descriptors that have fired, to neighbours and to
// this node (tally_trigger_sends, _leave), and results for memory, which read words of places of
// tally_rmq in turn. tally_trigger has the descriptors.
//
// begin_*, done_*, at_*, look_*, forget_*, acked_*, again_*, wake_i: see tally_trigger_sends.
// row_*, left_i, head_*, self_*, nobody_o: see tally_trigger_leave, whose pay_* are txp_* here.
// write_*: the first len bytes of a place come on dat_*. rd_*, rdata_*: see tally_trigger_words.
module tally_trigger_out #(
  parameter int unsigned Descs = 256,
  parameter int unsigned Groups = tally_pkg::MaxGroup,
  parameter int unsigned Places = tally_pkg::RmqCells + 256,
  localparam int unsigned Receivers = tally_pkg::ContribSelf + 1,
  localparam int unsigned DescW = Descs > 1 ? $clog2(Descs) : 1,
  localparam int unsigned GroupW = Groups > 1 ? $clog2(Groups) : 1,
  localparam int unsigned PlaceW = $clog2(Places),
  localparam int unsigned WordBits = 512,
  localparam int unsigned WordBytes = WordBits / 8,
  localparam int unsigned Words = tally_pkg::MaxMtu / WordBytes,
  localparam int unsigned WordW = $clog2(Words)
) (
  input  logic                                   clk_i,
  input  logic                                   rst_ni,
  output logic                                   busy_o,  // low if nothing happens without an input

  // A descriptor that has fired, and the command that forgets it.
  input  logic                                   begin_valid_i,
  output logic                                   begin_ready_o,
  input  logic [DescW-1:0]                       begin_desc_i,
  input  logic [GroupW-1:0]                      begin_group_i,
  input  logic [Receivers-1:0]                   begin_receivers_i,
  output logic                                   done_valid_o,
  output logic [DescW-1:0]                       done_desc_o,
  output logic                                   at_valid_o,
  output logic [DescW-1:0]                       at_desc_o,
  input  logic                                   look_valid_i,
  output logic                                   look_ready_o,
  input  logic [DescW-1:0]                       look_desc_i,
  output logic [63:0]                            look_missing_o,
  output logic                                   look_starved_o,
  input  logic                                   forget_valid_i,
  output logic                                   forget_ready_o,
  input  logic [DescW-1:0]                       forget_desc_i,
  input  logic                                   wake_i,
  output logic [DescW-1:0]                       row_desc_o,
  input  tally_trigger_pkg::left_t               left_i,
  output logic                                   nobody_o,

  // Results for memory.
  input  logic                                   write_valid_i,
  output logic                                   write_ready_o,
  input  logic [PlaceW-1:0]                      write_place_i,
  input  logic [12:0]                            write_len_i,
  output logic                                   dat_valid_o,
  input  logic                                   dat_ready_i,
  output logic [WordBits-1:0]                    dat_o,

  // Packets, and messages to this node.
  output logic                                   head_valid_o,
  input  logic                                   head_ready_i,
  input  tally_head_pkg::end_e                   head_end_i,
  output tally_head_pkg::source_t                head_o,
  output logic                                   txp_tvalid_o,
  input  logic                                   txp_tready_i,
  output logic [WordBits-1:0]                    txp_tdata_o,
  output logic [WordBytes-1:0]                   txp_tkeep_o,
  output logic                                   txp_tlast_o,
  input  logic                                   acked_valid_i,
  output logic                                   acked_ready_o,
  input  tally_edge_pkg::sent_t                  acked_i,
  input  logic                                   again_valid_i,
  output logic                                   again_ready_o,
  input  tally_edge_pkg::sent_t                  again_i,
  output logic                                   self_valid_o,
  input  logic                                   self_ready_i,
  input  tally_trigger_pkg::self_e               self_i,
  output logic [GroupW-1:0]                      self_group_o,
  output logic [15:0]                            self_port_o,
  output tally_trigger_pkg::message_t            self_o,
  input  logic                                   self_wants_i,
  output logic                                   self_tvalid_o,
  input  logic                                   self_tready_i,
  output logic [WordBits-1:0]                    self_tdata_o,

  // Words of places.
  output logic                                   rd_valid_o,
  input  logic                                   rd_ready_i,
  output logic [PlaceW-1:0]                      rd_place_o,
  output logic [WordW-1:0]                       rd_word_o,
  input  logic                                   rdata_valid_i,
  input  logic [WordBits-1:0]                    rdata_i
);
  localparam int unsigned WordsW = $clog2(Words + 1);
  logic go_valid, go_ready, go_again, sends_busy;
  logic [6:0] go_receiver;
  logic [31:0] go_seq;
  tally_head_pkg::end_e go_end;
  tally_trigger_sends #(.Descs(Descs), .Groups(Groups)) u_sends (
    .clk_i, .rst_ni, .busy_o(sends_busy), .begin_valid_i, .begin_ready_o, .begin_desc_i,
    .begin_group_i, .begin_receivers_i,
    .done_valid_o, .done_desc_o, .at_valid_o, .out_valid_o(go_valid), .out_ready_i(go_ready),
    .out_desc_o(at_desc_o), .out_receiver_o(go_receiver), .out_again_o(go_again),
    .out_seq_o(go_seq), .out_end_i(go_end), .acked_valid_i, .acked_ready_o,
    .acked_desc_i(acked_i.ref_[DescW-1:0]), .acked_edge_i(acked_i.edge_[6:0]), .again_valid_i,
    .again_ready_o, .again_desc_i(again_i.ref_[DescW-1:0]), .again_edge_i(again_i.edge_[6:0]),
    .again_seq_i(again_i.seq), .wake_i, .look_valid_i, .look_ready_o, .look_desc_i, .look_missing_o,
    .look_starved_o, .forget_valid_i, .forget_ready_o, .forget_desc_i
  );

  // ---- Who reads words: messages that leave, and results for memory, in turn ----
  logic [1:0] wants_rd, reads_rd, of_result_q;
  logic of_result, leave_rdata, write_rdata, write_last;
  logic [PlaceW-1:0] leave_place, write_place;
  logic [WordW-1:0] leave_word, write_word;
  logic [13:0] write_rounded;
  assign write_rounded = 14'(write_len_i) + 14'(WordBytes - 1);
  logic result_turn_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) result_turn_q <= 1'b0;
    else result_turn_q <= !of_result;
  end
  assign rd_valid_o = wants_rd != '0;
  assign of_result = wants_rd[1] && (result_turn_q || !wants_rd[0]);
  assign reads_rd = {of_result, !of_result} & {2{rd_ready_i}};
  assign rd_place_o = of_result ? write_place : leave_place;
  assign rd_word_o = of_result ? write_word : leave_word;
  always_ff @(posedge clk_i) of_result_q <= {of_result_q[0], of_result};
  assign leave_rdata = rdata_valid_i && !of_result_q[1];
  assign write_rdata = rdata_valid_i && of_result_q[1];
  tally_trigger_words #(.Places(Places)) u_write (
    .clk_i, .rst_ni, .start_valid_i(write_valid_i), .start_ready_o(write_ready_o),
    .place_i(write_place_i), .words_i(WordsW'(write_rounded >> $clog2(WordBytes))),
    .rd_valid_o(wants_rd[1]), .rd_ready_i(reads_rd[1]), .rd_place_o(write_place),
    .rd_word_o(write_word), .rdata_valid_i(write_rdata), .rdata_i,
    .out_valid_o(dat_valid_o), .out_ready_i(dat_ready_i), .out_o(dat_o), .out_last_o(write_last)
  );
  tally_trigger_leave #(.Descs(Descs), .Groups(Groups), .Places(Places)) u_leave (
    .clk_i, .rst_ni, .go_valid_i(go_valid), .go_ready_o(go_ready), .go_desc_i(at_desc_o),
    .go_receiver_i(go_receiver), .go_again_i(go_again), .go_seq_i(go_seq), .go_end_o(go_end),
    .row_desc_o, .left_i, .head_valid_o, .head_ready_i, .head_end_i, .head_o,
    .pay_tvalid_o(txp_tvalid_o), .pay_tready_i(txp_tready_i), .pay_tdata_o(txp_tdata_o),
    .pay_tkeep_o(txp_tkeep_o), .pay_tlast_o(txp_tlast_o), .self_valid_o, .self_ready_i, .self_i,
    .self_group_o, .self_port_o, .self_o, .self_wants_i, .self_tvalid_o, .self_tready_i,
    .self_tdata_o, .nobody_o, .rd_valid_o(wants_rd[0]), .rd_ready_i(reads_rd[0]),
    .rd_place_o(leave_place), .rd_word_o(leave_word), .rdata_valid_i(leave_rdata), .rdata_i
  );
  assign busy_o = sends_busy || !write_ready_o;
  logic unused;
  assign unused = ^{write_last, acked_i, again_i, write_rounded};
endmodule
