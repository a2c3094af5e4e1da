// SPDX-License-Identifier: BSD-2-Clause
// The end of an epoch while chunks are open. The segments of the group return, in this order, once
//
//   - no operation is inside, and none of the group enters any more but the ends of writes to its
//     ranks,
//   - what was due to be sent, and the partial results that waited to enter the next round, have
//     left their lists, and then so has what may not leave yet, which is due now,
//   - the words of what has left the lists are read and have left,
//   - each rank to which a result was due has it, or its write has been given up (StoreOpTaken): a
//     write of this epoch that ended in the next one would be taken for one of the next epoch.
//
// For the last, it counts the results that are due to ranks of each group. One epoch ends at a
// time. Two changes of a count are at least three clocks apart.
module tally_store_end #(
  parameter int unsigned Groups = 64,
  parameter int unsigned GroupSegs = tally_pkg::MaxGroupSegs,
  parameter int unsigned Ranks = tally_pkg::MaxRanks,
  parameter int unsigned Due = 16,  // most entries of the lists
  localparam int unsigned GroupW = $clog2(Groups),
  localparam int unsigned DueW = $clog2(Due + 1)
) (
  input  logic              clk_i,
  input  logic              rst_ni,

  input  logic              cmd_valid_i,
  output logic              cmd_ready_o,
  input  logic [GroupW-1:0] cmd_group_i,

  output logic              stop_o,   // no operation may begin
  // none is inside, nor its consequences, but those in the two lists
  input  logic              quiet_i,
  output logic              ending_o,  // operations of group_o are refused
  output logic [GroupW-1:0] group_o,

  // Results for ranks.
  input  logic              due_valid_i,
  input  logic [GroupW-1:0] due_group_i,
  input  logic [Ranks-1:0]  due_ranks_i,  // that shall get their results now
  input  logic              due_taken_i,  // instead: one rank has its result

  // The list of what is due, and the list of partial results that wait.
  input  logic [DueW-1:0]   send_used_i,
  input  logic              send_pop_i,
  // What is taken from the list is looked at from the next clock on, one at a time, and then it may
  // be read. None is looked at when one is taken, and none read when a read begins: so one that has
  // left the list is not waited for any longer when the next one comes.
  input  logic              send_looks_i,
  input  logic              send_reads_i,
  output logic              send_mark_o,  // what has been read by now is waited for:
  input  logic              send_old_i,   // from the next clock on, it has not left
  input  logic [DueW-1:0]   own_used_i,
  input  logic              own_pop_i,

  // The list of what may not leave yet: of what is taken from it, entries of the first list come.
  input  logic [DueW-1:0]   wait_used_i,
  input  logic              wait_pop_i,
  output logic              wake_o,  // all of it is due

  // StoreCmdEnd of tally_segment_map.
  output logic              map_valid_o,
  input  logic              map_ready_i,
  input  logic              map_done_i
);
  localparam int unsigned CountW = $clog2(GroupSegs * Ranks + 1);
  localparam int unsigned RanksW = $clog2(Ranks + 1);

  typedef enum logic [3:0] {
    StIdle,
    StStop,
    StDrain,  // the first two lists
    StWake,
    StWaits,  // the third one
    StAgain,  // and the first one again
    StReads,  // what has left it is being read,
    StWords,  // and leaves
    StWrites,
    StClose,  // chunks that the last writes have finished are released
    StMap,
    StFree
  } state_e;
  state_e state_d, state_q;
  // entries that are older than the end
  logic [DueW-1:0] send_left_q, own_left_q, wait_left_q;
  logic clearing, written;

  assign cmd_ready_o = state_q == StIdle && !clearing;
  assign ending_o = state_q != StIdle && state_q != StStop;
  assign wake_o = state_q == StWake;
  assign send_mark_o = state_q == StReads;  // its last clock counts
  assign map_valid_o = state_q == StMap;

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      StIdle: if (cmd_valid_i && cmd_ready_o) state_d = StStop;
      StStop: if (quiet_i) state_d = StDrain;
      // What is looked at now may have to wait, but nothing that is looked at from now on.
      StDrain: if (send_left_q == '0 && own_left_q == '0 && !send_looks_i) state_d = StWake;
      StWake: state_d = StWaits;
      StWaits: if (wait_left_q == '0) state_d = StAgain;
      StAgain: if (send_left_q == '0 && !send_looks_i) state_d = StReads;
      StReads: if (!send_reads_i) state_d = StWords;
      StWords: if (!send_old_i) state_d = StWrites;
      StWrites: if (written) state_d = StClose;
      StClose: if (quiet_i) state_d = StMap;
      StMap: if (map_ready_i) state_d = StFree;
      default: if (map_done_i) state_d = StIdle;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= StIdle;
      stop_o <= 1'b1;
    end else begin
      state_q <= state_d;
      stop_o <= state_d == StStop || state_d == StClose || clearing;
    end
  end
  always_ff @(posedge clk_i) begin
    if (state_q == StIdle) group_o <= cmd_group_i;
    if (state_q == StStop || state_q == StWaits) send_left_q <= send_used_i - DueW'(send_pop_i);
    else if (send_left_q != '0) send_left_q <= send_left_q - DueW'(send_pop_i);
    if (state_q == StStop) own_left_q <= own_used_i - DueW'(own_pop_i);
    else if (own_left_q != '0) own_left_q <= own_left_q - DueW'(own_pop_i);
    if (state_q == StWake) wait_left_q <= wait_used_i - DueW'(wait_pop_i);
    else if (wait_left_q != '0) wait_left_q <= wait_left_q - DueW'(wait_pop_i);
  end

  // ---- Counts of the groups ----
  logic [CountW-1:0] count_mem_q [Groups];
  logic [CountW-1:0] row_q, count, ones;
  logic [RanksW-1:0] due, due_q;
  logic [GroupW-1:0] count_group_q, count_at;
  logic changes_q, taken_q, looking, looked_q, has_count;

  assign looking = state_q == StWrites && !due_valid_i && !changes_q;
  assign count_at = due_valid_i ? due_group_i : group_o;
  assign written = looked_q && !due_valid_i && !changes_q && count == '0;
  assign ones = taken_q ? {CountW{1'b1}} : CountW'(due_q);
  assign count = has_count ? row_q : '0;

  tally_written #(.Rows(Groups)) u_written (
    .clk_i, .rst_ni, .busy_o(clearing), .write_i(changes_q), .write_at_i(count_group_q),
    .read_i(1'b1), .read_at_i(count_at), .written_o(has_count)
  );

  always_comb begin
    due = '0;
    for (int unsigned k = 0; k < Ranks; k++) due = due + RanksW'(due_ranks_i[k]);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      changes_q <= 1'b0;
      looked_q <= 1'b0;
    end else begin
      changes_q <= due_valid_i;
      looked_q <= looking;
    end
  end
  always_ff @(posedge clk_i) begin
    count_group_q <= due_group_i;
    due_q <= due;
    taken_q <= due_taken_i;
    row_q <= count_mem_q[count_at];
    if (changes_q) count_mem_q[count_group_q] <= count + ones;
  end

`ifdef FORMAL
  `include "store_end_proof.svh"
`endif
endmodule
