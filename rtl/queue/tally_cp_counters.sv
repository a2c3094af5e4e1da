// SPDX-License-Identifier: BSD-2-Clause
// CP counters of all ports (001 3.1 (1); the counting of bench/model.c).
//
// A counter counts the contributors of which at least one message waits. Each contributor counts at most once; its
// further messages wait behind the first. The model marks the counted message of a contributor. The mark is redundant,
// because the counted message is always the oldest one, which is also the one that a firing takes. The block keeps only
// the number of messages behind the first, Extras at most. When a contributor is released, its next message counts at
// once. The number is undefined while the contributor's bit is clear, so a Clear need not touch it.
//
// counts_o and lacks_o answer two cycles after the operation was taken. For a Message, counts_o is high if the message
// would be counted, and low if it waits behind another. For an Arm, lacks_o is the number of messages that are missing.
// Both operations take effect only if keep_i is then high, which means that there is room for the message, or for the
// missing messages.
//
// Operations:
//   Message  port, counter, contributor.
//   Arm      port, counter, cpcnt, tag. The counter fires once, as soon as it is at least cpcnt. Firing does not
//            change the counter: the messages taken for it must be released before its next Arm.
//   Release  port, counter, contributor. The contributor's oldest message was taken.
//   Clear    port, counter. Removes all messages and the Arm. A fire that is already offered stays.
//
// Operations take effect in order. Releases and Clears can enter in each clock. A Message or Arm is not taken in the
// clock after another operation, so that its answer does not depend on a decision of the same clock. A fire is offered
// three cycles after its operation was taken. Message and Arm wait while fires are not taken: op_ready_o depends on
// op_i, and room_o shows without op_i whether one is taken. Release and Clear never wait. After reset the block takes
// no operation for Ports * Counters cycles.
module tally_cp_counters #(
  parameter int unsigned Ports = tally_pkg::MaxQp,
  parameter int unsigned Counters = tally_pkg::NumCpCounters,
  parameter int unsigned Contributors = tally_pkg::ContribSelf + 1,
  parameter int unsigned Extras = tally_pkg::RmqPortCap,
  parameter int unsigned TagW = 16,
  localparam int unsigned PortW = Ports > 1 ? $clog2(Ports) : 1,
  localparam int unsigned CounterW = Counters > 1 ? $clog2(Counters) : 1,
  localparam int unsigned ContribW = Contributors > 1 ? $clog2(Contributors) : 1,
  localparam int unsigned CountW = $clog2(Contributors + 1)
) (
  input  logic                clk_i,
  input  logic                rst_ni,

  input  logic                op_valid_i,
  output logic                op_ready_o,
  output logic                room_o,
  input  logic [1:0]          op_i,       // tally_queue_pkg::cp_op_e
  input  logic [PortW-1:0]    port_i,
  input  logic [CounterW-1:0] counter_i,
  input  logic [ContribW-1:0] contributor_i,
  input  logic [CountW-1:0]   cpcnt_i,
  input  logic [TagW-1:0]     tag_i,

  output logic                counts_o,
  output logic [CountW-1:0]   lacks_o,
  input  logic                keep_i,

  output logic                fire_valid_o,
  input  logic                fire_ready_i,
  output logic [PortW-1:0]    fire_port_o,
  output logic [CounterW-1:0] fire_counter_o,
  output logic [TagW-1:0]     fire_tag_o
);
  localparam int unsigned Entries = 2 ** (PortW + CounterW);
  localparam int unsigned EntryW = PortW + CounterW;
  localparam int unsigned ExtraW = $clog2(Extras + 1);
  localparam int unsigned WordW = 1 + 2 * CountW + TagW + Contributors;
  localparam int unsigned Fires = 4;
  localparam int unsigned FireW = PortW + CounterW + TagW;
  localparam logic [EntryW-1:0] LastEntry = EntryW'(Entries - 1);

  logic [WordW-1:0] word_q [Entries];
  logic [ExtraW-1:0] extra_q [Entries << ContribW];

  // Clear all words after reset.
  logic ready_q;
  logic [EntryW-1:0] init_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      ready_q <= 1'b0;
      init_q <= '0;
    end else if (!ready_q) begin
      ready_q <= init_q == LastEntry;
      init_q <= init_q + 1'b1;
    end
  end

  // First cycle: take an operation, and read the counter's word.
  logic fires_room, accept, look_busy_q;
  logic [1:0] look_op_q;
  logic [EntryW-1:0] entry, look_entry_q;
  logic [ContribW-1:0] look_contributor_q;
  logic [CountW-1:0] look_cpcnt_q;
  logic [TagW-1:0] look_tag_q;
  logic [WordW-1:0] read_q, wrote_q;
  logic [ExtraW-1:0] read_extra_q, wrote_extra_q;
  logic same_q, same_extra_q;  // the word was written in the clock of the read
  logic near_q, near_extra_q;  // the operation taken just before concerns the same word
  logic busy_q;
  logic [1:0] op_q;
  logic [EntryW-1:0] entry_q;
  logic [ContribW-1:0] contributor_q;
  logic [CountW-1:0] cpcnt_q;
  logic [TagW-1:0] tag_q;
  logic write, write_extra;
  logic [WordW-1:0] word_d;
  logic [ExtraW-1:0] extra_d;

  assign room_o = ready_q && fires_room && !look_busy_q;
  assign op_ready_o = room_o || (ready_q && (op_i == tally_queue_pkg::CpRelease || op_i == tally_queue_pkg::CpClear));
  assign accept = op_valid_i && op_ready_o;
  assign entry = {port_i, counter_i};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      look_busy_q <= 1'b0;
      busy_q <= 1'b0;
    end else begin
      look_busy_q <= accept;
      busy_q <= look_busy_q;
    end
  end

  always_ff @(posedge clk_i) begin
    look_op_q <= op_i;
    look_entry_q <= entry;
    look_contributor_q <= contributor_i;
    look_cpcnt_q <= cpcnt_i;
    look_tag_q <= tag_i;
    same_q <= write && entry == entry_q;
    same_extra_q <= write_extra && entry == entry_q && contributor_i == contributor_q;
    near_q <= entry == look_entry_q;
    near_extra_q <= entry == look_entry_q && contributor_i == look_contributor_q;
    wrote_q <= word_d;
    wrote_extra_q <= extra_d;
  end

  always_ff @(posedge clk_i) begin
    read_q <= word_q[entry];
    if (!ready_q) word_q[init_q] <= '0;
    else if (write) word_q[entry_q] <= word_d;
  end
  always_ff @(posedge clk_i) begin
    read_extra_q <= extra_q[{entry, contributor_i}];
    if (write_extra) extra_q[{entry_q, contributor_q}] <= extra_d;
  end

  // Second cycle: compute the answers of Messages and Arms. No operation was taken in the clock before theirs.
  logic has, has_q;
  logic [WordW-1:0] look, at_q;
  logic [ExtraW-1:0] look_extra, extra_at_q;
  logic [CountW-1:0] look_count, lacks_q;
  logic [Contributors-1:0] look_counted;
  logic [2**ContribW-1:0] all_counted;

  assign look = same_q ? wrote_q : read_q;
  assign look_extra = same_extra_q ? wrote_extra_q : read_extra_q;
  assign {look_count, look_counted} = look[CountW+Contributors-1:0];
  assign all_counted = (2 ** ContribW)'(look_counted);
  assign has = all_counted[look_contributor_q];

  always_ff @(posedge clk_i) begin
    op_q <= look_op_q;
    entry_q <= look_entry_q;
    contributor_q <= look_contributor_q;
    cpcnt_q <= look_cpcnt_q;
    tag_q <= look_tag_q;
    has_q <= has;
    lacks_q <= look_cpcnt_q > look_count ? look_cpcnt_q - look_count : '0;
    at_q <= near_q && write ? word_d : look;
    extra_at_q <= near_extra_q && write_extra ? extra_d : look_extra;
  end

  // Third cycle: the operation takes effect.
  logic armed, fire;
  logic [CountW-1:0] cpcnt, count, count_d;
  logic [TagW-1:0] tag;
  logic [Contributors-1:0] counted, bit_of;

  assign {armed, cpcnt, tag, count, counted} = at_q;
  assign bit_of = Contributors'(1) << contributor_q;
  assign counts_o = !has_q;
  assign lacks_o = lacks_q;

  always_comb begin
    word_d = at_q;
    count_d = count + CountW'(!has_q);
    extra_d = extra_at_q;
    write = busy_q;
    write_extra = 1'b0;
    fire = 1'b0;
    unique case (op_q)
      tally_queue_pkg::CpMessage: begin
        write = busy_q && keep_i;
        write_extra = write;
        extra_d = has_q ? extra_at_q + 1'b1 : '0;
        fire = write && armed && count_d >= cpcnt;
        word_d = {armed && !fire, cpcnt, tag, count_d, counted | bit_of};
      end
      tally_queue_pkg::CpArm: begin
        write = busy_q && keep_i;
        fire = write && lacks_q == '0;
        word_d = {!fire, cpcnt_q, tag_q, count, counted};
      end
      tally_queue_pkg::CpRelease: begin
        write_extra = busy_q;
        extra_d = extra_at_q - 1'b1;
        if (extra_at_q == '0) word_d = {armed, cpcnt, tag, count - 1'b1, counted & ~bit_of};
      end
      tally_queue_pkg::CpClear: word_d = '0;
    endcase
  end

  // Fires. The operation in progress may add one.
  logic [$clog2(Fires + 1)-1:0] fires;
  logic [TagW-1:0] fire_tag;
  logic fires_ready;
  assign fires_room = fires < ($clog2(Fires + 1))'(Fires - 1);
  assign fire_tag = op_q == tally_queue_pkg::CpArm ? tag_q : tag;
  tally_fifo #(.Width(FireW), .Depth(Fires)) u_fires (
    .clk_i,
    .rst_ni,
    .in_valid_i(fire),
    .in_ready_o(fires_ready),
    .in_i({entry_q, fire_tag}),
    .out_valid_o(fire_valid_o),
    .out_ready_i(fire_ready_i),
    .out_o({fire_port_o, fire_counter_o, fire_tag_o}),
    .used_o(fires)
  );
  logic unused;
  assign unused = fires_ready;  // fires_room guarantees space

`ifdef FORMAL
  `include "cp_counters_proof.svh"
`endif
endmodule
