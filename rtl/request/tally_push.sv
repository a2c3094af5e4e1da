// SPDX-License-Identifier: BSD-2-Clause
// Doorbells and pushed work requests: an AXI4 slave of 512 bits, which the host writes
// (sim/nic/push.c, uar_slot.c).
//
// Addresses are offsets in BAR2. A beat in a UAR is the doorbell slot of a queue pair or a
// completion queue, a beat in a push buffer is a line of a request. Bursts must be of type INCR and
// of full width; others, and other addresses, change nothing and are answered with an error.
//
// A slot does something only if it is bound (cfg_*). The count of a queue pair counts only if all
// of its bytes are written at once. It leaves at db_*, with the name of a buffer (db_pushed_o,
// db_buffer_o) if the request that it posts has been pushed: if each line that the request needs
// has been written whole, with that count, in the half of the push buffer that belongs to the
// count, and neither a part of such a line nor a line of another count was written to the half
// afterwards. In any doubt there is no buffer, and the request must be fetched. Slots of completion
// queues leave as they were written.
//
// Lines go to a pool of Buffers buffers. A half takes a buffer with the first line of a count, and
// keeps it for the next count if the doorbell does not come. If no buffer is free, the line is
// dropped, and the request will be fetched. The receiver of db_* owns its buffer. It lets the block
// read it (take_*), which frees it when its last word is at word_*, or frees it without
// (free_*). Words are those of the request, of which a line has 56 bytes. So the bytes of the last
// word behind the request are those that the line or the buffer had there.
//
// cfg_* binds a slot to an object or to none. With cfg_push_i, the UAR's push buffer belongs to
// this queue pair alone, and both halves give back their buffers: so the driver's clearing of the
// buffer when a queue pair is created, destroyed, or reset is one such command. A command is taken
// when all doorbells from before have left, so none of them comes when its slot is another
// object's. The block takes no beat meanwhile, and for three clocks then, and for as many more as a
// UAR has slots if it is the first command for its UAR since the reset. Until then the UAR and its
// push buffer do nothing.
//
// Time: one beat per clock. A doorbell leaves two clocks after its beat. awready_o and wready_o
// depend on both valids; nothing else depends on a signal of the same clock.
module tally_push #(
  parameter int unsigned Uars = tally_pkg::NumUars,
  parameter int unsigned SlotsOfUar = tally_pkg::UarSlots,  // a power of two; the others do nothing
  parameter int unsigned Buffers = 64,
  parameter int unsigned IdW = 4,
  parameter int unsigned ObjectW = 10,
  localparam int unsigned UarW = Uars > 1 ? $clog2(Uars) : 1,
  localparam int unsigned OfUarW = $clog2(SlotsOfUar),
  localparam int unsigned BufferW = Buffers > 1 ? $clog2(Buffers) : 1,
  localparam int unsigned AddrW = $clog2(tally_pkg::BarPushOffset) + 1
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  output logic               busy_o,

  // AXI4, writes only
  input  logic               awvalid_i,
  output logic               awready_o,
  input  logic [IdW-1:0]     awid_i,
  input  logic [AddrW-1:0]   awaddr_i,
  input  logic [7:0]         awlen_i,
  input  logic [2:0]         awsize_i,
  input  logic [1:0]         awburst_i,
  input  logic               wvalid_i,
  output logic               wready_o,
  input  logic [511:0]       wdata_i,
  input  logic [63:0]        wstrb_i,
  input  logic               wlast_i,
  output logic               bvalid_o,
  input  logic               bready_i,
  output logic [IdW-1:0]     bid_o,
  output logic [1:0]         bresp_o,

  input  logic               cfg_valid_i,
  output logic               cfg_ready_o,
  input  logic [UarW-1:0]    cfg_uar_i,
  input  logic [OfUarW-1:0]  cfg_slot_i,
  input  logic               cfg_bound_i,     // low: nothing has the slot any more
  input  logic               cfg_cq_i,        // a completion queue, otherwise a queue pair
  input  logic [ObjectW-1:0] cfg_object_i,    // its number
  input  logic               cfg_push_i,      // the push buffer is, or was, the queue pair's
  input  logic [9:0]         cfg_stride_i,    // an entry of its send queue, in 16 bytes

  output logic               db_valid_o,
  input  logic               db_ready_i,
  output logic               db_cq_o,
  output logic [ObjectW-1:0] db_object_o,
  output logic               db_counts_o,     // the count was written; always if it is a queue pair
  output logic [63:0]        db_count_o,
  output logic               db_arms_o,       // the arm word was written
  output logic [63:0]        db_arm_o,
  output logic               db_pushed_o,
  output logic [BufferW-1:0] db_buffer_o,

  input  logic               free_valid_i,    // taken at once
  input  logic [BufferW-1:0] free_buffer_i,
  input  logic               take_valid_i,
  output logic               take_ready_o,
  input  logic [BufferW-1:0] take_buffer_i,
  output logic               word_valid_o,
  input  logic               word_ready_i,
  output logic [511:0]       word_o,
  output logic               word_last_o,

  output logic               full_o           // a line was dropped because no buffer was free
);
  localparam int unsigned Banks = 8;          // of 8 bytes each: a word
  localparam int unsigned Lines = tally_pkg::PushLines;
  localparam int unsigned LineW = $clog2(Lines);
  localparam int unsigned RowW = 6;           // words of a buffer
  localparam int unsigned UsedW = 8;          // sixteenths of bytes of a request
  localparam int unsigned Most = Lines * 56 / 16;
  localparam int unsigned SlotW = UarW + OfUarW;
  localparam int unsigned Slots = 2 ** SlotW;
  localparam int unsigned HalfW = UarW + 1;
  localparam int unsigned StrideW = 10;
  localparam int unsigned BindW = 3 + StrideW + ObjectW;
  localparam int unsigned DbW = 1 + ObjectW + 1 + 64 + 1 + 64 + 1 + BufferW;
  localparam int unsigned StateW = 1 + 1 + BufferW + UsedW + 64 + Lines;
  localparam logic [1:0] RespOkay = 2'b00, RespSlave = 2'b10, RespDecode = 2'b11;

  // What is known of half a push buffer.
  typedef struct packed {
    logic               bound;   // a queue pair has the push buffer
    logic               open;    // it has a buffer
    logic [BufferW-1:0] buffer;
    logic [UsedW-1:0]   used;    // by line 0: length of the request in 16 bytes, at most Most + 1
    logic [63:0]        count;
    logic [Lines-1:0]   lines;   // that were written with this count
  } half_t;

  logic [BindW-1:0] bind_q [Slots];
  logic [StateW-1:0] half_q [2**HalfW];

  // ---- AXI: beats ----
  logic [AddrW-1:0] addr, next_addr_q;
  logic in_burst_q, wrong_q, wrong, beat, b_room, db_room, busy, first_wrong, in_uar, in_push, good,
      behind_uars;
  logic [1:0] resp, resp_q, beat_resp;
  logic [IdW-1:0] id, id_q;
  logic [Uars-1:0] clean_q;       // UARs whose slots have been cleared
  logic [OfUarW-1:0] clear_q;
  logic clears, clean_step_q;     // the latter: that of the beat is clean
  logic db_due;                   // a doorbell has not left
  logic [1:0] cfg_step_q;
  logic [2:0] unused_b;

  assign busy = cfg_valid_i || cfg_step_q != '0;
  assign beat = wvalid_i && (in_burst_q || awvalid_i) && b_room && db_room && !busy;
  assign wready_o = beat;
  assign awready_o = beat && !in_burst_q;
  assign addr = in_burst_q ? next_addr_q : awaddr_i;
  assign id = in_burst_q ? id_q : awid_i;
  assign first_wrong = awsize_i != 3'd6 || (awlen_i != '0 && awburst_i != 2'b01);
  assign wrong = in_burst_q ? wrong_q : first_wrong;

  // The UARs, and the push buffers, begin at multiples of a page, but not of all of them together.
  localparam int unsigned PageW = AddrW - 12;
  localparam int unsigned UarFrom = tally_pkg::BarUarOffset / 4096;
  localparam int unsigned PushFrom = tally_pkg::BarPushOffset / 4096;
  localparam int unsigned PushEnd = PushFrom + Uars * tally_pkg::PushSize / 4096;
  logic [PageW:0] page;
  logic [UarW-1:0] uar_page;
  assign page = {1'b0, addr[AddrW-1:12]};
  assign in_uar = page >= (PageW + 1)'(UarFrom) && page < (PageW + 1)'(UarFrom + Uars);
  assign behind_uars = page >= (PageW + 1)'(PushFrom);
  assign in_push = behind_uars && page < (PageW + 1)'(PushEnd);
  assign uar_page = UarW'(page - (PageW + 1)'(UarFrom));
  assign beat_resp = wrong ? RespSlave : !in_uar && !in_push ? RespDecode : RespOkay;
  assign resp = in_burst_q && resp_q != RespOkay ? resp_q : beat_resp;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      in_burst_q <= 1'b0;
    end else if (beat) begin
      in_burst_q <= !wlast_i;
    end
  end

  always_ff @(posedge clk_i) begin
    if (beat) begin
      next_addr_q <= {addr[AddrW-1:6] + 1'b1, 6'b0};
      wrong_q <= wrong;
      resp_q <= resp;
      id_q <= id;
    end
  end

  tally_fifo #(
    .Width(IdW + 2),
    .Depth(4)
  ) u_answers (
    .clk_i,
    .rst_ni,
    .in_valid_i(beat && wlast_i),
    .in_ready_o(b_room),
    .in_i({id, resp}),
    .out_valid_o(bvalid_o),
    .out_ready_i(bready_i),
    .out_o({bid_o, bresp_o}),
    .used_o(unused_b)
  );

  // ---- First step: what the beat is for; its half and its slot are read ----
  logic cfg_now, step_valid_q, line_q, slot_q, cfg_q, cfg_bound_q, half, half_sel_q, again_q;
  logic [UarW-1:0] uar;
  logic [HalfW-1:0] half_at, half_at_q;
  logic [SlotW-1:0] slot_at;
  logic [LineW-1:0] index_q;
  logic [511:0] data_q;
  logic [63:0] strb_q;
  logic [StateW-1:0] half_read_q;
  logic [BindW-1:0] bind_read_q;

  logic unused;  // places in a line
  assign unused = ^addr[5:0];
  assign good = beat && !wrong && (in_uar || in_push);
  assign clears = cfg_valid_i && !clean_q[cfg_uar_i];
  assign cfg_now = cfg_valid_i && !clears && cfg_step_q != 2'd2 && (cfg_step_q != 2'd0 || !db_due);
  assign cfg_ready_o = cfg_now && cfg_step_q == 2'd1;
  assign slot_at = {uar_page, addr[OfUarW+5:6]};
  assign uar = cfg_now ? cfg_uar_i : behind_uars ? addr[UarW+12:13] : uar_page;
  assign half = cfg_now ? cfg_step_q[0] : behind_uars ? addr[12] : wdata_i[0];
  assign half_at = {uar, half};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      clean_q <= '0;
      clear_q <= '0;
      cfg_step_q <= '0;
      step_valid_q <= 1'b0;
    end else begin
      if (clears) begin
        clear_q <= clear_q + 1'b1;
        if (clear_q == OfUarW'(SlotsOfUar - 1)) clean_q[cfg_uar_i] <= 1'b1;
      end
      if (cfg_now || cfg_step_q == 2'd2) cfg_step_q <= cfg_step_q == 2'd2 ? '0 : cfg_step_q + 2'd1;
      step_valid_q <= good || (cfg_now && cfg_push_i);
    end
  end

  always_ff @(posedge clk_i) begin
    line_q <= good && in_push;
    slot_q <= good && in_uar && 32'(addr[11:6]) < SlotsOfUar;
    cfg_q <= cfg_now && cfg_push_i;
    cfg_bound_q <= cfg_bound_i;
    half_at_q <= half_at;
    half_sel_q <= half;
    index_q <= addr[11:6];
    data_q <= wdata_i;
    strb_q <= wstrb_i;
    half_read_q <= half_q[half_at];
    // The half is written in the clock in which it is read.
    again_q <= step_valid_q && half_at == half_at_q;
    bind_read_q <= bind_q[slot_at];
    clean_step_q <= clean_q[uar];
    if (clears) bind_q[{cfg_uar_i, clear_q}] <= '0;
    else if (cfg_now) begin
      bind_q[{cfg_uar_i, cfg_slot_i}] <= {cfg_bound_i, cfg_cq_i, cfg_push_i, cfg_stride_i,
                                          cfg_object_i};
    end
  end

  // ---- Second step: decide ----
  half_t was, now, now_q;
  logic is_bound, is_cq, is_push, counts, arms, emits, whole, same, stores, takes_buffer, complete,
      pushed, drops;
  logic gives_back;
  logic [StrideW-1:0] stride;
  logic [ObjectW-1:0] object;
  logic [63:0] count;
  logic [UsedW-1:0] used;
  logic [Lines-1:0] needed;
  logic [BufferW-1:0] buffer, pick;
  logic [Buffers-1:0] free_q;
  logic has_free;

  assign was = !clean_step_q ? '0 : again_q ? now_q : half_t'(half_read_q);
  assign {is_bound, is_cq, is_push, stride, object} = clean_step_q ? bind_read_q : '0;

  // Length of the request whose line 0 this is. It saturates at one more than can be pushed.
  logic [28:0] data_sixteenths;
  logic [29:0] sixteenths;
  assign data_sixteenths = {1'b0, data_q[127:100]} + 29'(data_q[99:96] != '0);
  assign sixteenths = 30'(data_sixteenths) + 30'(tally_pkg::WqeBytes / 16) + 30'(data_q[31:24]) +
                      30'(data_q[287:280]);
  assign used = sixteenths > 30'(Most) ? UsedW'(Most + 1) : sixteenths[UsedW-1:0];
  always_comb begin
    needed = '0;  // a table instead of comparators, which would have carries
    for (int unsigned n = 0; n <= Most + 1; n++) begin
      if (was.used == UsedW'(n)) begin
        for (int unsigned k = 0; k < Lines; k++) needed[k] = 7 * k < 2 * n;
      end
    end
  end

  // A buffer that is free.
  always_comb begin
    pick = '0;
    for (int unsigned k = Buffers; k > 0; k--) if (free_q[k-1]) pick = BufferW'(k - 1);
  end
  assign has_free = free_q != '0;

  assign count = data_q[511:448];
  assign whole = strb_q == {64{1'b1}} && count[0] == half_sel_q;
  assign same = was.open && was.count == count;
  assign stores = line_q && was.bound && whole && (was.open || has_free);
  assign drops = line_q && was.bound && whole && !was.open && !has_free;
  assign takes_buffer = stores && !was.open;
  assign buffer = was.open ? was.buffer : pick;

  assign counts = strb_q[7:0] == 8'hff;
  assign arms = strb_q[15:8] == 8'hff;
  assign emits = slot_q && is_bound && (is_cq ? counts || arms : counts);
  assign complete = was.bound && was.open && was.lines[0] && was.count == data_q[63:0] &&
                    (needed & ~was.lines) == '0;
  assign pushed = emits && !is_cq && is_push && complete && was.used <= UsedW'(Most) &&
                  StrideW'(was.used) <= stride;
  assign gives_back = cfg_q && was.open;

  always_comb begin
    now = was;
    if (cfg_q) begin
      now = '0;
      now.bound = cfg_bound_q;
    end
    if (pushed) now.open = 1'b0;
    if (line_q && was.bound && strb_q != '0) begin
      // A part of a line leaves it undefined.
      if (!whole) now.lines[index_q] = 1'b0;
    end
    if (stores) begin
      now.open = 1'b1;
      now.buffer = buffer;
      now.count = count;
      if (!same) now.lines = '0;
      now.lines[index_q] = 1'b1;
      if (index_q == '0) now.used = used;
    end
  end

  always_ff @(posedge clk_i) begin
    now_q <= now;
    if (clears) half_q[{cfg_uar_i, clear_q[0]}] <= '0;
    else if (step_valid_q) half_q[half_at_q] <= now;
  end
  assign full_o = drops;

  // ---- Doorbells ----
  logic [2:0] db_used;
  logic unused_db;
  assign db_room = db_used + 3'(step_valid_q) < 3'd4;
  assign db_due = step_valid_q || db_valid_o;
  tally_fifo #(
    .Width(DbW),
    .Depth(4)
  ) u_doorbells (
    .clk_i,
    .rst_ni,
    .in_valid_i(emits),
    .in_ready_o(unused_db),
    .in_i({is_cq, object, counts, data_q[63:0], arms && is_cq, data_q[127:64], pushed, was.buffer}),
    .out_valid_o(db_valid_o),
    .out_ready_i(db_ready_i),
    .out_o({db_cq_o, db_object_o, db_counts_o, db_count_o, db_arms_o, db_arm_o, db_pushed_o,
            db_buffer_o}),
    .used_o(db_used)
  );

  // ---- The pool: a rotation over the banks, of which it uses seven, makes words of line i ----
  logic [BufferW+RowW-1:0] read_at;
  logic read_now;
  for (genvar b = 0; b < int'(Banks); b++) begin : gen_bank
    logic [63:0] bank_q [Buffers << RowW];
    logic [63:0] bank_read_q, piece;
    logic [3:0] turned;
    logic [RowW-1:0] row;

    // The line begins at 8 bytes number 7 * index, in row 7 * (index / 8) + index % 8 or the one
    // before.
    assign turned = 4'(b) + {1'b0, index_q[2:0]};
    assign row = RowW'(index_q[LineW-1:3]) * RowW'(7) + RowW'(index_q[2:0]) - RowW'(turned[3]);
    always_comb begin
      piece = '0;
      for (int unsigned k = 0; k < Banks; k++) if (turned[2:0] == 3'(k)) piece = data_q[64*k+:64];
    end
    always_ff @(posedge clk_i) begin
      if (stores && turned != 4'd7) bank_q[{buffer, row}] <= piece;
      if (read_now) bank_read_q <= bank_q[read_at];
    end
    assign word_o[64*b+:64] = bank_read_q;
  end

  // ---- Reading a buffer, from the clock on in which it is taken ----
  logic [RowW-1:0] last_row_q [Buffers];
  logic [RowW-1:0] read_row_q, read_row, read_last_q, read_last;
  logic [BufferW-1:0] reading_q, reading;
  logic takes, reads_q, word_valid_q, word_last_q, read_ends;

  assign take_ready_o = !reads_q && !word_valid_q;
  assign takes = take_valid_i && take_ready_o;
  assign reading = takes ? take_buffer_i : reading_q;
  assign read_row = takes ? '0 : read_row_q;
  assign read_last = takes ? last_row_q[take_buffer_i] : read_last_q;
  assign read_at = {reading, read_row};
  assign read_now = takes || (reads_q && (!word_valid_q || word_ready_i));
  assign read_ends = read_now && read_row == read_last;
  assign word_valid_o = word_valid_q;
  assign word_last_o = word_last_q;
  assign busy_o = clear_q != '0 || cfg_step_q != '0 || step_valid_q || bvalid_o || db_valid_o ||
      reads_q || word_valid_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      reads_q <= 1'b0;
      word_valid_q <= 1'b0;
      free_q <= {Buffers{1'b1}};
    end else begin
      reads_q <= (takes || reads_q) && !read_ends;
      if (read_now || word_ready_i) word_valid_q <= read_now;
      for (int unsigned k = 0; k < Buffers; k++) begin
        if (takes_buffer && pick == BufferW'(k)) free_q[k] <= 1'b0;
        else if ((free_valid_i && free_buffer_i == BufferW'(k)) ||
                 (read_ends && reading == BufferW'(k)) ||
                 (gives_back && was.buffer == BufferW'(k))) begin
          free_q[k] <= 1'b1;
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (stores && index_q == '0) last_row_q[buffer] <= RowW'((used - 1'b1) >> 2);
    reading_q <= reading;
    read_last_q <= read_last;
    if (read_now) begin
      read_row_q <= read_row + 1'b1;
      word_last_q <= read_ends;
    end
  end
endmodule
