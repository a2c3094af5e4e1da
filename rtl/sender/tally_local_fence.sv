// SPDX-License-Identifier: BSD-2-Clause
// Groups whose results are not written any more: group_fence() of sim/engine/group.c. Each group
// has a bit, in words of 64.
//
// cmd_*: FENCE, from which on no rank of the group gets a result, or, with cmd_begins_i, the next
// epoch begins, whose results are written. fenced_*: the answer to FENCE, once no result of the
// group is under way. quiet_i says so of fenced_group_o; it counts from the clock on after that in
// which the command was taken. One FENCE waits at a time, and commands behind it wait, too.
//
// look_*: shut_o is whether results of group look_group_i are not written, a clock later, until the
// next look. A command that is taken in the clock of the look comes after it.
//
// Time: after a reset, a clock for each word in which no command is taken and no bit is set. FENCE
// is answered two clocks after it was taken, at the earliest. busy_o is low if none waits.
module tally_local_fence #(
  parameter int unsigned Groups = tally_pkg::MaxGroup,
  localparam int unsigned GroupW = Groups > 1 ? $clog2(Groups) : 1
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  output logic              busy_o,

  input  logic              cmd_valid_i,
  output logic              cmd_ready_o,
  input  logic              cmd_begins_i,
  input  logic [GroupW-1:0] cmd_group_i,

  input  logic              look_i,
  input  logic [GroupW-1:0] look_group_i,
  output logic              shut_o,

  input  logic              quiet_i,
  output logic              fenced_valid_o,
  input  logic              fenced_ready_i,
  output logic [GroupW-1:0] fenced_group_o
);
  localparam int unsigned BitW = GroupW < 6 ? GroupW : 6;
  localparam int unsigned Bits = 2 ** BitW;
  localparam int unsigned Words = (Groups + Bits - 1) / Bits;
  localparam int unsigned WordW = Words > 1 ? $clog2(Words) : 1;

  typedef enum logic [1:0] {
    StIdle,
    StWait,  // for results of the group
    StTell
  } state_e;
  state_e state_q, state_d;

  // ---- Bits of groups ----
  logic [Bits-1:0] bits_q [Words];
  logic [Bits-1:0] word, bit_of, changed;
  logic [WordW:0] clear_q;  // words that have been cleared
  logic [WordW-1:0] write_word, look_word;
  logic clears, takes;

  assign clears = clear_q != (WordW + 1)'(Words);
  assign cmd_ready_o = state_q == StIdle && !clears;
  assign takes = cmd_valid_i && cmd_ready_o;
  assign write_word = clears ? clear_q[WordW-1:0] : WordW'(cmd_group_i >> BitW);
  assign look_word = WordW'(look_group_i >> BitW);
  assign word = bits_q[write_word];
  assign bit_of = Bits'(1) << cmd_group_i[BitW-1:0];
  always_comb begin
    changed = word | bit_of;
    if (cmd_begins_i) changed = word & ~bit_of;
    if (clears) changed = '0;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) clear_q <= '0;
    else if (clears) clear_q <= clear_q + 1'b1;
  end
  always_ff @(posedge clk_i) begin
    if (takes || clears) bits_q[write_word] <= changed;
    if (look_i) shut_o <= bits_q[look_word][look_group_i[BitW-1:0]] && !clears;
  end

  // ---- The FENCE that waits ----
  always_comb begin
    state_d = state_q;
    unique case (state_q)
      StIdle: if (takes && !cmd_begins_i) state_d = StWait;
      StWait: if (quiet_i) state_d = StTell;
      default: if (fenced_ready_i) state_d = StIdle;  // StTell
    endcase
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) state_q <= StIdle;
    else state_q <= state_d;
  end
  always_ff @(posedge clk_i) if (takes) fenced_group_o <= cmd_group_i;

  assign fenced_valid_o = state_q == StTell;
  assign busy_o = clears || state_q != StIdle;

`ifdef FORMAL
  `include "local_fence_proof.svh"
`endif
endmodule
