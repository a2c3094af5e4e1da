// SPDX-License-Identifier: BSD-2-Clause
// Receive message queue (001 3.1 (1), (2) and (4), 3.2; sim/engine/rmq.c, sum.c and rmq_cells.c). A
// message is reduced into an intermediate result when it arrives, and counts at a CP counter. A
// descriptor fires when its counter has reached CPCnt and its intermediate result is complete.
// tally_cp_counters counts, tally_rmq_lists has the intermediate results, tally_rmq_cells the
// cells, and tally_rmq_words the words. docs/rtl-queue.md describes the interfaces, their timing,
// and the duties of the user.
module tally_rmq #(
  parameter int unsigned Ports = tally_pkg::MaxQp,
  parameter int unsigned Groups = tally_pkg::MaxGroup,
  parameter int unsigned Counters = tally_pkg::NumCpCounters,
  parameter int unsigned Contributors = tally_pkg::ContribSelf + 1,
  parameter int unsigned Cells = tally_pkg::RmqCells,
  parameter int unsigned Buffers = 256,  // payload buffers of descriptors
  parameter int unsigned Words = tally_pkg::MaxMtu / 64,
  parameter int unsigned Cap = tally_pkg::RmqPortCap,
  parameter int unsigned Alone = 255,    // waiting messages without data of a contributor
  parameter int unsigned TagW = 16,
  parameter int unsigned AluLatency = 12,
  parameter int unsigned DataW = 512,
  localparam int unsigned Bytes = DataW / 8,
  localparam int unsigned Places = Cells + Buffers,
  localparam int unsigned PortW = Ports > 1 ? $clog2(Ports) : 1,
  localparam int unsigned GroupW = Groups > 1 ? $clog2(Groups) : 1,
  localparam int unsigned CounterW = Counters > 1 ? $clog2(Counters) : 1,
  localparam int unsigned ContribW = Contributors > 1 ? $clog2(Contributors) : 1,
  localparam int unsigned CountW = $clog2(Contributors + 1),
  localparam int unsigned Named = Contributors < tally_pkg::MaxContributors ? Contributors :
                                  tally_pkg::MaxContributors,
  localparam int unsigned UsedW = $clog2(Cells + 1),
  localparam int unsigned PlaceW = Places > 1 ? $clog2(Places) : 1,
  localparam int unsigned IndexW = Words > 2 ? $clog2(Words) : 1,
  localparam int unsigned LenW = $clog2(Words * Bytes + 1),
  localparam int unsigned FlagsW = tally_pkg::ErrMismatchBit
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  output logic                busy_o,  // low if nothing happens without an input

  // Messages, and descriptors' own data: a header, a verdict and, if it was stored, its words.
  input  logic                in_valid_i,
  output logic                in_ready_o,
  // own data of the descriptor that waits at the counter
  input  logic                in_own_i,
  input  logic [PortW-1:0]    in_port_i,
  input  logic [GroupW-1:0]   in_group_i,
  input  logic [CounterW-1:0] in_counter_i,
  input  logic [ContribW-1:0] in_contributor_i,
  input  logic                in_swp_mp_i,
  input  logic                in_cp_i,
  input  logic [7:0]          in_branch_i,
  input  logic [7:0]          in_op_i,
  input  logic [7:0]          in_dtype_i,
  input  logic [31:0]         in_count_i,
  input  logic [15:0]         in_err_vector_i,
  input  logic [LenW-1:0]     in_len_i,
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
  input  logic                arm_swaps_i,    // it takes an intermediate result
  input  logic                arm_own_i,      // its own data follow
  input  logic [TagW-1:0]     arm_tag_i,
  // The descriptor that waits shall fire without the messages that its intermediate result lacks.
  input  logic                give_up_valid_i,
  output logic                give_up_ready_o,
  input  logic [PortW-1:0]    give_up_port_i,
  input  logic [GroupW-1:0]   give_up_group_i,
  input  logic [CounterW-1:0] give_up_counter_i,
  // a counter has reached CPCnt, but its intermediate result lacks messages
  output logic                lacks_valid_o,
  output logic [PortW-1:0]    lacks_port_o,
  output logic [TagW-1:0]     lacks_tag_o,

  // A descriptor fires, with what it takes.
  output logic                fire_valid_o,
  input  logic                fire_ready_i,
  output logic [PortW-1:0]    fire_port_o,
  output logic [CounterW-1:0] fire_counter_o,
  output logic [TagW-1:0]     fire_tag_o,
  output logic                fire_swaps_o,   // the following are those of its intermediate result
  output logic [PlaceW-1:0]   fire_place_o,
  output logic                fire_filled_o,  // it has data
  output logic                fire_many_o,    // of several messages
  output logic [7:0]          fire_op_o,
  output logic [7:0]          fire_dtype_o,
  output logic [31:0]         fire_count_o,
  output logic [Named-1:0]    fire_disagree_o,
  output logic [15:0]         fire_err_vector_o,

  // The words of a place, which its user frees.
  input  logic                rd_valid_i,
  output logic                rd_ready_o,
  input  logic [PlaceW-1:0]   rd_place_i,
  input  logic [IndexW-1:0]   rd_word_i,
  output logic                rdata_valid_o,
  output logic [DataW-1:0]    rdata_o,
  input  logic                wr_valid_i,
  output logic                wr_ready_o,
  input  logic [PlaceW-1:0]   wr_place_i,
  input  logic [IndexW-1:0]   wr_word_i,
  input  logic [DataW-1:0]    wr_data_i,
  input  logic                release_valid_i,
  output logic                release_ready_o,
  input  logic [PlaceW-1:0]   release_place_i,

  // Words to be combined, which return AluLatency clocks later.
  output logic                alu_valid_o,
  output logic [7:0]          alu_op_o,
  output logic [7:0]          alu_dtype_o,
  output logic [DataW-1:0]    alu_a_o,
  output logic [DataW-1:0]    alu_b_o,
  input  logic [DataW-1:0]    alu_result_i,
  input  logic [FlagsW-1:0]   alu_flags_i,

  input  logic                flush_valid_i,
  output logic                flush_ready_o,
  input  logic [PortW-1:0]    flush_port_i,
  input  logic [GroupW-1:0]   flush_group_i,
  output logic                flush_done_o,

  // Cells that a group reserves, and the number of them that are kept for its oldest reduction in a
  // fixed shape.
  input  logic                group_valid_i,
  output logic                group_ready_o,
  input  logic [GroupW-1:0]   group_i,
  input  logic [UsedW-1:0]    group_cells_i,
  input  logic [UsedW-1:0]    group_keep_i,
  output logic                group_done_o,
  output logic                group_given_o,

  // Cells for inputs of reductions in a fixed shape.
  input  logic                cell_valid_i,
  output logic                cell_ready_o,
  input  logic [GroupW-1:0]   cell_group_i,
  input  logic                cell_back_i,    // gives the cell at cell_place_i back
  input  logic [PlaceW-1:0]   cell_place_i,
  input  logic                cell_oldest_i,  // for the oldest reduction of the group
  output logic                cell_done_o,
  output logic                cell_given_o,
  output logic [PlaceW-1:0]   cell_place_o,

  // A place for the payload of a descriptor that takes no intermediate result.
  input  logic                buffer_valid_i,
  output logic                buffer_ready_o,
  output logic                buffer_done_o,
  output logic [PlaceW-1:0]   buffer_place_o,

  input  logic [PortW-1:0]    show_port_i,
  output logic [UsedW-1:0]    show_used_o,    // cells of the port in use
  input  logic [GroupW-1:0]   show_group_i,
  output logic [UsedW-1:0]    show_own_o,     // the group's own cells in use
  output logic [UsedW-1:0]    shared_free_o
);
  localparam int unsigned PortWordW = 4 + CounterW + CountW + TagW + UsedW;
  localparam int unsigned Lists = 2 ** (PortW + CounterW);
  localparam int unsigned Tables = Lists > 2 ** GroupW ? Lists : 2 ** GroupW;
  localparam int unsigned Inits = Places > Tables ? Places : Tables;
  localparam int unsigned InitW = $clog2(Inits + 1);
  localparam logic [InitW-1:0] InitLast = InitW'(Inits - 1);
  localparam int unsigned SumW = 73 + Named + 2 * CountW + 2 * Contributors;
  localparam int unsigned Fires = 4;
  localparam int unsigned FiresW = $clog2(Fires + 1);
  localparam int unsigned FireW = PortW + CounterW + TagW + 3 + PlaceW + 48 + Named + 16;
  localparam int unsigned Jobs = 4;
  localparam int unsigned JobsW = $clog2(Jobs + 1);

  typedef enum logic [3:0] {OpMessage, OpOwn, OpArm, OpGiveUp, OpFlush, OpGroup, OpCell, OpBack,
                            OpBuffer} op_e;
  typedef enum logic [2:0] {
    StInit,
    StIdle,
    StLook,     // the tables are read
    StRun,      // until all blocks have answered
    StFire,     // a firing begins
    StFireRun,  // until the counter and the intermediate result are read
    StFireWalk  // the counts are taken
  } state_e;

  logic [PortWordW-1:0] port_q [2 ** PortW];

  // ---- Operations: the first clock takes the operation and reads its tables ----
  state_e state_q;
  logic [InitW-1:0] init_q;
  op_e op, op_q;
  logic control, may, flush_may, any, accept, message_turn_q, room, idle, was_idle_q, in_init,
      fires_now, cp_ready, ls_ready;
  logic [PortW-1:0] port, at_port_q;
  logic [GroupW-1:0] group;
  logic [CounterW-1:0] counter, counter_q;
  logic [ContribW-1:0] contributor_q;
  logic swp_mp_q, cp_q, swaps_q, own_q, oldest_q;
  logic [7:0] branch_q, job_op_q, job_dtype_q;
  logic [31:0] elements_q;
  logic [15:0] err_q;
  logic [LenW-1:0] len_q;
  logic [CountW-1:0] cpcnt_q;
  logic [TagW-1:0] tag_q;
  logic [UsedW-1:0] set_cells_q, set_keep_q;
  logic [PlaceW-1:0] back_q;

  // A flush waits until all words are written, and everything else waits for it. No words are added
  // in StIdle, so what was so in its clock before is so still.
  assign flush_may = flush_valid_i && was_idle_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) was_idle_q <= 1'b0;
    else was_idle_q <= idle && state_q == StIdle;
  end
  assign may = room && !flush_valid_i;
  assign control = group_valid_i || flush_may || cell_valid_i || buffer_valid_i ||
                   (room && (give_up_valid_i || arm_valid_i) && !flush_valid_i);
  assign any = control || (in_valid_i && may);
  assign accept = state_q == StIdle && !fires_now && any;

  always_comb begin
    op = in_own_i ? OpOwn : OpMessage;
    port = in_port_i;
    group = in_group_i;
    counter = in_counter_i;
    if (control && !(message_turn_q && in_valid_i && may)) begin
      if (group_valid_i) begin
        op = OpGroup;
        group = group_i;
      end else if (flush_may) begin
        op = OpFlush;
        port = flush_port_i;
        group = flush_group_i;
      end else if (cell_valid_i) begin
        op = cell_back_i ? OpBack : OpCell;
        group = cell_group_i;
      end else if (buffer_valid_i) begin
        op = OpBuffer;
      end else if (give_up_valid_i) begin
        op = OpGiveUp;
        port = give_up_port_i;
        group = give_up_group_i;
        counter = give_up_counter_i;
      end else begin
        op = OpArm;
        port = arm_port_i;
        group = arm_group_i;
        counter = arm_counter_i;
      end
    end
  end
  assign in_ready_o = accept && (op == OpMessage || op == OpOwn);
  assign arm_ready_o = accept && op == OpArm;
  assign give_up_ready_o = accept && op == OpGiveUp;
  assign flush_ready_o = accept && op == OpFlush;
  assign group_ready_o = accept && op == OpGroup;
  assign cell_ready_o = accept && (op == OpCell || op == OpBack);
  assign buffer_ready_o = accept && op == OpBuffer;

  logic [PortWordW-1:0] port_read_q, port_d, now_q;
  always_ff @(posedge clk_i) begin
    if (accept) begin
      op_q <= op;
      at_port_q <= port;
      counter_q <= counter;
      contributor_q <= in_contributor_i;
      swp_mp_q <= in_swp_mp_i;
      cp_q <= in_cp_i;
      branch_q <= in_branch_i;
      job_op_q <= in_op_i;
      job_dtype_q <= in_dtype_i;
      elements_q <= in_count_i;
      err_q <= in_err_vector_i;
      len_q <= in_len_i;
      cpcnt_q <= arm_cpcnt_i;
      tag_q <= arm_tag_i;
      swaps_q <= arm_swaps_i;
      own_q <= arm_own_i;
      set_cells_q <= group_cells_i;
      set_keep_q <= group_keep_i;
      back_q <= cell_place_i;
      oldest_q <= cell_oldest_i;
      port_read_q <= port_q[port];
    end
  end

  // ---- The blocks that an operation needs ----
  logic cp_asks, cp_answer, cp_full, cp_done, out_valid, out_ready, ls_asks, ls_done, ls_found,
      ls_awaited, gone, gone_awaited;
  logic cp_used_q, ls_used_q, answered, decide, fire_asks, is_message, is_own, is_arm, is_flush;
  logic [1:0] cp_op;
  logic [2:0] ls_op;
  logic [CountW-1:0] cp_count;
  logic [15:0] cp_err;
  logic [ContribW-1:0] out_contributor;
  logic [Contributors-1:0] spoil;
  logic [PlaceW-1:0] ls_at, gone_place, fresh;
  logic [SumW-1:0] ls_sum, sum_d;
  logic stored, ls_go, out_asks, out_busy_q;

  assign in_init = state_q == StInit;
  assign fire_asks = state_q == StFire;
  assign cp_asks = (accept && op != OpGroup && op != OpCell && op != OpBack && op != OpBuffer) ||
                   fire_asks;
  always_comb begin
    cp_op = tally_queue_pkg::CpLook;
    if (fire_asks) cp_op = tally_queue_pkg::CpFire;
    else if (op == OpMessage) cp_op = tally_queue_pkg::CpMessage;
    else if (op == OpFlush) cp_op = tally_queue_pkg::CpClear;
  end
  always_comb begin
    ls_asks = 1'b0;
    ls_op = tally_queue_pkg::LsFire;
    if (fire_asks) begin
      ls_asks = swaps;
    end else if (out_asks) begin
      ls_asks = 1'b1;
      ls_op = swaps ? tally_queue_pkg::LsOut : tally_queue_pkg::LsCount;
    end else begin
      unique case (op)
        OpMessage: begin
          ls_asks = accept && in_swp_mp_i;
          ls_op = tally_queue_pkg::LsFind;
        end
        OpOwn: begin
          ls_asks = accept;
          ls_op = tally_queue_pkg::LsAwaited;
        end
        OpArm: begin
          ls_asks = accept && arm_swaps_i;
          ls_op = tally_queue_pkg::LsAwait;
        end
        OpFlush: begin
          ls_asks = accept;
          ls_op = tally_queue_pkg::LsFlush;
        end
        default: ;
      endcase
    end
  end
  always_ff @(posedge clk_i) begin
    if (accept || fire_asks) begin
      cp_used_q <= cp_asks;
      ls_used_q <= ls_asks;
    end
  end
  assign answered = (!cp_used_q || cp_answer) && (!ls_used_q || ls_done);
  assign decide = state_q == StRun && answered;
  assign is_message = decide && op_q == OpMessage;
  assign is_own = decide && op_q == OpOwn;
  assign is_arm = decide && op_q == OpArm;
  assign is_flush = decide && op_q == OpFlush;

  // ---- The port ----
  logic armed, swaps, own, complete, fire_counter_same;
  logic [CounterW-1:0] armed_counter;
  logic [CountW-1:0] cpcnt;
  logic [TagW-1:0] tag;
  logic [UsedW-1:0] used;
  assign {armed, swaps, own, complete, armed_counter, cpcnt, tag, used} = now_q;
  assign fire_counter_same = armed_counter == counter_q;

  // ---- Room for a new intermediate result ----
  logic own_room, own_any, shared_any, appends, takes_cell, takes_buffer, takes_own, given_cell,
      set_given;
  assign appends = is_message && swp_mp_q && stored && !ls_found;
  assign given_cell = decide && op_q == OpCell && ((oldest_q ? own_any : own_room) || shared_any);
  assign takes_cell = appends || given_cell;
  assign takes_own = op_q == OpCell && oldest_q ? own_any : own_room;
  assign takes_buffer = (is_arm && swaps_q && !ls_found) || buffer_done_o;

  // ---- A message and an intermediate result become the next one (sum_message(), sum_own()) ----
  logic filled, filled_d, other_branch, bad, other_type, complete_d, combines, spoilt;
  logic [7:0] sum_op, sum_dtype, branch, branch_d, sum_op_d, sum_dtype_d;
  logic [31:0] elements, elements_d;
  logic [15:0] err, err_d;
  logic [Named-1:0] disagree, disagree_d, named_bit;
  logic [CountW-1:0] messages, number, messages_d, number_d;
  logic [Contributors-1:0] from, counted, from_d, counted_d, bit_of;
  logic [1:0] kind;
  assign {filled, sum_op, sum_dtype, elements, err, disagree, branch, messages, number, from,
          counted} = ls_sum;
  assign bit_of = op_q == OpMessage ? Contributors'(1) << contributor_q : '0;
  assign named_bit = bit_of[Named-1:0];
  // After a disagreement, CPCnt alone says when all messages are there.
  assign other_branch = op_q == OpMessage && messages != '0 && branch != '0 && branch != branch_q;
  assign other_type = sum_op != job_op_q || sum_dtype != job_dtype_q || elements != elements_q ||
                      job_op_q == 8'(tally_pkg::OpNone);
  assign bad = other_branch || (op_q == OpMessage && err_q[tally_pkg::ErrMismatchBit]);
  assign spoilt = bad || err[tally_pkg::ErrMismatchBit];  // nobody will use the data
  assign combines = !spoilt && filled && !other_type;
  always_comb begin
    kind = tally_queue_pkg::WdDrop;
    if (combines) kind = tally_queue_pkg::WdCombine;
    else if (!spoilt && !filled) kind = tally_queue_pkg::WdFill;
  end
  always_comb begin
    filled_d = filled || !spoilt;
    sum_op_d = filled ? sum_op : job_op_q;
    sum_dtype_d = filled ? sum_dtype : job_dtype_q;
    elements_d = filled ? elements : elements_q;
    err_d = err | (op_q == OpMessage ? err_q : '0);
    disagree_d = disagree;
    if (bad || (!spoilt && filled && other_type)) begin
      err_d[tally_pkg::ErrMismatchBit] = 1'b1;
      disagree_d = disagree | named_bit;
    end
    branch_d = branch;
    messages_d = messages;
    if (op_q == OpMessage) begin
      branch_d = messages == '0 ? branch_q : other_branch ? '0 : branch;
      messages_d = messages + 1'b1;
    end
    number_d = number + CountW'(op_q == OpMessage && cp_q);
    from_d = from | bit_of;
    counted_d = cp_q ? counted | bit_of : counted;
  end
  assign sum_d = {filled_d, sum_op_d, sum_dtype_d, elements_d, err_d, disagree_d, branch_d,
                  messages_d, number_d, from_d,
                  counted_d};

  // Whether the intermediate result is complete, or the one that a descriptor begins to wait for.
  assign complete_d = op_q == OpArm ? messages != '0 && (branch == '0 || 8'(messages) >= branch) :
                                      branch_d == '0 || 8'(messages_d) >= branch_d;

  // ---- Decision ----
  assign stored = swp_mp_q ? ls_found || (used < UsedW'(Cap) && (own_room || shared_any)) :
                  !cp_full;
  assign verdict_valid_o = is_message || is_own;
  assign verdict_stored_o = is_own || stored;
  assign flush_done_o = is_flush;
  assign group_done_o = decide && op_q == OpGroup;
  assign group_given_o = set_given;
  assign cell_done_o = decide && (op_q == OpCell || op_q == OpBack);
  assign cell_given_o = given_cell;
  assign cell_place_o = fresh;
  assign buffer_done_o = decide && op_q == OpBuffer;
  assign buffer_place_o = fresh;

  logic port_write;
  always_comb begin
    port_d = now_q;
    unique case (op_q)
      OpMessage: port_d = {armed, swaps, own, swp_mp_q && ls_found && ls_awaited ? complete_d :
                           complete, armed_counter, cpcnt,
                           tag, used + UsedW'(appends)};
      OpOwn: port_d = {armed, swaps, 1'b0, complete, armed_counter, cpcnt, tag, used};
      OpArm: port_d = {1'b1, swaps_q, swaps_q && own_q, complete_d, counter_q, cpcnt_q, tag_q,
                       used - UsedW'(swaps_q && ls_found)};
      OpFlush: port_d = '0;
      default: ;
    endcase
    if (fire_asks) port_d = {1'b0, swaps, own, complete, armed_counter, cpcnt, tag, used};
    else if (gone && state_q == StFireWalk) begin
      port_d = {armed, swaps, own, complete, armed_counter, cpcnt, tag, used - 1'b1};
    end
  end
  assign port_write = (is_message && stored) || is_own || is_arm || is_flush || fire_asks ||
                      (gone && state_q == StFireWalk);
  always_ff @(posedge clk_i) begin
    if (in_init) port_q[PortW'(init_q)] <= '0;
    else if (port_write) port_q[at_port_q] <= port_d;
  end
  always_ff @(posedge clk_i) begin
    if (state_q == StLook) now_q <= port_read_q;
    else if (port_write) now_q <= port_d;
  end

  // ---- Firing: in the clock after a decision ----
  logic check_q, give_up_q, reached;
  logic [CountW-1:0] count_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) check_q <= 1'b0;
    else check_q <= decide && cp_used_q && !(is_message && !stored);
  end
  always_ff @(posedge clk_i) begin
    if (decide) begin
      count_q <= cp_count;
      give_up_q <= op_q == OpGiveUp;
    end
  end
  assign reached = check_q && armed && fire_counter_same && count_q >= cpcnt && !own;
  assign fires_now = reached && (!swaps || complete || give_up_q);
  assign lacks_valid_o = reached && swaps && !complete && !give_up_q;
  assign lacks_port_o = at_port_q;
  assign lacks_tag_o = tag;

  // If the counts of the intermediate result are those of CPCnt, no other count is taken, and what
  // fires is known before the counts are taken. So the time after the last message does not depend
  // on the number of messages.
  logic fire_go, at_once, push, later_q;
  logic [PlaceW-1:0] fire_place_q;
  logic [SumW-1:0] fire_sum_q, fire_sum;
  logic [15:0] fire_err_q, fire_err;
  logic [Named-1:0] fire_disagree;
  logic fire_spoilt;
  assign fire_go = state_q == StFireRun && answered;
  assign at_once = !swaps || number == cpcnt;
  assign push = (fire_go && at_once) || (state_q == StFireWalk && cp_done && later_q);
  always_ff @(posedge clk_i) begin
    if (fire_go) begin
      later_q <= !at_once;
      fire_sum_q <= ls_sum;
      fire_place_q <= ls_at;
      fire_err_q <= cp_err;
    end
  end

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
        StIdle: begin
          if (fires_now) begin
            state_q <= StFire;
          end else if (any) begin
            state_q <= StLook;
            message_turn_q <= op != OpMessage && op != OpOwn;
          end
        end
        StLook: state_q <= StRun;
        StRun: if (answered) state_q <= StIdle;
        StFire: state_q <= StFireRun;
        StFireRun: if (answered) state_q <= StFireWalk;
        default: if (cp_done) state_q <= StIdle;  // StFireWalk
      endcase
    end
  end

  // ---- Counters ----
  logic [Contributors-1:0] of_sum;
  assign of_sum = counted & {Contributors{swaps}};
  tally_cp_counters #(
    .Ports(Ports), .Counters(Counters), .Contributors(Contributors), .Alone(Alone), .Kept(Cap + 1)
  ) u_counters (
    .clk_i,
    .rst_ni,
    .op_valid_i(cp_asks),
    .op_ready_o(cp_ready),
    .op_i(cp_op),
    .port_i(fire_asks ? at_port_q : port),
    .counter_i(fire_asks ? counter_q : counter),
    .contributor_i(in_contributor_i),
    .alone_i(!in_swp_mp_i),
    .counts_i(in_cp_i),
    .answer_o(cp_answer),
    .full_o(cp_full),
    .count_o(cp_count),
    .err_vector_o(cp_err),
    .go_i((decide && cp_used_q) || fire_go),
    .keep_i(stored),
    .err_vector_i(err_q),
    .cpcnt_i(cpcnt),
    .of_sum_i(of_sum),
    .swapped_i(swaps),
    .out_valid_o(out_valid),
    .out_ready_i(out_ready),
    .out_contributor_o(out_contributor),
    .done_o(cp_done),
    .spoil_o(spoil)
  );

  // ---- Lists ----
  assign out_asks = out_valid && !out_busy_q && idle;
  assign out_ready = out_busy_q && ls_done;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) out_busy_q <= 1'b0;
    else out_busy_q <= out_asks || (out_busy_q && !ls_done);
  end
  assign ls_go = (decide && ls_used_q) || (fire_go && ls_used_q) || out_ready;
  tally_rmq_lists #(
    .Ports(Ports), .Counters(Counters), .Contributors(Contributors), .Places(Places)
  ) u_lists (
    .clk_i,
    .rst_ni,
    .init_valid_i(in_init),
    .init_list_i((PortW + CounterW)'(init_q)),
    .op_valid_i(ls_asks),
    .op_ready_o(ls_ready),
    .op_i(ls_op),
    .port_i(accept ? port : at_port_q),
    .counter_i(accept ? counter : counter_q),
    .contributor_i(accept ? in_contributor_i : out_contributor),
    .done_o(ls_done),
    .found_o(ls_found),
    .awaited_o(ls_awaited),
    .at_o(ls_at),
    .sum_o(ls_sum),
    .go_i(ls_go),
    .store_i(is_own || (is_message && stored)),
    .store_sum_i(sum_d),
    .place_i(fresh),
    .gone_valid_o(gone),
    .gone_awaited_o(gone_awaited),
    .gone_place_o(gone_place)
  );

  // ---- Cells ----
  logic back, arm_frees;
  assign back = decide && op_q == OpBack;
  assign arm_frees = is_arm && swaps_q && ls_found;  // the descriptor takes the place of a cell
  tally_rmq_cells #(.Groups(Groups), .Cells(Cells), .Places(Places)) u_cells (
    .clk_i,
    .rst_ni,
    .init_valid_i(in_init),
    .init_place_i(32'(init_q) < Places),
    .init_at_i(PlaceW'(init_q)),
    .init_group_i(GroupW'(init_q)),
    .look_valid_i(accept),
    .group_i(group),
    .own_room_o(own_room),
    .own_any_o(own_any),
    .shared_any_o(shared_any),
    .take_i(takes_cell || takes_buffer),
    .take_cell_i(takes_cell),
    .take_own_i(takes_own),
    .place_o(fresh),
    .give_i(back || arm_frees || (gone && !gone_awaited)),
    .give_place_i(back ? back_q : arm_frees ? ls_at : gone_place),
    .push_i(back || gone),
    .release_valid_i,
    .release_ready_o,
    .release_place_i,
    .set_i(decide && op_q == OpGroup),
    .set_cells_i(set_cells_q),
    .set_keep_i(set_keep_q),
    .set_given_o(set_given),
    .show_group_i,
    .show_own_o,
    .shared_free_o
  );

  // ---- Words: those of a message that is stored, and a token for each firing ----
  logic job_push, job_ready, done_valid;
  logic [JobsW-1:0] jobs;
  logic [FlagsW-1:0] done_flags;
  logic [1:0] job_kind;
  logic [PlaceW-1:0] job_place;
  assign job_push = push || is_own || (is_message && swp_mp_q && stored);
  assign job_kind = push ? tally_queue_pkg::WdToken : kind;
  assign job_place = push ? (fire_go ? ls_at : fire_place_q) : ls_found ? ls_at : fresh;
  tally_rmq_words #(
    .Places(Places), .Words(Words), .Jobs(Jobs), .AluLatency(AluLatency), .DataW(DataW)
  ) u_words (
    .clk_i,
    .rst_ni,
    .job_valid_i(job_push),
    .job_ready_o(job_ready),
    .jobs_o(jobs),
    .job_kind_i(job_kind),
    .job_place_i(job_place),
    .job_len_i(len_q),
    .job_op_i(job_op_q),
    .job_dtype_i(job_dtype_q),
    .data_valid_i,
    .data_ready_o,
    .data_i,
    .alu_valid_o,
    .alu_op_o,
    .alu_dtype_o,
    .alu_a_o,
    .alu_b_o,
    .alu_result_i,
    .alu_flags_i,
    .done_valid_o(done_valid),
    .done_flags_o(done_flags),
    .idle_o(idle),
    .rd_valid_i,
    .rd_ready_o,
    .rd_place_i,
    .rd_word_i,
    .rdata_valid_o,
    .rdata_o,
    .wr_valid_i,
    .wr_ready_o,
    .wr_place_i,
    .wr_word_i,
    .wr_data_i
  );

  // ---- Fires: what is known, and the events of the words when all are written ----
  logic sum_filled;
  logic [7:0] fired_op, fired_dtype, fired_branch;
  logic [31:0] fired_count;
  logic [15:0] fired_err;
  logic [Named-1:0] fired_disagree;
  logic [CountW-1:0] fired_messages, fired_number;
  logic [Contributors-1:0] fired_from, fired_counted;
  assign fire_sum = fire_go ? ls_sum : fire_sum_q;
  assign {sum_filled, fired_op, fired_dtype, fired_count, fired_err, fired_disagree, fired_branch,
          fired_messages,
          fired_number, fired_from, fired_counted} = fire_sum;
  assign fire_spoilt = later_q && !fire_go && spoil != '0;
  assign fire_disagree = fired_disagree | (later_q && !fire_go ? spoil[Named-1:0] : '0);
  always_comb begin
    fire_err = fire_go ? cp_err : fire_err_q;
    if (swaps) fire_err = fire_err | fired_err;
    if (fire_spoilt || give_up_q) fire_err[tally_pkg::ErrMismatchBit] = 1'b1;
  end

  logic fire_known, fires_ready, flags_valid, flags_ready, fire_taken;
  logic [FiresW-1:0] fires, flags_used;
  logic [15:0] known_err;
  logic [FlagsW-1:0] flags;
  assign room = fires < FiresW'(Fires) && jobs <= JobsW'(Jobs - 2);
  assign fire_valid_o = fire_known && flags_valid;
  assign fire_taken = fire_valid_o && fire_ready_i;
  tally_fifo #(.Width(FireW), .Depth(Fires)) u_fires (
    .clk_i,
    .rst_ni,
    .in_valid_i(push),
    .in_ready_o(fires_ready),
    .in_i({at_port_q, counter_q, tag, swaps, fire_go ? ls_at : fire_place_q, sum_filled,
           fired_messages > CountW'(1), fired_op,
           fired_dtype, fired_count, fire_disagree, fire_err}),
    .out_valid_o(fire_known),
    .out_ready_i(fire_taken),
    .out_o({fire_port_o, fire_counter_o, fire_tag_o, fire_swaps_o, fire_place_o, fire_filled_o,
            fire_many_o, fire_op_o,
            fire_dtype_o, fire_count_o, fire_disagree_o, known_err}),
    .used_o(fires)
  );
  tally_fifo #(.Width(FlagsW), .Depth(Fires)) u_flags (
    .clk_i,
    .rst_ni,
    .in_valid_i(done_valid),
    .in_ready_o(flags_ready),
    .in_i(done_flags),
    .out_valid_o(flags_valid),
    .out_ready_i(fire_taken),
    .out_o(flags),
    .used_o(flags_used)
  );
  assign busy_o = state_q != StIdle || check_q || out_busy_q || !idle || fire_known;
  assign fire_err_vector_o = fire_swaps_o && fire_filled_o ? known_err | 16'(flags) : known_err;

  // ---- Counts ----
  logic [PortWordW-1:0] show_port;
  assign show_port = port_q[show_port_i];
  assign show_used_o = show_port[UsedW-1:0];

  // The blocks are ready for the next operation, and there is room for a fire and two jobs.
  logic unused;
  assign unused = ^{cp_ready, ls_ready, job_ready, fires_ready, flags_ready, flags_used,
                    fired_branch, fired_number,
                    fired_from, fired_counted, show_port[PortWordW-1:UsedW]};

`ifdef FORMAL
  `include "rmq_proof.svh"
`endif
endmodule
