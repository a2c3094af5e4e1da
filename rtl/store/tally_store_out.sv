// SPDX-License-Identifier: BSD-2-Clause
// Reads the payload of what is due from the segments and sends it with its header. A packet is read
// into a buffer that has room for all of its words, and its next one when it has left. So the
// segments are never kept from reading by an output that stands still.
//
// again_*: a packet for a neighbour is to be sent once more, ahead of what is due.
//
// ask_*: what is for a neighbour asks whether it may leave, before it is read: out_kind_o and the
// fields after it name it; ask_again_o: as again_* did. It is taken with its end, ask_end_i. With
// EndSent, its header has left, and its words follow on out_*. With EndWaits, it is given to
// wait_*. Results for ranks do not ask. What is for a neighbour is dropped once its epoch ends.
//
// The header of header_slot_o comes a clock later. busy_o: slot_o is not to be cleared.
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

  // To tally_store_wait.
  output logic                            wait_begin_o,
  output logic                            wait_valid_o,
  input  logic                            wait_ready_i,
  output logic                            wait_sum_o,
  output logic [$clog2(Contributors)-1:0] wait_edge_o,

  // The read port of the segments, which the store uses, too.
  input  logic                            read_taken_i,  // it may not be used now
  output logic                            read_busy_o,   // it is used
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
  output tally_fw_pkg::store_send_e          out_kind_o,
  output logic [7:0]                      out_edge_o,
  output logic [Ranks-1:0]                out_ranks_o,
  output logic                            out_ended_o,
  output logic [GroupW-1:0]               out_group_o,
  output tally_segment_pkg::message_t     out_message_o,
  output logic [15:0]                     out_err_vector_o
);
  typedef enum logic [2:0] {
    StIdle,
    StHeader,
    StAsk,    // whether it may leave
    StWait,   // it may not yet
    StRead,
    StFill,   // the words go into the buffer
    StDrain
  } state_e;
  state_e state_d, state_q;

  tally_fw_pkg::store_send_e kind_q;
  logic [7:0] edge_q, up_edge_q;
  logic [GroupW-1:0] group;
  logic exchange, last_out, to_ranks, ended;

  assign idle_o = state_q == StIdle;
  assign busy_o = state_q != StIdle;
  assign slot_o = read_slot_o;
  assign again_ready_o = state_q == StIdle;
  assign due_ready_o = state_q == StIdle && !again_valid_i;
  assign header_slot_o = again_valid_i ? again_slot_i : due_slot_i;
  assign ask_valid_o = state_q == StAsk;
  assign ask_sum_o = kind_q == tally_fw_pkg::StoreSendSum;
  assign wait_begin_o = state_q == StHeader;
  assign wait_valid_o = state_q == StWait;
  assign wait_sum_o = ask_sum_o;
  assign wait_edge_o = edge_q[$clog2(Contributors)-1:0];
  assign read_valid_o = state_q == StRead && !read_taken_i;
  assign read_busy_o = state_q == StFill;
  assign read_result_o = kind_q != tally_fw_pkg::StoreSendSum && !exchange;
  assign last_out = out_tvalid_o && out_tready_i && out_tlast_o;
  assign to_ranks = kind_q == tally_fw_pkg::StoreSendRanks;
  assign group = ask_again_o ? out_group_o : header_group_i;
  assign ended = ending_i && group == ending_group_i;

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      StIdle: if (again_valid_i || due_valid_i) state_d = StHeader;
      StHeader: state_d = to_ranks ? StRead : ended ? StIdle : StAsk;
      StAsk: if (ask_ready_i) begin
        unique case (ask_end_i)
          tally_head_pkg::EndSent: state_d = StRead;
          tally_head_pkg::EndWaits: state_d = StWait;
          default: state_d = StIdle;  // EndDropped
        endcase
      end
      StWait: if (wait_ready_i) state_d = StIdle;
      StRead: if (read_valid_o && read_ready_i) state_d = StFill;
      StFill: if (words_valid_i && words_last_i) state_d = StDrain;
      default: if (last_out) state_d = StIdle;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) state_q <= StIdle;
    else state_q <= state_d;
  end

  always_ff @(posedge clk_i) begin
    if (state_q == StIdle) begin
      ask_again_o <= again_valid_i;
      ask_seq_o <= again_seq_i;
      read_slot_o <= header_slot_o;
      if (again_valid_i) begin
        kind_q <= again_sum_i ? tally_fw_pkg::StoreSendSum : tally_fw_pkg::StoreSendResult;
        edge_q <= again_edge_i;
        out_group_o <= again_group_i;
      end else begin
        kind_q <= due_kind_i;
        edge_q <= 8'(due_edge_i);
      end
      out_ranks_o <= due_ranks_i;
    end
    if (state_q == StHeader) begin
      out_group_o <= group;
      up_edge_q <= header_up_edge_i;
      out_message_o <= header_message_i;
      out_err_vector_o <= header_err_vector_i;
      out_ended_o <= ended;
    end
  end

  // In EXCHANGE, a partial result is sent to the neighbours of the next round as a sum.
  assign exchange = out_message_o.mode == tally_pkg::ModeExchange &&
                    kind_q == tally_fw_pkg::StoreSendResult;
  assign out_kind_o = exchange ? tally_fw_pkg::StoreSendSum : kind_q;
  assign out_edge_o = kind_q == tally_fw_pkg::StoreSendSum && !ask_again_o ? up_edge_q : edge_q;

  // verilator lint_off PINCONNECTEMPTY
  tally_fifo #(.Width(Width + Bytes + 1), .Depth(Words)) u_words (
    // there is room for the packet
    .clk_i, .rst_ni, .in_valid_i(state_q == StFill && words_valid_i), .in_ready_o(),
    .in_i({words_data_i, words_keep_i, words_last_i}),
    .out_valid_o(out_tvalid_o), .out_ready_i(out_tready_i),
    .out_o({out_tdata_o, out_tkeep_o, out_tlast_o}), .used_o()
  );
  // verilator lint_on PINCONNECTEMPTY
endmodule
