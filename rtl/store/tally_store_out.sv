// SPDX-License-Identifier: BSD-2-Clause
// Reads the payload of what is due from the segments and sends it with its header: packets for
// neighbours and results for ranks, each through a buffer of their own. A packet or a result is
// read when its buffer has room for all of its words; the next packet asks while it is read. So the
// segments are never kept from reading by an output that stands still, and neither output waits
// for the other.
//
// again_*: a packet for a neighbour is to be sent once more, ahead of what is due.
//
// ask_*: what is for a neighbour asks whether it may leave, before it is read; ask_again_o: as
// again_* did. It is taken with its end, ask_end_i. With EndSent, its header has left, and its
// words follow on out_*, behind those of the packets before it. With EndWaits, it is given to
// wait_*. What is for a neighbour is dropped once its epoch ends.
//
// res_*: results for ranks, with their headers. res_ended_o: the epoch ends.
//
// The header of header_slot_o comes a clock later, in which a packet asks, or a result is read.
// busy_o, read_busy_o: slot_o and busy_slot_o are
// not to be cleared. idle_o: nothing is inside. old_o, from the clock after mark_i on: words that
// were in the buffers then have not left; others may follow them.
module tally_store_out #(
  parameter int unsigned Slots = 16,  // with their parts
  parameter int unsigned Groups = 64,
  parameter int unsigned Words = 4,
  parameter int unsigned Width = 512,
  parameter int unsigned Contributors = tally_pkg::MaxContributors,
  parameter int unsigned Ranks = tally_pkg::MaxRanks,
  localparam int unsigned Bytes = Width / 8,
  localparam int unsigned SlotW = $clog2(Slots),
  localparam int unsigned GroupW = $clog2(Groups)
) (
  input  logic                            clk_i,
  input  logic                            rst_ni,
  output logic                            idle_o,
  input  logic                            mark_i,
  output logic                            old_o,
  output logic                            busy_o,
  output logic [SlotW-1:0]                slot_o,

  // From tally_edge_send.
  input  logic                            again_valid_i,
  output logic                            again_ready_o,
  input  logic [SlotW-1:0]                again_slot_i,
  input  logic                            again_sum_i,
  input  logic [GroupW-1:0]               again_group_i,
  input  logic [7:0]                      again_edge_i,
  input  logic [31:0]                     again_seq_i,

  // From tally_store_send.
  input  logic                            due_valid_i,
  output logic                            due_ready_o,
  input  logic [SlotW-1:0]                due_slot_i,
  input  tally_fw_pkg::store_send_e          due_kind_i,
  input  logic [$clog2(Contributors)-1:0] due_edge_i,
  input  logic [Ranks-1:0]                due_ranks_i,

  output logic [SlotW-1:0]                header_slot_o,
  input  logic [GroupW-1:0]               header_group_i,
  input  logic [7:0]                      header_up_edge_i,
  input  tally_segment_pkg::message_t     header_message_i,
  input  logic [15:0]                     header_err_vector_i,
  input  logic                            ending_i,  // the epoch of ending_group_i ends
  input  logic [GroupW-1:0]               ending_group_i,

  output logic                            ask_valid_o,
  input  logic                            ask_ready_i,
  input  tally_head_pkg::end_e            ask_end_i,
  output logic                            ask_again_o,
  output logic [31:0]                     ask_seq_o,
  output logic                            ask_sum_o,   // it is the sum of slot_o
  output tally_fw_pkg::store_send_e       ask_kind_o,
  output logic [7:0]                      ask_edge_o,
  output logic [GroupW-1:0]               ask_group_o,
  output tally_segment_pkg::message_t     ask_message_o,
  output logic [15:0]                     ask_err_vector_o,

  // To tally_store_wait.
  output logic                            wait_begin_o,
  output logic                            wait_valid_o,
  input  logic                            wait_ready_i,
  output logic                            wait_sum_o,
  output logic [$clog2(Contributors)-1:0] wait_edge_o,

  // The read port of the segments, which the store uses, too.
  input  logic                            read_taken_i,  // it may not be used now
  output logic                            read_busy_o,   // it is used, by busy_slot_o
  output logic [SlotW-1:0]                busy_slot_o,
  output logic                            read_valid_o,
  input  logic                            read_ready_i,
  output logic [SlotW-1:0]                read_slot_o,
  output logic                            read_result_o,
  input  logic                            words_valid_i,
  input  logic [Width-1:0]                words_data_i,
  input  logic [Bytes-1:0]                words_keep_i,
  input  logic                            words_last_i,

  output logic                            out_tvalid_o,
  input  logic                            out_tready_i,
  output logic [Width-1:0]                out_tdata_o,
  output logic [Bytes-1:0]                out_tkeep_o,
  output logic                            out_tlast_o,
  output logic                            res_tvalid_o,
  input  logic                            res_tready_i,
  output logic [Width-1:0]                res_tdata_o,
  output logic [Bytes-1:0]                res_tkeep_o,
  output logic                            res_tlast_o,
  output logic [SlotW-1:0]                res_slot_o,
  output logic [Ranks-1:0]                res_ranks_o,
  output logic                            res_ended_o,
  output logic [GroupW-1:0]               res_group_o,
  output tally_segment_pkg::message_t     res_message_o,
  output logic [15:0]                     res_err_vector_o
);
  typedef enum logic [2:0] {
    StIdle,
    StHeader,
    StAsk,    // whether it may leave
    StWait,   // it may not yet
    StRead    // its words are wanted
  } state_e;
  state_e state_d, state_q;

  tally_fw_pkg::store_send_e kind_q;
  logic [7:0] edge_q, up_edge_q, up_edge;
  logic [Ranks-1:0] ranks_q;
  logic [GroupW-1:0] group, group_q;
  logic [15:0] err_vector_q;
  tally_segment_pkg::message_t message_q;
  logic asks, wants, ended_here;
  logic exchange, to_ranks, ended, ended_q, out_room, res_room, out_some, res_some;
  logic fills_q, fills_ranks_q, reads, asks_q;  // fills_q: words go into a buffer

  assign idle_o = state_q == StIdle && !fills_q && !out_some && !res_some;
  assign busy_o = state_q != StIdle;
  assign slot_o = read_slot_o;
  assign again_ready_o = state_q == StIdle;
  assign due_ready_o = state_q == StIdle && !again_valid_i;
  assign header_slot_o = again_valid_i ? again_slot_i : due_slot_i;
  assign asks = state_q == StAsk || (state_q == StHeader && !to_ranks && !ended);
  assign ask_valid_o = asks && (out_room || asks_q);
  assign ask_sum_o = kind_q == tally_fw_pkg::StoreSendSum;
  assign wait_begin_o = state_q == StHeader;
  assign wait_valid_o = state_q == StWait;
  assign wait_sum_o = ask_sum_o;
  assign wait_edge_o = edge_q[$clog2(Contributors)-1:0];
  assign wants = state_q == StRead || (state_q == StHeader && to_ranks);
  assign read_valid_o = wants && !fills_q && !read_taken_i && (!to_ranks || res_room);
  assign read_busy_o = fills_q;
  assign reads = read_valid_o && read_ready_i;
  assign read_result_o = kind_q != tally_fw_pkg::StoreSendSum && !exchange;
  assign to_ranks = kind_q == tally_fw_pkg::StoreSendRanks;
  assign group = ask_again_o ? group_q : header_group_i;
  assign ended = ending_i && group == ending_group_i;

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      StIdle: if (again_valid_i || due_valid_i) state_d = StHeader;
      StHeader: state_d = to_ranks ? StRead : ended ? StIdle : StAsk;
      StWait: if (wait_ready_i) state_d = StIdle;
      default: ;  // StAsk, StRead
    endcase
    if (ask_valid_o && ask_ready_i) begin
      unique case (ask_end_i)
        tally_head_pkg::EndSent: state_d = StRead;
        tally_head_pkg::EndWaits: state_d = StWait;
        default: state_d = StIdle;  // EndDropped
      endcase
    end
    if (reads) state_d = StIdle;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= StIdle;
      fills_q <= 1'b0;
      asks_q <= 1'b0;
    end else begin
      state_q <= state_d;
      fills_q <= reads || (fills_q && !(words_valid_i && words_last_i));
      asks_q <= ask_valid_o;
    end
  end

  always_ff @(posedge clk_i) begin
    if (reads) begin
      busy_slot_o <= read_slot_o;
      fills_ranks_q <= to_ranks;
    end
    if (state_q == StIdle) begin
      ask_again_o <= again_valid_i;
      ask_seq_o <= again_seq_i;
      read_slot_o <= header_slot_o;
      if (again_valid_i) begin
        kind_q <= again_sum_i ? tally_fw_pkg::StoreSendSum : tally_fw_pkg::StoreSendResult;
        edge_q <= again_edge_i;
        group_q <= again_group_i;
      end else begin
        kind_q <= due_kind_i;
        edge_q <= 8'(due_edge_i);
      end
      ranks_q <= due_ranks_i;
    end
    if (state_q == StHeader) begin
      group_q <= group;
      up_edge_q <= header_up_edge_i;
      message_q <= header_message_i;
      err_vector_q <= header_err_vector_i;
      ended_q <= ended;
    end
  end

  // The header, as it comes, or as it was kept.
  always_comb begin
    ask_group_o = group_q;
    up_edge = up_edge_q;
    ask_message_o = message_q;
    ask_err_vector_o = err_vector_q;
    ended_here = ended_q;
    if (state_q == StHeader) begin
      ask_group_o = group;
      up_edge = header_up_edge_i;
      ask_message_o = header_message_i;
      ask_err_vector_o = header_err_vector_i;
      ended_here = ended;
    end
  end

  // In EXCHANGE, a partial result is sent to the neighbours of the next round as a sum.
  assign exchange = ask_message_o.mode == tally_pkg::ModeExchange &&
                    kind_q == tally_fw_pkg::StoreSendResult;
  assign ask_kind_o = exchange ? tally_fw_pkg::StoreSendSum : kind_q;
  assign ask_edge_o = ask_sum_o && !ask_again_o ? up_edge : edge_q;

  // ---- The buffers ----
  //
  // A packet that may leave has room behind the one that is being read and one that leaves, a
  // result behind one that leaves. asks_q: its room is kept, as words of the former still come.
  localparam int unsigned Depth = 2 * Words;
  localparam int unsigned OutDepth = 3 * Words;
  localparam int unsigned UsedW = $clog2(OutDepth + 1);
  localparam int unsigned Headers = 4;
  localparam int unsigned HeaderW = SlotW + Ranks + 1 + GroupW + $bits(res_message_o) + 16;
  logic [UsedW-1:0] out_used;
  logic [$clog2(Depth+1)-1:0] res_used;
  localparam int unsigned WordW = Width + Bytes + 1;
  logic fills, heads_room, unused_head, of_out, of_res, out_kept, res_kept;
  logic [WordW-1:0] word, out_word, res_word;

  // A word that comes to an empty buffer may leave at once.
  assign fills = fills_q && words_valid_i;
  assign word = {words_data_i, words_keep_i, words_last_i};
  assign of_out = fills && !fills_ranks_q;
  assign of_res = fills && fills_ranks_q;
  assign out_tvalid_o = out_kept || of_out;
  assign res_tvalid_o = res_kept || of_res;
  assign {out_tdata_o, out_tkeep_o, out_tlast_o} = out_kept ? out_word : word;
  assign {res_tdata_o, res_tkeep_o, res_tlast_o} = res_kept ? res_word : word;
  assign out_some = out_used != '0;
  assign res_some = res_used != '0;
  assign out_room = out_used <= UsedW'(fills_q && !fills_ranks_q ? OutDepth - 2 * Words :
                                                                   OutDepth - Words);
  assign res_room = 32'(res_used) <= Depth - Words && heads_room;

  logic [UsedW-1:0] out_old_q;
  logic [$clog2(Depth+1)-1:0] res_old_q;
  logic out_pop, res_pop;
  assign out_pop = out_kept && out_tready_i;
  assign res_pop = res_kept && res_tready_i;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      out_old_q <= '0;
      res_old_q <= '0;
    end else begin
      if (mark_i) out_old_q <= out_used - UsedW'(out_pop);
      else if (out_old_q != '0) out_old_q <= out_old_q - UsedW'(out_pop);
      if (mark_i) res_old_q <= res_used - $bits(res_used)'(res_pop);
      else if (res_old_q != '0) res_old_q <= res_old_q - $bits(res_used)'(res_pop);
    end
  end
  assign old_o = out_old_q != '0 || res_old_q != '0;

  // verilator lint_off PINCONNECTEMPTY
  tally_fifo #(.Width(WordW), .Depth(OutDepth)) u_words (
    .clk_i, .rst_ni, .in_valid_i(of_out && (out_kept || !out_tready_i)), .in_ready_o(),
    .in_i(word), .out_valid_o(out_kept), .out_ready_i(out_tready_i), .out_o(out_word),
    .used_o(out_used)
  );
  tally_fifo #(.Width(WordW), .Depth(Depth)) u_results (
    .clk_i, .rst_ni, .in_valid_i(of_res && (res_kept || !res_tready_i)), .in_ready_o(),
    .in_i(word), .out_valid_o(res_kept), .out_ready_i(res_tready_i), .out_o(res_word),
    .used_o(res_used)
  );
  // The header is there before the first word.
  tally_fifo #(.Width(HeaderW), .Depth(Headers)) u_headers (
    .clk_i, .rst_ni, .in_valid_i(reads && to_ranks),
    .in_ready_o(heads_room),
    .in_i({read_slot_o, ranks_q, ended_here, ask_group_o, ask_message_o, ask_err_vector_o}),
    .out_valid_o(unused_head),
    .out_ready_i(res_tvalid_o && res_tready_i && res_tlast_o),
    .out_o({res_slot_o, res_ranks_o, res_ended_o, res_group_o, res_message_o, res_err_vector_o}),
    .used_o()
  );
  // verilator lint_on PINCONNECTEMPTY
endmodule
