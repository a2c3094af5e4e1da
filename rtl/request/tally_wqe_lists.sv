// SPDX-License-Identifier: BSD-2-Clause
// Reads what follows the fixed part of a work request: inline data, the gather list, the result
// list.
//
// start_i says that the fixed part at req_i has passed its checks; lists_i is the fault of the
// lists' sizes. The access of the flag word, if there is one, and those of the entries are offered
// at chk_*, in order; they are answered at ans_* in the same order, with a status. An entry is
// valid at entry_* in the clock in which its access is taken, a word of inline data at data_* in
// the clock in which it comes; nobody can delay them, and they are void if the request is refused.
//
// in_* are the words after the fixed part. in_valid_i must not depend on in_ready_o, and the word
// stays until it is taken. ended_i says that there are no more. The block takes no word that it
// does not need. done_o comes for one clock when all accesses are answered. It is early if the
// request is refused, and later words are still to be taken. status_o is valid then: the first
// fault in the order of the entry, CollWqeFetch if its words have ended too early.
module tally_wqe_lists #(
  parameter int unsigned Accesses = 64,  // in flight; a power of two
  localparam int unsigned Lanes = 4,     // list entries in a word
  localparam int unsigned InFlightW = $clog2(Accesses) + 1,
  localparam int unsigned RoomW = 10
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,

  input  logic                           start_i,
  // Most fields are of no interest here.
  // verilator lint_off UNUSEDSIGNAL
  input  tally_request_pkg::request_t    req_i,
  // verilator lint_on UNUSEDSIGNAL
  input  logic [15:0]                    lists_i,
  input  logic [RoomW-1:0]               room_i,     // list entries that fit behind the fixed part
  output logic                           done_o,
  output logic [15:0]                    status_o,

  input  logic                           in_valid_i,
  output logic                           in_ready_o,
  input  logic [511:0]                   in_data_i,
  input  logic                           ended_i,

  output logic                           chk_valid_o,
  input  logic                           chk_ready_i,
  output tally_request_pkg::access_t     chk_o,
  input  logic                           ans_valid_i,
  input  logic [15:0]                    ans_status_i,

  output logic                           data_valid_o,
  output logic [5:0]                     data_index_o,   // its number
  output logic [511:0]                   data_o,
  output logic                           entry_valid_o,
  output logic                           entry_result_o, // of the result list
  output logic [5:0]                     entry_index_o,
  output logic [63:0]                    entry_addr_o,
  output logic [31:0]                    entry_lkey_o
);
  typedef enum logic [2:0] {
    StIdle,
    StFlag,     // offers the access of the flag word
    StData,     // inline data
    StGather,
    StResult,
    StAnswers   // waits until all accesses are answered
  } state_e;

  state_e state_q, state_d, first, behind_data, behind_gather;
  logic [1:0] lane_q, lane_d;
  logic [5:0] index_q, index_d;
  logic [RoomW-1:0] room_q, room_d;
  logic [InFlightW-1:0] in_flight_q;
  logic [15:0] fault_q, fault_d, answer_q;
  logic is_result, last_entry, taken, word_taken, has_word, may_ask, is_flag, inlined;
  logic [6:0] num;
  logic [6:0] words;        // of inline data
  logic [8:0] data_lanes;   // of inline data
  tally_pkg::sge_t sge;
  logic [31:0] len, get_len_q, give_len_q;

  assign inlined = (req_i.flags & tally_pkg::WqeFInline) != '0;
  assign words = inlined ? req_i.inline_len[12:6] + 7'(req_i.inline_len[5:0] != '0) : '0;
  assign data_lanes = inlined ? req_i.inline_len[12:4] + 9'(req_i.inline_len[3:0] != '0) : '0;

  // ---- The next entry of a list ----
  assign has_word = in_valid_i && !ended_i;
  assign is_result = state_q == StResult;
  assign num = is_result ? req_i.num_result : req_i.num_gather;
  assign len = is_result ? get_len_q : give_len_q;
  // The request is there two clocks before the first entry, and stays.
  always_ff @(posedge clk_i) begin
    get_len_q <= req_i.get_len;
    give_len_q <= req_i.give_len;
  end
  assign last_entry = 7'(index_q) + 7'd1 == num;
  always_comb begin
    sge = in_data_i[127:0];
    for (int unsigned k = 1; k < Lanes; k++) if (lane_q == 2'(k)) sge = in_data_i[128*k+:128];
  end

  // ---- Accesses ----
  assign may_ask = !in_flight_q[InFlightW-1];
  assign is_flag = state_q == StFlag;
  assign chk_valid_o = may_ask && (is_flag ||
                                   ((state_q == StGather || is_result) && has_word &&
                                    room_q != '0 &&
                                               sge.length == len));
  always_comb begin
    chk_o.write = is_flag || is_result;
    chk_o.addr = is_flag ? req_i.flag_addr : sge.addr;
    chk_o.length = is_flag ? 32'd4 : sge.length;
    chk_o.lkey = is_flag ? req_i.flag_lkey : sge.lkey;
  end
  assign taken = chk_valid_o && chk_ready_i;
  assign entry_valid_o = taken && !is_flag;
  assign entry_result_o = is_result;
  assign entry_index_o = index_q;
  assign entry_addr_o = sge.addr;
  assign entry_lkey_o = sge.lkey;

  // ---- Inline data ----
  assign data_valid_o = state_q == StData && has_word;
  assign data_index_o = index_q;
  assign data_o = in_data_i;

  // ---- What comes next ----
  assign behind_gather = req_i.num_result != '0 ? StResult : StAnswers;
  assign behind_data = req_i.num_gather != '0 ? StGather : behind_gather;
  assign first = words != '0 ? StData : behind_data;
  always_comb begin
    state_d = state_q;
    lane_d = lane_q;
    index_d = index_q;
    room_d = room_q;
    fault_d = fault_q;
    word_taken = 1'b0;
    unique case (state_q)
      StIdle: begin
        index_d = '0;
        lane_d = '0;
        room_d = room_i - RoomW'(data_lanes);
        fault_d = lists_i;
        if (start_i) begin
          if ((req_i.flags & tally_pkg::WqeFFlagWord) != '0) state_d = StFlag;
          else state_d = lists_i != tally_pkg::CollOk ? StAnswers : first;
        end
      end
      StFlag: begin
        if (taken) begin
          state_d = fault_q != tally_pkg::CollOk ? StAnswers : first;
        end
      end
      StData: begin
        if (ended_i) begin
          fault_d = tally_pkg::CollWqeFetch;
          state_d = StAnswers;
        end else if (in_valid_i) begin
          index_d = index_q + 1'b1;
          word_taken = 1'b1;
          if (7'(index_q) + 7'd1 == words) begin
            // The first entry may be in the same word.
            word_taken = data_lanes[1:0] == '0;
            lane_d = data_lanes[1:0];
            index_d = '0;
            state_d = behind_data;
          end
        end
      end
      StGather, StResult: begin
        if (room_q == '0) begin
          fault_d = tally_pkg::CollBadNumSge;
          state_d = StAnswers;
        end else if (ended_i) begin
          fault_d = tally_pkg::CollWqeFetch;
          state_d = StAnswers;
        end else if (in_valid_i && sge.length != len) begin
          fault_d = tally_pkg::CollBadSgeLength;
          state_d = StAnswers;
        end else if (taken) begin
          lane_d = lane_q + 1'b1;
          word_taken = lane_q == 2'(Lanes - 1);
          room_d = room_q - 1'b1;
          index_d = last_entry ? '0 : index_q + 1'b1;
          if (last_entry) state_d = is_result ? StAnswers : behind_gather;
        end
      end
      default: begin  // StAnswers
        word_taken = has_word;  // nobody needs the others
        if (in_flight_q == '0) state_d = StIdle;
      end
    endcase
  end

  assign in_ready_o = word_taken;
  assign done_o = state_q == StAnswers && in_flight_q == '0;
  assign status_o = answer_q != tally_pkg::CollOk ? answer_q : fault_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= StIdle;
      in_flight_q <= '0;
    end else begin
      state_q <= state_d;
      in_flight_q <= in_flight_q + InFlightW'(taken) - InFlightW'(ans_valid_i);
    end
  end

  always_ff @(posedge clk_i) begin
    lane_q <= lane_d;
    index_q <= index_d;
    room_q <= room_d;
    fault_q <= fault_d;
    if (state_q == StIdle) begin
      answer_q <= tally_pkg::CollOk;
    end else if (ans_valid_i && answer_q == tally_pkg::CollOk) begin
      answer_q <= ans_status_i;
    end
  end

`ifdef FORMAL
  `include "wqe_lists_proof.svh"
`endif
endmodule
