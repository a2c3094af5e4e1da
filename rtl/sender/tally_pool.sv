// SPDX-License-Identifier: BSD-2-Clause
// Segments that groups own, borrow and are owed: sim/engine/pool.c, whose comment has the rules.
// tally_segment_map knows which segments these are.
//
// groups_i, segs_i: how many the device may have; they stay while groups have joined.
// op_*: an operation of the firmware, PoolJoin to PoolBorrow of tally_fw_pkg. A group that joins
// owns op_num_i segments, at least one, of those that are left (left_o), and may hold op_max_i at
// once. After PoolEnd the limit of the group does not rise any more; its segments count as given
// back when moved_ended_i says so, before which there is neither PoolBegin nor PoolLeave. With
// PoolBorrow, the group would have use for segments of numbers below op_top_i; it borrows them as
// far as there are some to spare.
// ask_*: the same, of the sender. A pulse, always taken, at least four clocks after the one before.
// One that comes some clocks before the next PoolBegin may count for the new epoch.
// moved_*: done of a group, or (moved_ended_i) its epoch has ended; always taken, but not in two
// clocks in succession. cmd_*: StoreCmdBegin and StoreCmdRaise for the store, each of which moved_*
// answers. lends_o, owes_o: pulses: a segment is lent; a group that has joined is owed some.
// grant_*: how many of its own segments a group has been granted, if that is not all, or a further
// one has been.
// peek_*: how many of its own segments a group that has joined is owed, for the firmware. It is
// read in a clock in which the block has nothing else to do; the answer, a pulse, comes a clock
// later.
//
// Time: two clocks for a group whose done has moved, and for each rise of a limit one and what the
// store takes; two for each segment that is granted. An operation first lets its group move. A
// group that leaves while segments are owed to it takes a clock for each group of this list. After
// a reset the block takes no operation for as many clocks as there are groups. busy_o is low if
// nothing happens without an input, and depends on registers only.
module tally_pool #(
  parameter int unsigned Groups = tally_pkg::MaxGroup,
  parameter int unsigned Segs = tally_pkg::MaxSeg,
  parameter int unsigned GroupSegs = tally_pkg::MaxGroupSegs,
  parameter int unsigned NumW = 32,  // bits of running numbers
  parameter int unsigned Word = 32,  // of tally_marks
  localparam int unsigned GroupW = Groups > 1 ? $clog2(Groups) : 1,
  localparam int unsigned SegW = $clog2(Segs + 1),
  localparam int unsigned OwnW = $clog2(GroupSegs + 1)
) (
  input  logic                         clk_i,
  input  logic                         rst_ni,
  output logic                         busy_o,

  input  logic [GroupW:0]              groups_i,
  input  logic [SegW-1:0]              segs_i,
  input  logic                         op_valid_i,
  output logic                         op_ready_o,
  input  tally_fw_pkg::pool_code_e     op_i,
  input  logic [GroupW-1:0]            op_group_i,
  input  logic [OwnW-1:0]              op_num_i,
  input  logic [OwnW-1:0]              op_max_i,
  input  logic [NumW-1:0]              op_top_i,
  output logic [SegW-1:0]              left_o,  // a further group may own as many

  input  logic                         ask_valid_i,
  input  logic [GroupW-1:0]            ask_group_i,
  input  logic [NumW-1:0]              ask_top_i,
  input  logic                         moved_valid_i,
  input  logic                         moved_ended_i,
  input  logic [GroupW-1:0]            moved_group_i,
  input  logic [NumW-1:0]              moved_done_i,

  output logic                         cmd_valid_o,
  input  logic                         cmd_ready_i,
  output tally_fw_pkg::store_command_e cmd_o,
  output logic [GroupW-1:0]            cmd_group_o,
  output logic                         lends_o,
  output logic                         owes_o,
  output logic                         grant_valid_o,
  output logic [GroupW-1:0]            grant_group_o,
  output logic [OwnW-1:0]              grant_num_o,

  input  logic                         peek_valid_i,
  output logic                         peek_ready_o,
  input  logic [GroupW-1:0]            peek_group_i,
  output logic                         peeked_valid_o,
  output logic [OwnW-1:0]              peeked_owed_o
);
  localparam int unsigned RowW = 4 * OwnW + NumW + 1;
  localparam int unsigned Share = 3;  // a group borrows less than one part of what is left

  typedef enum logic [3:0] {
    StInit,    // after a reset: no group has segments
    StIdle,
    StOp,      // the operation
    StFind,    // who is before the leaving group in the list of those that segments are owed to
    StBegin,   // the store begins the epoch
    StBegun,   // it has done so
    StMoved,   // done has moved, or the epoch has ended
    StBorrow,
    StRaise,   // the limit rises
    StPay,     // whether segments are there for the first of those that they are owed to
    StGrant,
    StDone
  } state_e;
  state_e state_d, state_q, then_d, then_q;  // what comes after StRaise

  // limit is done plus granted plus borrowed, once all rises are in the store.
  typedef struct packed {
    logic [OwnW-1:0] num;       // segments that it owns
    logic [OwnW-1:0] max;       // that it may hold
    logic [OwnW-1:0] granted;   // of its own that it has
    logic [OwnW-1:0] borrowed;
    logic [NumW-1:0] done;
    logic            rises;     // its epoch runs and is not to end, so the limit may rise
  } row_t;

  function automatic logic is_before(input logic [NumW-1:0] a, input logic [NumW-1:0] b);
    logic [NumW-1:0] distance;
    distance = a - b;
    is_before = distance[NumW-1];
  endfunction

  logic [RowW-1:0] row_mem_q [2**GroupW];
  logic [NumW:0] moved_mem_q [2**GroupW];  // ended, done
  logic [NumW:0] ask_mem_q [2**GroupW];    // asks, top
  logic [GroupW-1:0] next_mem_q [2**GroupW];

  // ---- Which group has something to do ----
  logic ask_q, asks, mark, out_valid, takes, has_op_q, op_due_q, unused_searches, marks_busy;
  logic [GroupW-1:0] ask_group_q, marked, out_group, ask_at, at, at_q, of_q, init_q;
  logic [NumW-1:0] ask_top_q;

  assign asks = ask_q && !moved_valid_i;
  assign mark = moved_valid_i || ask_q;
  assign marked = moved_valid_i ? moved_group_i : ask_group_q;
  tally_marks #(.Num(Groups), .Word(Word)) u_marks (
    .clk_i, .rst_ni, .busy_o(marks_busy),
    .mark_valid_i(mark), .mark_i(marked), .searches_o(unused_searches),
    .out_valid_o(out_valid), .out_ready_i(takes), .out_o(out_group)
  );
  assign takes = state_q == StIdle && !op_valid_i && out_valid && !asks;
  assign busy_o = state_q != StIdle || marks_busy || ask_q;

  always_ff @(posedge clk_i) begin
    if (ask_valid_i) begin
      ask_group_q <= ask_group_i;
      ask_top_q <= ask_top_i;
    end
    if (moved_valid_i) moved_mem_q[moved_group_i] <= {moved_ended_i, moved_done_i};
    if (asks || takes || state_q == StInit) ask_mem_q[ask_at] <= {asks, ask_top_q};
  end
  always_comb begin
    ask_at = out_group;
    if (state_q == StInit) ask_at = init_q;
    else if (asks) ask_at = ask_group_q;
  end

  // ---- Its row ----
  logic [RowW-1:0] raw_q;
  logic [NumW:0] moved_q, asked_q;
  logic [GroupW-1:0] next_q, first_q, last_q, before_q, after_q;
  row_t row, new_row;
  logic write_row, owed_q, pays;

  always_comb begin
    at = at_q;
    if (state_q == StIdle) at = op_valid_i ? op_group_i : takes ? out_group : peek_group_i;
    else if (state_q == StPay) at = pays ? first_q : of_q;
  end
  assign row = raw_q;
  assign peek_ready_o = state_q == StIdle && !op_valid_i && !takes;
  assign peeked_owed_o = row.num - row.granted;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) peeked_valid_o <= 1'b0;
    else peeked_valid_o <= peek_valid_i && peek_ready_o;
  end
  always_ff @(posedge clk_i) begin
    if (state_q == StIdle || state_q == StPay) begin
      at_q <= at;
      raw_q <= row_mem_q[at];
    end else if (write_row) begin
      raw_q <= new_row;
    end
    if (state_q == StIdle) begin
      of_q <= at;
      moved_q <= moved_mem_q[at];
      if (op_valid_i) asked_q <= {op_i == tally_fw_pkg::PoolBorrow, op_top_i};
      else asked_q <= takes ? ask_mem_q[out_group] : '0;
      has_op_q <= op_valid_i;
    end
    if (state_q == StIdle) op_due_q <= op_valid_i;
    else if (state_q == StOp) op_due_q <= 1'b0;
    next_q <= next_mem_q[state_q == StFind ? next_q : state_q == StOp ? first_q : at];
  end

  // ---- Counts ----
  logic [SegW-1:0] owned_q, granted_q, lent_q, unused_segs, spare, join_spare_q, most, own, grants;
  logic [GroupW:0] num_q, num_d, kept_q, kept, further;

  // kept_q: groups that may still join, each of which is to find a segment. join_spare_q: what is
  // to spare beyond those that remain when one joins. Nothing changes in the clock before StOp.
  assign further = num_q + 1'b1;
  assign num_d = joins ? further : leaves ? num_q - 1'b1 : num_q;
  assign kept = kept_q - 1'b1;
  always_ff @(posedge clk_i) begin
    kept_q <= groups_i - num_d;
    join_spare_q <= 32'(unused_segs) > 32'(kept) ? unused_segs - SegW'(kept) : '0;
  end
  assign unused_segs = segs_i - granted_q - lent_q;
  assign spare = 32'(unused_segs) > 32'(kept_q) ? unused_segs - SegW'(kept_q) : '0;
  assign own = SegW'(op_num_i);
  assign most = lent_q != '0 ? join_spare_q : own;
  assign grants = most < own ? most : own;  // of those of a group that joins
  assign left_o = num_q < groups_i ? segs_i - owned_q : '0;

  // ---- What the group may do ----
  logic [NumW-1:0] steps, limit, top, top_most;
  logic [OwnW-1:0] given, rest, raises_d, raises_q;
  logic joins, leaves, owes, borrows, ended, moves;

  assign joins = state_q == StOp && op_i == tally_fw_pkg::PoolJoin;
  assign leaves = state_q == StOp && op_i == tally_fw_pkg::PoolLeave;
  assign owes = joins && grants != own;
  assign steps = moved_q[NumW-1:0] - row.done;
  assign ended = moved_q[NumW];
  assign moves = state_q == StMoved;
  // Of the borrowed segments as many return as chunks are finished; then limit rises with done.
  assign given = ended || steps > NumW'(row.borrowed) ? row.borrowed : steps[OwnW-1:0];
  assign rest = steps[OwnW-1:0] - given;
  assign limit = row.done + NumW'(row.granted) + NumW'(row.borrowed);
  assign top_most = row.done + NumW'(row.max);
  assign top = is_before(top_most, asked_q[NumW-1:0]) ? top_most : asked_q[NumW-1:0];
  assign borrows = state_q == StBorrow && row.rises && asked_q[NumW] &&
                   is_before(limit, top) && 32'(row.borrowed) * Share < 32'(spare);
  assign pays = owed_q && (lent_q == '0 || spare != '0);
  assign lends_o = borrows;
  assign owes_o = owes;
  assign grant_valid_o = owes || state_q == StGrant;
  assign grant_group_o = at_q;
  assign grant_num_o = new_row.granted;

  always_comb begin
    new_row = row;
    write_row = 1'b0;
    raises_d = raises_q;
    unique case (state_q)
      StOp: begin
        write_row = 1'b1;
        unique case (op_i)
          tally_fw_pkg::PoolJoin: begin
            new_row = '0;
            new_row.num = op_num_i;
            new_row.max = op_max_i;
            new_row.granted = OwnW'(grants);
          end
          tally_fw_pkg::PoolBegin: begin
            new_row.done = '0;
            new_row.rises = 1'b1;
            raises_d = row.granted;
          end
          tally_fw_pkg::PoolBorrow: ;
          default: new_row.rises = 1'b0;  // PoolEnd, PoolLeave
        endcase
      end
      StMoved: begin
        write_row = 1'b1;
        new_row.borrowed = row.borrowed - given;
        new_row.done = moved_q[NumW-1:0];
        raises_d = row.rises && !ended ? rest : '0;
      end
      StBorrow: begin
        write_row = borrows;
        new_row.borrowed = row.borrowed + 1'b1;
        raises_d = OwnW'(1);
      end
      StGrant: begin
        write_row = 1'b1;
        new_row.granted = row.granted + 1'b1;
        raises_d = OwnW'(row.rises);
      end
      StRaise: if (cmd_valid_o && cmd_ready_i) raises_d = raises_q - 1'b1;
      default: ;
    endcase
  end

  always_ff @(posedge clk_i) raises_q <= raises_d;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      num_q <= '0;
      owned_q <= '0;
      granted_q <= '0;
      lent_q <= '0;
    end else begin
      num_q <= num_d;
      if (joins) begin
        owned_q <= owned_q + own;
        granted_q <= granted_q + grants;
      end else if (leaves) begin
        owned_q <= owned_q - SegW'(row.num);
        granted_q <= granted_q - SegW'(row.granted);
      end else if (state_q == StGrant) begin
        granted_q <= granted_q + 1'b1;
      end
      if (moves) lent_q <= lent_q - SegW'(given);
      else if (borrows) lent_q <= lent_q + 1'b1;
    end
  end

  // ---- Groups that segments are owed to, the oldest one first ----
  logic pops, found, is_owed;
  assign is_owed = row.granted != row.num;
  assign pops = state_q == StGrant && new_row.granted == row.num;
  assign found = state_q == StFind && next_q == at_q;

  always_ff @(posedge clk_i) begin
    after_q <= next_mem_q[at_q];
    if (state_q == StOp) before_q <= first_q;
    else if (state_q == StFind) before_q <= next_q;
    if (owes) begin
      if (!owed_q) first_q <= at_q;
      last_q <= at_q;
      if (owed_q) next_mem_q[last_q] <= at_q;
    end else if (pops || (leaves && is_owed && first_q == at_q)) begin
      first_q <= next_q;
    end else if (found) begin
      next_mem_q[before_q] <= after_q;
      if (last_q == at_q) last_q <= before_q;
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) owed_q <= 1'b0;
    else if (owes) owed_q <= 1'b1;
    else if ((pops || (leaves && is_owed)) && first_q == at_q && last_q == at_q) owed_q <= 1'b0;
  end

  // ---- Order of the steps ----
  assign op_ready_o = state_q == StDone && has_op_q;
  assign cmd_valid_o = state_q == StBegin || (state_q == StRaise && raises_q != '0);
  assign cmd_o = state_q == StBegin ? tally_fw_pkg::StoreCmdBegin : tally_fw_pkg::StoreCmdRaise;
  assign cmd_group_o = at_q;

  always_comb begin
    state_d = state_q;
    then_d = then_q;
    unique case (state_q)
      StInit: if (init_q == {GroupW{1'b1}}) state_d = StIdle;
      StIdle: begin
        if (op_valid_i || takes) state_d = StMoved;
      end
      StOp: begin
        state_d = StDone;
        if (op_i == tally_fw_pkg::PoolBegin) state_d = StBegin;
        else if (op_i == tally_fw_pkg::PoolBorrow) state_d = StBorrow;
        else if (leaves) state_d = is_owed && first_q != at_q ? StFind : StPay;
        then_d = StDone;
      end
      StFind: if (found) state_d = StPay;
      StBegin: if (cmd_ready_i) state_d = StBegun;
      StBegun: if (moved_valid_i && moved_group_i == at_q) state_d = StRaise;
      StMoved: begin
        state_d = StRaise;
        then_d = given != '0 || ended ? StPay : op_due_q ? StOp : StBorrow;
      end
      StBorrow: begin
        state_d = borrows ? StRaise : StDone;
        then_d = StBorrow;
      end
      StRaise: if (raises_d == '0) state_d = then_q;
      StPay: state_d = pays ? StGrant : op_due_q ? StOp : StBorrow;  // back to the group
      StGrant: begin
        state_d = StRaise;
        then_d = StPay;
      end
      default: state_d = StIdle;  // StDone
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= StInit;
      then_q <= StDone;
      init_q <= '0;
      ask_q <= 1'b0;
    end else begin
      state_q <= state_d;
      then_q <= then_d;
      if (state_q == StInit) init_q <= init_q + 1'b1;
      ask_q <= ask_valid_i || (ask_q && moved_valid_i);
    end
  end

  logic inits;
  assign inits = state_q == StInit;
  always_ff @(posedge clk_i) begin
    if (inits || write_row) row_mem_q[inits ? init_q : at_q] <= inits ? '0 : new_row;
  end

`ifdef FORMAL
  `include "pool_proof.svh"
`endif
endmodule
