// SPDX-License-Identifier: BSD-2-Clause
// Receive message queue (001 3.1 (2); bench/model.c). It has one buffer of Cells cells of Words words,
// which all ports share, one list of messages for each CP counter of each port, and promises of cells to firings. It
// performs one operation in three clocks. tally_cp_counters counts, tally_rmq_lists holds the lists, and
// tally_rmq_words the words. docs/rtl-queue.md describes the interfaces, their timing, and the duties of the user.
module tally_rmq #(
  parameter int unsigned Ports = tally_pkg::MaxQp,
  parameter int unsigned Groups = tally_pkg::MaxGroup,
  parameter int unsigned Counters = tally_pkg::NumCpCounters,
  parameter int unsigned Contributors = tally_pkg::ContribSelf + 1,
  parameter int unsigned Cells = tally_pkg::RmqCells,
  parameter int unsigned Words = tally_pkg::MaxMtu / 64,
  parameter int unsigned Cap = tally_pkg::RmqPortCap,
  parameter int unsigned Taken = 128,   // messages of firings that wait to leave
  parameter int unsigned HeaderW = 73,  // branch, op, dtype, SwpMp, err_vector, count
  parameter int unsigned TagW = 16,
  parameter int unsigned DataW = 512,
  localparam int unsigned Bytes = DataW / 8,
  localparam int unsigned PortW = Ports > 1 ? $clog2(Ports) : 1,
  localparam int unsigned GroupW = Groups > 1 ? $clog2(Groups) : 1,
  localparam int unsigned CounterW = Counters > 1 ? $clog2(Counters) : 1,
  localparam int unsigned ContribW = Contributors > 1 ? $clog2(Contributors) : 1,
  localparam int unsigned CountW = $clog2(Contributors + 1),
  localparam int unsigned UsedW = $clog2(Cells + 1),
  localparam int unsigned LenW = $clog2(Words * Bytes + 1)
) (
  input  logic                clk_i,
  input  logic                rst_ni,

  // Messages: a header, a verdict and, if the message was stored, its words.
  input  logic                in_valid_i,
  output logic                in_ready_o,
  input  logic [PortW-1:0]    in_port_i,
  input  logic [GroupW-1:0]   in_group_i,
  input  logic [CounterW-1:0] in_counter_i,
  input  logic [ContribW-1:0] in_contributor_i,
  input  logic [LenW-1:0]     in_len_i,
  input  logic [HeaderW-1:0]  in_header_i,
  output logic                verdict_valid_o,
  output logic                verdict_stored_o,
  input  logic                data_valid_i,
  output logic                data_ready_o,
  input  logic [DataW-1:0]    data_i,

  // A descriptor waits.
  input  logic                arm_valid_i,
  output logic                arm_ready_o,
  input  logic [PortW-1:0]    arm_port_i,
  input  logic [GroupW-1:0]   arm_group_i,
  input  logic [CounterW-1:0] arm_counter_i,
  input  logic [CountW-1:0]   arm_cpcnt_i,
  input  logic [TagW-1:0]     arm_tag_i,
  output logic                promise_valid_o,
  output logic                promise_given_o,

  output logic                fire_valid_o,
  input  logic                fire_ready_i,
  output logic [PortW-1:0]    fire_port_o,
  output logic [CounterW-1:0] fire_counter_o,
  output logic [TagW-1:0]     fire_tag_o,

  // A firing takes its messages, which then leave.
  input  logic                take_valid_i,
  output logic                take_ready_o,
  input  logic [PortW-1:0]    take_port_i,
  input  logic [CounterW-1:0] take_counter_i,
  input  logic [CountW-1:0]   take_cpcnt_i,
  output logic                out_valid_o,
  input  logic                out_ready_i,
  output logic [DataW-1:0]    out_data_o,
  output logic                out_last_o,    // last word of the message
  output logic                out_end_o,     // last message of the firing
  output logic [ContribW-1:0] out_contributor_o,
  output logic [LenW-1:0]     out_len_o,
  output logic [HeaderW-1:0]  out_header_o,

  input  logic                flush_valid_i,
  output logic                flush_ready_o,
  input  logic [PortW-1:0]    flush_port_i,
  input  logic [GroupW-1:0]   flush_group_i,
  output logic                flush_done_o,

  // Cells that a group reserves, and the number of them that messages without a promise must not use.
  input  logic                group_valid_i,
  output logic                group_ready_o,
  input  logic [GroupW-1:0]   group_i,
  input  logic [UsedW-1:0]    group_cells_i,
  input  logic [UsedW-1:0]    group_keep_i,
  output logic                group_done_o,
  output logic                group_given_o,

  input  logic [PortW-1:0]    show_port_i,
  output logic [UsedW-1:0]    show_used_o,
  output logic [CountW-1:0]   show_promised_o,
  input  logic [GroupW-1:0]   show_group_i,
  output logic [UsedW-1:0]    show_spare_o,     // the group's own cells that are neither used, promised nor kept
  output logic [UsedW-1:0]    shared_free_o
);
  localparam int unsigned CellW = Cells > 1 ? $clog2(Cells) : 1;
  localparam int unsigned PortWordW = CountW + 1 + CounterW + UsedW;
  localparam int unsigned Lists = 2 ** (PortW + CounterW);
  localparam int unsigned Tables = Lists > 2 ** GroupW ? Lists : 2 ** GroupW;
  localparam int unsigned Inits = Cells > Tables ? Cells : Tables;
  localparam int unsigned InitW = $clog2(Inits + 1);
  localparam logic [InitW-1:0] InitLast = InitW'(Inits - 1);
  localparam logic [CellW-1:0] CellLast = CellW'(Cells - 1);

  typedef enum logic [2:0] {OpMessage, OpArm, OpTake, OpFlush, OpGroup} op_e;
  typedef enum logic [2:0] {StInit, StIdle, StPrepare, StDecide, StFlush} state_e;

  logic [PortWordW-1:0] port_q [2 ** PortW];
  logic [2*UsedW-1:0] config_q [2 ** GroupW];   // cells, keep
  logic [UsedW-1:0] spare_q [2 ** GroupW];      // own cells neither used, promised nor kept, minus back_q, modulo
  logic [UsedW-1:0] back_q [2 ** GroupW];       // own cells given back since reset, modulo
  logic [CellW-1:0] free_q [Cells];             // ring of free cells

  // ---- Operations: one in three cycles. The first cycle takes the operation and reads its tables ----
  state_e state_q;
  logic [InitW-1:0] init_q;
  op_e op, op_q;
  logic any, accept, decide, message_turn_q, cp_ready, walking, release_valid, words_full;
  logic control, control_any;
  logic [PortW-1:0] port, at_port_q;
  logic [GroupW-1:0] group, at_group_q;
  logic [CounterW-1:0] counter, counter_q;
  logic [CountW-1:0] cpcnt, cpcnt_q;
  logic [ContribW-1:0] contributor_q;
  logic [LenW-1:0] len_q;
  logic [HeaderW-1:0] head_q;
  logic [UsedW-1:0] cells_q, keep_q;
  logic message_may, arm_may, take_may, flush_may;

  // An arm waits for the end of a walk and its releases. Only one walk is in progress. A message needs the place of the
  // next message to be written.
  assign message_may = in_valid_i && cp_ready && !words_full;
  assign arm_may = arm_valid_i && cp_ready && !walking && !release_valid;
  assign take_may = take_valid_i && !walking;
  assign flush_may = flush_valid_i && !walking && !release_valid;
  assign control_any = group_valid_i || flush_may || take_may || arm_may;
  assign control = control_any && !(message_turn_q && message_may);
  assign any = control || message_may;
  assign accept = state_q == StIdle && any;
  assign decide = state_q == StDecide;

  always_comb begin
    op = OpMessage;
    port = in_port_i;
    group = in_group_i;
    counter = in_counter_i;
    cpcnt = take_cpcnt_i;
    if (control) begin
      if (group_valid_i) begin
        op = OpGroup;
        group = group_i;
      end else if (flush_may) begin
        op = OpFlush;
        port = flush_port_i;
        group = flush_group_i;
      end else if (take_may) begin
        op = OpTake;
        port = take_port_i;
        counter = take_counter_i;
      end else begin
        op = OpArm;
        port = arm_port_i;
        group = arm_group_i;
        counter = arm_counter_i;
        cpcnt = arm_cpcnt_i;
      end
    end
  end
  assign in_ready_o = accept && op == OpMessage;
  assign arm_ready_o = accept && op == OpArm;
  assign take_ready_o = accept && op == OpTake;
  assign flush_ready_o = accept && op == OpFlush;
  assign group_ready_o = accept && op == OpGroup;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= StInit;
      init_q <= '0;
      message_turn_q <= 1'b0;
    end else begin
      unique case (state_q)
        StInit: begin
          init_q <= init_q + 1'b1;
          if (init_q == InitLast) state_q <= StIdle;
        end
        StIdle: if (any) begin
          state_q <= StPrepare;
          message_turn_q <= op != OpMessage;
        end
        StPrepare: state_q <= StDecide;
        StDecide: state_q <= op_q == OpFlush ? StFlush : StIdle;
        default: if (flush_done_o) state_q <= StIdle;  // the last flushed cell is free
      endcase
    end
  end

  logic [PortWordW-1:0] port_read_q;
  logic [2*UsedW-1:0] config_read_q;
  logic [UsedW-1:0] spare_read_q, back_read_q, shared_q, shared_read_q;
  always_ff @(posedge clk_i) begin
    if (accept) begin
      op_q <= op;
      at_port_q <= port;
      at_group_q <= group;
      counter_q <= counter;
      cpcnt_q <= cpcnt;
      contributor_q <= in_contributor_i;
      len_q <= in_len_i;
      head_q <= in_header_i;
      cells_q <= group_cells_i;
      keep_q <= group_keep_i;
      port_read_q <= port_q[port];
      config_read_q <= config_q[group];
      spare_read_q <= spare_q[group];
      back_read_q <= back_q[group];
      shared_read_q <= shared_q;
    end
  end

  // ---- Counters: asked when an operation is taken; they answer, and get the decision, in the third cycle ----
  logic cp_valid, cp_counts, cp_keep, release_take, clear;
  logic [1:0] cp_op;
  logic [PortW-1:0] cp_port, release_port;
  logic [CounterW-1:0] cp_counter, clear_counter, release_counter;
  logic [ContribW-1:0] cp_contributor, release_contributor;
  logic [CountW-1:0] cp_lacks;
  logic cp_takes, cp_for_op;

  // The counters take no message in the clock after a release. A release therefore waits whenever a message could
  // follow, and is sent in the second cycle of an operation.
  assign cp_for_op = accept && (op == OpMessage || op == OpArm);
  assign release_take = release_valid && !cp_for_op && !decide;
  assign cp_valid = cp_for_op || release_take || clear;
  always_comb begin
    cp_op = op == OpArm ? tally_queue_pkg::CpArm : tally_queue_pkg::CpMessage;
    cp_port = port;
    cp_counter = counter;
    cp_contributor = in_contributor_i;
    if (clear) begin
      cp_op = tally_queue_pkg::CpClear;
      cp_port = at_port_q;
      cp_counter = clear_counter;
    end else if (!cp_for_op) begin
      cp_op = tally_queue_pkg::CpRelease;
      cp_port = release_port;
      cp_counter = release_counter;
      cp_contributor = release_contributor;
    end
  end
  tally_cp_counters #(
    .Ports(Ports), .Counters(Counters), .Contributors(Contributors), .Extras(Cap), .TagW(TagW)
  ) u_counters (
    .clk_i,
    .rst_ni,
    .op_valid_i(cp_valid),
    .op_ready_o(cp_takes),
    .room_o(cp_ready),
    .op_i(cp_op),
    .port_i(cp_port),
    .counter_i(cp_counter),
    .contributor_i(cp_contributor),
    .cpcnt_i(cpcnt),
    .tag_i(arm_tag_i),
    .counts_o(cp_counts),
    .lacks_o(cp_lacks),
    .keep_i(cp_keep),
    .fire_valid_o,
    .fire_ready_i,
    .fire_port_o,
    .fire_counter_o,
    .fire_tag_o
  );

  // ---- Room ----
  logic [CountW-1:0] reserve;
  logic reserve_own, own_all, promised, stored, own, given, unpromise;
  logic [CounterW-1:0] reserve_counter;
  logic own_more_q, room_q, awaited_q;
  logic [UsedW-1:0] used, cells, keep, spare, spare_now_q, lacks;
  logic is_message, is_arm, is_take, is_flush, is_group;

  assign {reserve, reserve_own, reserve_counter, used} = port_read_q;
  assign {cells, keep} = config_read_q;
  assign spare = spare_read_q + back_read_q;
  assign lacks = UsedW'(cp_lacks);
  assign own_all = spare_now_q >= lacks;
  always_ff @(posedge clk_i) begin
    spare_now_q <= spare;
    own_more_q <= spare != '0;
    room_q <= used < UsedW'(Cap) && (spare != '0 || shared_read_q != '0);
    awaited_q <= reserve != '0 && reserve_counter == counter_q;
  end

  assign is_message = decide && op_q == OpMessage;
  assign is_arm = decide && op_q == OpArm;
  assign is_take = decide && op_q == OpTake;
  assign is_flush = decide && op_q == OpFlush;
  assign is_group = decide && op_q == OpGroup;

  assign promised = awaited_q && cp_counts;
  assign stored = is_message && (promised || room_q);
  assign own = promised ? reserve_own : own_more_q;
  assign given = is_arm && (own_all || shared_read_q >= lacks);
  assign unpromise = is_flush && reserve != '0;
  assign cp_keep = stored || given;
  assign verdict_valid_o = is_message;
  assign verdict_stored_o = stored;
  assign promise_valid_o = is_arm;
  assign promise_given_o = given;
  assign group_done_o = is_group;
  assign group_given_o = is_group && {1'b0, cells_q} <= {1'b0, cells} + {1'b0, shared_read_q};

  logic [UsedW-1:0] spare_d;
  logic [PortWordW-1:0] port_d;
  always_comb begin
    spare_d = spare_read_q;
    unique case (op_q)
      OpMessage: begin
        port_d = {reserve - CountW'(promised), reserve_own, reserve_counter, used + 1'b1};
        spare_d = spare_read_q - UsedW'(own && !promised);
      end
      OpArm: begin
        port_d = {cp_lacks, own_all, counter_q, used};
        if (own_all) spare_d = spare_read_q - lacks;
      end
      OpFlush: begin
        port_d = '0;
        if (reserve_own) spare_d = spare_read_q + UsedW'(reserve);
      end
      OpGroup: begin
        port_d = port_read_q;
        spare_d = spare_read_q + (cells_q - keep_q) - (cells - keep);
      end
      default: port_d = {reserve, reserve_own, reserve_counter, used - UsedW'(cpcnt_q)};
    endcase
  end

  logic in_init, give_q, give_own_q;  // a cell is given back in the cycle after its last word was read
  logic [CellW-1:0] give_cell_q;
  logic [GroupW-1:0] give_group_q;
  assign in_init = state_q == StInit;
  always_ff @(posedge clk_i) begin
    if (in_init) port_q[PortW'(init_q)] <= '0;
    else if (cp_keep || is_take || is_flush) port_q[at_port_q] <= port_d;
  end
  always_ff @(posedge clk_i) begin
    if (in_init) spare_q[GroupW'(init_q)] <= '0;
    else if (cp_keep || is_flush || group_given_o) spare_q[at_group_q] <= spare_d;
  end
  always_ff @(posedge clk_i) begin
    if (in_init) config_q[GroupW'(init_q)] <= '0;
    else if (group_given_o) config_q[at_group_q] <= {cells_q, keep_q};
  end
  always_ff @(posedge clk_i) begin
    if (in_init) back_q[GroupW'(init_q)] <= '0;
    else if (give_q && give_own_q) back_q[give_group_q] <= back_q[give_group_q] + 1'b1;
  end

  logic [UsedW-1:0] shared_less, shared_more;
  always_comb begin
    shared_less = '0;
    shared_more = UsedW'(give_q && !give_own_q);
    if (stored && !promised && !own) shared_less = UsedW'(1);
    if (given && !own_all) shared_less = lacks;
    if (group_given_o) shared_less = cells_q - cells;
    if (unpromise && !reserve_own) shared_more = UsedW'(reserve) + UsedW'(give_q && !give_own_q);
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) shared_q <= UsedW'(Cells);
    else shared_q <= shared_q - shared_less + shared_more;
  end

  // ---- Free cells: a ring, and the cell to be taken next ----
  logic next_valid_q, refill, give_any;
  logic [CellW-1:0] next_q, ring_in_q, ring_out_q, give_at;
  logic [UsedW-1:0] ring_used_q;
  assign refill = ring_used_q != '0 && (!next_valid_q || stored);
  assign give_any = give_q || (in_init && 32'(init_q) < Cells);
  assign give_at = in_init ? CellW'(init_q) : give_cell_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      next_valid_q <= 1'b0;
      ring_in_q <= '0;
      ring_out_q <= '0;
      ring_used_q <= '0;
    end else begin
      next_valid_q <= refill || (next_valid_q && !stored);
      if (give_any) ring_in_q <= ring_in_q == CellLast ? '0 : ring_in_q + 1'b1;
      if (refill) ring_out_q <= ring_out_q == CellLast ? '0 : ring_out_q + 1'b1;
      ring_used_q <= ring_used_q + UsedW'(give_any) - UsedW'(refill);
    end
  end
  always_ff @(posedge clk_i) begin
    if (refill) next_q <= free_q[ring_out_q];
    if (give_any) free_q[ring_in_q] <= give_at;
  end

  // ---- Lists: a message is appended when it is decided; walks and flushes proceed in other cycles ----
  logic [CellW-1:0] at_cell;
  logic [ContribW-1:0] contributor;
  logic meta_own, taken, taken_ready, taken_end, gone;
  logic [GroupW-1:0] meta_group;
  logic [LenW-1:0] meta_len;
  tally_rmq_lists #(
    .Ports(Ports), .Counters(Counters), .Contributors(Contributors), .Cells(Cells), .NoteW(1 + GroupW + LenW)
  ) u_lists (
    .clk_i,
    .rst_ni,
    .init_valid_i(in_init),
    .init_list_i((PortW + CounterW)'(init_q)),
    .port_i(at_port_q),
    .counter_i(counter_q),
    .append_valid_i(stored),
    .append_cell_i(next_q),
    .append_contributor_i(contributor_q),
    .append_note_i({own, at_group_q, len_q}),
    .take_valid_i(is_take),
    .take_cpcnt_i(cpcnt_q),
    .walking_o(walking),
    .flush_valid_i(is_flush),
    .flush_done_o,
    .taken_valid_o(taken),
    .taken_ready_i(taken_ready),
    .taken_end_o(taken_end),
    .gone_valid_o(gone),
    .cell_o(at_cell),
    .contributor_o(contributor),
    .note_o({meta_own, meta_group, meta_len}),
    .release_valid_o(release_valid),
    .release_ready_i(release_take),
    .release_port_o(release_port),
    .release_counter_o(release_counter),
    .release_contributor_o(release_contributor),
    .clear_valid_o(clear),
    .clear_counter_o(clear_counter)
  );

  // ---- Words in, and messages out; cells of a flush are given back first ----
  logic pop;
  logic [CellW-1:0] pop_cell;
  logic pop_own;
  logic [GroupW-1:0] pop_group;
  tally_rmq_words #(
    .Cells(Cells), .Words(Words), .Taken(Taken), .HeaderW(HeaderW), .NoteW(ContribW), .OwnerW(1 + GroupW), .DataW(DataW)
  ) u_words (
    .clk_i,
    .rst_ni,
    .store_valid_i(stored),
    .store_cell_i(next_q),
    .store_len_i(len_q),
    .store_header_i(head_q),
    .full_o(words_full),
    .data_valid_i,
    .data_ready_o,
    .data_i,
    .take_valid_i(taken),
    .take_ready_o(taken_ready),
    .take_cell_i(at_cell),
    .take_end_i(taken_end),
    .take_len_i(meta_len),
    .take_note_i(contributor),
    .take_owner_i({meta_own, meta_group}),
    .hold_i(gone),
    .out_valid_o,
    .out_ready_i,
    .out_data_o,
    .out_last_o,
    .out_end_o,
    .out_note_o(out_contributor_o),
    .out_len_o,
    .out_header_o,
    .give_valid_o(pop),
    .give_cell_o(pop_cell),
    .give_owner_o({pop_own, pop_group})
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) give_q <= 1'b0;
    else give_q <= pop || gone;
  end
  always_ff @(posedge clk_i) begin
    give_cell_q <= gone ? at_cell : pop_cell;
    give_own_q <= gone ? meta_own : pop_own;
    give_group_q <= gone ? meta_group : pop_group;
  end

  // ---- Counts ----
  logic [PortWordW-1:0] show_port;
  assign show_port = port_q[show_port_i];
  assign show_used_o = show_port[UsedW-1:0];
  assign show_promised_o = show_port[PortWordW-1-:CountW];
  assign show_spare_o = spare_q[show_group_i] + back_q[show_group_i];
  assign shared_free_o = shared_q;

  // cp_takes: releases and clears are always taken. The other signals are redundant to counts.
  logic unused;
  assign unused = ^{cp_takes, next_valid_q, show_port[PortWordW-CountW-1:UsedW]};

`ifdef FORMAL
  `include "rmq_proof.svh"
`endif
endmodule
