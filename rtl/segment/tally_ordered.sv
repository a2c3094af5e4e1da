// SPDX-License-Identifier: BSD-2-Clause
// Reduction in a fixed shape (docs/protocol.md, "Fixed order"): Slots binary trees of up to Inputs
// inputs each. Input i is combined with i xor 1, pairs with pairs, and so on. An input or result
// without a partner moves up one level unchanged. The lower one is the left operand, so the bits of
// the result do not depend on the order of arrival. The last input costs at most log2(inputs)
// combines. Each reduction has a tree; in EXCHANGE mode, each round of a segment slot has one.
//
// Use: open a tree (num inputs, op, dtype, len bytes per chunk). Give each of its inputs once, in
// any order, with the cell of its payload or as absent. Take the result: the cell that holds it,
// which then belongs to the taker, and the error vector. The result is absent if all inputs were.
// Afterwards the tree can be opened again. Cells that are no longer needed leave at free_*.
//
// clear_* gives a tree up. When clear_ready_o is high, all cells of the tree have left at free_*.
// The clear waits until a result that is already offered is taken. No further input of that tree
// may be given. The block takes no input of any tree during a clear, nor during the Slots *
// 2**$clog2(Inputs) cycles after reset.
//
// The cells are outside of the block. rd_* requests word `word` of two cells. rdata_* answers in
// the order of the requests, with any latency, and cannot be stalled. wr_* writes a word of a cell;
// a read that is accepted after it must return that word. Bytes of the last word behind the chunk's
// end are zero when they enter the ALU, so that they raise no flag, and are written as the ALU
// returns them. The ALU takes a word in each clock and returns it AluLatency cycles later, with its
// tag.
//
// Time: an input or a finished combine takes 2 cycles, plus one for each level that it moves up
// without a combine. A combine requests one word per clock, and the next combine follows without a
// gap. The ALU is always busy if chunks have more than 4 words, inputs find their partners, and
// Jobs combines are available. The first word is requested 3 cycles after the input was taken. A
// level takes as many cycles as the chunk has words, plus ReadLatency + AluLatency + 5. The result
// is offered 3 cycles after the last word of the last combine was written. The bench measures these
// times.
module tally_ordered #(
  parameter int unsigned Inputs = tally_pkg::MaxRanks + tally_pkg::MaxContributors,
  parameter int unsigned Slots = 8,
  parameter int unsigned Cells = tally_pkg::RmqCells,
  parameter int unsigned WordW = 512,
  parameter int unsigned Words = tally_pkg::MaxMtu * 8 / WordW,
  parameter int unsigned Jobs = 8,         // inputs and combines in progress at a time
  parameter int unsigned AluLatency = 8,
  parameter int unsigned ReadLatency = 2,  // usual latency; a longer one only reduces throughput
  localparam int unsigned SlotW = Slots > 1 ? $clog2(Slots) : 1,
  localparam int unsigned InputW = Inputs > 1 ? $clog2(Inputs) : 1,
  localparam int unsigned NumW = $clog2(Inputs + 1),
  localparam int unsigned CellW = Cells > 1 ? $clog2(Cells) : 1,
  localparam int unsigned WordNumW = Words > 1 ? $clog2(Words) : 1,
  localparam int unsigned Bytes = WordW / 8,
  localparam int unsigned LenW = $clog2(Words * Bytes + 1),
  localparam int unsigned TagW = SlotW + CellW + WordNumW + 1
) (
  input  logic                clk_i,
  input  logic                rst_ni,

  input  logic                open_valid_i,
  output logic                open_ready_o,
  input  logic [SlotW-1:0]    open_slot_i,
  input  logic [NumW-1:0]     open_num_i,    // 1 to Inputs
  input  logic [7:0]          open_op_i,
  input  logic [7:0]          open_dtype_i,
  input  logic [LenW-1:0]     open_len_i,    // bytes, 1 to Words * Bytes

  input  logic                in_valid_i,
  output logic                in_ready_o,
  input  logic [SlotW-1:0]    in_slot_i,
  input  logic [InputW-1:0]   in_input_i,
  input  logic                in_absent_i,
  input  logic [CellW-1:0]    in_cell_i,

  output logic                res_valid_o,
  input  logic                res_ready_i,
  output logic [SlotW-1:0]    res_slot_o,
  output logic                res_absent_o,
  output logic [CellW-1:0]    res_cell_o,
  output logic [15:0]         res_err_vector_o,

  output logic                free_valid_o,
  input  logic                free_ready_i,
  output logic [CellW-1:0]    free_cell_o,

  input  logic                clear_valid_i,
  output logic                clear_ready_o,
  input  logic [SlotW-1:0]    clear_slot_i,

  output logic                rd_valid_o,
  input  logic                rd_ready_i,
  output logic [CellW-1:0]    rd_left_o,
  output logic [CellW-1:0]    rd_right_o,
  output logic [WordNumW-1:0] rd_word_o,
  input  logic                rdata_valid_i,
  input  logic [WordW-1:0]    rdata_left_i,
  input  logic [WordW-1:0]    rdata_right_i,

  output logic                wr_valid_o,
  input  logic                wr_ready_i,
  output logic [CellW-1:0]    wr_cell_o,
  output logic [WordNumW-1:0] wr_word_o,
  output logic [WordW-1:0]    wr_data_o,

  output logic                alu_valid_o,
  output logic [7:0]          alu_op_o,
  output logic [7:0]          alu_dtype_o,
  output logic [WordW-1:0]    alu_a_o,
  output logic [WordW-1:0]    alu_b_o,
  output logic [TagW-1:0]     alu_tag_o,
  input  logic                alu_valid_i,
  input  logic [WordW-1:0]    alu_result_i,
  input  logic [15:0]         alu_flags_i,
  input  logic [TagW-1:0]     alu_tag_i
);
  localparam int unsigned Trees = 2**SlotW;
  localparam int unsigned LevelW = $clog2($clog2(Inputs) + 2);
  localparam int unsigned JobsW = $clog2(Jobs + 1);
  localparam int unsigned JobW = SlotW + InputW + LevelW + 2 * CellW;
  localparam int unsigned HeldW = SlotW + InputW;
  localparam int unsigned HeldDataW = LevelW + 1 + CellW;
  localparam int unsigned ByteW = Bytes > 1 ? $clog2(Bytes) : 1;
  // Words between read and write: in the memory, the ALU, the register before it and the FIFO
  // behind it.
  localparam int unsigned Window = AluLatency + ReadLatency + 3;
  localparam int unsigned WindowW = $clog2(Window + 1);

  typedef struct packed {        // a combination of inputs
    logic [SlotW-1:0]  slot;
    logic [InputW-1:0] node;     // the lowest of its inputs
    logic [LevelW-1:0] level;    // number of doublings
    logic              absent;   // no input had data
    logic [CellW-1:0]  at;
  } item_t;

  typedef struct packed {
    logic [LevelW-1:0] rank;     // 1 + level; 0: no item waits here
    logic              absent;
    logic [CellW-1:0]  at;
  } held_t;

  typedef struct packed {        // a combine
    logic [SlotW-1:0]  slot;
    logic [InputW-1:0] node;
    logic [LevelW-1:0] level;    // level of the result
    logic [CellW-1:0]  left;     // also the cell of the result
    logic [CellW-1:0]  right;
  } job_t;

  typedef struct packed {
    logic [SlotW-1:0]    slot;
    logic [CellW-1:0]    at;
    logic [WordNumW-1:0] word;
    logic                last;
  } tag_t;

  typedef enum logic [2:0] {
    StInit,    // clears all places of held_q
    StIdle,
    StClimb,   // handles an item and the place of its partner
    StResult,
    StSweep,   // a clear reads the next place
    StSwept,
    StCleared
  } state_e;

  // Parameters of the open trees.
  logic [NumW-1:0] num_q [Trees];
  logic [7:0] op_q [Trees];
  logic [7:0] dtype_q [Trees];
  logic [WordNumW-1:0] last_word_q [Trees];
  logic [ByteW-1:0] last_byte_q [Trees];
  logic [Trees-1:0][15:0] err_vector_q;
  logic open;
  logic [LenW-1:0] len_less_1;

  assign open = open_valid_i && open_ready_o;
  assign len_less_1 = open_len_i - 1'b1;

  always_ff @(posedge clk_i) begin
    if (open) begin
      num_q[open_slot_i] <= open_num_i;
      op_q[open_slot_i] <= open_op_i;
      dtype_q[open_slot_i] <= open_dtype_i;
      last_word_q[open_slot_i] <= WordNumW'(len_less_1 / LenW'(Bytes));
      last_byte_q[open_slot_i] <= ByteW'(len_less_1 % LenW'(Bytes));
    end
  end

  // ---- Control: items that move up in the trees, and items that wait for a partner ----
  state_e state_q, state_d;
  item_t item_q, item_d;
  logic [NumW-1:0] item_num_q;
  logic [HeldW-1:0] sweep_q, sweep_d;
  logic [JobsW-1:0] jobs_q, done_q;
  logic free_valid_q;
  logic [CellW-1:0] free_cell_q;

  // held_t; yosys takes a memory of a struct for one word
  logic [HeldDataW-1:0] held_mem_q [2**HeldW];
  held_t held_q, held_new;
  logic held_write;
  logic [HeldW-1:0] held_at;

  logic job_push, job_ready, run_valid, run_push, run_ready, job_done;
  job_t job_new, job_next, run_head;
  logic take_done, take_in, release_job, free_room, free_push;
  logic [CellW-1:0] free_new;

  item_t load;
  logic [InputW:0] level_bit, partner;
  logic [InputW-1:0] lower;
  logic is_root, alone, met, is_right, dying;

  assign level_bit = (InputW + 1)'(1) << item_q.level;
  assign partner = {1'b0, item_q.node} ^ level_bit;
  assign lower = item_q.node & ~level_bit[InputW-1:0];  // node of both, one level up
  assign is_root = level_bit >= (InputW + 1)'(item_num_q);
  assign alone = partner >= (InputW + 1)'(item_num_q);
  assign met = held_q.rank == item_q.level + 1'b1;
  assign is_right = lower != item_q.node;
  assign dying = clear_valid_i && clear_slot_i == item_q.slot;

  always_comb begin
    load.slot = in_slot_i;
    load.node = in_input_i;
    load.level = '0;
    load.absent = in_absent_i;
    load.at = in_cell_i;
    if (done_q != '0) begin
      load.slot = run_head.slot;
      load.node = run_head.node;
      load.level = run_head.level;
      load.absent = 1'b0;
      load.at = run_head.left;
    end
  end

  assign free_room = !free_valid_q || free_ready_i;
  assign take_done = state_q == StIdle && done_q != '0 && free_room;
  assign in_ready_o = state_q == StIdle && done_q == '0 && jobs_q != JobsW'(Jobs) && !clear_valid_i;
  assign take_in = in_valid_i && in_ready_o;
  assign open_ready_o = state_q != StInit;
  assign clear_ready_o = state_q == StCleared && !free_valid_q;

  always_comb begin
    state_d = state_q;
    item_d = item_q;
    sweep_d = sweep_q;
    held_write = 1'b0;
    held_at = {item_q.slot, partner[InputW-1:0]};
    held_new = '0;
    job_push = 1'b0;
    job_new.slot = item_q.slot;
    job_new.node = lower;
    job_new.level = item_q.level + 1'b1;
    job_new.left = is_right ? held_q.at : item_q.at;
    job_new.right = is_right ? item_q.at : held_q.at;
    release_job = 1'b0;
    free_push = 1'b0;
    free_new = item_q.at;
    unique case (state_q)
      StInit: begin
        held_write = 1'b1;
        held_at = sweep_q;
        sweep_d = sweep_q + 1'b1;
        if (&sweep_q) state_d = StIdle;
      end
      StIdle: begin
        item_d = load;
        free_new = run_head.right;
        if (take_done) begin
          free_push = 1'b1;
          state_d = StClimb;
        end else if (take_in) begin
          state_d = StClimb;
        end else if (clear_valid_i && jobs_q == '0) begin
          sweep_d = {clear_slot_i, InputW'(0)};
          state_d = StSweep;
        end
      end
      StClimb: begin
        if (dying) begin
          if (item_q.absent || free_room) begin
            free_push = !item_q.absent;
            release_job = 1'b1;
            state_d = StIdle;
          end
        end else if (is_root) begin
          state_d = StResult;
        end else if (alone) begin
          item_d.level = item_q.level + 1'b1;
        end else if (!met) begin
          held_write = 1'b1;
          held_at = {item_q.slot, item_q.node};
          held_new.rank = item_q.level + 1'b1;
          held_new.absent = item_q.absent;
          held_new.at = item_q.at;
          release_job = 1'b1;
          state_d = StIdle;
        end else begin
          held_write = 1'b1;
          item_d.node = job_new.node;
          item_d.level = job_new.level;
          item_d.absent = item_q.absent && held_q.absent;
          if (item_q.absent) item_d.at = held_q.at;
          job_push = !item_q.absent && !held_q.absent;
          if (job_push) state_d = StIdle;
        end
      end
      StResult: begin
        release_job = res_ready_i;
        if (res_ready_i) state_d = StIdle;
      end
      StSweep: state_d = StSwept;
      StSwept: begin
        held_at = sweep_q;
        free_new = held_q.at;
        if (held_q.rank == '0 || held_q.absent || free_room) begin
          held_write = 1'b1;
          free_push = held_q.rank != '0 && !held_q.absent;
          sweep_d = sweep_q + 1'b1;
          state_d = &sweep_q[InputW-1:0] ? StCleared : StSweep;
        end
      end
      default: if (!free_valid_q) state_d = StIdle;  // StCleared
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= StInit;
      sweep_q <= '0;
      jobs_q <= '0;
      done_q <= '0;
      free_valid_q <= 1'b0;
    end else begin
      state_q <= state_d;
      sweep_q <= sweep_d;
      jobs_q <= jobs_q + JobsW'(take_in) - JobsW'(release_job);
      done_q <= done_q + JobsW'(job_done) - JobsW'(take_done);
      free_valid_q <= free_push || (free_valid_q && !free_ready_i);
    end
  end

  always_ff @(posedge clk_i) begin
    item_q <= item_d;
    item_num_q <= num_q[item_d.slot];
    if (free_push) free_cell_q <= free_new;
  end

  // The memory is read at the place of the partner of the next cycle's item: that of the new item,
  // or one level up. `above` is a variable of its own because yosys evaluates a cast inside a
  // concatenation at the width of its operand.
  logic [HeldW-1:0] look_at;
  logic [InputW-1:0] above;
  assign above = lower ^ InputW'({level_bit, 1'b0});
  always_comb begin
    case (state_q)
      StIdle: look_at = {load.slot, load.node ^ (InputW'(1) << load.level)};
      StClimb: look_at = {item_q.slot, above};
      default: look_at = sweep_q;
    endcase
  end

  always_ff @(posedge clk_i) begin
    if (held_write) held_mem_q[held_at] <= held_new;
    held_q <= held_mem_q[look_at];
  end

  assign res_valid_o = state_q == StResult;
  assign res_slot_o = item_q.slot;
  assign res_absent_o = item_q.absent;
  assign res_cell_o = item_q.at;
  assign res_err_vector_o = err_vector_q[item_q.slot];
  assign free_valid_o = free_valid_q;
  assign free_cell_o = free_cell_q;

  // ---- Combines that wait, and combines in progress, of which the oldest done_q are finished ----
  logic job_valid, job_pop;
  logic [JobsW-1:0] job_used, run_used;

  tally_fifo #(.Width(JobW), .Depth(Jobs)) u_jobs (
    .clk_i, .rst_ni, .in_valid_i(job_push), .in_ready_o(job_ready), .in_i(job_new),
    .out_valid_o(job_valid), .out_ready_i(job_pop), .out_o(job_next), .used_o(job_used)
  );
  tally_fifo #(.Width(JobW), .Depth(Jobs)) u_run (
    .clk_i, .rst_ni, .in_valid_i(run_push), .in_ready_o(run_ready), .in_i(job_next),
    .out_valid_o(run_valid), .out_ready_i(take_done), .out_o(run_head), .used_o(run_used)
  );

  // ---- Data: words are requested, pass through the ALU, and are written ----
  logic now_valid_q, rd_fire, rd_last;
  logic [SlotW-1:0] now_slot_q;
  logic [CellW-1:0] now_left_q, now_right_q;
  logic [WordNumW-1:0] word_q, now_last_q;
  logic [WindowW-1:0] window_q;

  assign rd_valid_o = now_valid_q && window_q != WindowW'(Window);
  assign rd_left_o = now_left_q;
  assign rd_right_o = now_right_q;
  assign rd_word_o = word_q;
  assign rd_fire = rd_valid_o && rd_ready_i;
  assign rd_last = word_q == now_last_q;
  assign job_pop = !now_valid_q || (rd_fire && rd_last);
  assign run_push = job_valid && job_pop;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      now_valid_q <= 1'b0;
      window_q <= '0;
    end else begin
      if (job_pop) now_valid_q <= job_valid;
      window_q <= window_q + WindowW'(rd_fire) - WindowW'(wr_valid_o && wr_ready_i);
    end
  end

  always_ff @(posedge clk_i) begin
    if (job_pop) begin
      now_slot_q <= job_next.slot;
      now_left_q <= job_next.left;
      now_right_q <= job_next.right;
      now_last_q <= last_word_q[job_next.slot];
      word_q <= '0;
    end else if (rd_fire) begin
      word_q <= word_q + 1'b1;
    end
  end

  // Tags of the requested words.
  tag_t asked_in, asked;
  logic asked_ready, asked_valid;
  logic [WindowW-1:0] asked_used;

  assign asked_in = {now_slot_q, now_left_q, word_q, rd_last};
  tally_fifo #(.Width(TagW), .Depth(Window)) u_asked (
    .clk_i, .rst_ni, .in_valid_i(rd_fire), .in_ready_o(asked_ready), .in_i(asked_in),
    .out_valid_o(asked_valid), .out_ready_i(rdata_valid_i), .out_o(asked), .used_o(asked_used)
  );

  logic [WordW-1:0] mask;
  always_comb begin
    for (int unsigned k = 0; k < Bytes; k++) begin
      mask[8*k +: 8] = {8{!asked.last || k <= 32'(last_byte_q[asked.slot])}};
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) alu_valid_o <= 1'b0;
    else alu_valid_o <= rdata_valid_i;
  end

  always_ff @(posedge clk_i) begin
    alu_op_o <= op_q[asked.slot];
    alu_dtype_o <= dtype_q[asked.slot];
    alu_a_o <= rdata_left_i & mask;
    alu_b_o <= rdata_right_i & mask;
    alu_tag_o <= asked;
  end

  tag_t back;
  assign back = alu_tag_i;

  always_ff @(posedge clk_i) begin
    for (int unsigned s = 0; s < Trees; s++) begin
      if (open && open_slot_i == SlotW'(s)) err_vector_q[s] <= '0;
      else if (alu_valid_i && back.slot == SlotW'(s)) begin
        err_vector_q[s] <= err_vector_q[s] | alu_flags_i;
      end
    end
  end

  logic out_ready, out_last;
  logic [WindowW-1:0] out_used;

  tally_fifo #(.Width(WordW + CellW + WordNumW + 1), .Depth(Window)) u_out (
    .clk_i, .rst_ni, .in_valid_i(alu_valid_i), .in_ready_o(out_ready),
    .in_i({alu_result_i, back.at, back.word, back.last}),
    .out_valid_o(wr_valid_o), .out_ready_i(wr_ready_i),
    .out_o({wr_data_o, wr_cell_o, wr_word_o, out_last}),
    .used_o(out_used)
  );
  assign job_done = wr_valid_o && wr_ready_i && out_last;

  // jobs_q and window_q guarantee space in the FIFOs, and each answer has its request in u_asked.
  logic unused;
  assign unused = ^{job_ready, job_used, run_ready, run_valid, run_used, asked_ready, asked_valid,
                    asked_used,
                    out_ready, out_used};

`ifdef FORMAL
  `include "ordered_proof.svh"
`endif
endmodule
