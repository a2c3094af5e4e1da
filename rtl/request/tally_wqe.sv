// SPDX-License-Identifier: BSD-2-Clause
// Parser of work requests (sim/engine/wqe.c): an entry of a send queue becomes a parsed request, or
// the status with which it must be completed. The memory of the user is hostile, and the entry was
// copied once.
//
// in_* are the words of the entry in order, the first two of which are the fixed part. in_last_i is
// high with the last one; an entry that was pushed may end early, behind what belongs to the
// request. in_error_i says that the word could not be read. group_i, qp_i and index_i belong to the
// entry; they must be valid with its second word and stay until its request is taken at req_*. The
// accesses at chk_* are those of the queue pair's protection domain; tally_wqe_lists describes
// them, and how data_* and entry_* pass on the inline data and the lists.
//
// A request is offered when all words of the entry have been taken, so an entry that could not be
// read has nothing but CollWqeFetch. The block has one entry inside. A request with short lists is
// offered Latency clocks of tally_wqe_check, one for each access, and their latency, after the
// second word.
module tally_wqe #(
  parameter int unsigned Accesses = 64
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,
  output logic                           busy_o,         // it has an entry

  input  logic                           in_valid_i,
  output logic                           in_ready_o,
  input  logic [511:0]                   in_data_i,
  input  logic                           in_last_i,
  input  logic                           in_error_i,
  input  tally_request_pkg::group_t      group_i,
  input  tally_request_pkg::qp_t         qp_i,
  input  logic [31:0]                    index_i,

  output logic                           chk_valid_o,
  input  logic                           chk_ready_i,
  output tally_request_pkg::access_t     chk_o,
  input  logic                           ans_valid_i,
  input  logic [15:0]                    ans_status_i,   // tally_pkg::coll_status_e

  output logic                           data_valid_o,
  output logic [5:0]                     data_index_o,
  output logic [511:0]                   data_o,
  output logic                           entry_valid_o,
  output logic                           entry_result_o,
  output logic [5:0]                     entry_index_o,
  output logic [63:0]                    entry_addr_o,
  output logic [31:0]                    entry_lkey_o,

  output logic                           req_valid_o,
  input  logic                           req_ready_i,
  output tally_request_pkg::request_t    req_o
);
  typedef enum logic [2:0] {
    StFirst,    // first word of the fixed part
    StSecond,
    StStart,
    StCheck,    // of the fixed part
    StLists,
    StEnd       // of the words and the division; then the request is offered
  } state_e;

  state_e state_q, state_d;
  logic [511:0] low_q, high_q;
  logic last_q, error_q, take, checked, lists_ready, lists_start, lists_done, divided, is_bare;
  logic [15:0] status, status_q, status_d, lists_fault, lists_status;
  tally_request_pkg::request_t req;
  tally_pkg::wqe_t wqe;

  assign wqe = {high_q, low_q};
  // Those have no lists, no flag word and no chunks.
  assign is_bare = wqe.opcode == tally_pkg::OpcodeQuery || wqe.opcode == tally_pkg::OpcodeAbort;

  tally_wqe_check u_check (
    .clk_i,
    .rst_ni,
    .start_i(state_q == StStart),
    .wqe_i(wqe),
    .group_i,
    .qp_i,
    .index_i,
    .done_o(checked),
    .status_o(status),
    .lists_o(lists_fault),
    .divided_o(divided),
    .req_o(req)
  );

  tally_wqe_lists #(
    .Accesses(Accesses)
  ) u_lists (
    .clk_i,
    .rst_ni,
    .start_i(lists_start),
    .req_i(req),
    .lists_i(lists_fault),
    .room_i(qp_i.stride[13:4] - 10'(tally_pkg::WqeBytes / tally_pkg::SgeBytes)),
    .done_o(lists_done),
    .status_o(lists_status),
    .in_valid_i,
    .in_ready_o(lists_ready),
    .in_data_i,
    .ended_i(last_q),
    .chk_valid_o,
    .chk_ready_i,
    .chk_o,
    .ans_valid_i,
    .ans_status_i,
    .data_valid_o,
    .data_index_o,
    .data_o,
    .entry_valid_o,
    .entry_result_o,
    .entry_index_o,
    .entry_addr_o,
    .entry_lkey_o
  );

  // ---- Order of the steps ----
  always_comb begin
    state_d = state_q;
    status_d = status_q;
    in_ready_o = 1'b0;
    lists_start = 1'b0;
    unique case (state_q)
      StFirst: begin
        in_ready_o = 1'b1;
        status_d = tally_pkg::CollOk;
        if (in_valid_i) state_d = in_last_i ? StEnd : StSecond;
      end
      StSecond: begin
        in_ready_o = 1'b1;
        if (in_valid_i) state_d = StStart;
      end
      StStart: state_d = error_q ? StEnd : StCheck;
      StCheck: begin
        status_d = status;
        if (checked) begin
          lists_start = status == tally_pkg::CollOk && !is_bare;
          state_d = lists_start ? StLists : StEnd;
        end
      end
      StLists: begin
        in_ready_o = lists_ready;
        status_d = lists_status;
        if (lists_done) state_d = StEnd;
      end
      default: begin  // StEnd
        in_ready_o = !last_q;
        if (req_valid_o && req_ready_i) state_d = StFirst;
      end
    endcase
  end

  assign take = in_valid_i && in_ready_o;
  assign busy_o = state_q != StFirst;
  assign req_valid_o = state_q == StEnd && last_q &&
                       (error_q || status_q != tally_pkg::CollOk || is_bare || divided);
  always_comb begin
    req_o = req;
    req_o.status = status_q;
    if (error_q) begin
      req_o = '0;
      req_o.status = tally_pkg::CollWqeFetch;
      req_o.index = index_i;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= StFirst;
      last_q <= 1'b0;
      error_q <= 1'b0;
    end else begin
      state_q <= state_d;
      if (take) begin
        last_q <= in_last_i;
        error_q <= in_error_i || (state_q == StFirst ? in_last_i : error_q);
      end
    end
  end

  always_ff @(posedge clk_i) begin
    status_q <= status_d;
    if (take && state_q == StFirst) low_q <= in_data_i;
    if (take && state_q == StSecond) high_q <= in_data_i;
  end
endmodule
