// SPDX-License-Identifier: BSD-2-Clause
// The ranks of a request whose data for a chunk are due: local_fetch() of sim/engine/local.c.
//
// due_*: such ranks, at least one. The row of the request is read (row_*, got_*), then its gather
// list entry of each rank, from the lowest on (sge_*, sgot_*), but for the first one, which the row
// has; each is answered later, one at a time. For each rank a job begins (new_*, with its access).
// It has no access if there are no bytes, or if the data are in the request. note_ready_i, note_o:
// what tally_local_data must know of the job. line_*: the inline data of the first rank are wanted,
// with its entry at new_entry_o, from the clock before its job is offered on, if may_ask_i is high
// then. That is so if no job is inside, so the words need not wait for another one. note_asked_o:
// this is the job.
//
// Time: the row is read in the clock in which they are taken. The job of the first rank is offered
// two clocks after the row has come; two clocks for each rank, and those of its list entry. row_*
// depends on due_*. busy_o is low if nothing happens without an input.
module tally_local_due #(
  parameter int unsigned Qps = tally_pkg::MaxQp,
  parameter int unsigned Entries = tally_pkg::MaxRequests,
  localparam int unsigned QpW = Qps > 1 ? $clog2(Qps) : 1,
  localparam int unsigned EntryW = $clog2(Entries),
  localparam int unsigned RankW = $clog2(tally_pkg::MaxRanks)
) (
  input  logic                          clk_i,
  input  logic                          rst_ni,
  output logic                          busy_o,

  input  logic                          due_valid_i,
  output logic                          due_ready_o,
  input  logic [QpW-1:0]                due_qp_i,
  input  logic [EntryW-1:0]             due_entry_i,
  input  tally_local_pkg::due_t         due_i,

  output logic                          row_valid_o,
  input  logic                          row_ready_i,
  output logic [EntryW-1:0]             row_entry_o,
  input  logic                          got_valid_i,
  input  tally_request_pkg::request_t   got_i,
  input  tally_local_pkg::row_t         got_row_i,
  output logic                          sge_valid_o,
  input  logic                          sge_ready_i,
  output logic [EntryW-1:0]             sge_entry_o,
  output logic [RankW-1:0]              sge_index_o,
  input  logic                          sgot_valid_i,
  input  tally_local_pkg::entry_t       sgot_i,

  output logic                          new_valid_o,
  input  logic                          new_ready_i,
  output logic [QpW-1:0]                new_qp_o,
  output logic [EntryW-1:0]             new_entry_o,
  output tally_local_pkg::job_t         new_o,
  output tally_local_pkg::access_t      access_o,
  input  logic                          note_ready_i,
  output tally_local_pkg::chunk_t       note_o,
  output logic                          note_asked_o,
  input  logic                          may_ask_i,
  output logic                          line_valid_o,
  input  logic                          line_ready_i,
  output logic [12:0]                   line_from_o,
  output logic [12:0]                   line_len_o
);
  typedef enum logic [2:0] {
    DueIdle,
    DueRow,    // the row could not be read at once
    DueGot,
    DueRank,   // the next rank
    DueEntry,  // whose list entry is being read
    DueJob
  } due_state_e;
  due_state_e due_q, due_d;

  // ---- What is due ----
  logic [QpW-1:0] qp_q;
  logic [EntryW-1:0] entry_q;
  logic [15:0] group_q, pd_q;
  tally_segment_pkg::message_t message_q, message;
  logic [63:0] left_q, addr_q;
  logic [RankW-1:0] rank, rank_q, index_q;
  logic [31:0] rest, count_q, offset_q, lkey_q, loc_index_q;
  logic [12:0] len_q, bytes_q;
  logic [1:0] give_log_q;
  logic has_list_q, root_q, values_q, reads_memory, reads_entry, asked_q, begins, only_gives;
  tally_local_pkg::entry_t first_q, list_entry;

  always_comb begin
    rank = '0;
    for (int unsigned i = tally_pkg::MaxRanks; i > 0; i--) if (left_q[i-1]) rank = RankW'(i - 1);
  end
  assign message = due_i.message;
  assign rest = message.total - message.first;
  assign reads_memory = has_list_q && len_q != '0;
  assign reads_entry = reads_memory && index_q != '0;
  assign list_entry = index_q == '0 ? first_q : sgot_i;
  assign begins = new_valid_o && new_ready_i;

  always_comb begin
    due_d = due_q;
    unique case (due_q)
      DueIdle: if (due_valid_i) due_d = row_ready_i ? DueGot : DueRow;
      DueRow: if (row_ready_i) due_d = DueGot;
      DueGot: if (got_valid_i) due_d = DueRank;
      DueRank: begin
        if (left_q == '0) due_d = DueIdle;
        else due_d = reads_entry ? DueEntry : DueJob;
      end
      DueEntry: if (sgot_valid_i) due_d = DueJob;
      default: if (begins) due_d = DueRank;  // DueJob
    endcase
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) due_q <= DueIdle;
    else due_q <= due_d;
  end
  always_ff @(posedge clk_i) begin
    if (due_q == DueIdle) begin
      qp_q <= due_qp_i;
      entry_q <= due_entry_i;
      group_q <= due_i.group_;
      message_q <= due_i.message;
      left_q <= due_i.ranks;
      index_q <= '0;
      count_q <= rest < message.count ? rest : message.count;  // elements of this chunk
    end
    if (got_valid_i) begin
      pd_q <= got_row_i.pd;
      root_q <= got_row_i.root;
      give_log_q <= got_i.give_log[1:0];
      // Bytes of the chunk, and where they are.
      offset_q <= message_q.first << got_i.give_log;
      len_q <= 13'(count_q << got_i.give_log);
      bytes_q <= 13'(count_q << got_i.elem_log);
      has_list_q <= got_i.num_gather != '0;
      values_q <= got_i.flags[tally_pkg::WqeFLocValuesBit];
      loc_index_q <= got_i.loc_index;
      first_q <= got_row_i.gather;
    end
    if (due_q == DueRank) rank_q <= rank;  // it stays until its job has begun
    asked_q <= due_q == DueEntry && (asked_q || sge_ready_i);
    if (due_q == DueRank || sgot_valid_i) begin
      addr_q <= list_entry.addr + 64'(offset_q);
      lkey_q <= list_entry.lkey;
    end
    if (begins) begin
      left_q <= left_q & (left_q - 1'b1);
      index_q <= index_q + 1'b1;
    end
  end

  // ---- Inline data of the first rank ----
  logic asks, line_q, line_asked_q, lowest_q;
  assign asks = due_q == DueRank && lowest_q && may_ask_i && !has_list_q && len_q != '0;
  assign line_valid_o = asks || line_q;
  assign line_from_o = offset_q[12:0];
  assign line_len_o = len_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      line_q <= 1'b0;
      line_asked_q <= 1'b0;
    end else begin
      line_q <= line_valid_o && !line_ready_i;
      line_asked_q <= asks || (line_asked_q && !begins);
    end
  end
  always_ff @(posedge clk_i) lowest_q <= due_q == DueIdle || (lowest_q && !begins);
  assign note_asked_o = line_asked_q;

  assign due_ready_o = due_q == DueIdle;
  assign row_valid_o = (due_q == DueIdle && due_valid_i) || due_q == DueRow;
  assign row_entry_o = due_q == DueIdle ? due_entry_i : entry_q;
  assign sge_valid_o = due_q == DueEntry && !asked_q;
  assign sge_entry_o = entry_q;
  assign sge_index_o = index_q;

  // A rank that gets nothing has finished the chunk when the store has its data.
  always_comb begin
    unique case (message_q.opcode)
      8'(tally_pkg::OpcodeBcast): only_gives = 1'b1;
      8'(tally_pkg::OpcodeReduce): only_gives = !root_q || 8'(rank_q) != message_q.root_rank;
      default: only_gives = 1'b0;
    endcase
  end
  assign new_valid_o = due_q == DueJob && note_ready_i && !line_q;
  assign new_qp_o = qp_q;
  assign new_entry_o = entry_q;
  always_comb begin
    new_o = '0;
    new_o.kind = tally_local_pkg::JobGive;
    new_o.tells = only_gives;
    new_o.group_ = group_q;
    new_o.num = message_q.num;
    new_o.rank = rank_q;
    access_o.none = !reads_memory;
    access_o.write = 1'b0;
    access_o.pd = pd_q;
    access_o.lkey = lkey_q;
    access_o.addr = addr_q;
    access_o.len = len_q;
  end

  assign note_o.values = values_q;
  assign note_o.give_log = give_log_q;
  assign note_o.index = loc_index_q + message_q.first;
  assign note_o.group_ = group_q;
  assign note_o.message = message_q;
  assign note_o.rank = rank_q;
  assign note_o.bytes = bytes_q;
  assign note_o.from = offset_q[12:0];
  assign note_o.len = len_q;

  assign busy_o = due_q != DueIdle;
  logic unused;
  assign unused = ^{got_i, got_row_i, message};

`ifdef FORMAL
  `include "local_due_proof.svh"
`endif
endmodule
