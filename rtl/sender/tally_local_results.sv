// SPDX-License-Identifier: BSD-2-Clause
// Results of the store for local ranks, to the memory of their processes: local_deliver() of
// sim/engine/local.c.
//
// res_*: a result for the ranks that get it, or take part in the BARRIER, with its words; its
// header stays until the last word. It is taken into one of two buffers. For each rank, from the
// lowest on, the entry of the request by which it has posted the chunk is read (ref_*, rgot_*),
// then the row of the request (row_*, got_*) and its list entry (sge_*, sgot_*), but for the first
// one, which the row has; each is answered later, one at a time. Then a job begins (new_*), and if
// it has an access, the words of the result follow at word_*. A rank that gets no bytes has a job
// without an access. What comes out after the end of its epoch (res_i.ended) is for nobody, but the
// store wants to hear of each rank: it has such a job, of any request, which does not tell. So is a
// result of a group that is fenced: look_* asks for that when it begins to leave its buffer, and
// shut_i is the answer, from the next clock on until the next look.
//
// hold_i: no result begins to leave its buffer. within_o: one has begun, and not all of its ranks
// have their jobs; within_group_o is its group.
//
// Time: the reference of the first rank is read in the clock after the last word. For each rank it
// takes three clocks and those of its reads, and one for each word. row_* depends on rgot_*, and
// word_valid_o does not depend on word_ready_i; the address of the buffer does. busy_o is low if
// nothing happens without an input.
module tally_local_results #(
  parameter int unsigned Slots = tally_pkg::MaxSeg,
  parameter int unsigned Qps = tally_pkg::MaxQp,
  parameter int unsigned Entries = tally_pkg::MaxRequests,
  parameter int unsigned MaxBytes = tally_pkg::MaxMtu,  // of a result
  parameter int unsigned WordBytes = 64,
  localparam int unsigned SlotW = $clog2(Slots),
  localparam int unsigned QpW = Qps > 1 ? $clog2(Qps) : 1,
  localparam int unsigned EntryW = $clog2(Entries),
  localparam int unsigned RankW = $clog2(tally_pkg::MaxRanks),
  localparam int unsigned WordBits = 8 * WordBytes
) (
  input  logic                          clk_i,
  input  logic                          rst_ni,
  output logic                          busy_o,

  input  logic                          hold_i,
  output logic                          within_o,
  output logic [15:0]                   within_group_o,
  output logic                          look_o,
  output logic [15:0]                   look_group_o,
  input  logic                          shut_i,

  input  logic                          res_tvalid_i,
  output logic                          res_tready_o,
  input  logic [WordBits-1:0]           res_tdata_i,
  input  logic                          res_tlast_i,
  input  tally_store_pkg::result_t      res_i,
  input  logic [SlotW-1:0]              res_slot_i,

  output logic                          ref_valid_o,
  input  logic                          ref_ready_i,
  output logic [SlotW-1:0]              ref_slot_o,
  output logic [RankW-1:0]              ref_rank_o,
  input  logic                          rgot_valid_i,
  input  logic [EntryW-1:0]             rgot_entry_i,
  output logic                          row_valid_o,
  input  logic                          row_ready_i,
  output logic [EntryW-1:0]             row_entry_o,
  input  logic                          got_valid_i,
  input  logic [QpW-1:0]                got_qp_i,
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
  output logic                          word_valid_o,
  input  logic                          word_ready_i,
  output logic [WordBits-1:0]           word_o
);
  localparam int unsigned LaneW = $clog2(WordBytes);
  localparam int unsigned WordsW = MaxBytes > WordBytes ? $clog2(MaxBytes / WordBytes) : 1;

  localparam int unsigned ResultW = 345;

  typedef enum logic [3:0] {
    ReIdle,
    ReRank,   // reads the reference of the next rank
    ReRef,    // until it is there, and reads the row of its request
    ReRow,    // which could not be read at once
    ReGot,
    ReIndex,  // place of the result, number of its list entry
    ReEntry,  // which is being read
    ReJob,
    ReWords
  } state_e;
  state_e state_q, state_d;

  // ---- Two buffers ----
  logic [WordBits-1:0] word_mem_q [2**(WordsW+1)];
  logic [WordBits-1:0] read_q;
  logic [1:0] full_q;
  logic [1:0][SlotW-1:0] slots_q;
  logic [1:0][ResultW-1:0] head_q;
  logic fill_q, drain_q, fills, drains, starts;
  logic [WordsW-1:0] in_q, at_q, read_at;

  assign res_tready_o = !full_q[fill_q];
  assign fills = res_tvalid_i && res_tready_o;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      full_q <= '0;
      fill_q <= 1'b0;
      drain_q <= 1'b0;
      in_q <= '0;
    end else begin
      if (fills) in_q <= res_tlast_i ? '0 : in_q + 1'b1;
      if (fills && res_tlast_i) begin
        full_q[fill_q] <= 1'b1;
        fill_q <= !fill_q;
      end
      if (drains) begin
        full_q[drain_q] <= 1'b0;
        drain_q <= !drain_q;
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (fills) begin
      word_mem_q[{fill_q, in_q}] <= res_tdata_i;
      head_q[fill_q] <= res_i;
      slots_q[fill_q] <= res_slot_i;
    end
    read_q <= word_mem_q[{drain_q, read_at}];
  end

  // ---- Its ranks, one after the other ----
  tally_store_pkg::result_t kept, head, res_q;
  tally_segment_pkg::message_t message;
  logic [SlotW-1:0] slot_q;
  logic [63:0] left_q, place, addr_q;
  logic [RankW-1:0] rank, index_q;
  logic [31:0] rest, count_q, offset_q, lkey_q;
  logic [12:0] len_q, last_byte;
  logic [15:0] pd_q;
  logic [QpW-1:0] qp_q;
  logic [EntryW-1:0] entry_q;
  logic has_list_q, asked_q, begins, moves, ends_words;
  logic is_lost;  // it is for nobody
  tally_local_pkg::entry_t first_q, list_entry;

  always_comb begin
    rank = '0;
    for (int unsigned i = tally_pkg::MaxRanks; i > 0; i--) if (left_q[i-1]) rank = RankW'(i - 1);
  end
  // The buffer that is next, or that is filled in this clock.
  assign kept = head_q[drain_q];
  assign head = full_q[drain_q] ? kept : res_i;
  assign message = res_q.message;
  assign starts = state_q == ReIdle && (full_q[drain_q] || (fills && res_tlast_i)) && !hold_i;
  assign drains = state_q == ReRank && left_q == '0;
  assign begins = new_valid_o && new_ready_i;
  assign within_o = state_q != ReIdle;
  assign within_group_o = res_q.group_;
  assign look_o = starts;
  assign look_group_o = head.group_;
  assign is_lost = res_q.ended || shut_i;

  // ---- Its list entry: ranks below it that get something too, as wqe_getters() says ----
  //
  // What does not depend on the row of the request is there before it.
  logic combined, one_entry, passes_root, gets, writes, writes_q, early;
  logic [63:0] below, lower_q, root_q, root_mask, earlier, earlier_q;
  logic [RankW-1:0] num_earlier;
  logic is_first_q, will_write, reads_entry;
  assign combined = got_i.flags[tally_pkg::WqeFCombinedBit];
  assign below = got_i.rank_mask & lower_q;
  assign gets = !is_lost && message.opcode != 8'(tally_pkg::OpcodeBarrier);
  assign one_entry = combined || message.opcode == 8'(tally_pkg::OpcodeReduce);
  assign passes_root = message.opcode == 8'(tally_pkg::OpcodeBcast) && got_row_i.root;
  assign root_mask = passes_root ? root_q : '0;
  assign earlier = one_entry ? '0 : below & ~root_mask;
  always_comb begin
    num_earlier = '0;
    for (int unsigned i = 0; i < 64; i++) num_earlier = num_earlier + RankW'(earlier_q[i]);
  end
  assign will_write = gets && has_list_q && len_q != '0;
  assign reads_entry = will_write && !is_first_q;
  assign list_entry = state_q == ReEntry ? sgot_i : first_q;
  assign place = list_entry.addr + 64'(offset_q);
  assign rest = message.total - message.first;
  always_ff @(posedge clk_i) begin
    if (state_q == ReIdle) begin
      res_q <= head;
      slot_q <= full_q[drain_q] ? slots_q[drain_q] : res_slot_i;
      left_q <= head.ranks;
    end else if (begins) begin
      left_q <= left_q & (left_q - 1'b1);
    end
    lower_q <= ~({64{1'b1}} << rank);
    root_q <= 64'(1) << message.root_rank[RankW-1:0];
    count_q <= rest < message.count ? rest : message.count;
    if (rgot_valid_i) entry_q <= rgot_entry_i;
    if (got_valid_i) begin
      qp_q <= got_qp_i;
      pd_q <= got_row_i.pd;
      has_list_q <= got_i.num_result != '0;
      first_q <= got_row_i.result;
      offset_q <= message.first << got_i.elem_log;
      len_q <= 13'(count_q << got_i.elem_log);
      earlier_q <= earlier;
      is_first_q <= earlier == '0;
    end
    index_q <= num_earlier;
    writes_q <= state_q == ReRank ? 1'b0 : will_write;
    asked_q <= state_q == ReEntry && (asked_q || sge_ready_i);
    if (state_q == ReIndex || sgot_valid_i) begin
      addr_q <= place;
      lkey_q <= list_entry.lkey;
    end
  end

  // ---- Order of the steps ----
  always_comb begin
    state_d = state_q;
    unique case (state_q)
      ReIdle: if (starts) state_d = ReRank;
      ReRank: begin
        if (left_q == '0) state_d = ReIdle;
        else if (is_lost) state_d = ReJob;
        else if (ref_ready_i) state_d = ReRef;
      end
      ReRef: if (rgot_valid_i) state_d = row_ready_i ? ReGot : ReRow;
      ReRow: if (row_ready_i) state_d = ReGot;
      ReGot: if (got_valid_i) state_d = ReIndex;
      ReIndex: begin
        if (begins) state_d = will_write ? ReWords : ReRank;
        else state_d = reads_entry ? ReEntry : ReJob;
      end
      ReEntry: if (sgot_valid_i) state_d = ReJob;
      ReJob: if (begins) state_d = writes_q ? ReWords : ReRank;
      default: if (ends_words) state_d = ReRank;  // ReWords
    endcase
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) state_q <= ReIdle;
    else state_q <= state_d;
  end

  assign ref_valid_o = state_q == ReRank && left_q != '0 && !is_lost;
  assign ref_slot_o = slot_q;
  assign ref_rank_o = rank;
  assign row_valid_o = (state_q == ReRef && rgot_valid_i) || state_q == ReRow;
  assign row_entry_o = state_q == ReRef ? rgot_entry_i : entry_q;
  assign sge_valid_o = state_q == ReEntry && !asked_q;
  assign sge_entry_o = entry_q;
  assign sge_index_o = index_q;

  // The first rank needs nothing else; its job is offered once more from registers.
  assign early = state_q == ReIndex;
  assign writes = early ? will_write : writes_q;
  assign new_valid_o = state_q == ReJob || (early && is_first_q);
  assign new_qp_o = qp_q;
  assign new_entry_o = entry_q;
  always_comb begin
    new_o.kind = tally_local_pkg::JobGet;
    new_o.tells = !is_lost;
    new_o.group_ = res_q.group_;
    new_o.num = message.num;
    new_o.rank = rank;
    new_o.bytes = writes ? len_q : '0;
    new_o.err_vector = res_q.err_vector;
    access_o.none = !writes;
    access_o.write = 1'b1;
    access_o.pd = pd_q;
    access_o.lkey = early ? first_q.lkey : lkey_q;
    access_o.addr = early ? place : addr_q;
    access_o.len = len_q;
  end

  // ---- Its words: the first one has been read before the job begins ----
  assign last_byte = len_q - 1'b1;
  assign word_valid_o = state_q == ReWords;
  assign word_o = read_q;
  assign moves = word_valid_o && word_ready_i;
  assign ends_words = moves && at_q == WordsW'(last_byte >> LaneW);
  assign read_at = moves ? at_q + 1'b1 : at_q;
  always_ff @(posedge clk_i) at_q <= state_q == ReWords ? read_at : '0;

  assign busy_o = state_q != ReIdle || full_q != '0;
  logic unused;
  assign unused = ^{got_i, got_row_i, message, res_q, last_byte};

`ifdef FORMAL
  `include "local_results_proof.svh"
`endif
endmodule
