// SPDX-License-Identifier: BSD-2-Clause
// Receive message queue (001 3.1 (2); sim/engine/rmq.c and cells.c): one buffer of Cells cells of Words words, shared by
// all ports; lists of messages, one for each CP counter of each port; what is promised to firings. It counts with
// tally_cp_counters. docs/rtl-queue.md has its interfaces, what it costs in cycles and what its user must do.
module tally_rmq #(
  parameter int unsigned Ports = tally_pkg::MaxQp,
  parameter int unsigned Groups = tally_pkg::MaxGroup,
  parameter int unsigned Counters = tally_pkg::NumCpCounters,
  parameter int unsigned Contributors = tally_pkg::ContribSelf + 1,
  parameter int unsigned Cells = tally_pkg::RmqCells,
  parameter int unsigned Words = tally_pkg::MaxMtu / 64,
  parameter int unsigned Cap = tally_pkg::RmqPortCap,
  parameter int unsigned Taken = 128,   // messages of firings that wait to go out
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

  // Messages: a header, a verdict, and if it was stored the words.
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

  // It takes its messages, which come out.
  input  logic                take_valid_i,
  output logic                take_ready_o,
  input  logic [PortW-1:0]    take_port_i,
  input  logic [CounterW-1:0] take_counter_i,
  input  logic [CountW-1:0]   take_cpcnt_i,
  output logic                out_valid_o,
  input  logic                out_ready_i,
  output logic [DataW-1:0]    out_data_o,
  output logic                out_last_o,    // of the message
  output logic                out_end_o,     // it is the firing's last
  output logic [ContribW-1:0] out_contributor_o,
  output logic [LenW-1:0]     out_len_o,
  output logic [HeaderW-1:0]  out_header_o,

  input  logic                flush_valid_i,
  output logic                flush_ready_o,
  input  logic [PortW-1:0]    flush_port_i,
  input  logic [GroupW-1:0]   flush_group_i,
  output logic                flush_done_o,

  // Cells that a group reserves, and how many of these messages without a promise leave alone.
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
  output logic [UsedW-1:0]    show_spare_o,     // of the group's own, neither used, promised nor kept
  output logic [UsedW-1:0]    shared_free_o
);
  localparam int unsigned CellW = Cells > 1 ? $clog2(Cells) : 1;
  localparam int unsigned ListW = PortW + CounterW;
  localparam int unsigned Lists = 2 ** ListW;
  localparam int unsigned IndexW = Words > 1 ? $clog2(Words) : 1;
  localparam int unsigned WordsW = $clog2(Words + 1);
  localparam int unsigned PortWordW = CountW + 1 + CounterW + UsedW;
  localparam int unsigned ListWordW = 1 + 2 * CellW;
  localparam int unsigned MetaW = ContribW + 1 + GroupW + LenW;
  localparam int unsigned EntryW = CellW + 1 + MetaW;
  localparam int unsigned Tables = Lists > 2 ** GroupW ? Lists : 2 ** GroupW;
  localparam int unsigned Inits = Cells > Tables ? Cells : Tables;
  localparam int unsigned InitW = $clog2(Inits + 1);
  localparam logic [InitW-1:0] InitLast = InitW'(Inits - 1);
  localparam logic [CellW-1:0] CellLast = CellW'(Cells - 1);
  localparam logic [CounterW-1:0] CounterLast = CounterW'(Counters - 1);

  typedef enum logic [2:0] {OpMessage, OpArm, OpTake, OpFlush, OpGroup} op_e;
  typedef enum logic [2:0] {StInit, StIdle, StPrepare, StDecide, StFlush} state_e;

  logic [PortWordW-1:0] port_q [2 ** PortW];
  logic [2*UsedW-1:0] config_q [2 ** GroupW];   // cells, keep
  logic [UsedW-1:0] spare_q [2 ** GroupW];      // own cells neither used, promised nor kept, less those of back_q, modulo
  logic [UsedW-1:0] back_q [2 ** GroupW];       // own cells given back so far, modulo
  logic [ListWordW-1:0] list_q [Lists];         // any, first, last
  logic [CellW-1:0] link_q [Cells];
  logic [MetaW-1:0] meta_q [Cells];             // contributor, own, group, length
  logic [HeaderW-1:0] header_q [Cells];
  logic [DataW-1:0] payload_q [Cells << IndexW];
  logic [CellW-1:0] free_q [Cells];             // a ring of free cells

  function automatic logic [WordsW-1:0] words_of(logic [LenW-1:0] len);
    words_of = WordsW'((len + LenW'(Bytes - 1)) >> $clog2(Bytes));
  endfunction

  // ---- Operations: one in three cycles. In the first it is taken and what it concerns is read. ----
  state_e state_q;
  logic [InitW-1:0] init_q;
  op_e op, op_q;
  logic any, accept, decide, message_turn_q, cp_ready, walk_busy_q, release_q, pend_q;
  logic control, control_any, flush_end;
  logic [PortW-1:0] port, at_port_q;
  logic [GroupW-1:0] group, at_group_q;
  logic [CounterW-1:0] counter, counter_q;
  logic [CountW-1:0] cpcnt, cpcnt_q;
  logic [ContribW-1:0] contributor_q;
  logic [LenW-1:0] len_q;
  logic [HeaderW-1:0] head_q;
  logic [TagW-1:0] tag_q;
  logic [UsedW-1:0] cells_q, keep_q;
  logic message_may, arm_may, take_may, flush_may;

  // An arm sees a firing's end; one walk at a time. A message needs the place of the one whose words are not begun.
  assign message_may = in_valid_i && cp_ready && !pend_q;
  assign arm_may = arm_valid_i && cp_ready && !walk_busy_q && !release_q;
  assign take_may = take_valid_i && !walk_busy_q;
  assign flush_may = flush_valid_i && !walk_busy_q && !release_q;
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
        default: if (flush_end) state_q <= StIdle;
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
      tag_q <= arm_tag_i;
      cells_q <= group_cells_i;
      keep_q <= group_keep_i;
      port_read_q <= port_q[port];
      config_read_q <= config_q[group];
      spare_read_q <= spare_q[group];
      back_read_q <= back_q[group];
      shared_read_q <= shared_q;
    end
  end

  // ---- The counters: asked in the second cycle, they answer in the third. ----
  logic cp_valid, cp_counts, cp_keep, release_take, clear;
  logic [1:0] cp_op;
  logic [PortW-1:0] cp_port;
  logic [CounterW-1:0] cp_counter, clear_q;
  logic [ContribW-1:0] cp_contributor, release_contributor_q;
  logic [CountW-1:0] cp_lacks;
  logic [PortW-1:0] walk_port_q;
  logic [CounterW-1:0] walk_counter_q;
  logic cp_takes, cp_for_op;

  assign cp_for_op = state_q == StPrepare && (op_q == OpMessage || op_q == OpArm);
  assign release_take = release_q && !cp_for_op;
  assign cp_valid = cp_for_op || release_q || clear;
  always_comb begin
    cp_op = tally_queue_pkg::CpMessage;
    cp_port = at_port_q;
    cp_counter = counter_q;
    cp_contributor = contributor_q;
    if (clear) begin
      cp_op = tally_queue_pkg::CpClear;
      cp_counter = clear_q;
    end else if (release_take) begin
      cp_op = tally_queue_pkg::CpRelease;
      cp_port = walk_port_q;
      cp_counter = walk_counter_q;
      cp_contributor = release_contributor_q;
    end else if (op_q == OpArm) begin
      cp_op = tally_queue_pkg::CpArm;
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
    .cpcnt_i(cpcnt_q),
    .tag_i(tag_q),
    .counts_o(cp_counts),
    .lacks_o(cp_lacks),
    .keep_i(cp_keep),
    .fire_valid_o,
    .fire_ready_i,
    .fire_port_o,
    .fire_counter_o,
    .fire_tag_o
  );

  // ---- Room: cells.c and take_room() of rmq.c ----
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

  logic in_init, give, give_own;
  logic [CellW-1:0] give_cell;
  logic [GroupW-1:0] give_group;
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
    else if (give && give_own) back_q[give_group] <= back_q[give_group] + 1'b1;
  end

  logic [UsedW-1:0] shared_less, shared_more;
  always_comb begin
    shared_less = '0;
    shared_more = UsedW'(give && !give_own);
    if (stored && !promised && !own) shared_less = UsedW'(1);
    if (given && !own_all) shared_less = lacks;
    if (group_given_o) shared_less = cells_q - cells;
    if (unpromise && !reserve_own) shared_more = UsedW'(reserve) + UsedW'(give && !give_own);
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) shared_q <= UsedW'(Cells);
    else shared_q <= shared_q - shared_less + shared_more;
  end

  // ---- Free cells: a ring, and the next one that is taken ----
  logic next_valid_q, refill, give_any;
  logic [CellW-1:0] next_q, ring_in_q, ring_out_q, give_at;
  logic [UsedW-1:0] ring_used_q;
  assign refill = ring_used_q != '0 && (!next_valid_q || stored);
  assign give_any = give || (in_init && 32'(init_q) < Cells);
  assign give_at = in_init ? CellW'(init_q) : give_cell;
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

  // ---- Lists: a message is appended the cycle after it was decided, a walk or a flush goes on in others. ----
  logic looked_q;  // at the cell of the walk: first_q says whether it is its contributor's first, so counted
  logic append_q, append_own_q;
  logic [CellW-1:0] append_cell_q;
  logic walk_has_before_q, flush_load_q, flush_step, step, first_q, list_any, at_last, taken_ready;
  logic [CellW-1:0] cell_q, before_q, list_first, list_last, after_cell, link_at;
  logic [CountW-1:0] left_q;
  logic [Contributors-1:0] seen_q, bit_of;
  logic [2**ContribW-1:0] all_seen;
  logic [ListW-1:0] list_at;
  logic [ListWordW-1:0] list_d;
  logic [MetaW-1:0] meta;
  logic [ContribW-1:0] contributor;
  logic meta_own, list_write, link_write, pop;
  logic [GroupW-1:0] meta_group;

  always_comb begin
    list_at = {walk_port_q, walk_counter_q};
    if (append_q || is_take) list_at = {at_port_q, counter_q};
    if (state_q == StFlush) list_at = {at_port_q, clear_q};
  end
  assign {list_any, list_first, list_last} = list_q[list_at];
  assign after_cell = link_q[cell_q];
  assign meta = meta_q[cell_q];
  assign {contributor, meta_own, meta_group} = meta[MetaW-1:LenW];
  assign at_last = cell_q == list_last;

  // Two cycles a cell, so that a release, which an operation delays by one cycle, has been taken before the next.
  assign step = walk_busy_q && looked_q && !append_q && taken_ready;
  assign bit_of = Contributors'(1) << contributor;
  assign all_seen = (2 ** ContribW)'(seen_q);
  assign clear = state_q == StFlush && flush_load_q;
  assign flush_step = state_q == StFlush && !flush_load_q && !pop;
  assign flush_end = clear_q == CounterLast && ((flush_step && at_last) || (clear && !list_any));
  assign flush_done_o = state_q == StFlush && flush_end;

  always_comb begin
    list_write = append_q || (step && first_q) || clear;
    link_write = (append_q && list_any) || (step && first_q && walk_has_before_q);
    link_at = append_q ? list_last : before_q;
    list_d = {1'b1, list_any ? list_first : append_cell_q, append_cell_q};
    if (clear) list_d = {1'b0, list_first, list_last};
    else if (!append_q)
      list_d = {walk_has_before_q || !at_last, walk_has_before_q ? list_first : after_cell,
                at_last ? before_q : list_last};
  end
  always_ff @(posedge clk_i) begin
    if (in_init) list_q[ListW'(init_q)] <= '0;
    else if (list_write) list_q[list_at] <= list_d;
  end
  always_ff @(posedge clk_i) if (link_write) link_q[link_at] <= append_q ? append_cell_q : after_cell;
  always_ff @(posedge clk_i) begin
    append_cell_q <= next_q;
    append_own_q <= own;
    if (append_q) begin
      meta_q[append_cell_q] <= {contributor_q, append_own_q, at_group_q, len_q};
      header_q[append_cell_q] <= head_q;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      append_q <= 1'b0;
      looked_q <= 1'b0;
      walk_busy_q <= 1'b0;
      release_q <= 1'b0;
    end else begin
      append_q <= stored;
      looked_q <= walk_busy_q && !step;
      if (is_take) walk_busy_q <= cpcnt_q != '0;
      else if (step && first_q && left_q == CountW'(1)) walk_busy_q <= 1'b0;
      release_q <= (step && first_q) || (release_q && !release_take);
    end
  end
  always_ff @(posedge clk_i) first_q <= !all_seen[contributor];
  always_ff @(posedge clk_i) begin
    if (is_take) begin
      walk_port_q <= at_port_q;
      walk_counter_q <= counter_q;
      walk_has_before_q <= 1'b0;
      seen_q <= '0;
      left_q <= cpcnt_q;
      cell_q <= list_first;
    end else if (step) begin
      release_contributor_q <= contributor;
      seen_q <= seen_q | bit_of;
      left_q <= left_q - CountW'(first_q);
      cell_q <= after_cell;
      if (!first_q) begin
        walk_has_before_q <= 1'b1;
        before_q <= cell_q;
      end
    end else if (clear) begin
      cell_q <= list_first;
    end else if (flush_step) begin
      cell_q <= after_cell;
    end
  end
  always_ff @(posedge clk_i) begin
    if (is_flush) begin
      clear_q <= '0;
      flush_load_q <= 1'b1;
    end else if (clear && list_any) begin
      flush_load_q <= 1'b0;
    end else if (clear || (flush_step && at_last)) begin
      clear_q <= clear_q + 1'b1;
      flush_load_q <= 1'b1;
    end
  end

  // ---- Words in ----
  logic data_busy_q, data_done, data_begins;
  logic [CellW-1:0] data_cell_q, pend_cell_q;
  logic [IndexW-1:0] data_index_q;
  logic [WordsW-1:0] data_words_q, pend_words_q, new_words;
  assign new_words = words_of(len_q);
  assign data_ready_o = data_busy_q;
  assign data_done = data_valid_i && data_busy_q && WordsW'(data_index_q) + 1'b1 == data_words_q;
  assign data_begins = stored && new_words != '0;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      data_busy_q <= 1'b0;
      pend_q <= 1'b0;
    end else if (!data_busy_q || data_done) begin
      data_busy_q <= pend_q || data_begins;
      pend_q <= 1'b0;
    end else if (data_begins) begin
      pend_q <= 1'b1;
    end
  end
  always_ff @(posedge clk_i) begin
    if (data_begins) begin
      pend_cell_q <= next_q;
      pend_words_q <= new_words;
    end
    if (!data_busy_q || data_done) begin
      data_cell_q <= pend_q ? pend_cell_q : next_q;
      data_words_q <= pend_q ? pend_words_q : new_words;
      data_index_q <= '0;
    end else if (data_valid_i) begin
      data_index_q <= data_index_q + 1'b1;
    end
  end
  always_ff @(posedge clk_i) if (data_valid_i && data_busy_q) payload_q[{data_cell_q, data_index_q}] <= data_i;

  // ---- Messages out: a cell is given back as its last word is read ----
  logic taken_valid, fetch, unread, out_valid_q, taken_end;
  logic [CellW-1:0] taken_cell;
  logic [MetaW-1:0] taken_meta;
  logic [ContribW-1:0] taken_contributor;
  logic taken_own, last_word;
  logic [GroupW-1:0] taken_group;
  logic [LenW-1:0] taken_len;
  logic [IndexW-1:0] out_index_q;
  logic [$clog2(Taken + 1)-1:0] taken_used;
  tally_fifo #(.Width(EntryW), .Depth(Taken)) u_taken (
    .clk_i,
    .rst_ni,
    .in_valid_i(step && first_q),
    .in_ready_o(taken_ready),
    .in_i({cell_q, left_q == CountW'(1), meta}),
    .out_valid_o(taken_valid),
    .out_ready_i(pop),
    .out_o({taken_cell, taken_end, taken_meta}),
    .used_o(taken_used)
  );
  assign {taken_contributor, taken_own, taken_group, taken_len} = taken_meta;
  assign unread = (data_busy_q && data_cell_q == taken_cell) || (pend_q && pend_cell_q == taken_cell);
  assign fetch = taken_valid && !unread && (!out_valid_q || out_ready_i);
  assign last_word = WordsW'(out_index_q) + 1'b1 >= words_of(taken_len);
  assign pop = fetch && last_word;
  assign out_valid_o = out_valid_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      out_valid_q <= 1'b0;
      out_index_q <= '0;
    end else begin
      out_valid_q <= fetch || (out_valid_q && !out_ready_i);
      if (fetch) out_index_q <= last_word ? '0 : out_index_q + 1'b1;
    end
  end
  always_ff @(posedge clk_i) begin
    if (fetch) begin
      out_data_o <= payload_q[{taken_cell, out_index_q}];
      out_header_o <= header_q[taken_cell];
      out_last_o <= last_word;
      out_end_o <= taken_end;
      out_contributor_o <= taken_contributor;
      out_len_o <= taken_len;
    end
  end

  assign give = pop || flush_step;
  assign give_cell = pop ? taken_cell : cell_q;
  assign give_own = pop ? taken_own : meta_own;
  assign give_group = pop ? taken_group : meta_group;

  // ---- Counts ----
  logic [PortWordW-1:0] show_port;
  assign show_port = port_q[show_port_i];
  assign show_used_o = show_port[UsedW-1:0];
  assign show_promised_o = show_port[PortWordW-1-:CountW];
  assign show_spare_o = spare_q[show_group_i] + back_q[show_group_i];
  assign shared_free_o = shared_q;

  // Releases and clears are always taken, all walks and rings are followed by their own counts.
  logic unused;
  assign unused = ^{cp_takes, taken_used, next_valid_q, show_port[PortWordW-CountW-1:UsedW]};

`ifdef FORMAL
  `include "rmq_proof.svh"
`endif
endmodule
