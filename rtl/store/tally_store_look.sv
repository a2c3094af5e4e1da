// SPDX-License-Identifier: BSD-2-Clause
// What the firmware reads of a chunk: oldest_* of struct group and struct segment, of
// sim/engine/registers.c and registers_query.c. The chunk is the one with the number done +
// read_index_i. look_o is there with look_valid_o, a pulse, and stays until the next read is taken.
//
// The block asks those that have the parts of the answer, one after the other, and each of them
// answers when it has nothing else to do, a clock after its ready:
//   peek_*    tally_segment_map: done, limit and the slot of the chunk, before and after all else.
//             If another chunk has come there meanwhile, all is read again. After the fourth time
//             the chunk counts as one that has not begun.
//   seg_*     tally_segment: whether a part is open, and which contributors it lacks;
//   hold_*    tally_segment_hold: who is still to get what, and who has not posted;
//   header_*  the message of a part that is open, and the edges of its sum and its result;
//   table_*   tally_store_tables: parts that are not open, and rounds of edges in EXCHANGE.
// A part is open some clocks before it has its header, so the header must be that of the number. In
// these clocks it may be the one that the number had in the epoch before.
// First it looks for a part that is open, for the message, and so for the number of parts; then at
// all parts. Of an operation that enters meanwhile, a part of the answer may know, and another one
// not.
//
// A chunk waits (waits) for what it has sent until that is acknowledged. The model leaves that out,
// but nobody asks for an edge that was open. Of a chunk in fixed order whose last part is not open,
// so no local rank has posted it, the neighbours that are to get the result are not known, nor the
// rank that gets one of REDUCE.
module tally_store_look #(
  parameter int unsigned Slots = 256,
  parameter int unsigned Parts = tally_fw_pkg::StoreParts,
  parameter int unsigned Groups = 64,
  parameter int unsigned Contributors = tally_pkg::MaxContributors,
  parameter int unsigned Ranks = tally_pkg::MaxRanks,
  localparam int unsigned SlotW = $clog2(Slots),
  localparam int unsigned PartW = $clog2(Parts),
  localparam int unsigned PlaceW = SlotW + PartW,
  localparam int unsigned GroupW = $clog2(Groups),
  localparam int unsigned EdgeW = $clog2(Contributors),
  localparam int unsigned Modes = tally_fw_pkg::PartModes
) (
  input  logic                         clk_i,
  input  logic                         rst_ni,
  output logic                         busy_o,  // depends on registers only

  input  logic                         read_valid_i,
  output logic                         read_ready_o,
  input  logic [GroupW-1:0]            read_group_i,
  input  logic [31:0]                  read_index_i,
  output logic                         look_valid_o,
  output tally_store_pkg::look_t       look_o,

  output logic                         peek_valid_o,
  input  logic                         peek_ready_i,
  output logic [GroupW-1:0]            peek_group_o,
  output logic [31:0]                  peek_index_o,
  input  logic                         peeked_valid_i,
  input  logic                         peeked_ok_i,
  input  logic [31:0]                  peeked_done_i,
  input  logic [31:0]                  peeked_held_i,
  input  logic [SlotW-1:0]             peeked_slot_i,

  output logic [PlaceW-1:0]            place_o,  // of all that follow
  output logic                         seg_valid_o,
  input  logic                         seg_ready_i,
  input  logic                         seg_busy_i,
  input  logic                         seg_finished_i,
  input  logic [Contributors-1:0]      seg_contributors_i,
  output logic                         hold_valid_o,
  input  logic                         hold_ready_i,
  input  logic                         hold_busy_i,
  input  logic                         hold_up_i,
  input  logic                         hold_have_i,
  input  logic                         hold_awaits_i,
  input  logic [Contributors-1:0]      hold_contributors_i,
  input  logic [Ranks-1:0]             hold_ranks_i,
  input  logic [Ranks-1:0]             hold_unposted_i,
  output logic                         header_valid_o,
  input  logic                         header_ready_i,
  input  logic [GroupW-1:0]            header_group_i,
  input  tally_segment_pkg::message_t  header_message_i,
  input  logic [7:0]                   header_up_edge_i,
  input  logic                         header_up_i,    // the plan of the chunk sends a sum,
  input  logic [7:0]                   header_down_edge_i,
  input  logic                         header_down_i,  // and expects a result
  output logic                         table_valid_o,
  input  logic                         table_ready_i,
  output logic [GroupW-1:0]            table_group_o,
  output logic [7:0]                   table_mode_o,
  output logic [PartW-1:0]             table_part_o,
  output logic [EdgeW-1:0]             table_edge_o,
  input  logic                         table_ordered_i,
  input  logic [Modes-1:0][PartW-1:0]  table_last_i,
  input  logic [Ranks-1:0]             table_ranks_i,  // local ranks
  input  logic [Contributors-1:0]      table_ins_i,
  input  logic [Contributors-1:0]      table_outs_i,
  input  logic [7:0]                   table_round_i
);
  localparam int unsigned Tries = 4;
  localparam int unsigned TriesW = $clog2(Tries);

  typedef enum logic [3:0] {
    StIdle,
    StPeek,
    StPeeked,
    StFind,   // a part that is open is looked for
    StFound,
    StPart,   // a part is read
    StTaken,  // and taken into account
    StPick,   // an edge whose data are missing in EXCHANGE
    StRound,  // its round is read,
    StRounded,  // and compared
    StDone
  } state_e;
  state_e state_d, state_q;

  // ---- What is asked: each of those that have a part of the answer, until it is ready ----
  typedef struct packed {
    logic seg;
    logic hold;
    logic header;
    logic table_;
  } from_t;
  localparam from_t Finds = 4'b1011;
  localparam from_t Takes = 4'b1101;
  from_t wants_q, wants_d, asked, left, gets_q;

  assign {seg_valid_o, hold_valid_o, header_valid_o, table_valid_o} = wants_q;
  assign asked = wants_q & {seg_ready_i, hold_ready_i, header_ready_i, table_ready_i};
  assign left = wants_q & ~asked;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      wants_q <= '0;
      gets_q <= '0;
    end else begin
      wants_q <= wants_d;
      gets_q <= asked;
    end
  end

  // The answers stay, since they come at different times.
  logic busy_q, finished_q, hold_busy_q, up_q, have_q, awaits_q, ordered_q;
  logic [Contributors-1:0] lacks_q, copies_q, ins_q, outs_q;
  logic [Ranks-1:0] ranks_q, unposted_q, all_ranks_q;
  logic [Modes-1:0][PartW-1:0] lasts_q;
  logic [7:0] round_q, up_edge_q, down_edge_q;
  logic plan_up_q, plan_down_q;
  tally_segment_pkg::message_t message_q;
  logic [GroupW-1:0] header_group_q;

  always_ff @(posedge clk_i) begin
    if (gets_q.seg) {busy_q, finished_q, lacks_q} <= {seg_busy_i, seg_finished_i,
                                                      seg_contributors_i};
    if (gets_q.hold) begin
      {hold_busy_q, up_q, have_q, awaits_q} <= {hold_busy_i, hold_up_i, hold_have_i, hold_awaits_i};
      {copies_q, ranks_q, unposted_q} <= {hold_contributors_i, hold_ranks_i, hold_unposted_i};
    end
    if (gets_q.header) begin
      {header_group_q, message_q} <= {header_group_i, header_message_i};
      {plan_up_q, up_edge_q} <= {header_up_i, header_up_edge_i};
      {plan_down_q, down_edge_q} <= {header_down_i, header_down_edge_i};
    end
    if (gets_q.table_) begin
      {ordered_q, lasts_q, all_ranks_q} <= {table_ordered_i, table_last_i, table_ranks_i};
      {ins_q, outs_q, round_q} <= {table_ins_i, table_outs_i, table_round_i};
    end
  end

  // ---- The chunk and its parts ----
  logic [GroupW-1:0] group_q;
  logic [31:0] index_q, done_q, held_q;
  logic [SlotW-1:0] slot_q;
  logic [PartW-1:0] part_q, last_q, last;
  logic [EdgeW-1:0] edge_q, lowest;
  logic checks_q, same, exchange, reduces, shaped_q, open_q, ended_q;
  logic [TriesW-1:0] tries_q;
  logic [Contributors-1:0] missing_q, first_q, receivers_q, todo_q, edge_bit, part_lacks, part_gets;
  logic [Ranks-1:0] all_unposted_q, deliver_q;
  logic [7:0] least_q;
  logic sends_q, waits_q, has_q, is_last, part_open, opened, found;

  assign found = busy_q && header_group_q == group_q && message_q.num == done_q + index_q;
  assign same = peeked_ok_i && peeked_slot_i == slot_q && peeked_done_i == done_q;
  assign exchange = message_q.mode == tally_pkg::ModeExchange;
  assign reduces = message_q.opcode == tally_pkg::OpcodeAllreduce ||
                   message_q.opcode == tally_pkg::OpcodeReduce;
  assign opened = busy_q && hold_busy_q;
  assign last = lasts_q[exchange ? 1 : message_q.mode == tally_pkg::ModeRing ? 2 : 0];
  assign is_last = part_q == last_q;
  assign part_open = busy_q || !shaped_q;
  assign part_lacks = part_open ? lacks_q : ins_q;
  assign part_gets = part_open ? (opened ? copies_q : '0) : exchange ? outs_q : '0;
  always_comb begin
    lowest = '0;
    for (int unsigned i = Contributors; i > 0; i--) if (todo_q[i-1]) lowest = EdgeW'(i - 1);
  end
  assign edge_bit = Contributors'(1) << edge_q;

  assign busy_o = state_q != StIdle;
  assign read_ready_o = state_q == StIdle;
  assign look_valid_o = state_q == StDone;
  assign peek_valid_o = state_q == StPeek;
  assign peek_group_o = group_q;
  assign peek_index_o = index_q;
  assign place_o = {slot_q, part_q};
  assign table_group_o = group_q;
  assign table_mode_o = message_q.mode;
  assign table_part_o = part_q;
  assign table_edge_o = edge_q;

  always_comb begin
    state_d = state_q;
    wants_d = left;
    unique case (state_q)
      StIdle: if (read_valid_i) state_d = StPeek;
      StPeek: if (peek_ready_i) state_d = StPeeked;
      StPeeked: begin
        if (peeked_valid_i) begin
          state_d = StFind;
          if (!peeked_ok_i || (checks_q && (same || tries_q == '0))) state_d = StDone;
          else wants_d = Finds;
        end
      end
      StFind: if (wants_q == '0 && gets_q == '0) state_d = StFound;
      StFound: begin
        if (found) begin
          state_d = StPart;
          wants_d = Takes;
        end else if (part_q == PartW'(Parts - 1)) begin
          state_d = StPeek;
        end else begin
          state_d = StFind;
          wants_d = Finds;
        end
      end
      StPart: if (wants_q == '0 && gets_q == '0) state_d = StTaken;
      StTaken: begin
        if (!is_last) begin
          state_d = StPart;
          wants_d = Takes;
        end else state_d = exchange ? StPick : StPeek;
      end
      StPick: begin
        state_d = StPeek;
        if (todo_q != '0) begin
          state_d = StRound;
          wants_d.table_ = 1'b1;
        end
      end
      StRound: if (wants_q == '0 && gets_q == '0) state_d = StRounded;
      StRounded: state_d = StPick;
      default: state_d = StIdle;  // StDone
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) state_q <= StIdle;
    else state_q <= state_d;
  end

  always_ff @(posedge clk_i) begin
    unique case (state_q)
      StIdle: begin
        group_q <= read_group_i;
        index_q <= read_index_i;
        checks_q <= 1'b0;
        tries_q <= TriesW'(Tries - 1);
      end
      StPeeked: begin
        part_q <= '0;
        if (peeked_valid_i) begin
          {done_q, held_q, slot_q} <= {peeked_done_i, peeked_held_i, peeked_slot_i};
          checks_q <= 1'b1;
          if (checks_q) tries_q <= tries_q - 1'b1;
          // What has been read is of this chunk; otherwise nothing is known of it.
          if (!checks_q || !same) open_q <= 1'b0;
        end
      end
      StFound: begin
        {missing_q, first_q, receivers_q} <= '0;
        ended_q <= 1'b0;
        shaped_q <= exchange || (ordered_q && reduces);
        last_q <= exchange || (ordered_q && reduces) ? last : '0;
        open_q <= found;
        part_q <= found ? '0 : part_q + 1'b1;
      end
      StTaken: begin
        part_q <= part_q + 1'b1;
        missing_q <= missing_q | part_lacks;
        todo_q <= missing_q | part_lacks;
        receivers_q <= receivers_q | part_gets;
        if (part_q == '0) ended_q <= busy_q && finished_q;
        {sends_q, waits_q} <= part_open ? {opened && up_q, opened && awaits_q} :
                                          {plan_up_q, plan_down_q};
        has_q <= opened && have_q;
        all_unposted_q <= part_open ? (opened ? unposted_q : '0) : all_ranks_q;
        deliver_q <= part_open ? (opened ? ranks_q : '0) :
                     message_q.opcode == tally_pkg::OpcodeReduce ? '0 : all_ranks_q;
      end
      StPick: begin
        todo_q <= todo_q & (todo_q - 1'b1);
        edge_q <= lowest;
      end
      StRounded: begin
        if (first_q == '0 || round_q <= least_q) begin
          first_q <= round_q == least_q ? first_q | edge_bit : edge_bit;
          least_q <= round_q;
        end
      end
      default: ;
    endcase
  end

  // ---- The answer ----
  logic [Contributors-1:0] first;
  logic [63:0] up_bit, down_bit;
  logic sends, waits;

  assign first = exchange ? first_q : missing_q;
  assign sends = sends_q && !exchange;
  assign waits = waits_q && !exchange;
  assign up_bit = sends && up_edge_q < 8'(Contributors) ? 64'(1) << up_edge_q[EdgeW-1:0] : '0;
  assign down_bit = waits && down_edge_q < 8'(Contributors) ? 64'(1) << down_edge_q[EdgeW-1:0] :
                                                              '0;
  always_comb begin
    look_o.done = done_q;
    look_o.held = held_q;
    look_o.state = !open_q ? 8'(tally_pkg::SegFree) : ended_q ? 8'(tally_pkg::SegFinished) :
                                                                8'(tally_pkg::SegBusy);
    look_o.message = message_q;
    look_o.missing = 64'(missing_q);
    look_o.first = 64'(first);
    look_o.late = 64'(first) | (exchange || has_q ? 64'(receivers_q) : '0);
    look_o.waits = 64'(first) | 64'(receivers_q) | up_bit | down_bit;
    look_o.waits_parent = (sends && up_edge_q == 8'(tally_pkg::ContribParent)) ||
                          (waits && down_edge_q == 8'(tally_pkg::ContribParent));
    look_o.receivers = 64'(receivers_q);
    look_o.ranks = 64'(all_unposted_q);
    look_o.deliver = 64'(deliver_q);
  end

`ifdef FORMAL
  `include "store_look_proof.svh"
`endif
endmodule
