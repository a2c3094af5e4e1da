// SPDX-License-Identifier: BSD-2-Clause
// Map from the running numbers of the groups to the slots of tally_segment, and the slots that are
// free: pool.c of the model. For each group it has `done`, the limit, and the slot of each number
// between them. Which group may take a slot is decided outside, with the counts of segments that
// groups own and borrow.
//
// A look-up may enter in each clock. Its answer comes two clocks later.
//
// peek_*: what the firmware reads of a group: done, how many numbers from there on have a slot, and
// the slot of the number done + peek_index_i, if it has one (peeked_ok_o), all of one moment. It
// reads in clocks without a look-up, so it may wait, and again if done has moved meanwhile. Its
// answer, a pulse, comes five clocks later at most, if nothing holds it up, and is as those of
// look-ups: the slot has not left on freed_* yet.
//
// Commands are processed one after another, and each has an answer. StoreCmdFinish advances `done`
// past finished chunks. Each slot that becomes free is given out on freed_*, so that tally_segment
// clears it: no look-up that is answered after that gives this slot, until it is set aside again.
// So if look-ups and freed slots enter tally_segment in the order in which they leave this block,
// no late copy of a packet opens a freed slot again.
module tally_segment_map #(
  parameter int unsigned Slots = 256,
  parameter int unsigned Groups = 64,
  parameter int unsigned GroupSegs = tally_pkg::MaxGroupSegs,  // most of a group, a power of two
  localparam int unsigned SlotW = $clog2(Slots),
  localparam int unsigned CountW = $clog2(Slots + 1),
  localparam int unsigned GroupW = $clog2(Groups)
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,

  input  logic                           look_valid_i,
  input  logic [GroupW-1:0]              look_group_i,
  input  logic [31:0]                    look_num_i,
  output logic                           looked_valid_o,
  output tally_segment_map_pkg::mapped_e looked_o,
  output logic [SlotW-1:0]               looked_slot_o,

  input  logic                           peek_valid_i,
  output logic                           peek_ready_o,
  input  logic [GroupW-1:0]              peek_group_i,
  input  logic [31:0]                    peek_index_i,
  output logic                           peeked_valid_o,
  output logic                           peeked_ok_o,
  output logic [31:0]                    peeked_done_o,
  output logic [31:0]                    peeked_held_o,
  output logic [SlotW-1:0]               peeked_slot_o,

  input  logic                           cmd_valid_i,
  output logic                           cmd_ready_o,
  input  tally_fw_pkg::store_command_e    cmd_i,
  input  logic [GroupW-1:0]              cmd_group_i,
  input  logic [31:0]                    cmd_num_i,
  output logic                           answer_valid_o,
  input  logic                           answer_ready_i,
  // 0: no slot is free, or the number has none or is finished
  output logic                           answer_ok_o,
  output logic [31:0]                    answer_done_o,
  output logic [31:0]                    answer_limit_o,

  output logic                           freed_valid_o,
  input  logic                           freed_ready_i,
  output logic [SlotW-1:0]               freed_slot_o
);
  localparam int unsigned MapW = $clog2(GroupSegs);

  // ---- Memories ----
  logic [63:0] group_mem_q [Groups];                     // limit, done
  logic [SlotW:0] map_mem_q [Groups*GroupSegs];  // finished, slot
  logic [SlotW-1:0] free_mem_q [Slots];                  // slots that were given back, a stack
  // its height; number of slots that were ever taken
  logic [CountW-1:0] free_q, fresh_q;

  logic group_write, map_write;
  logic [31:0] group_done, group_limit;
  logic [GroupW+MapW-1:0] map_at, map_read_at;
  logic [SlotW:0] map_data;
  logic [63:0] group_read_q;
  logic [SlotW:0] entry_q;
  logic [SlotW-1:0] top_q;

  // ---- Look-ups ----
  logic [63:0] look_group_q1;
  logic [SlotW-1:0] look_slot_q1;
  logic [31:0] look_num_q1, ahead1, span1;
  logic look_valid_q1;
  logic [GroupW-1:0] look_at;
  logic [MapW-1:0] look_num_at;

  assign ahead1 = look_num_q1 - look_group_q1[31:0];
  assign span1 = look_group_q1[63:32] - look_group_q1[31:0];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      look_valid_q1 <= 1'b0;
      looked_valid_o <= 1'b0;
    end else begin
      look_valid_q1 <= look_valid_i;
      looked_valid_o <= look_valid_q1;
    end
  end

  always_ff @(posedge clk_i) begin
    look_num_q1 <= look_num_i;
    look_group_q1 <= group_mem_q[look_at];
    look_slot_q1 <= map_mem_q[{look_at, look_num_at}][SlotW-1:0];
    looked_o <= ahead1 < span1 ? tally_segment_map_pkg::MapSlot :
                ahead1[31] ? tally_segment_map_pkg::MapPast : tally_segment_map_pkg::MapWindow;
    looked_slot_o <= look_slot_q1;
  end

  // ---- What the firmware reads ----
  //
  // The group and the entry of a number are read in the same clock. If it was not the number that
  // is asked for by then, this one is read next.
  typedef enum logic [1:0] {
    PeekIdle,
    PeekRead,
    PeekCompare
  } peek_e;
  peek_e peek_d, peek_q;
  logic [GroupW-1:0] peek_group_q;
  logic [31:0] peek_index_q;
  logic [MapW-1:0] peek_at, peek_at_q;
  logic peek_right;

  assign look_at = look_valid_i ? look_group_i : peek_group_q;
  assign look_num_at = look_valid_i ? look_num_i[MapW-1:0] : peek_at_q;
  assign peek_ready_o = peek_q == PeekIdle;
  assign peek_at = look_group_q1[MapW-1:0] + peek_index_q[MapW-1:0];
  assign peek_right = peek_at == peek_at_q;

  always_comb begin
    peek_d = peek_q;
    unique case (peek_q)
      PeekIdle: if (peek_valid_i) peek_d = PeekRead;
      PeekRead: if (!look_valid_i) peek_d = PeekCompare;
      default: peek_d = peek_right ? PeekIdle : PeekRead;  // PeekCompare
    endcase
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      peek_q <= PeekIdle;
      peeked_valid_o <= 1'b0;
    end else begin
      peek_q <= peek_d;
      peeked_valid_o <= peek_q == PeekCompare && peek_right;
    end
  end
  always_ff @(posedge clk_i) begin
    if (peek_q == PeekIdle) begin
      peek_group_q <= peek_group_i;
      peek_index_q <= peek_index_i;
    end
    if (peek_q == PeekCompare) peek_at_q <= peek_at;
    peeked_ok_o <= peek_index_q < span1;
    peeked_done_o <= look_group_q1[31:0];
    peeked_held_o <= span1;
    peeked_slot_o <= look_slot_q1;
  end

  // ---- Commands ----
  typedef enum logic [3:0] {
    StIdle,
    StRead,     // the group and the entry of the number have been read
    StLook,     // the entry of `done`, or of the last number, is being read
    StAdvance,
    StWait,     // for look-ups of the old values
    StWaitMore,
    StFree,
    StAnswer
  } state_e;

  state_e state_d, state_q;
  tally_fw_pkg::store_command_e cmd_q;
  logic [GroupW-1:0] group_q;
  logic [31:0] num_q, done_d, done_q, limit_d, limit_q;
  logic ok_d, ok_q, take, give, has_slot, room, ending;
  logic [SlotW-1:0] slot, top;
  logic [MapW-1:0] last_num, read_num;

  assign cmd_ready_o = state_q == StIdle;
  assign ending = cmd_q == tally_fw_pkg::StoreCmdEnd;
  assign has_slot = num_q - group_read_q[31:0] < group_read_q[63:32] - group_read_q[31:0];
  assign room = group_read_q[63:32] - group_read_q[31:0] != 32'(GroupSegs) &&
                (free_q != '0 || fresh_q != CountW'(Slots));
  assign slot = free_q == '0 ? fresh_q[SlotW-1:0] : top_q;
  assign freed_valid_o = state_q == StFree;
  assign freed_slot_o = entry_q[SlotW-1:0];
  assign answer_valid_o = state_q == StAnswer;
  assign answer_ok_o = ok_q;
  assign answer_done_o = done_q;
  assign answer_limit_o = limit_q;

  always_comb begin
    state_d = state_q;
    done_d = done_q;
    limit_d = limit_q;
    ok_d = ok_q;
    group_write = 1'b0;
    group_done = done_q;
    group_limit = limit_q;
    map_write = 1'b0;
    map_at = {group_q, num_q[MapW-1:0]};
    map_data = {1'b1, entry_q[SlotW-1:0]};
    take = 1'b0;
    give = 1'b0;
    unique case (state_q)
      StIdle: if (cmd_valid_i) state_d = StRead;
      StRead: begin
        done_d = group_read_q[31:0];
        limit_d = group_read_q[63:32];
        ok_d = 1'b1;
        state_d = StAnswer;
        unique case (cmd_q)
          tally_fw_pkg::StoreCmdBegin: begin
            done_d = '0;
            limit_d = '0;
            group_write = 1'b1;
            group_done = '0;
            group_limit = '0;
          end
          tally_fw_pkg::StoreCmdRaise: begin
            ok_d = room;
            if (room) begin
              take = 1'b1;
              limit_d = group_read_q[63:32] + 1'b1;
              group_write = 1'b1;
              group_done = group_read_q[31:0];
              group_limit = group_read_q[63:32] + 1'b1;
              map_write = 1'b1;
              map_at = {group_q, group_read_q[32+:MapW]};
              map_data = {1'b0, slot};
            end
          end
          tally_fw_pkg::StoreCmdFinish: begin
            ok_d = has_slot && !entry_q[SlotW];
            map_write = ok_d;
            if (ok_d) state_d = StLook;
          end
          default: begin  // StoreCmdEnd
            group_write = 1'b1;
            group_done = group_read_q[31:0];
            group_limit = group_read_q[31:0];
            state_d = StWait;
          end
        endcase
      end
      StLook: state_d = ending ? StFree : StAdvance;
      StAdvance: begin
        state_d = StAnswer;
        if (done_q != limit_q && entry_q[SlotW]) begin
          done_d = done_q + 1'b1;
          group_write = 1'b1;
          group_done = done_q + 1'b1;
          state_d = StWait;
        end
      end
      StWait: state_d = StWaitMore;
      StWaitMore: state_d = !ending ? StFree : done_q == limit_q ? StAnswer : StLook;
      StFree: begin
        if (freed_ready_i) begin
          give = 1'b1;
          if (ending) limit_d = limit_q - 1'b1;
          state_d = ending && limit_q - 1'b1 == done_q ? StAnswer : StLook;
        end
      end
      default: if (answer_ready_i) state_d = StIdle;
    endcase
  end

  assign last_num = limit_d[MapW-1:0] - 1'b1;
  assign top = free_q[SlotW-1:0] - 1'b1;

  // The entry that the next state needs: that of the command's number, of `done`, or of the last
  // number.
  always_comb begin
    read_num = ending ? last_num : done_d[MapW-1:0];
    map_read_at = {group_q, read_num};
    if (state_q == StIdle) map_read_at = {cmd_group_i, cmd_num_i[MapW-1:0]};
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= StIdle;
      free_q <= '0;
      fresh_q <= '0;
    end else begin
      state_q <= state_d;
      if (take && free_q == '0) fresh_q <= fresh_q + 1'b1;
      if (take && free_q != '0) free_q <= free_q - 1'b1;
      if (give) free_q <= free_q + 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (state_q == StIdle) begin
      cmd_q <= cmd_i;
      group_q <= cmd_group_i;
      num_q <= cmd_num_i;
      group_read_q <= group_mem_q[cmd_group_i];
    end
    done_q <= done_d;
    limit_q <= limit_d;
    ok_q <= ok_d;
    if (group_write) group_mem_q[group_q] <= {group_limit, group_done};
    if (map_write) map_mem_q[map_at] <= map_data;
    if (state_q == StIdle || state_q == StLook) entry_q <= map_mem_q[map_read_at];
    if (give) free_mem_q[free_q[SlotW-1:0]] <= freed_slot_o;
    top_q <= free_mem_q[top];
  end

`ifdef FORMAL
  `include "segment_map_proof.svh"
`endif
endmodule
